// SPDX-License-Identifier: Apache-2.0
// Sums of products by rows, in vector registers: one core's part of a product of matrix and vector.
// Compiled for several instruction sets in vector_rows.cpp; the best one is chosen at run time.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// The arrays of a matrix by rows (matrix.hpp) and of the vector it is multiplied with. T is float
/// or double, Offset a signed integer of 32 or 64 bits.
template <class T, class Offset>
struct product_arrays {
  Offset const* offsets;
  std::int32_t const* indices;
  T const* values;
  T const* x;
};

/// The vector code for one choice of types. The order in which products are added depends on how
/// many there are alone.
template <class T, class Offset>
struct row_sums {
  /// sums[r - row] = the sum of products of row r, for r in [row, last). `ahead` is the number of
  /// entries the matrix has, of which components of x may be fetched early.
  void (*whole)(product_arrays<T, Offset> const& from, index_t row, index_t last, index_t nonzeros,
                T* sums);
  /// The same where most entries of a row are of components of x that lie one behind the other.
  void (*runs)(product_arrays<T, Offset> const& from, index_t row, index_t last, T* sums);
  /// The sum of products of entries [k, end).
  T (*part)(product_arrays<T, Offset> const& from, index_t k, index_t end);
};

/// How a CPU loads the lanes of a vector from anywhere: faster than one by one, or not.
enum class gathers { fast, slow };

/// This CPU. Where gathers are slow, plain loops are faster but for the shortest rows.
gathers best_gathers();

/// For the best instruction set this CPU has, among those that Highway is told to use at the
/// moment. Sums are the same bit for bit.
template <class T, class Offset>
row_sums<T, Offset> current_row_sums(gathers by);

/// The same for this CPU, found once.
template <class T, class Offset>
row_sums<T, Offset> const& best_row_sums();

}  // namespace libscan::inline v1::cpu::detail
