// SPDX-License-Identifier: Apache-2.0
// libscan's totals of segments, by each description of them.
#include <libscan/segmented_reduce.cuh>

#include <memory>

#include <bench/cuda/segmented_reduce/problem.hpp>

namespace libscan::bench::by_libscan {

implementations offers(totals_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  if (problem.heads == "keys") {
    return {{"libscan", [=, p = problem] {
               reduce_by_key(*ws, p.keys, p.in, p.unique, p.totals, p.n, plus<std::uint32_t>{},
                             p.count);
             }}};
  }
  auto const by = [&](auto descriptor) -> implementations {
    return {{"libscan", [=, p = problem] {
               segmented_reduce(*ws, p.in, p.totals, descriptor, p.n, plus<std::uint32_t>{});
             }}};
  };
  if (problem.heads == "flags") return by(head_flags{problem.flags});
  if (problem.heads == "bits") return by(head_bits{problem.bits});
  return by(segment_offsets<std::int32_t>{problem.offsets, problem.segments});
}

}  // namespace libscan::bench::by_libscan
