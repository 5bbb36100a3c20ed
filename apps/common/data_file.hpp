// SPDX-License-Identifier: Apache-2.0
// Reading arrays from data files: .npy, raw binary and a column of text or CSV, each also
// gzip-compressed, from a file or standard input. Readers check everything and refuse with the
// file's name and the line or byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/dtype.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

class byte_source;
class progress;

/// How the items of an array are laid out in a file.
enum class file_format : std::uint8_t {
  automatic,  ///< by the name's ending, else by the content (see `read_array`)
  npy,        ///< NumPy's .npy, versions 1.0 to 3.0
  raw,        ///< the items' bytes, little-endian, nothing else
  text        ///< one item per line, or one column of a table
};

/// The name of a format as --format takes it: "auto", "npy", "raw", "text".
std::string_view name_of(file_format format);

/// The format called `name`, as in `name_of`, or "csv" for text. Throws `usage_error`.
file_format format_from_name(std::string_view name);

/// The format that a file name's ending stands for, a last ".gz" ignored: .npy; .raw and .bin;
/// .txt, .csv and .tsv. `automatic` for any other.
file_format format_of_name(std::string_view path);

/// True if the name ends in ".gz".
bool named_gzip(std::string_view path);

/// Whether the first line of a text is a header.
enum class header_rule : std::uint8_t {
  automatic,  ///< if it looks like one (see `read_array`)
  present,
  absent
};

/// The rule called `name`, as --header takes it: "auto", "yes", "no". Throws `usage_error`.
header_rule header_rule_from_name(std::string_view name);

/// Floats of 16 bits: IEEE's, and the upper halves of float32.
enum class half_dtype : std::uint8_t { f16, bf16 };

/// How an input shall be read.
struct read_options {
  file_format format = file_format::automatic;
  std::optional<dtype> type;  ///< raw needs it; text: instead of the type found; npy: must agree
  int column = 1;             ///< of text, from 1
  progress* meter = nullptr;  ///< told of the bytes read; may be null
  header_rule header = header_rule::automatic;  ///< of text
  bool halves = false;                          ///< whether float16 in npy may be had, as float32
  std::optional<half_dtype> half = {};  ///< instead of `type`: what raw holds, to be had as float32
};

/// An array read from a file: its items in C order in one piece of memory, which is either the
/// mapped file itself or a buffer. Copies share that memory.
struct array {
  dtype type = dtype::i64;
  std::vector<index_t> shape;             ///< (count) except for n-dimensional .npy
  file_format format = file_format::raw;  ///< of the file it came from, never `automatic`
  std::span<std::byte const> bytes;       ///< aligned for the type
  std::shared_ptr<void const> owner;      ///< keeps `bytes` alive
  std::uint64_t header_line = 0;          ///< of text: the line skipped as a header; 0: none

  /// Number of items.
  std::size_t count() const { return bytes.size() / size_of(type); }

  /// The items. Throws `invalid_argument` if T is not the array's type.
  template <class T>
  std::span<T const> values() const {
    if (dtype_of<T>() != type) {
      throw invalid_argument("array::values: the items are " + std::string(name_of(type)) +
                             ", asked for as " + std::string(name_of(dtype_of<T>())));
    }
    return {reinterpret_cast<T const*>(bytes.data()), count()};
  }
};

/// Reads the array in the file `path`; "-" is standard input.
///
/// Format: `options.format`, else the name's ending, else the content: what begins with NumPy's
/// magic bytes is npy, anything else text. Raw is never guessed. Gzip is recognised by its magic
/// bytes (in raw files with a name, by the name's ".gz"); members may follow each other.
///
/// npy: C order (or one dimension), little-endian (of one byte: any order), the ten types of
/// `dtype`, or truth values if uint8 is asked for, or float16 if `options.halves`; nothing may
/// follow the items. Raw: `options.type` or `half` is needed and the size must be a multiple of its
/// size.
///
/// Text: cells are separated by what the first line contains, outside quotes, of semicolon, tab,
/// comma (in that order), else by blanks; every line has as many cells as the first. Lines that are
/// empty or begin with '#' are skipped. The first line is a header if `options.header` says so, or
/// if it looks like one: none of its cells is a number, and that of the column begins with a letter
/// or '_', or, if it is quoted or not alone in its line, with no sign or dot and holds no digit;
/// "NA", "N/A" and "null" are values that are missing, and so refused. Cells may be quoted ("" is a
/// quote inside), not across lines. Without `options.type` the items are int64 if every value is
/// one, else uint64 if every value is one, else float64, where integers that float64 does not hold
/// exactly are refused; integers never pass through a double on the way to an integer type. Values
/// beyond the type are refused; decimals are rounded to nearest.
///
/// Uncompressed regular files are mapped, npy and raw without a copy where aligned; anything else
/// is read into a buffer that grows with what arrives, never with what a header claims. A mapped
/// file that shrinks while it is used ends the program with an error message and code 3.
/// Throws `file_error`; `usage_error` if the options do not fit the format.
array read_array(std::string const& path, read_options const& options = {});

/// The same from any source of bytes; `name` stands for the file in messages and as to its ending.
array read_array(std::unique_ptr<byte_source> source, std::string const& name,
                 read_options const& options);

}  // namespace libscan::apps
