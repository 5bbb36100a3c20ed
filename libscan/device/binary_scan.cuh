// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of one bit per item: ranks by population counts, 32 items a thread (the scan of
// a warp's ballots, Harris & Garland 3.2.2, on bits that lie in memory). Many items go through the
// pipeline; the tiles of few are chained by decoupled look-back on counts.
#pragma once

#include <libscan/block/scan.cuh>
#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/masks.cuh>
#include <libscan/device/pipelined_binary_scan.cuh>
#include <libscan/device/rank_words.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// Tile of the binary scan: every thread takes one word of 32 items.
struct binary_scan_tuning {
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 4;  // of a multiprocessor
};

/// The binary scan: each block claims tiles, one after the other, until none is left.
template <scan_kind Kind, class Rank, class Tuning>
struct binary_scan_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int word_items = 32;
  static constexpr int warp_items = simt::warp_size * word_items;
  static constexpr int tile_items = block_threads * word_items;

  struct shared_storage {
    block::scan_storage<int, block_threads> scan;
    position carry;
    index_t claimed;
  };

  template <class Mask>
  __device__ void operator()(shared_storage& shared, Mask mask, Rank* ranks, item_count count,
                             tile_state<position> state, index_t* total) const {
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
      index_t const base = tile * tile_items + warp * warp_items;
      index_t const rest = n - base;
      int const valid = static_cast<int>(rest < 0 ? 0 : rest < warp_items ? rest : warp_items);
      unsigned const word = load_word(mask, base, valid);
      auto const before = block::exclusive_scan(shared.scan, simt::popc(word), plus<int>{});

      // 4 publish the count, look back for what comes before the tile
      index_t const carry = enter_tile(state, tile, position{before.total}, position{0},
                                       plus_position{}, shared.carry)
                                .value;

      // 5 rank the items of each word; store
      rank_words<Kind>(ranks + base, valid, word, carry + before.prefix);
      if (tile == tiles - 1 && total != nullptr && threadIdx.x == 0) *total = carry + before.total;
    }
  }

  /// Items 32 lane ... 32 lane + 31 of a warp's part, as bits; 0 beyond `valid`.
  static __device__ unsigned load_word(bit_mask mask, index_t base, int valid) {
    int const first = simt::lane_id() * word_items;
    return mask.bits<word_items>(base + first, valid - first);
  }

  /// Bytes are read 16 to a lane; two lanes' bits make a word.
  static __device__ unsigned load_word(byte_mask mask, index_t base, int valid) {
    constexpr int step = 16;
    unsigned half[2];
    int const first = simt::lane_id() * step;
    if (valid == warp_items && mask.whole_rows<step>()) {
      half[0] = mask.whole_bits<step>(base + first);
      half[1] = mask.whole_bits<step>(base + first + simt::warp_size * step);
    } else {
      half[0] = mask.bits<step>(base + first, valid - first);
      int const second = first + simt::warp_size * step;
      half[1] = mask.bits<step>(base + second, valid - second);
    }
    int const source = 2 * simt::lane_id() % simt::warp_size;
    unsigned word[2];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      word[r] = simt::shfl(simt::full_warp, half[r], source) |
                simt::shfl(simt::full_warp, half[r], source + 1) << step;
    }
    return simt::lane_id() < simt::warp_size / 2 ? word[0] : word[1];
  }
};

/// Resets the tile state and launches `binary_scan_kernel` over n items.
template <scan_kind Kind, class Tuning, class Mask, class Rank>
void look_back_binary_scan(workspace& ws, std::byte* memory, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total) {
  using kernel = binary_scan_kernel<Kind, Rank, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  simt::fill_async(memory, 0, tile_state<position>::reset_bytes(tiles), ws.stream());
  unsigned const blocks =
      blocks_for<kernel, Mask, Rank*, item_count, tile_state<position>, index_t*>(
          tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()},
                       mask, ranks, n, tile_state<position>(memory, tiles), d_total);
}

