// SPDX-License-Identifier: Apache-2.0
// A tile of items in shared memory, as a bulk copy stores it. Such copies begin and end at
// multiples of 16 bytes; what is left at either end of the tile is read separately.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What bulk copies and wide accesses can move: items in memory, of 1, 2, 4, 8 or 16 bytes.
template <class In>
inline constexpr bool suits_bulk_copy = false;
template <class Item>
inline constexpr bool suits_bulk_copy<Item*> = std::is_trivially_copyable_v<Item> &&
                                               sizeof(Item) <= 16 &&
                                               (sizeof(Item) & (sizeof(Item) - 1)) == 0;

/// Space for `Items` items, at the same addresses modulo 16 as in memory.
template <class Item, int Items>
class staged_tile {
 public:
  /// A copy brings items [first, end).
  struct copied_part {
    int shift;  // bytes from the start of the stage to where item 0 is, or would be
    int first;
    int end;

    __device__ copied_part(Item const* tile, int valid) {
      constexpr int size = static_cast<int>(sizeof(Item));
      int const bytes = valid * size;
      shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(tile) % 16);
      int const from = (16 - shift) % 16;
      int const to = (shift + bytes) / 16 * 16 - shift;
      bool const worth = shift % size == 0 && to > from;
      first = worth ? from / size : 0;
      end = worth ? to / size : 0;
    }
  };

  /// Starts the copy of the first `valid` items, which arrives at `full`. By one thread.
  __device__ void fetch(Item const* tile, int valid, simt::mbarrier& full) {
    copied_part const part(tile, valid);
    auto const bytes = static_cast<unsigned>((part.end - part.first) * sizeof(Item));
    full.arrive_expect(bytes);
    if (bytes == 0) return;
    simt::bulk_load(bytes_ + part.shift + part.first * sizeof(Item), tile + part.first, bytes, full,
                    simt::l2_keep);
  }

  /// Adds the items of [begin, end) that the copy omitted, in steps of `AtOnce` loads of a lane: 1
  /// makes the least code. By one warp, which has waited for `full`.
  template <int AtOnce = 1>
  __device__ void copy_edges(Item const* tile, int valid, int begin, int end) {
    copied_part const part(tile, valid);
    if (end > valid) end = valid;
    if (part.first <= begin && end <= part.end) return;
    // Without a copy, all items; otherwise fewer than 16 bytes at either end of the tile.
    Item* const staged = items(tile);
    int const head = part.first < end ? part.first : end;
    int const tail = part.end > begin ? part.end : begin;
#pragma unroll AtOnce
    for (int i = begin + simt::lane_id(); i < head; i += simt::warp_size) staged[i] = tile[i];
#pragma unroll AtOnce
    for (int i = tail + simt::lane_id(); i < end; i += simt::warp_size) staged[i] = tile[i];
    simt::fence_proxy_async();  // the next copy into the stage comes after these writes
    simt::sync_warp();
  }

  /// Which of the first `valid` items are copied.
  static __device__ copied_part copied(Item const* tile, int valid) { return {tile, valid}; }

  /// Where the items are; `tile` is where they come from.
  __device__ Item* items(Item const* tile) {
    return reinterpret_cast<Item*>(bytes_ + reinterpret_cast<std::uintptr_t>(tile) % 16);
  }

 private:
  alignas(128) unsigned char bytes_[Items * sizeof(Item) + 16];
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
