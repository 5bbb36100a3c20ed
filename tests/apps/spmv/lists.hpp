// SPDX-License-Identifier: Apache-2.0
// Lists of entries for tests, and the matrices that they are, from a stable sort.
#pragma once

#include <algorithm>
#include <vector>

#include <tests/apps/spmv/matrices.hpp>

namespace libscan::test {

/// A list of entries, on the host.
template <class Value>
struct host_coo {
  index_t rows = 0;
  index_t columns = 0;
  std::vector<std::int32_t> row_indices;
  std::vector<std::int32_t> indices;
  std::vector<Value> values;
  symmetry kind = symmetry::general;

  index_t entries() const { return static_cast<index_t>(indices.size()); }
};

/// n entries in random places; of a symmetric list in the lower triangle, of a skew one below the
/// diagonal where there is space.
template <class Value>
host_coo<Value> make_coo(index_t rows, index_t columns, index_t n,
                         symmetry kind = symmetry::general, pattern values = pattern::small) {
  host_coo<Value> list;
  list.rows = rows;
  list.columns = columns;
  list.kind = kind;
  random_words words(static_cast<std::uint64_t>(rows * 7 + n));
  for (index_t k = 0; k < n; ++k) {
    auto row = static_cast<std::int32_t>(words.below(static_cast<std::uint64_t>(rows)));
    auto column = static_cast<std::int32_t>(words.below(static_cast<std::uint64_t>(columns)));
    if (kind != symmetry::general && row < column) std::swap(row, column);
    list.row_indices.push_back(row);
    list.indices.push_back(column);
  }
  if constexpr (!std::is_same_v<Value, no_values>) {
    using T = accumulator_t<Value>;
    for (T const value : make_input<T>(values, n)) list.values.push_back(as_entry<Value>(value));
  }
  return list;
}

/// The matrix that a list is, sums taken in the list's order.
template <class Offset, class Value>
host_csr<Value, Offset> coo_oracle(host_coo<Value> const& list) {
  using T = std::conditional_t<std::is_same_v<Value, no_values>, int,
                               typename accumulator_of<Value>::type>;
  struct item {
    std::int32_t row, column;
    T value;
  };
  std::vector<item> items;
  for (std::size_t k = 0; k < list.indices.size(); ++k) {
    T value{};
    if constexpr (!std::is_same_v<Value, no_values>) value = as_number<T>(list.values[k]);
    items.push_back({list.row_indices[k], list.indices[k], value});
    if (list.kind == symmetry::general || list.row_indices[k] == list.indices[k]) continue;
    T const image =
        list.kind == symmetry::skew ? libscan::detail::wrapping_multiply(T(-1), value) : value;
    items.push_back({list.indices[k], list.row_indices[k], image});
  }
  std::stable_sort(items.begin(), items.end(), [](item const& a, item const& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  host_csr<Value, Offset> matrix;
  matrix.rows = list.rows;
  matrix.columns = list.columns;
  matrix.offsets.assign(static_cast<std::size_t>(list.rows) + 1, 0);
  for (std::size_t k = 0; k < items.size();) {
    item const& first = items[k];
    T sum = first.value;
    for (++k; k < items.size() && items[k].row == first.row && items[k].column == first.column;
         ++k) {
      sum = libscan::detail::wrapping_add(sum, items[k].value);
    }
    matrix.indices.push_back(first.column);
    if constexpr (!std::is_same_v<Value, no_values>) {
      matrix.values.push_back(as_entry<Value>(sum));
    }
    ++matrix.offsets[static_cast<std::size_t>(first.row) + 1];
  }
  for (std::size_t r = 1; r < matrix.offsets.size(); ++r) {
    matrix.offsets[r] = static_cast<Offset>(matrix.offsets[r] + matrix.offsets[r - 1]);
  }
  return matrix;
}

}  // namespace libscan::test
