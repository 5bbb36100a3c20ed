// SPDX-License-Identifier: Apache-2.0
// Segments of items on device memory, and every implementation's way to sum them.
#pragma once

#include <string>

#include <bench/cuda/calls.hpp>

namespace libscan::bench {

/// totals[s] = the sum of segment s of in[0 .. n-1]; the same segments in four forms.
struct totals_problem {
  std::string heads;  ///< which of them to use
  std::uint32_t const* in;
  std::uint32_t* totals;
  std::uint32_t* unique;  ///< space for as many keys
  index_t* count;
  index_t n;
  std::uint8_t const* flags;
  std::uint32_t const* bits;
  std::uint32_t const* keys;
  std::int32_t const* offsets;
  index_t segments;
  bool some_empty;  ///< then only offsets describe them
};

namespace by_libscan {
implementations offers(totals_problem const& problem);
}  // namespace by_libscan

/// The toolkit's CUB: its segmented sum for offsets, else its reduction by key.
namespace by_cub {
implementations offers(totals_problem const& problem);
}  // namespace by_cub

}  // namespace libscan::bench
