// SPDX-License-Identifier: Apache-2.0
// scan-prefix on the CPU with floating-point accumulators.
#include <apps/prefix/prefix_cpu_scan.hpp>

namespace libscan::apps {

template void prefix_on_cpu<float>(int, prefix_call const&);
template void prefix_on_cpu<double>(int, prefix_call const&);

}  // namespace libscan::apps
