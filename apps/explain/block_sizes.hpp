// SPDX-License-Identifier: Apache-2.0
// From a block size to a constant, for kernels that are compiled for each.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <apps/explain/run_scan.hpp>

namespace libscan::apps {

/// body(std::integral_constant<int, block>{}) for a size that is among `block_sizes`.
template <std::size_t First = 0, class Body>
recorded_run with_block_size(int block, Body const& body) {
  if constexpr (First + 1 < std::size(block_sizes)) {
    if (block != block_sizes[First]) return with_block_size<First + 1>(block, body);
  }
  return body(std::integral_constant<int, block_sizes[First]>{});
}

}  // namespace libscan::apps
