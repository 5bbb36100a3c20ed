// SPDX-License-Identifier: Apache-2.0
// The product of a sparse matrix and a vector on the device. It is a segmented scan: products of
// entries, summed within rows (Schwartz 1980; Blelloch, Heroux & Zagha 1993).
#pragma once

#include <string>
#include <type_traits>

#include <apps/spmv/core/spmv_algorithm.hpp>
#include <apps/spmv/device/balanced_spmv.cuh>
#include <apps/spmv/device/spmv_plan.cuh>
#include <libscan/baseline_spmv.cuh>
#include <libscan/device/arguments.cuh>
#include <libscan/segmented_spmv.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Bytes of workspace that `spmv` with sums of type T needs for a matrix of this many rows and
/// entries. A pure function of its arguments; needs no device.
template <class T, spmv_algorithm Road = spmv_algorithm::balanced, class Tuning = spmv_tuning<T>>
constexpr std::size_t spmv_workspace_bytes(index_t rows, index_t nonzeros) {
  if constexpr (Road == spmv_algorithm::balanced) {
    return rows == 0 ? 0 : device::balanced_spmv_bytes<T, Tuning>(rows + nonzeros);
  } else if constexpr (Road == spmv_algorithm::segmented) {
    return libscan::segmented_reduce_workspace_bytes<T>(nonzeros,
                                                        segment_offsets<index_t>{nullptr, rows});
  } else {
    return 0;
  }
}

namespace device {

/// Throws `invalid_argument` for invalid sizes and misaligned pointers; refuses types.
template <class S, class Value, class Offset, class X, class Y>
void check_product(csr_matrix<Value, Offset> const& matrix, X const* x, Y const* y) {
  static_assert(semiring<S>, "a product needs value_type, sum_type, multiply, one and zero");
  static_assert(sizeof(Offset) == 4 || sizeof(Offset) == 8, "offsets of 32 or 64 bits");
  libscan::detail::check_shape("spmv", matrix.rows, matrix.columns, matrix.nonzeros);
  device::require_aligned(matrix.offsets, matrix.indices, matrix.values, x, y);
}

}  // namespace device

/// y[r] = alpha (A x)[r] + beta y[r] for each row r of A, where (A x)[r] is the sum of values[k] *
/// x[indices[k]] over the entries k of the row.
///
/// Types: entries of A and components of x and y are numbers or halves, each of its own type, or A
/// has `no_values`. Products and sums are of the semiring's value_type (halves: float), and y is
/// rounded once. Any sizes, even no rows, columns or entries; offsets of 32 or 64 bits; offsets and
/// indices are not checked (the host API, spmv.hpp, checks them). `s`: a semiring (semiring.hpp),
/// by default linear algebra. beta: if it is the semiring's zero (the default), y is not read. An
/// empty row gives the zero. Aliasing: y must not overlap anything that is read. Synchronization:
/// asynchronous on the workspace's stream; allocates only if the workspace must grow; the same
/// launches for matrices of the same sizes. Progress: no block waits for another
/// (`segmented`: as `segmented_reduce`).
/// Determinism: results are bitwise the same in every run: the order in which a row's products are
/// added depends only on the offsets and the algorithm.
/// Traffic: reads the matrix once and one component of x per entry, writes y.
/// Throws: `invalid_argument` (invalid sizes, workspace too small), `device_error`.
template <spmv_algorithm Road = spmv_algorithm::balanced, class Tuning = void, class Value,
          class Offset, class X, class Y, class S = plus_times<accumulator_t<Y>>>
void spmv(workspace& ws, csr_matrix<Value, Offset> const& matrix, X const* x, Y* y, S s = {},
          std::type_identity_t<typename S::value_type> alpha = S::one(),
          std::type_identity_t<typename S::value_type> beta = S::zero()) {
  device::check_product<S>(matrix, x, y);
  if (matrix.rows == 0) return;
  row_result<Y, S> const out{y, s, alpha, beta};
  if constexpr (Road == spmv_algorithm::balanced) {
    using tuning =
        std::conditional_t<std::is_void_v<Tuning>, spmv_tuning<typename S::value_type>, Tuning>;
    device::searched_spans<Offset> const layout{matrix.offsets, matrix.rows, matrix.nonzeros};
    device::balanced_spmv<tuning>(ws, layout, matrix, x, out);
  } else if constexpr (Road == spmv_algorithm::segmented) {
    device::segmented_spmv(ws, matrix, x, out);
  } else if constexpr (Road == spmv_algorithm::scalar) {
    device::launch_baseline<device::scalar_spmv_kernel>(ws.stream(), matrix, x, out);
  } else {
    device::launch_baseline<device::vector_spmv_kernel>(ws.stream(), matrix, x, out);
  }
}

/// The same with a plan of the matrix, or of another one with the same offsets: the production
/// algorithm, faster, with bitwise the same results and the same workspace. The offsets are not
/// compared with the plan's. Also throws `invalid_argument` for a plan of other sizes.
template <class T, class Tuning, class Value, class Offset, class X, class Y,
          class S = plus_times<accumulator_t<Y>>>
void spmv(workspace& ws, spmv_plan<T, Tuning> const& plan, csr_matrix<Value, Offset> const& matrix,
          X const* x, Y* y, S s = {}, std::type_identity_t<typename S::value_type> alpha = S::one(),
          std::type_identity_t<typename S::value_type> beta = S::zero()) {
  static_assert(std::is_same_v<T, typename S::value_type>, "a plan for sums of another type");
  device::check_product<S>(matrix, x, y);
  plan.require_shape(matrix.rows, matrix.nonzeros);
  if (matrix.rows == 0) return;
  row_result<Y, S> const out{y, s, alpha, beta};
  device::balanced_spmv<Tuning>(ws, plan.layout(), matrix, x, out);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
