// SPDX-License-Identifier: Apache-2.0
// The machines with kernels that multiply sparse matrices, in plain C++; spmv_device.cuh implements
// them. Internal: users include the public headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <apps/spmv/host/enqueued_spmv.hpp>
#include <libscan/host/device_call.hpp>
#include <libscan/matrix.hpp>
#include <libscan/spmv.hpp>

namespace libscan::inline v1::detail {

/// Only the places of a list.
template <class T>
coo_matrix<no_values> places_of(coo_matrix<T> const& list) {
  return {list.rows,    list.columns, list.entries, list.row_indices,
          list.indices, nullptr,      list.kind};
}

/// On a `cuda_device` or an `executor_run`; compiled for each type of entry.
template <class Machine, class T>
struct device_spmv {
  /// The number of entries of the matrix, written to `matrix`, whose arrays have space for all.
  static index_t to_rows(Machine on, coo_matrix<T> const& list, sparse_matrix<T>& matrix);
  /// A complete copy of a checked matrix.
  static std::unique_ptr<kept_matrix<T>> keep(Machine on, csr_matrix<T> const& matrix);

  /// The calls of `enqueued_spmv`, all on device memory.
  static void enqueue(Machine on, queue_place const& place, csr_matrix<T> const& matrix, T const* x,
                      T* y, product_options<T> const& how);
  static std::unique_ptr<device_plan<T>> plan(Machine on, queue_place const& place,
                                              csr_matrix<T> const& matrix);
  static void enqueue_to_rows(Machine on, queue_place const& place, coo_matrix<T> const& list,
                              std::int64_t* offsets, std::int32_t* indices, T* values);
  static std::size_t workspace_bytes(index_t rows, index_t nonzeros);
  static std::size_t plan_bytes(index_t rows, index_t nonzeros);
  static std::size_t to_rows_bytes(coo_matrix<T> const& list);
};

}  // namespace libscan::inline v1::detail
