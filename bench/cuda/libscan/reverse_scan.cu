// SPDX-License-Identifier: Apache-2.0
// libscan's scans from the last item to the first.
#include <libscan/scan.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(reverse_scan_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  return {{"libscan", [=] {
             reverse_exclusive_scan(*ws, problem.in, problem.out, problem.n, plus<std::int32_t>{});
           }}};
}

}  // namespace libscan::bench::by_libscan
