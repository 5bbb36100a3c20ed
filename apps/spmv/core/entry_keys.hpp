// SPDX-License-Identifier: Apache-2.0
// Places in a matrix as words ordered by row, then by column: the sort keys of a list of entries.
#pragma once

#include <bit>
#include <cstdint>

#include <apps/spmv/core/row_result.hpp>
#include <libscan/matrix.hpp>

namespace libscan::inline v1 {

/// Words for the places of one matrix; with gaps also a word for no place: the row `rows`, which no
/// entry has. Gaps come last.
class entry_keys {
 public:
  entry_keys(index_t rows, index_t columns, bool with_gaps)
      : column_bits_(bits_below(columns)),
        bits_(column_bits_ + bits_below(with_gaps ? rows + 1 : rows)),
        gap_(with_gaps ? static_cast<std::uint64_t>(rows) << column_bits_ : ~std::uint64_t{0}) {}

  /// The number of significant bits of a word.
  int bits() const { return bits_; }

  LIBSCAN_HOST_DEVICE std::uint64_t key(std::uint64_t row, std::uint64_t column) const {
    return row << column_bits_ | column;
  }
  /// The word of no place. Without gaps it is not a key.
  LIBSCAN_HOST_DEVICE std::uint64_t gap() const { return gap_; }
  LIBSCAN_HOST_DEVICE bool same_row(std::uint64_t a, std::uint64_t b) const {
    return (a ^ b) >> column_bits_ == 0;
  }
  LIBSCAN_HOST_DEVICE std::int32_t row(std::uint64_t key) const {
    return static_cast<std::int32_t>(key >> column_bits_);
  }
  LIBSCAN_HOST_DEVICE std::int32_t column(std::uint64_t key) const {
    return static_cast<std::int32_t>(key & ((std::uint64_t{1} << column_bits_) - 1));
  }

 private:
  /// The number of bits of numbers below `count`.
  static int bits_below(index_t count) {
    return count > 1 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1))) : 0;
  }

  int column_bits_;
  int bits_;
  std::uint64_t gap_;
};

namespace detail {

/// The most entries of the whole matrix for a list: as many, or twice that.
template <class Value>
constexpr index_t expanded_entries(coo_matrix<Value> const& matrix) {
  return matrix.kind == symmetry::general ? matrix.entries : 2 * matrix.entries;
}

/// All entries of a list's matrix, for places in it: each entry of a symmetric list is followed by
/// its mirror image; that of an entry on the diagonal is a gap.
template <class Value>
struct expanded_list {
  coo_matrix<Value> list;
  entry_keys keys_of;

  LIBSCAN_HOST_DEVICE std::uint64_t key(index_t i) const {
    auto const row = static_cast<std::uint32_t>(list.row_indices[entry(i)]);
    auto const column = static_cast<std::uint32_t>(list.indices[entry(i)]);
    if (!is_image(i)) return keys_of.key(row, column);
    return row == column ? keys_of.gap() : keys_of.key(column, row);
  }
  LIBSCAN_HOST_DEVICE Value value(index_t i) const {
    Value const own = list.values[entry(i)];
    return is_image(i) && list.kind == symmetry::skew ? libscan::negative(own) : own;
  }

 private:
  LIBSCAN_HOST_DEVICE bool mirrored() const { return list.kind != symmetry::general; }
  LIBSCAN_HOST_DEVICE index_t entry(index_t i) const { return mirrored() ? i / 2 : i; }
  LIBSCAN_HOST_DEVICE bool is_image(index_t i) const { return mirrored() && i % 2 == 1; }
};

/// Throws `invalid_argument`, which names the `call`, for an invalid list, or one with too many
/// entries for Offset.
template <class Offset, class Value>
void check_list(char const* call, coo_matrix<Value> const& matrix) {
  static_assert(std::is_integral_v<Offset>, "libscan: offsets of a matrix are integers");
  detail::check_shape(call, matrix.rows, matrix.columns, matrix.entries);
  if (matrix.rows > max_columns ||
      (matrix.kind != symmetry::general && matrix.rows != matrix.columns)) {
    throw invalid_argument(
        std::string(call) + ": a matrix of " + std::to_string(matrix.rows) + " rows and " +
        std::to_string(matrix.columns) +
        " columns; expected at most 2^31 rows, and as many columns if the matrix "
        "is symmetric");
  }
  constexpr int bits = 8 * static_cast<int>(sizeof(Offset)) - (Offset(-1) < Offset(0) ? 1 : 0);
  if (bits < 63 && detail::expanded_entries(matrix) >> (bits < 63 ? bits : 0) != 0) {
    throw invalid_argument(std::string(call) + ": " +
                           std::to_string(detail::expanded_entries(matrix)) +
                           " entries with offsets of " + std::to_string(sizeof(Offset)) +
                           " bytes; expected wider ones");
  }
}

}  // namespace detail
}  // namespace libscan::inline v1
