// SPDX-License-Identifier: Apache-2.0
// Sparse matrices, as views of arrays owned elsewhere: by rows (CSR), and as a list of entries
// (COO).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// The values of a matrix that only has places: each entry counts as the semiring's `one()`.
struct no_values {};

/// A matrix by rows: row r has the entries offsets[r] ... offsets[r + 1] - 1, each in column
/// indices[k] with value values[k]. `offsets`: rows + 1 integers of 32 or 64 bits, ascending from 0
/// to `nonzeros`. `indices`: 0 <= indices[k] < columns, in any order within a row, also repeated.
/// Value: a number, a half, or `no_values`, with which `values` is not read.
template <class Value, class Offset = std::int64_t>
struct csr_matrix {
  static_assert(std::is_integral_v<Offset>, "libscan: offsets of a matrix are integers");

  index_t rows;
  index_t columns;
  index_t nonzeros;
  Offset const* offsets;
  std::int32_t const* indices;
  Value const* values = nullptr;
};

/// What a list of entries omits: nothing; one entry of each pair (r, c), (c, r); or the same with
/// the other entry negated.
enum class symmetry : std::uint8_t { general, symmetric, skew };

/// A matrix as a list of entries in any order; entries at the same place add up. Entry k is in row
/// row_indices[k] and column indices[k], both in range.
template <class Value>
struct coo_matrix {
  index_t rows;
  index_t columns;
  index_t entries;
  std::int32_t const* row_indices;
  std::int32_t const* indices;
  Value const* values = nullptr;
  symmetry kind = symmetry::general;
};

namespace detail {

/// Column numbers fit in 32 bits, and rows and entries together can be counted.
inline constexpr index_t max_columns = index_t{1} << 31;
inline constexpr index_t max_rows = index_t{1} << 60;

/// Throws `invalid_argument` for invalid sizes.
inline void check_shape(char const* who, index_t rows, index_t columns, index_t entries) {
  bool const possible = rows >= 0 && rows <= max_rows && columns >= 0 && columns <= max_columns &&
                        entries >= 0 && entries <= max_rows;
  if (possible && (entries == 0 || (rows > 0 && columns > 0))) return;
  throw invalid_argument(std::string(who) + ": a matrix of " + std::to_string(rows) + " rows, " +
                         std::to_string(columns) + " columns and " + std::to_string(entries) +
                         " entries; expected sizes >= 0, at most 2^31 columns, 2^60 rows and "
                         "entries, and no entries without rows and columns");
}

}  // namespace detail
}  // namespace libscan::inline v1
