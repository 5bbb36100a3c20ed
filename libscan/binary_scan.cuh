// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of one bit per item: ranks by population counts, 32 items a thread (the scan of
// a warp's ballots, Harris & Garland 3.2.2, on bits in memory). Many items are counted first and
// then ranked; the tiles of fewer are chained by decoupled look-back on counts; as many as the
// multiprocessors hold are scanned as numbers.
#pragma once

#include <algorithm>

#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/mask_words.cuh>
#include <libscan/device/packed_count.cuh>
#include <libscan/device/rank_words.cuh>
#include <libscan/device/resident_scan.cuh>
#include <libscan/device/two_launch_binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// The items of a mask as numbers, 0 or 1. An iterator.
template <class Mask, class Number>
struct mask_numbers {
  Mask mask;
  index_t first = 0;

  __device__ Number operator[](index_t i) const {
    return static_cast<Number>(mask.template bits<1>(first + i, 1));
  }
  __device__ mask_numbers operator+(index_t distance) const { return {mask, first + distance}; }
};

/// Tile of the binary scan: every thread takes one word of 32 items.
struct binary_scan_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 4;  // of a multiprocessor
};

/// The binary scan: each block claims tiles, one after the other, until none is left.
template <scan_kind Kind, class Rank, class Tuning>
struct binary_scan_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr int tile_items = block_threads * word_items;

  struct shared_storage {
    block::scan_storage<int, block_threads> scan;
    ranked_word<Rank> words[block_threads];
    packed_count carry;
    index_t claimed;
  };

  template <class Mask>
  __device__ void operator()(shared_storage& shared, Mask mask, Rank* ranks, item_count count,
                             tile_state<packed_count> state, index_t* total) const {
    index_t const n = count.get();
    index_t const tiles = ceil_div(n, index_t{tile_items});
    if (tiles == 0 && total != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *total = 0;
    for (;;) {
      // 1 claim a tile
      if (threadIdx.x == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      if (tile >= tiles) return;

      // 2 load one word per thread; 3 scan the words' counts
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      index_t const base = tile * tile_items + warp * word_row_items;
      int const valid = valid_items<word_row_items>(n, base);
      unsigned word[1];
      device::load_words(mask, base, valid, word);
      auto const before = block::exclusive_scan(shared.scan, simt::popc(word[0]), plus<int>{});

      // 4 publish the count, look back for the carry
      index_t const carry = device::enter_tile(state, tile, packed_count{before.total},
                                               packed_count{0}, plus_packed_count{}, shared.carry)
                                .value;

      // 5 rank the items of each word; store
      shared.words[threadIdx.x] = {static_cast<Rank>(carry + before.prefix), word[0]};
      simt::sync_block();
      device::rank_words<warps, Kind>(shared.words, warp, ranks + tile * tile_items,
                                      device::valid_items<tile_items>(n, tile * tile_items));
      if (tile == tiles - 1 && total != nullptr && threadIdx.x == 0) *total = carry + before.total;
    }
  }
};

/// Resets the tile state and launches `binary_scan_kernel` over n items.
template <scan_kind Kind, class Tuning, class Mask, class Rank>
void look_back_binary_scan(workspace& ws, std::byte* memory, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total) {
  using kernel = binary_scan_kernel<Kind, Rank, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  simt::fill_async(memory, 0, tile_state<packed_count>::reset_bytes(tiles), ws.stream());
  unsigned const blocks =
      device::blocks_for<kernel, Mask, Rank*, item_count, tile_state<packed_count>, index_t*>(
          tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()},
                       mask, ranks, n, tile_state<packed_count>(memory, tiles), d_total);
}

/// Bytes of workspace for any of the algorithms.
template <class LookBack, class Counted>
constexpr std::size_t binary_scan_bytes(index_t n) {
  using rank = index_t;
  return std::max(
      {tile_state<packed_count>::bytes(ceil_div(n, index_t{LookBack::block_threads} * word_items)),
       two_launch_tiles<Counted>::bytes(n),
       resident_scan_bytes<rank, resident_tuning<rank, rank, rank>>});
}

/// Scans by the algorithm of `Tuning`; void: chooses by the number of items.
template <scan_kind Kind, class Tuning, class Mask, class Rank>
void binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n, index_t* d_total) {
  static_assert(std::is_integral_v<Rank> && (sizeof(Rank) == 4 || sizeof(Rank) == 8),
                "libscan: ranks are integers of 32 or 64 bits");
  device::require_no_overlap("binary scan", "mask and ranks", device::memory_of(mask, n.at_least()),
                             device::memory_of(ranks, n.at_least()));
  constexpr bool automatic = std::is_void_v<Tuning>;
  constexpr bool counts = tunes_two_launch_scan<Tuning>;
  using look_back = std::conditional_t<automatic || counts, binary_scan_tuning, Tuning>;
  using two_launch = std::conditional_t<counts, Tuning, two_launch_binary_scan_tuning>;
  std::byte* const memory =
      ws.reserve(device::binary_scan_bytes<look_back, two_launch>(n.at_most()));
  if constexpr (automatic) {
    if (device::resident_scan_if_fits<Kind>(ws, mask_numbers<Mask, Rank>{mask}, ranks, n,
                                            plus<Rank>{}, d_total, 0)) {
      return;
    }
  }
  if (counts || (automatic && n.at_most() >= two_launch_binary_scan_tuning::min_items<Mask>)) {
    device::two_launch_binary_scan<Kind, two_launch>(ws, memory, mask, ranks, n, d_total);
  } else {
    device::look_back_binary_scan<Kind, look_back>(ws, memory, mask, ranks, n, d_total);
  }
}

}  // namespace device

/// Bytes of workspace that a binary scan of up to `n` items needs: up to 2^27 items at most n / 8 +
/// n / 2048 + 16 KiB, of more items at most that of 2^27 or n / 512 + 4 KiB. A pure function of n;
/// needs no device.
constexpr std::size_t binary_scan_workspace_bytes(index_t n) {
  return device::binary_scan_bytes<device::binary_scan_tuning,
                                   device::two_launch_binary_scan_tuning>(n);
}

/// ranks[i] = the number of items 0 ... i - 1 that are true, for 0 <= i < n; *d_total = the number
/// of all items that are true.
///
/// Types: mask is a `byte_mask` (nonzero is true) or a `bit_mask` (bit i of word w is item 32 w +
/// i). Ranks: integers of 32 or 64 bits; the caller must choose them wide enough. n: any size >= 0,
/// also read from device memory (`item_count::on_device`); n = 0 writes only the total. d_total:
/// one value in device memory, or null.
/// Aliasing: mask and ranks must not overlap.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `binary_scan_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic: writes n ranks; reads n bytes or n / 8; of many items also writes and reads n / 8, or
/// reads n / 8 again.
/// Progress: few items use a cooperative launch, which starts when all its blocks fit; of more, a
/// tile waits only for tiles claimed by running blocks; of many, no block waits for another.
/// Throws: `invalid_argument` (workspace too small, overlap), `device_error`.
template <class Tuning = void, class Mask, class Rank>
void exclusive_binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total = nullptr) {
  device::binary_scan<scan_kind::exclusive, Tuning>(ws, mask, ranks, n, d_total);
}

/// ranks[i] = the number of items 0 ... i that are true; otherwise as `exclusive_binary_scan`.
template <class Tuning = void, class Mask, class Rank>
void inclusive_binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total = nullptr) {
  device::binary_scan<scan_kind::inclusive, Tuning>(ws, mask, ranks, n, d_total);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
