// SPDX-License-Identifier: Apache-2.0
// libscan's first items of runs, and its run-length encoding.
#include <libscan/runs.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(run_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  return {{"libscan", [=, p = problem] {
             if (p.lengths == nullptr) return unique(*ws, p.in, p.values, p.n, p.count);
             run_length_encode(*ws, p.in, p.values, p.lengths, no_output{}, p.n, p.count);
           }}};
}

}  // namespace libscan::bench::by_libscan