/// Bytes of workspace for either way to scan.
constexpr std::size_t binary_scan_bytes(index_t n, index_t look_back_items,
                                        index_t pipeline_items) {
  std::size_t const look_back = tile_state<position>::bytes(ceil_div(n, look_back_items));
  std::size_t const pipeline = pipeline_bytes<position>(ceil_div(n, pipeline_items));
  return look_back > pipeline ? look_back : pipeline;
}

/// Scans the way `Tuning` says, or as the number of items and the GPU permit.
template <scan_kind Kind, class Tuning, class Mask, class Rank>
void binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n, index_t* d_total) {
  static_assert(std::is_integral_v<Rank> && (sizeof(Rank) == 4 || sizeof(Rank) == 8),
                "ranks are integers of 32 or 64 bits");
  constexpr bool automatic = std::is_void_v<Tuning>;
  using look_back =
      std::conditional_t<automatic || tunes_pipeline<Tuning>, binary_scan_tuning, Tuning>;
  using pipeline = std::conditional_t<tunes_pipeline<Tuning>, Tuning, binary_pipeline_tuning<Mask>>;
  using work = rank_work<Kind, Mask, Rank, pipeline>;
  std::byte* const memory = ws.reserve(binary_scan_bytes(
      n.at_most(), index_t{look_back::block_threads} * 32, index_t{work::tile_items}));
  if constexpr (automatic || tunes_pipeline<Tuning>) {
    bool pays = true;
    if constexpr (automatic) {
      pays = n.at_most() >= pipeline::least_items &&
             simt::device_can_pipeline<pipeline_kernel<work, pipeline>>();
    }
    if (pays) {
      return run_pipeline<pipeline>(ws, memory, work{mask, ranks}, n, plus_position{}, position{0},
                                    reinterpret_cast<position*>(d_total));
    }
  }
  look_back_binary_scan<Kind, look_back>(ws, memory, mask, ranks, n, d_total);
}

}  // namespace device

/// Bytes of workspace that a binary scan of up to `n` items needs. A pure function of n; needs no
/// device.
constexpr std::size_t binary_scan_workspace_bytes(index_t n) {
  return device::binary_scan_bytes(n, index_t{device::binary_scan_tuning::block_threads} * 32,
                                   index_t{device::binary_pipeline_tuning<byte_mask>::tile_items});
}

/// ranks[i] = how many of the items 0 ... i - 1 are true, for 0 <= i < n; *d_total = how many of
/// all.
///
/// mask: a `byte_mask` (nonzero is true) or a `bit_mask` (bit i of word w is item 32 w + i). Ranks:
/// integers of 32 or 64 bits, which the caller chooses wide enough. n: any size >= 0, also read
/// from device memory (`item_count::on_device`); n = 0 writes only the total. d_total: one value in
/// device memory, or null. Aliasing: mask and ranks may not overlap. Synchronisation: asynchronous
/// on the workspace's stream; allocates only if the workspace must grow. Traffic: reads n bytes, or
/// n / 8, writes n ranks. Progress: many items on GPUs with bulk copies and room for the pipeline
/// (sm_90) take a cooperative launch, which starts when all its blocks fit; otherwise a tile waits
/// only for tiles claimed by running blocks. Throws: `invalid_argument` (workspace too small),
/// `device_error`.
template <class Tuning = void, class Mask, class Rank>
void exclusive_binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total = nullptr) {
  device::binary_scan<scan_kind::exclusive, Tuning>(ws, mask, ranks, n, d_total);
}

/// ranks[i] = how many of the items 0 ... i are true; otherwise as `exclusive_binary_scan`.
template <class Tuning = void, class Mask, class Rank>
void inclusive_binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total = nullptr) {
  device::binary_scan<scan_kind::inclusive, Tuning>(ws, mask, ranks, n, d_total);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
