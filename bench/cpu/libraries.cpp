// SPDX-License-Identifier: Apache-2.0
// Which libraries this build measures.
#include <bench/cpu/libraries.hpp>

namespace libscan::bench::cpu {

std::vector<library> const& other_libraries() {
  static std::vector<library> const all = [] {
    std::vector<library> found;
#ifdef LIBSCAN_BENCH_PARLAYLIB
    found.push_back(parlaylib());
#endif
#ifdef LIBSCAN_BENCH_THRUST
    found.push_back(thrust_on_tbb());
#endif
    return found;
  }();
  return all;
}

}  // namespace libscan::bench::cpu
