// SPDX-License-Identifier: Apache-2.0
// scan-prefix on a device or in the executor, by accumulator. Compiled for the ten types of
// `dtype`, a few in each of prefix_device_*.cu.
#pragma once

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Runs `call`, which has no segments, by a strategy on the current device. T is the call's
/// accumulator.
template <class T>
void prefix_on_device(prefix_call const& call, strategy_choice const& choice);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
