// SPDX-License-Identifier: Apache-2.0
// Lists of a matrix's entries, whole and as ranks hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <libscan/distributed/distribution.hpp>
#include <libscan/matrix.hpp>
#include <tests/apps/spmv/lists.hpp>

namespace libscan::test {

/// The list without its memory.
template <class T>
coo_matrix<T> view_of(host_coo<T> const& list) {
  return {list.rows,           list.columns,       list.entries(), list.row_indices.data(),
          list.indices.data(), list.values.data(), list.kind};
}

/// The entries of a list that one rank holds.
template <class T>
coo_matrix<T> part_of_list(host_coo<T> const& list, distribution const& d, int rank) {
  auto part = view_of(list);
  index_t const begin = d.begin(rank);
  part.entries = d.size(rank);
  part.row_indices += begin;
  part.indices += begin;
  if (part.values != nullptr) part.values += begin;
  return part;
}

/// A list with rows of a shape, in an order that is not that of the rows.
template <class T>
host_coo<T> list_of_shape(index_t rows, index_t columns, row_shape const& shape,
                          pattern values = pattern::small) {
  auto const matrix = make_csr<T>(rows, columns, shape.length, values);
  host_coo<T> list{rows, columns, {}, {}, {}, symmetry::general};
  auto const n = static_cast<std::size_t>(matrix.nonzeros());
  std::vector<std::int32_t> row_of;
  for (index_t r = 0; r < rows; ++r) {
    auto const at = static_cast<std::size_t>(r);
    row_of.insert(row_of.end(),
                  static_cast<std::size_t>(matrix.offsets[at + 1] - matrix.offsets[at]),
                  static_cast<std::int32_t>(r));
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t const from = (k * 7919 + 13) % n;  // a permutation unless n is a multiple of 7919
    list.row_indices.push_back(row_of[from]);
    list.indices.push_back(matrix.indices[from]);
    list.values.push_back(matrix.values[from]);
  }
  return list;
}

}  // namespace libscan::test
