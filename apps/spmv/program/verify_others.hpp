// SPDX-License-Identifier: Apache-2.0
// --verify=NAME of scan-spmv: the standard library, CUB and Thrust add up the products of each row;
// cuSPARSE multiplies.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <apps/spmv/host/semiring_choice.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

/// "Add" of a semiring known at run time.
template <class T>
struct semiring_sum {
  semiring_kind which;

  LIBSCAN_HOST_DEVICE T operator()(T a, T b) const {
    switch (which) {
      case semiring_kind::min_plus:
        return minimum<T>{}(a, b);
      case semiring_kind::max_times:
        return maximum<T>{}(a, b);
      case semiring_kind::or_and:
        return logical_or<T>{}(a, b);
      case semiring_kind::plus_times:
        break;
    }
    return plus<T>{}(a, b);
  }
};

/// The sums of segments offsets[r] to offsets[r + 1] - 1 of `products`, with `zero` before each, by
/// cub::DeviceSegmentedReduce on the current GPU. T is float, double or std::int64_t. Only in
/// builds with CUDA. Throws `device_error`.
template <class T>
std::vector<T> row_sums_by_cub(std::span<T const> products, std::span<std::int64_t const> offsets,
                               semiring_sum<T> sum, T zero);

/// The same by thrust::reduce_by_key.
template <class T>
std::vector<T> row_sums_by_thrust(std::span<T const> products,
                                  std::span<std::int64_t const> offsets, semiring_sum<T> sum,
                                  T zero);

/// The product of plus-times by cuSPARSE, which must be there; T is float or double. Only in builds
/// with CUDA. Throws `libscan::error`.
template <class T>
std::vector<T> product_by_cusparse(sparse_matrix<T> const& matrix, std::span<T const> x);

/// Whether `product_by_cusparse` can be called. Only in builds with CUDA.
bool can_load_cusparse();

/// The same sums by std::accumulate.
template <class T>
std::vector<T> row_sums_by_standard(std::span<T const> products,
                                    std::span<std::int64_t const> offsets, semiring_sum<T> sum,
                                    T zero) {
  std::vector<T> sums;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    sums.push_back(std::accumulate(products.begin() + offsets[r], products.begin() + offsets[r + 1],
                                   zero, sum));
  }
  return sums;
}

/// y = A x by `by`, without the loop of --verify. Throws `libscan::error`.
template <class T>
std::vector<T> product_again(verifier by, sparse_matrix<T> const& matrix, std::span<T const> x,
                             semiring_kind kind) {
  if constexpr (libscan::detail::has_cuda && std::is_floating_point_v<T>) {
    if (by == verifier::cusparse) return product_by_cusparse(matrix, x);
  }
  return libscan::detail::with_semiring<T>(kind, [&](auto s) {
    std::vector<T> products(matrix.indices.size());
    for (std::size_t k = 0; k < products.size(); ++k) {
      T const factor = matrix.values.empty() ? s.one() : matrix.values[k];
      products[k] = s.multiply(factor, x[static_cast<std::size_t>(matrix.indices[k])]);
    }
    std::span<T const> const all(products);
    semiring_sum<T> const sum{kind};
    if (by == verifier::standard) {
      return row_sums_by_standard<T>(all, matrix.offsets, sum, s.zero());
    }
    if constexpr (libscan::detail::has_cuda) {
      return by == verifier::cub ? row_sums_by_cub<T>(all, matrix.offsets, sum, s.zero())
                                 : row_sums_by_thrust<T>(all, matrix.offsets, sum, s.zero());
    } else {
      libscan::detail::refuse_cuda();
    }
  });
}

}  // namespace libscan::apps
