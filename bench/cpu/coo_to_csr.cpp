// SPDX-License-Identifier: Apache-2.0
// Matrices by rows from lists of entries on the cpu engine, beside loops, a sort by the standard
// library, and Eigen if it is installed. Every contender allocates the resulting matrix.
#include <bench/cpu/contenders.hpp>
#include <bench/matrices.hpp>
#include <libscan/spmv.hpp>

#if __has_include(<eigen3/Eigen/SparseCore>)
#define LIBSCAN_BENCH_EIGEN
#include <eigen3/Eigen/SparseCore>
#endif

namespace libscan::bench::cpu {

namespace {

using matrix = sparse_matrix<float>;
using entries = host_array<list_entry>;

/// A square matrix without entries.
matrix empty(index_t rows) {
  matrix a;
  a.rows = a.columns = rows;
  a.offsets.resize(static_cast<std::size_t>(rows) + 1);
  return a;
}

/// Adds an entry at the matrix's end, or to the last entry if that has the same place. `begin`: the
/// begin of its row.
void append(matrix& a, std::int64_t begin, std::int32_t column, float value) {
  if (a.nonzeros() > begin && a.indices.back() == column) {
    a.values.back() += value;
  } else {
    a.indices.push_back(column);
    a.values.push_back(value);
  }
}

/// The right result: each entry is put into its place in its row.
matrix expected_rows(entries const& list, index_t rows) {
  using place = std::pair<std::int32_t, float>;
  std::vector<std::vector<place>> found(static_cast<std::size_t>(rows));
  for (list_entry const& entry : list) {
    auto& row = found[static_cast<std::size_t>(entry.row())];
    auto const at = std::find_if(row.begin(), row.end(),
                                 [&](place const& other) { return other.first >= entry.col(); });
    if (at != row.end() && at->first == entry.col()) {
      at->second += entry.value();
    } else {
      row.insert(at, {entry.col(), entry.value()});
    }
  }
  matrix a = empty(rows);
  for (std::size_t r = 0; r < found.size(); ++r) {
    for (auto const& [column, value] : found[r]) {
      a.indices.push_back(column);
      a.values.push_back(value);
    }
    a.offsets[r + 1] = a.nonzeros();
  }
  return a;
}

/// The code people write without a library: count entries by row, move them to their rows, sort
/// each row.
matrix by_loops(entries const& list, index_t rows) {
  std::vector<std::int64_t> ends(static_cast<std::size_t>(rows) + 1);
  for (list_entry const& entry : list) ++ends[static_cast<std::size_t>(entry.row()) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  entries const moved(list.size);
  // The ends of the rows so far.
  for (list_entry const& entry : list) {
    moved[ends[static_cast<std::size_t>(entry.row())]++] = entry;
  }
  matrix a = empty(rows);
  a.indices.reserve(static_cast<std::size_t>(list.size));
  a.values.reserve(static_cast<std::size_t>(list.size));
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    list_entry* const first = moved.begin() + (r == 0 ? 0 : ends[r - 1]);
    list_entry* const past = moved.begin() + ends[r];
    std::stable_sort(first, past,
                     [](list_entry const& x, list_entry const& y) { return x.col() < y.col(); });
    a.offsets[r] = a.nonzeros();
    for (list_entry const* entry = first; entry != past; ++entry) {
      append(a, a.offsets[r], entry->col(), entry->value());
    }
  }
  a.offsets.back() = a.nonzeros();
  return a;
}

/// A sort of all entries in place, by their places, and a loop.
matrix by_std_sort(entries const& sorted, index_t rows) {
  std::stable_sort(std::execution::par_unseq, sorted.begin(), sorted.end(),
                   [](list_entry const& x, list_entry const& y) {
                     return x.row() != y.row() ? x.row() < y.row() : x.col() < y.col();
                   });
  matrix a = empty(rows);
  a.indices.reserve(static_cast<std::size_t>(sorted.size));
  a.values.reserve(static_cast<std::size_t>(sorted.size));
  std::size_t begun = 0;  // rows except the first
  for (list_entry const& entry : sorted) {
    for (; begun < static_cast<std::size_t>(entry.row()); ++begun) {
      a.offsets[begun + 1] = a.nonzeros();
    }
    append(a, a.offsets[begun], entry.col(), entry.value());
  }
  std::fill(a.offsets.begin() + static_cast<std::ptrdiff_t>(begun) + 1, a.offsets.end(),
            a.nonzeros());
  return a;
}

void build(engine const& on, session const& now, index_t n) {
  entry_list const list(n);
  index_t const rows = list.rows;
  auto const row_indices = generated<std::int32_t>(n, list.row);
  auto const column_indices = generated<std::int32_t>(n, list.column);
  auto const values = generated<float>(n, list.value);
  auto const in_one_piece = generated<list_entry>(n, [&](index_t k) {
    return list_entry{row_indices[k], column_indices[k], values[k]};
  });
  coo_matrix<float> const ours{rows,          rows, n, row_indices.begin(), column_indices.begin(),
                               values.begin()};
  matrix const expected = expected_rows(in_one_piece, rows);
  matrix made;
  auto const right = [&] {
    bool const equal = made.offsets == expected.offsets && made.indices == expected.indices &&
                       made.values == expected.values;
    made = {};
    return equal;
  };
  // A list read, a matrix with 64-bit offsets written.
  double const bytes = static_cast<double>(n) * 20 + static_cast<double>(rows) * 8;
  std::vector<contender> all{copy_of(bytes),
                             {"libscan", [&] { made = to_rows(on, ours); }, right},
                             {"sequential", [&] { made = by_loops(in_one_piece, rows); }, right}};
  entries const sorted(n);
  all.push_back(in_place(
      "std par_unseq", in_one_piece, sorted, [&](auto...) { made = by_std_sort(sorted, rows); },
      right));
#ifdef LIBSCAN_BENCH_EIGEN
  Eigen::SparseMatrix<float, Eigen::RowMajor, std::int32_t> by_eigen(rows, rows);
  all.push_back(
      {"eigen", [&] { by_eigen.setFromTriplets(in_one_piece.begin(), in_one_piece.end()); },
       [&] {
         bool const equal =
             std::equal(expected.offsets.begin(), expected.offsets.end(), by_eigen.outerIndexPtr(),
                        by_eigen.outerIndexPtr() + rows + 1) &&
             std::equal(expected.indices.begin(), expected.indices.end(), by_eigen.innerIndexPtr(),
                        by_eigen.innerIndexPtr() + by_eigen.nonZeros()) &&
             std::equal(expected.values.begin(), expected.values.end(), by_eigen.valuePtr(),
                        by_eigen.valuePtr() + by_eigen.nonZeros());
         by_eigen.setZero();
         return equal;
       }});
#endif
  for (library const& other : other_libraries()) {
    auto const to_rows = other.to_rows;
    if (to_rows == nullptr) continue;
    all.push_back({other.name,
                   [&, to_rows, n] {
                     made = empty(rows);
                     to_rows(in_one_piece.begin(), n, made);
                   },
                   right});
  }
  now.run({"cpu", "coo to csr", "f32", n, bytes, std::move(all)});
}

}  // namespace

void run_builds(engine const& on, session const& now) {
  for (index_t const n : or_standard<index_t>(now.wanted.sizes, {1 << 20, 1 << 24})) {
    build(on, now, n);
  }
}

}  // namespace libscan::bench::cpu
