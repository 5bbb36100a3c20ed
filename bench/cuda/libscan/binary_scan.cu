// SPDX-License-Identifier: Apache-2.0
// libscan's scans of masks.
#include <libscan/binary_scan.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(binary_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  auto const scan_of = [=, ranks = problem.ranks, n = problem.n,
                        inclusive = problem.kind == scan_kind::inclusive](auto mask) {
    return implementations{{"libscan", [=] {
                              if (inclusive) {
                                inclusive_binary_scan(*ws, mask, ranks, n);
                              } else {
                                exclusive_binary_scan(*ws, mask, ranks, n);
                              }
                            }}};
  };
  if (problem.mask == "bytes") {
    return scan_of(byte_mask{static_cast<std::uint8_t const*>(problem.items)});
  }
  return scan_of(bit_mask{static_cast<std::uint32_t const*>(problem.items)});
}

}  // namespace libscan::bench::by_libscan
