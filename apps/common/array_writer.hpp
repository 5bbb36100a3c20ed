// SPDX-License-Identifier: Apache-2.0
// Writing an array to a file in pieces: .npy, raw binary or text, gzip-compressed where the name
// says so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <apps/common/data_file.hpp>
#include <apps/common/output_file.hpp>

namespace libscan::apps {

class gzip_compressor;

/// The format an output is written in: what its name's ending says, else that of the input.
file_format output_format(std::string const& path, file_format input);

/// Writes one array of one dimension: construct (the file is opened, or refused, before any work),
/// `begin`, `append` as often as needed, `commit`. Without `commit` no file appears.
///
/// Text has one value per line: integers in decimal, floats as the shortest decimal that reads back
/// as the same value, NaN as nan. Npy is version 1.0 with aligned data, as NumPy writes it. A name
/// ending in ".gz" is compressed; standard output ("-") never is.
class array_writer {
 public:
  /// Opens `path` ("-" is standard output). `format` must not be `automatic`. Throws `file_error`
  /// as `output_file` does.
  array_writer(std::string const& path, file_format format);
  ~array_writer();

  /// The array has `count` items of `type`: npy's header is written here.
  void begin(dtype type, index_t count);

  /// Appends items; T must be the type given to `begin`. Throws `invalid_argument` for a wrong type
  /// or more than `count` items, and as `output_file::write`.
  template <class T>
  void append(std::span<T const> items) {
    append(dtype_of<T>(), std::as_bytes(items));
  }

  /// The same for items whose type is known at run time.
  void append(dtype type, std::span<std::byte const> items);

  /// Completes the file. Throws `invalid_argument` if fewer than `count` items were appended, and
  /// as `output_file::commit`.
  void commit();

  /// Bytes handed to the file so far, before any compression.
  std::uint64_t bytes_written() const { return bytes_; }

 private:
  void put(std::span<std::byte const> bytes);
  template <class T>
  void put_text(std::span<std::byte const> items);

  output_file file_;
  file_format format_;
  std::unique_ptr<gzip_compressor> gzip_;
  dtype type_ = dtype::i64;
  index_t left_ = -1;  // items still to come; -1 before `begin`
  std::uint64_t bytes_ = 0;
};

/// Writes `items` as one array to `path`. See `array_writer`.
template <class T>
void write_array(std::string const& path, file_format format, std::span<T const> items) {
  array_writer out(path, format);
  out.begin(dtype_of<T>(), static_cast<index_t>(items.size()));
  out.append(items);
  out.commit();
}

}  // namespace libscan::apps
