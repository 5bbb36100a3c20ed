// SPDX-License-Identifier: Apache-2.0
// Reading arrays from data files: .npy, raw binary and a column of text or CSV, each optionally
// gzip-compressed, from a file or standard input. Readers check everything; an error names the file
// and the line or byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/column.hpp>
#include <apps/common/dtype.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

class byte_reader;
class byte_source;
class progress;

/// How the items of an array are laid out in a file.
enum class file_format : std::uint8_t {
  automatic,  ///< by the name's ending, else by the content (see `read_array`)
  npy,        ///< NumPy's .npy, versions 1.0 to 3.0
  raw,        ///< the items' bytes, little-endian, nothing else
  text        ///< one item per line, or one column of a table
};

/// The name of a format for --format: "auto", "npy", "raw", "text".
std::string_view name_of(file_format format);

/// The format called `name`, as in `name_of`, or "csv" for text. Throws `usage_error`.
file_format format_from_name(std::string_view name);

/// The format of a file name's ending, in any case, ignoring a last ".gz" or ".zst": .npy; .raw and
/// .bin; .txt, .csv and .tsv. `automatic` for any other.
file_format format_of_name(std::string_view path);

/// The same for an output. Throws `usage_error` for endings of formats that cannot be written, such
/// as ".xz".
file_format format_to_write(std::string_view path);

/// Whether a name has this ending, in any case. `ending` is in lower case.
bool ends_in(std::string_view path, std::string_view ending);

/// True if the name ends in ".gz", in any case.
bool named_gzip(std::string_view path);

/// True if the name ends in ".zst", in any case.
bool named_zstd(std::string_view path);

/// Whether the first line of a text is a header.
enum class header_rule : std::uint8_t {
  automatic,  ///< if it looks like one (see `read_array`)
  present,
  absent
};

/// The rule called `name`, for --header: "auto", "yes", "no". Throws `usage_error`.
header_rule header_rule_from_name(std::string_view name);

/// Which lines of a text that begin with '#' are comments: those before the first row, all, or
/// none.
enum class comment_rule : std::uint8_t { leading, all, none };

/// The rule called `name`, for --comments: "leading", "all", "none". Throws `usage_error`.
comment_rule comment_rule_from_name(std::string_view name);

/// How to read an input.
struct read_options {
  file_format format = file_format::automatic;
  std::optional<dtype> type;  ///< needed for raw; text: overrides the type found; npy: must agree
  std::optional<column_choice> column;          ///< of text; not given: see `read_array`
  progress* meter = nullptr;                    ///< receives the number of bytes read; may be null
  header_rule header = header_rule::automatic;  ///< of text
  std::optional<half_dtype> half =
      {};  ///< instead of `type`: the type in a raw file, read as float32
  comment_rule comments = comment_rule::leading;  ///< of text
  bool whole_rows =
      false;  ///< of text: rows are kept elsewhere, so a single row is never a sequence
  /// Called with the type and number of items before any is read, if the file's size gives the
  /// number; may throw.
  std::function<void(dtype, std::uint64_t)> before_items = {};
  char delimiter = '\0';       ///< of text: between cells; ' ': runs of blanks; 0: guessed
  missing_rule missing = {};   ///< of text: for cells that mean a missing value
  bool decimal_comma = false;  ///< of text: numbers have a comma where others have a point
  int threads = 1;             ///< that parse text; 0: one for each core
  /// Whether --column, --header, --comments and --format are for this file. Messages name them
  /// then.
  bool has_options = true;

  /// How a file other than the input is read: none of those options is for it.
  static read_options beside_input(progress* meter, stored_type type = {}) {
    read_options options;
    options.type = type.type;
    options.half = type.half;
    options.meter = meter;
    options.has_options = false;
    return options;
  }
};

/// An array read from a file: its items in C order in one piece of memory, which is the mapped file
/// itself or a buffer. Copies share that memory.
struct array {
  dtype type = dtype::i64;
  std::vector<index_t> shape;             ///< (count) except for n-dimensional .npy
  file_format format = file_format::raw;  ///< of the file it came from, never `automatic`
  std::span<std::byte const> bytes;       ///< aligned for the type
  std::shared_ptr<void const> owner;      ///< keeps `bytes` alive
  std::uint64_t header_line = 0;          ///< of text: the line skipped as a header; 0: none
  bool truth_values = false;              ///< of npy: the items were bools and are now 0 or 1
  bool mapped = false;                    ///< whether `bytes` are the mapped file
  std::vector<std::string> notes = {};    ///< of text: what was guessed, to be shown to the user

  /// Number of items.
  std::size_t count() const { return bytes.size() / size_of(type); }

  /// The items. Throws `invalid_argument` if T is not the array's type.
  template <class T>
  std::span<T const> values() const {
    if (dtype_of<T>() != type) {
      throw invalid_argument("array::values: the items are " + std::string(name_of(type)) +
                             ", requested as " + std::string(name_of(dtype_of<T>())));
    }
    return {reinterpret_cast<T const*>(bytes.data()), count()};
  }
};

/// Reads the array in the file `path`; "-" is standard input. Prints on standard error what it had
/// to guess (`array::notes`).
///
/// Format: `options.format`, else the name's ending, else the content: data that begin with NumPy's
/// magic bytes are npy, all others text. Raw is never guessed. Gzip and zstd are recognized by
/// their magic bytes (for raw files with a name, by the name's ending); several members may follow
/// each other.
///
/// npy: any order of bytes and of dimensions (items come in C order), the ten types of `dtype`,
/// bools as uint8, float16 as float32; nothing may follow the items. Raw: `options.type` or
/// `half` is needed, and the file's size must be a multiple of the item size.
///
/// Text: see docs/text.md. Without `options.column` a single row of several numbers is a sequence;
/// with several rows column 1 is read.
///
/// Uncompressed regular files are mapped, npy and raw without a copy if aligned, unless this
/// process can write to the same file. All others are read into a buffer that grows with the data,
/// not with the claims of a header, and never beyond `memory_bound()`. A mapped file that shrinks
/// during use ends the program with an error message and code 3.
/// Throws: `file_error`; `usage_error` if the options do not fit the format; `error` beyond the
/// memory bound.
array read_array(std::string const& path, read_options const& options = {});

/// The same from any source of bytes; `name` stands for the file in messages, and its ending
/// counts. Prints nothing.
array read_array(std::unique_ptr<byte_source> source, std::string const& name,
                 read_options const& options);

/// Throws `usage_error` if `options` are not for the input `name`, which is read as `format`.
void check_options(std::string const& name, file_format format, read_options const& options);

/// The same from decompressed content of a known format.
array read_content(byte_reader& in, file_format format, read_options const& options);

/// The array, or a copy of it if its items are not aligned in memory.
array aligned(array data);

/// Prints the notes of an array on standard error.
void say_notes(array const& data);

/// Throws `file_error` unless `size` bytes of a raw file are a whole number of items of `type`.
void check_raw_size(std::string const& name, dtype type, std::uint64_t size);

/// As `read_array`, including its notes; adds the file's own bytes (before decompression) to
/// `bytes`.
array read_counted(std::string const& path, read_options const& options, std::uint64_t& bytes);

/// The items of an array of uint16, which need not be aligned, as the floats with those bits.
array widened(array const& bits, half_dtype type);

}  // namespace libscan::apps
