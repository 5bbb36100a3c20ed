// SPDX-License-Identifier: Apache-2.0
// scan-prefix on a device or in the executor, by accumulator. Compiled for the ten types of
// `dtype`, a few in each of prefix_device_*.cu.
#pragma once

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/simt/machine.hpp>
#include <libscan/textbook/names.hpp>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Runs `call`, which has no segments, by the strategy `which` on the current device. T is its
/// accumulator.
template <class T>
void prefix_on_device(prefix_call const& call, scan_strategy which);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
