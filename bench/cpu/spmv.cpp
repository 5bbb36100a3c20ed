// SPDX-License-Identifier: Apache-2.0
// Products of sparse matrices and vectors on the cpu engine beside the loop, the loop over rows in
// parallel, and Eigen where it is installed.
#include <tbb/parallel_for.h>

#include <apps/spmv/spmv_cpu.hpp>
#include <bench/cpu/machine.hpp>
#include <bench/matrices.hpp>

#if __has_include(<eigen3/Eigen/SparseCore>)
#define LIBSCAN_BENCH_EIGEN
#include <eigen3/Eigen/SparseCore>
#endif

namespace libscan::bench::cpu {

namespace {

/// A matrix by rows, made on the host.
template <class T>
struct host_matrix {
  index_t rows;
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  host_matrix(std::string const& name, index_t n) {
    matrix_at const shape(name, n);
    rows = shape.rows();
    for (index_t r = 0; r < rows; ++r) {
      for (index_t k = 0; k < shape.length(r); ++k) indices.push_back(shape.column(r, k));
      offsets.push_back(static_cast<std::int32_t>(indices.size()));
    }
    small_integer_at<T> const value{11};
    for (std::size_t k = 0; k < indices.size(); ++k) {
      values.push_back(value(static_cast<index_t>(k)));
    }
  }

  csr_matrix<T, std::int32_t> view() const {
    return {rows,           rows,           static_cast<index_t>(indices.size()),
            offsets.data(), indices.data(), values.data()};
  }
};

/// Rows [begin, end) of y = A x, by the loop that defines it.
template <class T>
void loop(host_matrix<T> const& a, host_array<T> const& x, host_array<T> const& y, index_t begin,
          index_t end) {
  for (index_t r = begin; r < end; ++r) {
    T sum = 0;
    auto const row = static_cast<std::size_t>(r);
    for (auto k = static_cast<std::size_t>(a.offsets[row]);
         k < static_cast<std::size_t>(a.offsets[row + 1]); ++k) {
      sum += a.values[k] * x[a.indices[k]];
    }
    y[r] = sum;
  }
}

template <class T>
void multiply(engine const& on, session const& now, std::string const& name, index_t n) {
  host_matrix<T> const a(name, n);
  auto const x = generated<T>(a.rows, small_integer_at<T>{12});
  host_array<T> const y(a.rows), expected(a.rows);
  loop(a, x, expected, 0, a.rows);
  auto const right = [&] {
    bool const equal = std::equal(y.begin(), y.end(), expected.begin());
    std::fill(y.begin(), y.end(), T(-77));
    return equal;
  };
  auto const nonzeros = static_cast<index_t>(a.indices.size());
  double const bytes = static_cast<double>(nonzeros) * (4 + sizeof(T)) +
                       static_cast<double>(a.rows) * (4 + 2 * sizeof(T));
  host_array<char> const from(static_cast<index_t>(bytes / 2)), to(from.size);
  std::fill(from.begin(), from.end(), 1);
  workload work{
      "cpu",
      "spmv " + name,
      type_name<T>(),
      nonzeros,
      bytes,
      {{"memcpy", [&] { parallel_memcpy(to.begin(), from.begin(), from.view().size()); }, {}},
       {"libscan", [&] { libscan::cpu::spmv(on.threads(), a.view(), x.begin(), y.begin()); },
        right},
       {"sequential", [&] { loop(a, x, y, 0, a.rows); }, right},
       {"tbb rows",
        [&] {
          tbb::parallel_for(tbb::blocked_range<index_t>(0, a.rows, 256),
                            [&](auto const& part) { loop(a, x, y, part.begin(), part.end()); });
        },
        right}}};
#ifdef LIBSCAN_BENCH_EIGEN
  using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  Eigen::Map<Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t> const> const by_eigen(
      a.rows, a.rows, nonzeros, a.offsets.data(), a.indices.data(), a.values.data());
  Eigen::Map<vector const> const eigen_x(x.begin(), a.rows);
  Eigen::Map<vector> eigen_y(y.begin(), a.rows);
  work.contenders.push_back({"eigen", [&] { eigen_y.noalias() = by_eigen * eigen_x; }, right});
#endif
  now.run(std::move(work));
}

}  // namespace

void run_products(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  for (std::string const& name : or_standard<std::string>(wanted.matrices, names_of(matrix_axis))) {
    // Of sixteen rows an entry.
    index_t const standard = name == "hypersparse" ? 1 << 22 : 1 << 24;
    for (index_t const n : or_standard<index_t>(wanted.sizes, {standard})) {
      for (std::string const& type : or_standard<std::string>(wanted.types, {"f32", "f64"})) {
        type == "f64" ? multiply<double>(on, now, name, n) : multiply<float>(on, now, name, n);
      }
    }
  }
}

}  // namespace libscan::bench::cpu
