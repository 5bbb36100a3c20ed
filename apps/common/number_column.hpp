// SPDX-License-Identifier: Apache-2.0
// Numbers of a given type, or of the type that fits all, from the cells of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/common/byte_source.hpp>
#include <apps/common/column_reader.hpp>
#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// Collects the numbers of one column. Without a type: as int64 while all fit, as uint64 while all
/// fit, else as float64. Values read before a change are converted, and must stay the same.
class number_column {
 public:
  /// For cells of column `k` of `in`, which must outlive this object.
  number_column(column_reader& in, std::size_t k, std::optional<dtype> type, std::string name);

  /// Adds the cell in the reader's row. Throws `file_error` if it is no number of the type.
  void add() { (this->*add_)(); }

  /// Which numbers `add_plain` takes now.
  plain_number_rule rule_of_plain_numbers() const;

  /// Adds such numbers, as `plain_rows` has them.
  void add_plain(std::span<std::uint64_t const> numbers);

  /// Takes note of such numbers that are used elsewhere.
  void pass_plain(std::span<std::uint64_t const> numbers);

  /// The type of the numbers so far.
  dtype type() const { return type_; }

  /// The bytes of the numbers so far.
  std::size_t bytes() const { return values_.size(); }

  /// The numbers so far, as an array of text. Nothing is left here, but their type stays.
  array release();

 private:
  /// A cell and its place.
  struct cell_note {
    std::uint64_t line = 0;  // 0: none yet
    std::string text;
  };

  template <class T>
  void add_typed();
  void add_untyped();
  bool add_integer(std::string_view cell);
  void add_double(std::string_view cell);
  void note_rounded(std::string_view cell, double value);
  [[noreturn]] void refuse_rounded() const;
  template <class From>
  void convert_all();
  std::size_t count() const { return values_.size() / 8; }

  column_reader& in_;
  std::size_t k_;
  void (number_column::*add_)();
  byte_buffer values_;
  dtype type_;
  bool typed_;
  bool negative_ = false;
  std::vector<std::size_t> negative_zeros_;  // "-0" is the integer 0, but the double -0.0
  cell_note rounded_;                        // the first integer that is not exact in float64
  cell_note reason_;                         // what made the column float64
};

}  // namespace libscan::apps
