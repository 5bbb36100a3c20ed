// SPDX-License-Identifier: Apache-2.0
// Sums of products by rows, in vector registers: one core's part of a product of matrix and vector.
// Compiled for several instruction sets in vector_rows.cpp; the best one is chosen at run time.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// The arrays of a matrix by rows (matrix.hpp) and of its vector. T is float or double, Offset a
/// signed integer of 32 or 64 bits.
template <class T, class Offset>
struct product_arrays {
  Offset const* offsets;
  std::int32_t const* indices;
  T const* values;
  T const* x;
};

/// The products of a row of at most this many entries are added in turn by all vector code.
inline constexpr int rows_in_turn = 8;

/// The vector code for one choice of types. The order in which products are added depends only on
/// their number.
template <class T, class Offset>
struct row_sums {
  /// sums[r - row] = the sum of products of row r, for r in [row, last). `ahead`: the number of
  /// entries of the matrix whose components of x may be prefetched.
  void (*whole)(product_arrays<T, Offset> const& from, index_t row, index_t last, index_t nonzeros,
                T* sums);
  /// The same for rows with mostly consecutive components of x.
  void (*runs)(product_arrays<T, Offset> const& from, index_t row, index_t last, T* sums);
  /// The sum of products of entries [k, end).
  T (*part)(product_arrays<T, Offset> const& from, index_t k, index_t end);
};

/// Whether this CPU gathers the lanes of a vector faster than it loads them one by one.
enum class gathers { fast, slow };

/// For this CPU. If gathers are slow, plain loops are faster except for the shortest rows.
gathers best_gathers();

/// For the best instruction set of this CPU among those that Highway may currently use. Sums are
/// the same bit for bit.
template <class T, class Offset>
row_sums<T, Offset> current_row_sums(gathers by);

/// The same for this CPU, cached.
template <class T, class Offset>
row_sums<T, Offset> const& best_row_sums();

}  // namespace libscan::inline v1::cpu::detail
