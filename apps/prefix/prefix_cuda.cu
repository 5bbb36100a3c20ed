// SPDX-License-Identifier: Apache-2.0
// scan-prefix on a GPU.
#include <apps/prefix/prefix_device.cuh>
#include <apps/prefix/prefix_device.hpp>
#include <libscan/simt/cuda/selected_device.cuh>

namespace libscan::apps {

void prefix_on_cuda(int device, prefix_call const& call, scan_strategy which) {
  simt::selected_device const here(device);
  visit_item_type(call.accumulator,
                  [&]<class T>(std::type_identity<T>) { prefix_on_device<T>(call, which); });
}

void segmented_prefix_on_cuda(int device, prefix_call const& call, std::uint32_t const* heads) {
  simt::selected_device const here(device);
  visit_item_type(call.accumulator, [&]<class T>(std::type_identity<T>) {
    segmented_prefix_on_device<T>(call, heads);
  });
}

}  // namespace libscan::apps
