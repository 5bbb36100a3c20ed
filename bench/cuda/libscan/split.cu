// SPDX-License-Identifier: Apache-2.0
// libscan's split, by a predicate into each form of output, and by flags into two.
#include <libscan/split.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>
#include <libscan/scan.cuh>

namespace libscan::bench::by_libscan {

implementations offers(split_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  bool const two = problem.outputs == "two", one = problem.outputs == "one";
  if (problem.flags != nullptr) {
    if (!two) return {};
    return {{"libscan", [=] {
               split(*ws, problem.in, problem.out, problem.rejected, problem.n,
                     byte_mask{problem.flags}, problem.count);
             }}};
  }
  below const keep{problem.limit};
  return {{"libscan", [=, p = problem] {
             if (two) return split(*ws, p.in, p.out, p.rejected, p.n, keep, p.count);
             if (one) return split(*ws, p.in, p.out, p.n, keep, p.count);
             split(*ws, p.in, p.reversed, reverse_iterator<std::uint32_t*>{p.reversed + p.n}, p.n,
                   keep, p.count);
           }}};
}

}  // namespace libscan::bench::by_libscan
