// SPDX-License-Identifier: Apache-2.0
// Matrices for tests, of every shape that unbalances a product; and what a product should be: exact
// where it can be, else within n eps sum |a| |x| of a wider sum, row by row.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <apps/spmv/core/row_result.hpp>
#include <apps/spmv/core/semiring.hpp>
#include <libscan/matrix.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

/// A matrix by rows, on the host.
template <class Value, class Offset = std::int64_t>
struct host_csr {
  index_t rows = 0;
  index_t columns = 0;
  std::vector<Offset> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<Value> values;

  index_t nonzeros() const { return static_cast<index_t>(indices.size()); }
};

/// A matrix whose row r has length(r) entries in random columns, with values from a pattern.
template <class Value, class Offset = std::int64_t>
host_csr<Value, Offset> make_csr(index_t rows, index_t columns,
                                 std::function<index_t(index_t)> const& length,
                                 pattern values = pattern::random, std::uint64_t stream = 0) {
  host_csr<Value, Offset> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  random_words words(stream + static_cast<std::uint64_t>(rows));
  for (index_t r = 0; r < rows; ++r) {
    for (index_t k = columns > 0 ? length(r) : 0; k > 0; --k) {
      matrix.indices.push_back(
          static_cast<std::int32_t>(words.below(static_cast<std::uint64_t>(columns))));
    }
    matrix.offsets.push_back(static_cast<Offset>(matrix.indices.size()));
  }
  if constexpr (!std::is_same_v<Value, no_values>) {
    using T = accumulator_t<Value>;
    for (T const value : make_input<T>(values, matrix.nonzeros(), stream)) {
      matrix.values.push_back(as_entry<Value>(value));
    }
  }
  return matrix;
}

/// A rule for row lengths, and what it is called.
struct row_shape {
  std::string name;
  std::function<index_t(index_t)> length;
};

/// Shapes that unbalance, for matrices of `rows` rows.
inline std::vector<row_shape> row_shapes(index_t rows, index_t long_row) {
  auto const mixed = [](index_t r, std::uint64_t salt) {
    return random_words(static_cast<std::uint64_t>(r) + salt)();
  };
  return {
      {"empty rows", [](index_t) { return index_t{0}; }},
      {"one entry a row", [](index_t) { return index_t{1}; }},
      {"seven", [](index_t) { return index_t{7}; }},
      {"sixteen", [](index_t) { return index_t{16}; }},
      {"thirty-three", [](index_t) { return index_t{33}; }},
      {"none to two", [=](index_t r) { return static_cast<index_t>(mixed(r, 1) % 3); }},
      {"a few long rows",
       [=](index_t r) { return mixed(r, 2) % 50 == 0 ? long_row / 3 : index_t{3}; }},
      {"one dense row", [=](index_t r) { return r == rows / 2 ? long_row : index_t{1}; }},
      {"first row dense, others empty", [=](index_t r) { return r == 0 ? long_row : index_t{0}; }},
      {"last row dense, others empty",
       [=](index_t r) { return r == rows - 1 ? long_row : index_t{0}; }},
      {"an entry in a hundred rows", [](index_t r) { return index_t{r % 100 == 57}; }},
      {"blocks of empty rows",
       [=](index_t r) { return r / 300 % 2 == 0 ? index_t{0} : static_cast<index_t>(r % 40); }},
      {"power law",
       [=](index_t r) { return long_row / (1 + static_cast<index_t>(mixed(r, 3) % 997)); }},
  };
}

/// Entry k of a matrix in type T.
template <class T, class Value, class Offset>
T entry(host_csr<Value, Offset> const& matrix, std::size_t k, T one) {
  if constexpr (std::is_same_v<Value, no_values>) {
    return one;
  } else {
    return as_number<T>(matrix.values[k]);
  }
}

/// y = alpha A x + beta y, row by row, entry by entry. Exact where order does not matter.
template <class S, class Value, class Offset, class X, class Y>
std::vector<Y> spmv_oracle(host_csr<Value, Offset> const& matrix, std::vector<X> const& x,
                           std::vector<Y> y, S s, typename S::value_type alpha = S::one(),
                           typename S::value_type beta = S::zero()) {
  using T = typename S::value_type;
  typename S::sum_type const add;
  for (index_t r = 0; r < matrix.rows; ++r) {
    auto const row = static_cast<std::size_t>(r);
    T sum = add.identity();
    for (auto k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      auto const at = static_cast<std::size_t>(k);
      T const component = as_number<T>(x[static_cast<std::size_t>(matrix.indices[at])]);
      sum = add(sum, s.multiply(entry(matrix, at, S::one()), component));
    }
    T const before = beta == S::zero() ? S::zero() : s.multiply(beta, as_number<T>(y[row]));
    y[row] = as_entry<Y>(add(before, s.multiply(alpha, sum)));
  }
  return y;
}

/// Empty if every row of `got` is as near to the exact alpha A x + beta y as any order of adding n
/// products in T guarantees, and one rounding to Y; else the first that is not.
template <class T, class Value, class Offset, class X, class Y>
std::string spmv_error(host_csr<Value, Offset> const& matrix, std::vector<X> const& x,
                       std::vector<Y> const& y, T alpha, T beta, std::vector<Y> const& got) {
  using wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  double const rounding = std::is_same_v<Y, float16> ? 0x1p-11 : 0x1p-8;
  for (std::size_t r = 0; r < got.size(); ++r) {
    wide sum = 0, magnitude = 0;
    for (auto k = matrix.offsets[r]; k < matrix.offsets[r + 1]; ++k) {
      auto const at = static_cast<std::size_t>(k);
      wide const product = static_cast<wide>(entry(matrix, at, T(1))) *
                           as_number<T>(x[static_cast<std::size_t>(matrix.indices[at])]);
      sum += product;
      magnitude += std::abs(product);
    }
    wide const before = beta == T(0) ? wide(0) : static_cast<wide>(beta) * as_number<T>(y[r]);
    wide const expected = alpha * sum + before;
    auto const terms = static_cast<wide>(matrix.offsets[r + 1] - matrix.offsets[r]) + 2;
    wide bound = terms * std::numeric_limits<T>::epsilon() *
                 (std::abs(static_cast<wide>(alpha)) * magnitude + std::abs(before));
    if constexpr (!std::is_same_v<Y, T>) bound += rounding * std::abs(expected) + 0x1p-25;
    T const value = as_number<T>(got[r]);
    if (!(std::abs(static_cast<wide>(value) - expected) <= bound)) {
      return detail::mismatch("row " + std::to_string(r), static_cast<T>(expected), value);
    }
  }
  return "";
}

}  // namespace libscan::test
