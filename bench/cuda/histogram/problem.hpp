// SPDX-License-Identifier: Apache-2.0
// Samples on device memory, and every implementation's way to count them.
#pragma once

#include <string>

#include <bench/cuda/calls.hpp>

namespace libscan::bench {

/// counts[b] = the number of items of in[0 .. n-1] in bin b; all are in [0, bins).
struct histogram_problem {
  std::string type;    ///< "u8", "u32" or "f32"
  std::string kind;    ///< a name on `bin_axis`
  float const* edges;  ///< bins + 1 of them, of "edges"
  int bins;
  void const* in;
  index_t n;
  std::uint32_t* counts;
};

namespace by_libscan {
/// Every algorithm that can solve it.
implementations offers(histogram_problem const& problem);
/// A kernel that only applies the rule and adds to the counts in memory: the expected result of all
/// others.
void count_plainly(histogram_problem const& problem);
}  // namespace by_libscan

/// The toolkit's CUB.
namespace by_cub {
implementations offers(histogram_problem const& problem);
}  // namespace by_cub

}  // namespace libscan::bench
