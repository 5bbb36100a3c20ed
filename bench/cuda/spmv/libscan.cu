// SPDX-License-Identifier: Apache-2.0
// libscan's products of matrix and vector, by every road, and its conversion of lists.
#include <apps/spmv/coo_to_csr.cuh>
#include <apps/spmv/spmv.cuh>

#include <memory>

#include <bench/cuda/spmv/problem.hpp>

namespace libscan::bench::by_libscan {

namespace {

template <spmv_road Road, class T>
implementation road(char const* name, spmv_problem const& problem) {
  csr_matrix<T, std::int32_t> const matrix{problem.rows,     problem.columns,
                                           problem.nonzeros, problem.offsets,
                                           problem.indices,  static_cast<T const*>(problem.values)};
  auto const ws = std::make_shared<workspace>();
  return {name, [=] {
            spmv<Road>(*ws, matrix, static_cast<T const*>(problem.x), static_cast<T*>(problem.y));
          }};
}

template <class T>
implementations roads(spmv_problem const& problem) {
  return {road<spmv_road::balanced, T>("libscan", problem),
          road<spmv_road::segmented, T>("libscan segmented", problem),
          road<spmv_road::scalar, T>("libscan scalar", problem),
          road<spmv_road::vector, T>("libscan vector", problem)};
}

}  // namespace

implementations offers(spmv_problem const& problem) {
  return problem.type == "f32" ? roads<float>(problem) : roads<double>(problem);
}

implementations offers(build_problem const& problem) {
  coo_matrix<float> const list{problem.rows,      problem.rows,         problem.entries,
                               problem.list_rows, problem.list_columns, problem.list_values};
  auto const ws = std::make_shared<workspace>();
  return {{"libscan",
           [=] { coo_to_csr(*ws, list, problem.offsets, problem.indices, problem.values); }}};
}

}  // namespace libscan::bench::by_libscan
