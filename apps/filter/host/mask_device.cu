// SPDX-License-Identifier: Apache-2.0
// Masks without items of the host API on a machine with kernels.
#include <apps/filter/host/selection_device.cuh>

namespace libscan::inline v1::detail {

template <class Machine>
index_t device_masks<Machine>::indices(Machine on, item_mask const& mask, std::span<index_t> out) {
  device::on_machine const here(on);
  return with_mask(mask, [&](auto const& on_device) {
    device::buffer<index_t> const positions(mask.size());
    index_t const count = counted([&](workspace& ws, index_t* d_count) {
      libscan::mask_indices(ws, on_device, positions.data(), mask.size(), d_count);
    });
    read_front(positions, out, count);
    return count;
  });
}

template <class Machine>
index_t device_masks<Machine>::count(Machine on, item_mask const& mask) {
  device::on_machine const here(on);
  return with_mask(mask, [&](auto const& on_device) {
    return counted([&](workspace& ws, index_t* d_count) {
      libscan::count_if(ws, static_cast<char const*>(nullptr), item_count(mask.size()), on_device,
                        d_count);
    });
  });
}

template struct device_masks<device::this_machine>;

}  // namespace libscan::inline v1::detail
