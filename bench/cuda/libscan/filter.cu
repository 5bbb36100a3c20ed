// SPDX-License-Identifier: Apache-2.0
// libscan's filter.
#include <libscan/filter.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(filter_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  below const keep{problem.limit};
  return {
      {"libscan", [=] { filter(*ws, problem.in, problem.out, problem.n, keep, problem.count); }}};
}

}  // namespace libscan::bench::by_libscan
