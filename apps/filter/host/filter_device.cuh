// SPDX-License-Identifier: Apache-2.0
// The implementation of `device_filter` in filter_device.hpp. script/cmake/item_types.cmake
// generates the sources that compile it, for a few item types each. Internal.
#pragma once

#include <apps/filter/host/filter_copies.cuh>
#include <apps/filter/host/filter_device.hpp>
#include <libscan/filter.cuh>
#include <libscan/predicate.hpp>

namespace libscan::inline v1::detail {

template <class Machine, class T>
void device_filter<Machine, T>::enqueue(Machine on, queue_place const& place,
                                        filter_call const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  auto const* const in = static_cast<T const*>(call.in);
  visit_predicate(*static_cast<predicate<T> const*>(call.keep), [&](auto const& test) {
    if (call.kind == filter_kind::items) {
      filter(ws, in, static_cast<T*>(call.out), count_of(call), test, call.d_count);
    } else if (call.kind == filter_kind::positions) {
      filter_indices(ws, in, call.positions, count_of(call), test, call.d_count);
    } else if (call.kind == filter_kind::with_indices) {
      filter_with_indices(ws, in, static_cast<T*>(call.out), call.positions, count_of(call), test,
                          call.d_count);
    } else {
      count_if(ws, in, count_of(call), test, call.d_count);
    }
  });
}

template <class Machine, class T>
index_t device_filter<Machine, T>::run(Machine on, host_filter const& filter) {
  return run_on_host_memory<T>(
      on, filter, &filter_workspace_bytes<T>,
      [on](queue_place const& place, filter_call const& call) { enqueue(on, place, call); });
}

}  // namespace libscan::inline v1::detail
