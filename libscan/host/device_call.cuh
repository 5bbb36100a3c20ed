// SPDX-License-Identifier: Apache-2.0
// The arguments of a device_call as device calls take them. Internal.
#pragma once

#include <libscan/device/item_count.cuh>
#include <libscan/device/scan_work.cuh>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

inline namespace LIBSCAN_MACHINE {

/// The number of items of a call.
inline item_count count_of(device_call const& call) {
  return call.d_n == nullptr ? item_count(call.n) : item_count::on_device(call.d_n, call.n);
}

}  // namespace LIBSCAN_MACHINE

/// What comes before the first item of a call, for operators over T.
template <class T>
device::init_in_memory<T> init_of(device_call const& call) {
  return {*static_cast<T const*>(call.init), static_cast<T const*>(call.d_init)};
}

}  // namespace libscan::inline v1::detail
