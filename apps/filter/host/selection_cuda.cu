// SPDX-License-Identifier: Apache-2.0
// The CUDA side of masks without items of the host API.
#include <apps/filter/host/selection_cuda.cuh>

namespace libscan::inline v1::detail {

index_t cuda_mask_indices(int device, item_mask const& mask, std::span<index_t> out) {
  simt::selected_device const here(device);
  return with_mask(mask, [&](auto const& on_device) {
    device::buffer<index_t> const positions(mask.size());
    index_t const count = counted([&](workspace& ws, index_t* d_count) {
      libscan::mask_indices(ws, on_device, positions.data(), mask.size(), d_count);
    });
    read_front(positions, out, count);
    return count;
  });
}

index_t cuda_count_marked(int device, item_mask const& mask) {
  simt::selected_device const here(device);
  return with_mask(mask, [&](auto const& on_device) {
    return counted([&](workspace& ws, index_t* d_count) {
      libscan::count_if(ws, static_cast<char const*>(nullptr), item_count(mask.size()), on_device,
                        d_count);
    });
  });
}

}  // namespace libscan::inline v1::detail
