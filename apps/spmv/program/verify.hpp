// SPDX-License-Identifier: Apache-2.0
// --verify of scan-spmv: multiplies again, directly from the file's list and in a wider type, and
// reports a row with a larger error than rounding explains.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <apps/spmv/host/semiring_choice.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

/// A list's entries with those of one place combined, as plainly as possible.
template <class T>
struct plain_entries {
  using wide = std::conditional_t<std::is_same_v<T, float>, double,
                                  std::conditional_t<std::is_same_v<T, double>, long double, T>>;
  struct entry {
    std::int32_t row;
    std::int32_t column;
    wide value;
    wide magnitude;  ///< sum of the magnitudes of the addends
    index_t parts;   ///< number of the addends
  };
  std::vector<entry> entries;

  explicit plain_entries(coo_matrix<T> const& list) {
    for (index_t k = 0; k < list.entries; ++k) {
      std::int32_t const row = list.row_indices[k], column = list.indices[k];
      wide const value = list.values == nullptr ? wide{} : static_cast<wide>(list.values[k]);
      add(row, column, value);
      if (list.kind == symmetry::general || row == column) continue;
      add(column, row,
          list.kind == symmetry::skew ? libscan::detail::wrapping_multiply(wide(-1), value)
                                      : value);
    }
    std::stable_sort(entries.begin(), entries.end(), [](entry const& a, entry const& b) {
      return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    std::size_t kept = 0;
    for (entry const& e : entries) {
      if (kept > 0 && entries[kept - 1].row == e.row && entries[kept - 1].column == e.column) {
        entry& same = entries[kept - 1];
        same.value = libscan::detail::wrapping_add(same.value, e.value);
        same.magnitude = libscan::detail::wrapping_add(same.magnitude, e.magnitude);
        ++same.parts;
      } else {
        entries[kept++] = e;
      }
    }
    entries.resize(kept);
  }

 private:
  void add(std::int32_t row, std::int32_t column, wide value) {
    wide const magnitude =
        value < wide{} ? libscan::detail::wrapping_multiply(wide(-1), value) : value;
    entries.push_back({row, column, value, magnitude, 1});
  }
};

/// Empty if `y` is the product of the list's matrix and `x`: equal integers; floats within n eps of
/// the sum of magnitudes, n the number of entries of a row. Else the first wrong row. A non-finite
/// result is not checked if the wider sum is finite but exceeds T.
template <template <class> class Semiring, class T>
std::string verify_product(Semiring<T>, coo_matrix<T> const& list,
                           std::type_identity_t<std::span<T const>> x,
                           std::type_identity_t<std::span<T const>> y) {
  using wide = typename plain_entries<T>::wide;
  Semiring<wide> const s{};
  typename Semiring<wide>::sum_type const add;
  plain_entries<T> const all(list);
  std::size_t at = 0;
  for (std::size_t r = 0; r < y.size(); ++r) {
    wide sum = s.zero();
    wide magnitude{};
    index_t terms = 2;
    for (; at < all.entries.size() && all.entries[at].row == static_cast<std::int32_t>(r); ++at) {
      auto const& e = all.entries[at];
      auto const component = static_cast<wide>(x[static_cast<std::size_t>(e.column)]);
      wide const factor = list.values == nullptr ? s.one() : e.value;
      sum = add(sum, s.multiply(factor, component));
      terms += e.parts;
      if constexpr (std::is_floating_point_v<T>) {
        wide const part = list.values == nullptr ? std::abs(factor) : e.magnitude;
        magnitude += part * std::abs(component) + part + std::abs(component);
      }
    }
    T const expected = static_cast<T>(sum);
    if constexpr (std::is_floating_point_v<T>) {
      wide const bound = static_cast<wide>(terms) * std::numeric_limits<T>::epsilon() * magnitude;
      wide const off = std::abs(static_cast<wide>(y[r]) - sum);
      bool const beyond = std::isinf(expected) || std::isnan(expected);
      if (off <= bound || y[r] == expected || (std::isnan(y[r]) && std::isnan(expected)) ||
          (beyond && !std::isfinite(y[r]) && magnitude > std::numeric_limits<T>::max())) {
        continue;
      }
    } else if (y[r] == expected) {
      continue;
    }
    return apps::wrong_item(r, y[r], expected);
  }
  return {};
}

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
