// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of device memory without nvcc: products with vectors, also of a prepared matrix,
// and matrices by rows from lists of entries. Asynchronous on a stream, nothing is copied. Like
// device_calls.hpp; link libscan::spmv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <apps/spmv/host/enqueued_spmv.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/matrix.hpp>
#include <libscan/spmv.hpp>

namespace libscan::inline v1 {

/// y = alpha A x + beta y, where the arrays of A, x and y are device memory.
///
///   csr_matrix<float> const matrix{rows, columns, nonzeros, d_offsets, d_indices, d_values};
///   spmv(queue, matrix, d_x, d_y);
///
/// Types: T is float, double or std::int64_t; offsets of 64 bits. A matrix with null `values` only
/// has places: each entry counts as one. Offsets and indices are not checked. alpha and beta are
/// values on the host. Empty rows give the semiring's zero.
/// Aliasing: y must not overlap anything that is read.
/// Synchronization: asynchronous on the queue's stream. Copies nothing.
/// Workspace: `device_spmv_workspace_bytes`.
/// Determinism: bitwise the same in every run; the order of a row's sum depends only on offsets.
/// Throws: `invalid_argument` for an engine that runs no kernels, invalid sizes, or a workspace
/// that is too small; `device_error`, std::bad_alloc, and exceptions of memory functions.
template <class T>
void spmv(device_queue const& queue, csr_matrix<T> const& matrix, std::type_identity_t<T> const* x,
          std::type_identity_t<T>* y, product_options<T> const& how = {}) {
  static_assert(detail::refuse_other_entries<T>());
  detail::enqueued_spmv<T>::multiply(queue, matrix, x, y, how);
}

/// A matrix in device memory with a plan for many products: each is faster, with bitwise the same
/// results. It refers to the arrays of the matrix. Values and indices may change, offsets may not.
/// Move-only, and unusable after a move.
///
/// Making one reads the offsets once, on the queue's stream; products run after it. Its memory is
/// the queue's workspace, if there is one (`device_plan_bytes`), which it then keeps until its end;
/// otherwise memory of the queue, which goes back at its end, on the stream that it was made on.
template <class T>
class device_prepared_matrix {
  static_assert(detail::refuse_other_entries<T>());

 public:
  /// Throws as `spmv`.
  device_prepared_matrix(device_queue const& queue, csr_matrix<T> const& matrix)
      : matrix_(matrix), plan_(detail::enqueued_spmv<T>::plan(queue, matrix)) {}
  device_prepared_matrix(device_prepared_matrix&& other) noexcept
      : matrix_(other.matrix_), plan_(std::exchange(other.plan_, nullptr)) {}
  device_prepared_matrix& operator=(device_prepared_matrix&& other) noexcept {
    device_prepared_matrix taken((std::move)(other));
    std::swap(matrix_, taken.matrix_);
    std::swap(plan_, taken.plan_);
    return *this;
  }
  ~device_prepared_matrix() { delete plan_; }

  /// y = alpha A x + beta y. The queue is on the same device; its workspace is not that of the
  /// plan. Otherwise as `spmv`.
  void multiply(device_queue const& queue, T const* x, T* y,
                product_options<T> const& how = {}) const {
    plan_->multiply(queue, matrix_, x, y, how);
  }

 private:
  csr_matrix<T> matrix_;
  detail::device_plan<T>* plan_;  // its own; see buffer.hpp for why not std::unique_ptr
};

/// The matrix by rows of a list of entries: entries at the same place add up, a symmetric or skew
/// list stands for both triangles, and each row ascends by column. `offsets` receives rows + 1
/// numbers, whose last is the number of entries. Everything is device memory.
///
/// Types: T is float, double or std::int64_t. `indices` and `values` have space for as many entries
/// as the list, twice that unless it is general. If the list has null `values`, `values` is not
/// written. Indices are not checked.
/// Aliasing: outputs must not overlap anything.
/// Workspace: `device_coo_to_csr_workspace_bytes`. Otherwise as `spmv`.
template <class T>
void coo_to_csr(device_queue const& queue, coo_matrix<T> const& list, std::int64_t* offsets,
                std::int32_t* indices, std::type_identity_t<T>* values) {
  static_assert(detail::refuse_other_entries<T>());
  detail::enqueued_spmv<T>::to_rows(queue, list, offsets, indices, values);
}

/// Bytes of workspace of a product with a matrix of this many rows and entries on `on`, prepared or
/// not. A pure function of its arguments.
template <class T>
std::size_t device_spmv_workspace_bytes(engine const& on, index_t rows, index_t nonzeros) {
  return detail::enqueued_spmv<T>::bytes(on, rows, nonzeros);
}

/// Bytes of the plan of such a matrix.
template <class T>
std::size_t device_plan_bytes(engine const& on, index_t rows, index_t nonzeros) {
  return detail::enqueued_spmv<T>::plan_bytes(on, rows, nonzeros);
}

/// Bytes of workspace of `coo_to_csr`; sizes, symmetry, and whether there are values matter.
template <class T>
std::size_t device_coo_to_csr_workspace_bytes(engine const& on, coo_matrix<T> const& list) {
  return detail::enqueued_spmv<T>::to_rows_bytes(on, list);
}

}  // namespace libscan::inline v1
