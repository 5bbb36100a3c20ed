// SPDX-License-Identifier: Apache-2.0
// libscan's filter.
#include <apps/filter/filter.cuh>

#include <memory>

#include <apps/filter/predicate.hpp>
#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(filter_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  in_interval<std::uint32_t> const keep{0, problem.limit - 1};
  return {
      {"libscan", [=] { filter(*ws, problem.in, problem.out, problem.n, keep, problem.count); }}};
}

}  // namespace libscan::bench::by_libscan
