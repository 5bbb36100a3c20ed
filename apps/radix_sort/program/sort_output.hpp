// SPDX-License-Identifier: Apache-2.0
// The output of scan-sort: the rows of a text or an array of keys or positions, and their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <apps/common/array_writer.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/text_rows.hpp>
#include <apps/radix_sort/program/run_sort.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Values in the order of their keys; `type` and `format` are those of their input.
struct sorted_values {
  dtype type;
  file_format format;
  std::span<std::byte const> items;
};

/// The outputs of one run. Each `write_...` writes all of them, and they appear together. Values
/// are ignored if `arguments` name none. Errors as `array_writer`.
class sort_output {
 public:
  /// Opens the outputs that `arguments` name: impossible ones are refused before anything is read.
  /// Both arguments must outlive it.
  sort_output(sort_arguments const& arguments, progress& meter);

  /// Whether rows will be written if the input is text.
  bool may_be_rows() const { return rows_; }

  /// Writes an array of keys or positions, in the format of the input unless the name says
  /// otherwise.
  void write_items(dtype type, std::span<std::byte const> items, file_format input,
                   sorted_values const& values);

  /// Begins to write an array piece by piece, of `count` items, none: unknown. Of `values` only the
  /// type and the format count.
  void begin(dtype type, std::optional<index_t> count, file_format input,
             sorted_values const& values);

  /// Writes the next items and their values.
  void append(std::span<std::byte const> items, std::span<std::byte const> values);

  /// Begins to write rows one by one, after what precedes the rows of `input`.
  void begin_rows(text_rows const& input);

  /// Writes the next row, without the LF after it.
  void append_row(std::string_view row) { keys_.append_line(row); }

  /// Completes the outputs.
  void commit();

  /// Writes the rows of the input that stand at these positions, on `threads` threads.
  void write_rows(text_rows const& input, std::span<index_t const> positions, int threads,
                  sorted_values const& values);

  /// The same for lines by where they begin, as `write_lines`.
  void write_lines(text_rows const& input, std::span<std::uint32_t const> begins, int threads);

  /// Bytes written so far to all outputs, before any compression.
  std::uint64_t bytes_written() const;

 private:
  void begin_values(sorted_values const& values);

  dtype type_ = dtype::i64;
  dtype values_type_ = dtype::i64;
  std::string path_;
  progress& meter_;
  array_writer keys_;  // or rows, or positions
  bool rows_ = false;
  std::optional<array_writer> values_;
};

}  // namespace libscan::apps
