// SPDX-License-Identifier: Apache-2.0
// The implementation of `device_listed_sort`. Each file that includes it compiles it for some
// types. Internal.
#pragma once

#include <cstdint>

#include <apps/radix_sort/device/listed_segments.cuh>
#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

template <class Machine, class Key>
void device_listed_sort<Machine, Key>::enqueue(Machine on, queue_place const& place,
                                               listed_sort_call const& call,
                                               sort_order<Key> const& order) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  device::listed_buffers<Key> const keys{static_cast<Key*>(call.keys),
                                         static_cast<Key*>(call.other_keys),
                                         static_cast<Key const*>(call.more_keys)};
  auto const with = [&]<class Value>(device::listed_buffers<Value> values) {
    device::sort_listed_segments<void, sort_order<Key>, Value>(
        ws, keys, values, call.pieces, call.segments, order, call.agree_above);
  };
  auto const values_of = [&]<class Value>(Value /*zero*/) {
    with(device::listed_buffers<Value>{static_cast<Value*>(call.values),
                                       static_cast<Value*>(call.other_values),
                                       static_cast<Value const*>(call.more_values)});
  };
  if (call.value_bytes == 0) {
    with(device::listed_buffers<void>());
  } else if (call.value_bytes == sizeof(std::uint32_t)) {
    values_of(std::uint32_t{0});
  } else {
    values_of(std::uint64_t{0});
  }
}

template <class Machine, class Key>
bool device_listed_sort<Machine, Key>::is_fast(Machine on) {
  device::on_machine const here(on);
  return device::sorts_segments_together<Key>();
}

}  // namespace libscan::inline v1::detail
