// SPDX-License-Identifier: Apache-2.0
// Copies a run of items from shared memory to an output. The run is stored where its addresses are
// congruent to the output's modulo 16, so that it can be copied in wide accesses.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

namespace detail {

template <class Item>
__device__ __forceinline__ Item* moved_bytes(Item* from, std::ptrdiff_t bytes) {
  return reinterpret_cast<Item*>(reinterpret_cast<unsigned char*>(from) + bytes);
}

}  // namespace detail

/// The last place up to `from` that is congruent to the target modulo 16, if that is in memory.
template <class Item, class Out>
__device__ __forceinline__ Item* agreeing_before(Item* from, Out target) {
  if constexpr (!std::is_same_v<Out, Item*>)
    return from;
  else {
    auto const apart =
        reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(target);
    return detail::moved_bytes(from, -static_cast<std::ptrdiff_t>(apart % 16));
  }
}

/// The first such place from `from` on.
template <class Item, class Out>
__device__ __forceinline__ Item* agreeing_after(Item* from, Out target) {
  if constexpr (!std::is_same_v<Out, Item*>)
    return from;
  else {
    auto const apart =
        reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(from);
    return detail::moved_bytes(from, static_cast<std::ptrdiff_t>(apart % 16));
  }
}

/// target[i] = run[i] for i < count, by one warp. If `target` is memory, the run is congruent to it
/// modulo 16, and the copy uses accesses of 16 bytes and whole lines where it can.
template <class Item, class Out>
__device__ void copy_run(Item const* run, int count, Out target) {
  for (int i = simt::lane_id(); i < count; i += simt::warp_size) target[i] = run[i];
}
template <class Item>
__device__ void copy_run(Item const* run, int count, Item* target) {
  constexpr int size = static_cast<int>(sizeof(Item));
  constexpr int wide = 16 / size;
  constexpr int at_once = 4;
  auto const place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(target));
  int const lane = simt::lane_id();
  if (place % size != 0) {
    for (int i = lane; i < count; i += simt::warp_size) target[i] = run[i];
    return;
  }
  int head = static_cast<int>((16 - place % 16) % 16) / size;
  if (head > count) head = count;
  int const vectors = (count - head) / wide;
  int const tail = head + vectors * wide;
  if (lane < head) target[lane] = run[lane];
  int const line_offset = static_cast<int>((place + head * size) % 128) / 16;
  for (int v = lane - line_offset; v < vectors; v += at_once * simt::warp_size) {
    simt::vector<Item, wide> moved[at_once] = {};
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      int const i = v + k * simt::warp_size;
      if (0 <= i && i < vectors) moved[k] = simt::load_vector<wide>(run + head + i * wide);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      int const i = v + k * simt::warp_size;
      if (0 <= i && i < vectors) simt::store_vector<wide>(target + head + i * wide, moved[k]);
    }
  }
  if (tail + lane < count) target[tail + lane] = run[tail + lane];
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
