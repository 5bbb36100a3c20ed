// SPDX-License-Identifier: Apache-2.0
// The product of scan-spmv by a selected algorithm, in plain C++; product_by.cuh implements it.
#pragma once

#include <cstdint>
#include <span>

#include <apps/spmv/core/spmv_algorithm.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/spmv.hpp>

namespace libscan::apps {

/// y = A x in a semiring by `which`, `repeat` times, on an engine that runs kernels. Returns the
/// seconds of the fastest product, without transfers.
///
/// Types: T is float, double or std::int64_t. The matrix is valid and of the sizes of x and y.
/// Throws: `invalid_argument` for another engine, or too many rows and entries for the executor;
/// `device_error`, `engine_unavailable` or std::bad_alloc.
template <class T>
double product_by(engine const& on, spmv_algorithm which, sparse_matrix<T> const& matrix,
                  std::span<T const> x, std::span<T> y, semiring_kind semiring, int repeat);

/// What `product_by` runs on a `cuda_device` or an `executor_run`; compiled for each T.
template <class Machine, class T>
struct device_product {
  static double run(Machine on, spmv_algorithm which, csr_matrix<T> const& matrix,
                    std::span<T const> x, std::span<T> y, semiring_kind semiring, int repeat);
};

}  // namespace libscan::apps
