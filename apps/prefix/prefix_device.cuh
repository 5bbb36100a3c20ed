// SPDX-License-Identifier: Apache-2.0
// scan-prefix on a device or in the executor, by accumulator. Compiled for the ten types of
// `dtype`, a few in each of prefix_device_*.cu.
#pragma once

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/simt/machine.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Runs `call`, which has no segments, by the strategy `which` on the current device, with blocks
/// of `block` threads; 0: its default. T is the call's accumulator.
template <class T>
void prefix_on_device(prefix_call const& call, scan_strategy which, int block = 0);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
