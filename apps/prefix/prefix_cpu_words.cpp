// SPDX-License-Identifier: Apache-2.0
// scan-prefix on the CPU with integer accumulators of 32 and 64 bits.
#include <apps/prefix/prefix_cpu_scan.hpp>

namespace libscan::apps {

template void prefix_on_cpu<std::int32_t>(int, prefix_call const&);
template void prefix_on_cpu<std::uint32_t>(int, prefix_call const&);
template void prefix_on_cpu<std::int64_t>(int, prefix_call const&);
template void prefix_on_cpu<std::uint64_t>(int, prefix_call const&);

}  // namespace libscan::apps
