// SPDX-License-Identifier: Apache-2.0
// The product of scan-spmv by a selected algorithm, in plain C++; product_by.cuh implements it.
#pragma once

#include <cstdint>
#include <span>

#include <apps/spmv/core/spmv_algorithm.hpp>
#include <libscan/spmv.hpp>

namespace libscan::apps {

/// The product of scan-spmv by a selected algorithm on a `cuda_device` or an `executor_run`;
/// compiled for T float, double and std::int64_t.
template <class Machine, class T>
struct device_product {
  /// y = A x in a semiring by `which`, `repeat` times. Returns the seconds of the fastest product,
  /// without transfers. The matrix is valid and of the sizes of x and y. Throws `device_error`,
  /// `engine_unavailable` or std::bad_alloc.
  static double run(Machine on, spmv_algorithm which, csr_matrix<T> const& matrix,
                    std::span<T const> x, std::span<T> y, semiring_kind semiring, int repeat);
};

}  // namespace libscan::apps
