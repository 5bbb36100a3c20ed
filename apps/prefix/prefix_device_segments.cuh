// SPDX-License-Identifier: Apache-2.0
// The implementation of `segmented_prefix_on_device`.
#pragma once

#include <span>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_device.cuh>
#include <apps/prefix/prefix_transfer.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/workspace.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// See prefix_device.cuh.
template <class T>
void segmented_prefix_on_device(prefix_call const& call, std::uint32_t const* heads) {
  scan_on_device<T>(call, [&]<class Word>(Word* items, auto op, Word init) {
    auto const words = static_cast<std::size_t>(ceil_div(call.n, index_t{32}));
    device::buffer<std::uint32_t> const bits(std::span<std::uint32_t const>(heads, words));
    head_bits const descriptor{bits.data()};
    workspace ws;
    if (call.kind == scan_kind::inclusive) {
      segmented_scan<scan_kind::inclusive>(ws, items, items, descriptor, call.n, op, init);
    } else {
      segmented_scan<scan_kind::exclusive>(ws, items, items, descriptor, call.n, op, init);
    }
  });
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
