// SPDX-License-Identifier: Apache-2.0
// libscan's products of matrix and vector, by every algorithm, and its conversion of lists.
#include <libscan/coo_to_csr.cuh>
#include <libscan/spmv.cuh>

#include <memory>
#include <optional>

#include <bench/cuda/spmv/problem.cuh>
#include <libscan/buffer.cuh>

namespace libscan::bench::by_libscan {

namespace {

template <class T>
csr_matrix<T, std::int32_t> matrix_of(spmv_problem const& problem) {
  return {problem.rows,    problem.columns, problem.nonzeros,
          problem.offsets, problem.indices, static_cast<T const*>(problem.values)};
}

template <spmv_algorithm Road, class T>
implementation algorithm(char const* name, spmv_problem const& problem) {
  auto const matrix = matrix_of<T>(problem);
  auto const ws = std::make_shared<workspace>();
  return {name, [=] {
            spmv<Road>(*ws, matrix, static_cast<T const*>(problem.x), static_cast<T*>(problem.y));
          }};
}

/// A product with a plan.
template <class T>
implementation planned(spmv_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  auto const plan = std::make_shared<spmv_plan<T>>(matrix_of<T>(problem));
  return {"libscan planned", [=] {
            spmv(*ws, *plan, matrix_of<T>(problem), static_cast<T const*>(problem.x),
                 static_cast<T*>(problem.y));
          }};
}

/// Making a plan, always in the same memory, and a product with it.
template <class T>
plan_offer plan_of(spmv_problem const& problem) {
  std::size_t const bytes = spmv_plan_bytes<T>(problem.rows, problem.nonzeros);
  auto const memory = std::make_shared<device::buffer<std::byte>>(static_cast<index_t>(bytes));
  auto const ws = std::make_shared<workspace>();
  auto const plan = std::make_shared<std::optional<spmv_plan<T>>>();
  auto const make = [=] { plan->emplace(matrix_of<T>(problem), workspace(memory->data(), bytes)); };
  auto const multiply = [=] {
    spmv(*ws, **plan, matrix_of<T>(problem), static_cast<T const*>(problem.x),
         static_cast<T*>(problem.y));
  };
  return {{"libscan", make}, multiply, bytes};
}

template <class T>
implementations algorithms(spmv_problem const& problem) {
  return {algorithm<spmv_algorithm::balanced, T>("libscan", problem), planned<T>(problem),
          algorithm<spmv_algorithm::segmented, T>("libscan segmented", problem),
          algorithm<spmv_algorithm::scalar, T>("libscan scalar", problem),
          algorithm<spmv_algorithm::vector, T>("libscan vector", problem)};
}

}  // namespace

implementations offers(spmv_problem const& problem) {
  return problem.is_double ? algorithms<double>(problem) : algorithms<float>(problem);
}

plan_offer plan(spmv_problem const& problem) {
  return problem.is_double ? plan_of<double>(problem) : plan_of<float>(problem);
}

implementations offers(build_problem const& problem) {
  coo_matrix<float> const list{problem.rows,      problem.rows,         problem.entries,
                               problem.list_rows, problem.list_columns, problem.list_values};
  auto const ws = std::make_shared<workspace>();
  return {{"libscan",
           [=] { coo_to_csr(*ws, list, problem.offsets, problem.indices, problem.values); }}};
}

}  // namespace libscan::bench::by_libscan
