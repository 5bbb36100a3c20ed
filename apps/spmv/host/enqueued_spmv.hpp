// SPDX-License-Identifier: Apache-2.0
// The compiled half of spmv_device_calls.hpp. Internal: users include that.
#pragma once

#include <cstddef>
#include <cstdint>

#include <libscan/host/device_queue.hpp>
#include <libscan/matrix.hpp>
#include <libscan/spmv.hpp>

namespace libscan::inline v1::detail {

/// A plan of a matrix in device memory, on the machine where it was made.
template <class T>
class device_plan {
 public:
  virtual ~device_plan() = default;
  /// y = alpha A x + beta y, in a queue on the same machine.
  virtual void multiply(device_queue const& queue, csr_matrix<T> const& matrix, T const* x, T* y,
                        product_options<T> const& how) const = 0;
};

/// Calls on matrices of T in device memory; compiled for each type of entry. They throw
/// `invalid_argument` for an engine that runs no kernels, and for invalid sizes. The caller deletes
/// a plan.
template <class T>
struct enqueued_spmv {
  static void multiply(device_queue const& queue, csr_matrix<T> const& matrix, T const* x, T* y,
                       product_options<T> const& how);
  static device_plan<T>* plan(device_queue const& queue, csr_matrix<T> const& matrix);
  static void to_rows(device_queue const& queue, coo_matrix<T> const& list, std::int64_t* offsets,
                      std::int32_t* indices, T* values);

  /// Bytes of workspace of products, of a plan, and of `to_rows`.
  static std::size_t bytes(engine const& on, index_t rows, index_t nonzeros);
  static std::size_t plan_bytes(engine const& on, index_t rows, index_t nonzeros);
  static std::size_t to_rows_bytes(engine const& on, coo_matrix<T> const& list);
};

}  // namespace libscan::inline v1::detail
