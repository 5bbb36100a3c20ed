// SPDX-License-Identifier: Apache-2.0
// libscan's filter by a mask.
#include <libscan/filter.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(mask_filter_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  auto const by = [=](auto mask) {
    return implementations{
        {"libscan", [=] { filter(*ws, problem.in, problem.out, problem.n, mask, problem.count); }}};
  };
  if (problem.mask == "bytes") {
    return by(byte_mask{static_cast<std::uint8_t const*>(problem.marks)});
  }
  return by(bit_mask{static_cast<std::uint32_t const*>(problem.marks)});
}

}  // namespace libscan::bench::by_libscan
