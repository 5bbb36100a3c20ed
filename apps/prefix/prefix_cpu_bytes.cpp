// SPDX-License-Identifier: Apache-2.0
// scan-prefix on the CPU with accumulators of 8 and 16 bits.
#include <apps/prefix/prefix_cpu_scan.hpp>

namespace libscan::apps {

template void prefix_on_cpu<std::int8_t>(int, prefix_call const&);
template void prefix_on_cpu<std::uint8_t>(int, prefix_call const&);
template void prefix_on_cpu<std::int16_t>(int, prefix_call const&);
template void prefix_on_cpu<std::uint16_t>(int, prefix_call const&);

}  // namespace libscan::apps
