// SPDX-License-Identifier: Apache-2.0
// Masks without items on a machine with kernels.
#include <apps/filter/host/filter_copies.cuh>
#include <apps/filter/host/filter_device.hpp>
#include <libscan/filter.cuh>

namespace libscan::inline v1::detail {

template <class Machine>
void device_masks<Machine>::enqueue(Machine on, queue_place const& place, filter_call const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  visit_mask(*call.mask, [&](auto const& mask) {
    if (call.kind == filter_kind::positions) {
      mask_indices(ws, mask, call.positions, count_of(call), call.d_count);
    } else {
      count_if(ws, static_cast<char const*>(nullptr), count_of(call), mask, call.d_count);
    }
  });
}

template <class Machine>
index_t device_masks<Machine>::run(Machine on, host_filter const& filter) {
  return run_on_host_memory<char>(
      on, filter, &filter_workspace_bytes<char>,
      [on](queue_place const& place, filter_call const& call) { enqueue(on, place, call); });
}

template struct device_masks<device::this_machine>;

}  // namespace libscan::inline v1::detail
