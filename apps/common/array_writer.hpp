// SPDX-License-Identifier: Apache-2.0
// Writing an array to a file in pieces: .npy, raw binary or text, gzip-compressed if the name ends
// in ".gz".
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/data_file.hpp>
#include <apps/common/output_file.hpp>

namespace libscan::apps {

class gzip_compressor;
class temporary_file;

/// The format of an output: that of the name's ending, else that of the input.
file_format output_format(std::string const& path, file_format input);

/// Writes one array of one dimension: construct it (before any work, so that an impossible output
/// is refused at once), `begin`, `append` as often as needed, `commit`. Without `commit` no file
/// appears. Only an .npy file of unknown length for a pipe or gzip, whose header comes first, waits
/// in a temporary file.
///
/// Text has one value per line: integers in decimal, floats as the shortest decimal that reads back
/// as the same value, NaN as nan. Npy is version 1.0 with aligned data, as NumPy writes it. A name
/// ending in ".gz" is compressed; standard output ("-") never is.
class array_writer {
 public:
  /// Opens `path` ("-" is standard output).
  /// Throws: `file_error` as `output_file` does; `usage_error` for endings of formats that are not
  /// supported.
  explicit array_writer(std::string const& path);
  ~array_writer();

  /// The array has `count` items of `type`, none: unknown; the file's format is
  /// `output_format(path, otherwise)`. Writes the header of npy.
  /// Throws `usage_error` for another format than text on a terminal.
  void begin(dtype type, std::optional<index_t> count, file_format otherwise);

  /// Whether `begin` was called.
  bool begun() const { return begun_; }

  /// Whether `begin_from_end` is possible.
  bool may_begin_from_end(file_format otherwise) const;

  /// As `begin`, but the items are appended from the last to the first: each `append` brings those
  /// before the last one's.
  void begin_from_end(dtype type, index_t count, file_format otherwise);

  /// Writes what was appended, if the output is a pipe or the like: its reader may be waiting.
  void flush();

  /// Appends items; T must be the type passed to `begin`.
  /// Throws: `invalid_argument` for a wrong type or more than `count` items; as
  /// `output_file::write`.
  template <class T>
  void append(std::span<T const> items) {
    append(dtype_of<T>(), std::as_bytes(items));
  }

  /// The same for a type known at run time.
  void append(dtype type, std::span<std::byte const> items);

  /// Instead of `begin`: the file is text that `append_text` makes. Throws `invalid_argument` if
  /// the name means another format.
  void begin_text();

  /// Appends text as it is, after `begin_text`. Throws as `output_file::write`.
  void append_text(std::string_view text);

  /// The same, and a LF after it; fast for short lines.
  void append_line(std::string_view line);

  /// Writes everything left, as `output_file::complete`, and returns the file, which must then be
  /// committed. Throws `invalid_argument` if fewer than `count` items were appended.
  output_file& complete();

  /// Completes the file, unless done already, and puts it into place. Throws as `complete`.
  void commit() { complete().commit(); }

  /// Items appended so far.
  index_t items() const { return items_; }

  /// Bytes passed to the file so far, before any compression.
  std::uint64_t bytes_written() const { return bytes_; }

 private:
  void start(dtype type, std::optional<index_t> count, file_format otherwise);
  void finish_header();
  void hold(std::span<std::byte const> bytes);
  void put(std::span<std::byte const> bytes);
  void put_lines();
  template <class T>
  void put_text(std::span<std::byte const> items);

  file_format format_;  // by the name; never `automatic` after `begin`
  output_file file_;
  bool to_terminal_;
  bool takes_text_ = false;  // after `begin_text`
  std::string lines_;        // not put yet
  std::unique_ptr<gzip_compressor> gzip_;
  dtype type_ = dtype::i64;
  bool begun_ = false;
  std::optional<index_t> count_;  // as announced
  index_t items_ = 0;
  bool header_last_ = false;   // of npy: written over zeros
  bool header_first_ = false;  // of npy: the items wait for it here
  std::vector<std::byte> held_;
  std::unique_ptr<temporary_file> more_held_;  // what does not fit in a block, and all after it
  std::uint64_t bytes_ = 0;
};

/// Writes `items` as one array to `path`. See `array_writer`.
template <class T>
void write_array(std::string const& path, std::span<T const> items, file_format otherwise) {
  array_writer out(path);
  out.begin(dtype_of<T>(), static_cast<index_t>(items.size()), otherwise);
  out.append(items);
  out.commit();
}

}  // namespace libscan::apps
