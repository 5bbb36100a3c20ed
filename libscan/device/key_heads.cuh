// SPDX-License-Identifier: Apache-2.0
// Head bits made from keys, in the workspace: for scans that write their results over the keys,
// where a tile would find the key before its first one overwritten.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/device/item_count.cuh>
#include <libscan/device/segments.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sets bit i % 32 of word i / 32 if item i begins a segment. Each warp has 32 words.
struct mark_keys_kernel {
  static constexpr int block_threads = 256;
  static constexpr int warp_items = simt::warp_size * simt::warp_size;
  static constexpr int block_items = block_threads / simt::warp_size * warp_items;

  template <class Keys, class Equal>
  __device__ void operator()(segment_keys<Keys, Equal> heads, item_count count,
                             std::uint32_t* words) const {
    index_t const n = count.get();
    index_t const base =
        index_t{blockIdx.x} * block_items + index_t{threadIdx.x} / simt::warp_size * warp_items;
    if (base >= n) return;
    unsigned own = 0;
#pragma unroll 8
    for (int row = 0; row < simt::warp_size; ++row) {
      index_t const i = base + row * simt::warp_size + simt::lane_id();
      unsigned const head = i < n ? device::bits<1>(heads, i, 1) : 0;
      unsigned const word = simt::ballot(simt::full_warp, head != 0);
      if (simt::lane_id() == row) own = word;
    }
    if (base + simt::lane_id() * simt::warp_size < n) words[base / 32 + simt::lane_id()] = own;
  }
};

/// Whether results in `Out` may be written over what a descriptor reads: over keys of their type.
template <class Heads, class Out>
inline constexpr bool can_overwrite_heads = false;
template <class Key, class Equal, class T>
inline constexpr bool can_overwrite_heads<segment_keys<Key*, Equal>, T*> =
    std::is_same_v<std::remove_const_t<Key>, T>;

/// Whether they are written over it in this call.
template <class Heads, class Out>
bool overwrites_heads(Heads const& descriptor, Out const& out) {
  if constexpr (can_overwrite_heads<Heads, Out>) {
    return descriptor.keys == out;
  } else {
    return false;
  }
}

/// Bytes of workspace for the bits of overwritten keys: 0 for other descriptors.
template <class Heads>
constexpr std::size_t key_bits_bytes(Heads const&, index_t) {
  return 0;
}
template <class Key, class Equal>
constexpr std::size_t key_bits_bytes(segment_keys<Key*, Equal> const&, index_t n) {
  return static_cast<std::size_t>(ceil_div(n, index_t{2048})) * 256;
}

/// Marks the head flags in words at `memory`. Reads n keys, writes n / 8 bytes.
template <class Keys, class Equal>
head_bits mark_keys(segment_keys<Keys, Equal> heads, std::byte* memory, item_count n,
                    simt::stream on) {
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  auto const blocks =
      static_cast<unsigned>(ceil_div(n.at_most(), index_t{mark_keys_kernel::block_items}));
  simt::launch<mark_keys_kernel>(
      {.blocks = blocks, .threads = mark_keys_kernel::block_threads, .on = on}, heads, n, words);
  return head_bits{words};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
