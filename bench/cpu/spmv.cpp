// SPDX-License-Identifier: Apache-2.0
// Products of sparse matrices and vectors on the cpu engine beside the loop, loops over rows in
// parallel, equal shares by a merge, and Eigen if it is installed.
#include <tbb/parallel_for.h>

#include <bench/cpu/machine.hpp>
#include <bench/cpu/spmv_competitors.hpp>
#include <bench/matrices.hpp>
#include <bench/matrix_places.hpp>
#include <libscan/cpu/spmv.hpp>

#if __has_include(<eigen3/Eigen/SparseCore>)
#define LIBSCAN_BENCH_EIGEN
#include <eigen3/Eigen/SparseCore>
#endif

namespace libscan::bench::cpu {

namespace {

/// The time of the second of two calls: each contender finds the caches as it leaves them itself,
/// not as the copy or another contender left them.
double second_us(std::function<void()> const& run) {
  run();
  return wall_us(run);
}

template <class T>
void multiply(engine const& on, session const& now, matrix_places const& places) {
  index_t const rows = places.rows, columns = places.columns, nonzeros = places.nonzeros();
  auto const values = generated<T>(nonzeros, small_integer_at<T>{11});
  auto const x = generated<T>(columns, small_integer_at<T>{12});
  matrix_view<T> const a{
      rows, columns, nonzeros, places.offsets.data(), places.indices.data(), values.begin()};
  host_array<T> const y(rows), expected(rows);
  multiply_rows(a, x.begin(), expected.begin(), 0, rows);
  auto const right = [&] {
    bool const equal = std::equal(y.begin(), y.end(), expected.begin());
    std::fill(y.begin(), y.end(), T(-77));
    return equal;
  };
  double const bytes = static_cast<double>(nonzeros) * (4 + sizeof(T)) +
                       static_cast<double>(rows) * (4 + sizeof(T)) +
                       static_cast<double>(columns) * sizeof(T);
  host_array<char> const from(static_cast<index_t>(bytes / 2)), to(from.size);
  std::fill(from.begin(), from.end(), 1);
  int const threads = on.threads();
  workload work{
      "cpu",
      "spmv " + places.name,
      type_name<T>(),
      nonzeros,
      bytes,
      {{"memcpy", [&] { parallel_memcpy(to.begin(), from.begin(), from.view().size()); }, {}},
       {"libscan", [&] { libscan::cpu::spmv(threads, a, x.begin(), y.begin()); }, right},
       {"sequential", [&] { multiply_rows(a, x.begin(), y.begin(), 0, rows); }, right},
       {"tbb rows",
        [&] {
          tbb::parallel_for(tbb::blocked_range<index_t>(0, rows, 256), [&](auto const& part) {
            multiply_rows(a, x.begin(), y.begin(), part.begin(), part.end());
          });
        },
        right}}};
#ifdef _OPENMP
  work.contenders.push_back({"openmp rows static",
                             [&] { multiply_openmp_static(threads, a, x.begin(), y.begin()); },
                             right});
  work.contenders.push_back({"openmp rows dynamic",
                             [&] { multiply_openmp_dynamic(threads, a, x.begin(), y.begin()); },
                             right});
  work.contenders.push_back(
      {"merge", [&] { multiply_merge(threads, a, x.begin(), y.begin()); }, right});
#endif
#ifdef LIBSCAN_BENCH_EIGEN
  using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  Eigen::setNbThreads(threads);
  Eigen::Map<Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t> const> const by_eigen(
      rows, columns, nonzeros, a.offsets, a.indices, a.values);
  Eigen::Map<vector const> const eigen_x(x.begin(), columns);
  Eigen::Map<vector> eigen_y(y.begin(), rows);
  work.contenders.push_back({"eigen", [&] { eigen_y.noalias() = by_eigen * eigen_x; }, right});
#endif
  for (contender& each : work.contenders) each.time = second_us;
  now.run(std::move(work));
}

}  // namespace

void run_products(engine const& on, session const& now) {
  options const& wanted = now.wanted;
  auto const multiply_types = [&](matrix_places const& places) {
    for (std::string const& type : or_standard<std::string>(wanted.types, {"f32", "f64"})) {
      type == "f64" ? multiply<double>(on, now, places) : multiply<float>(on, now, places);
    }
  };
  for (std::string const& name : matrix_names(wanted)) {
    // One row in sixteen has an entry.
    index_t const standard = name == "hypersparse" ? 1 << 20 : 1 << 24;
    for (index_t const n : or_standard<index_t>(wanted.sizes, {standard})) {
      multiply_types(places_of(name, n));
    }
  }
  for (std::string const& path : wanted.matrix_files) {
    matrix_places const once = places_in(path);
    for (index_t const n : file_sizes(wanted)) multiply_types(repeated(once, n));
  }
}

}  // namespace libscan::bench::cpu
