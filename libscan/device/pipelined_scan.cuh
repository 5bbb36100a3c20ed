// SPDX-License-Identifier: Apache-2.0
// Device-wide scan as a persistent, warp-specialised pipeline, for GPUs with bulk copies (sm_90 and
// later). One block per multiprocessor; in it, one warp fetches tiles into a ring of shared memory,
// groups of warps scan a tile each, and one warp finds the prefix that enters each tile.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/running_prefix.cuh>
#include <libscan/device/tile_totals.cuh>
#include <libscan/device/warp_rows.cuh>
#include <libscan/device/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What bulk copies bring of a tile: items [first, end) of it; the others, fewer than 16 bytes at
/// either end, are read from global memory.
template <class Item>
struct staged_part {
  int shift;  // bytes from the start of the stage to where item 0 is, or would be
  int first;
  int end;

  /// `tile`: the tile's items in global memory. Copies start and end at multiples of 16 bytes.
  __device__ staged_part(Item const* tile, int valid) {
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

/// The pipelined scan of items in global memory into whatever `out` is. Number k of a block's tiles
/// is for group k % groups. All blocks must be resident.
template <scan_kind Kind, class Item, class Out, class Op, class Tuning>
struct pipelined_scan_kernel {
  using T = typename Op::value_type;
  static constexpr int groups = Tuning::groups;
  static constexpr int group_threads = Tuning::group_threads;
  static constexpr int group_warps = group_threads / simt::warp_size;
  static constexpr int stages = Tuning::stages;
  static constexpr int rows = Tuning::rows;
  static constexpr int width = Tuning::vector_items;
  static constexpr int warp_items = warp_rows<T, rows, width>::items;
  static constexpr int tile_items = group_warps * warp_items;
  static constexpr int prefix_warp = groups * group_warps;
  static constexpr int fetch_warp = prefix_warp + 1;
  static constexpr int block_threads = (fetch_warp + 1) * simt::warp_size;
  static constexpr int resident_blocks = 1;
  // Of the tiles of a block, so many may be between being claimed and being stored: those in the
  // ring and one in each group.
  static constexpr int slots = stages + groups + 1;
  static_assert(stages % groups == 0,
                "every stage belongs to one group: its barriers are never two "
                "phases ahead of who waits for them");

  struct shared_storage {
    alignas(128) unsigned char stage[stages][group_warps][warp_items * sizeof(Item) + 16];
    simt::mbarrier full[stages][group_warps];
    simt::mbarrier empty[stages][group_warps];
    simt::mbarrier tile_known[slots];
    index_t tile[slots];
    simt::mbarrier carry_there[slots];
    T carry[slots];
    simt::mbarrier totals_there[groups];
    T warp_total[groups][2][group_warps];  // twice: a warp may be one tile ahead of another
  };

  __device__ void operator()(shared_storage& shared, Item const* in, Out out, item_count count,
                             Op op, T init, tile_totals<T> totals, unsigned long long* claimed,
                             T* total) const {
    if constexpr (simt::has_bulk_copy) {
      index_t const n = count.get();
      index_t const tiles = ceil_div(n, index_t{tile_items});
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      bool const fetches = warp == fetch_warp && simt::lane_id() == 0;
      if (fetches) {
        init_barriers(shared);
        for (unsigned k = 0; k < stages; ++k) fetch(shared, in, n, k, first_tile(k));
      }
      totals.clear(index_t{blockIdx.x} * block_threads + threadIdx.x,
                   index_t{gridDim.x} * block_threads);
      if (blockIdx.x == 0 && threadIdx.x == 0) *claimed = 0;
      simt::sync_grid();
      if (tiles == 0 && total != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *total = init;
      if (fetches) {
        fetch_rest(shared, in, n, tiles, *claimed);
      } else if (warp == prefix_warp) {
        find_prefixes(shared, tiles, running_prefix<T, Op>(totals, init, op));
      } else if (warp < prefix_warp) {
        scan_tiles(shared, in, out, n, op, totals, total, warp / group_warps);
      }
    }
  }

  /// The first tiles of a block are dealt, the others claimed by whoever comes first.
  static __device__ index_t first_tile(unsigned k) {
    return blockIdx.x + static_cast<index_t>(k) * gridDim.x;
  }

  /// How many items there are of the part of a warp that begins at `base`.
  static __device__ int valid_items(index_t n, index_t base) {
    index_t const rest = n - base;
    return static_cast<int>(rest < 0 ? 0 : rest < warp_items ? rest : warp_items);
  }

  static __device__ void init_barriers(shared_storage& shared) {
    for (int s = 0; s < stages; ++s) {
      for (int w = 0; w < group_warps; ++w) {
        shared.full[s][w].init(1);
        shared.empty[s][w].init(1);
      }
    }
    for (int s = 0; s < slots; ++s) {
      shared.tile_known[s].init(1);
      shared.carry_there[s].init(1);
    }
    for (int g = 0; g < groups; ++g) shared.totals_there[g].init(group_warps);
    simt::fence_mbarrier_init();
  }

  /// Makes `tile` number k of the block and fills a stage with it, each warp's part by a copy of
  /// its own. A tile beyond the end tells whoever takes it that there are no more. By one thread.
  static __device__ void fetch(shared_storage& shared, Item const* in, index_t n, unsigned k,
                               index_t tile) {
    unsigned const s = k % stages;
    for (int w = 0; w < group_warps; ++w) {
      if (k >= stages) shared.empty[s][w].wait((k / stages + 1) % 2);
      if (w == 0) {
        shared.tile[k % slots] = tile;
        shared.tile_known[k % slots].arrive();
      }
      index_t const base = tile * tile_items + w * warp_items;
      staged_part<Item> const part(in + base, valid_items(n, base));
      auto const bytes = static_cast<unsigned>((part.end - part.first) * sizeof(Item));
      shared.full[s][w].arrive_expect(bytes);
      if (bytes == 0) continue;
      simt::bulk_load(shared.stage[s][w] + part.shift + part.first * sizeof(Item),
                      in + base + part.first, bytes, shared.full[s][w], simt::l2_keep);
    }
  }

  /// Claims tiles and fetches them until each group has been told that there are no more.
  static __device__ void fetch_rest(shared_storage& shared, Item const* in, index_t n,
                                    index_t tiles, unsigned long long& claimed) {
    simt::atomic_ref<unsigned long long> const ticket(claimed);
    unsigned told = 0;
    for (unsigned k = 0; told < groups; ++k) {
      index_t tile = first_tile(k);
      if (k >= stages) {
        // Claimed no earlier than there is room: a claimed tile keeps all others waiting.
        shared.empty[k % stages][0].wait((k / stages + 1) % 2);
        tile = told > 0 ? tiles
                        : first_tile(stages) - blockIdx.x +
                              static_cast<index_t>(ticket.fetch_add(1, simt::memory_order_relaxed));
        fetch(shared, in, n, k, tile);
      }
      if (tile >= tiles) ++told;
    }
  }

  /// Finds the prefix that enters each tile of the block. By one warp.
  static __device__ void find_prefixes(shared_storage& shared, index_t tiles,
                                       running_prefix<T, Op> prefix) {
    for (unsigned k = 0;; ++k) {
      unsigned const slot = k % slots;
      shared.tile_known[slot].wait(k / slots % 2);
      index_t const tile = shared.tile[slot];
      if (tile >= tiles) return;
      T const carry = prefix.advance_to(tile);
      simt::sync_warp();  // all lanes have read the slot before it may be used again
      if (simt::lane_id() == 0) {
        shared.carry[slot] = carry;
        shared.carry_there[slot].arrive();
      }
    }
  }

  /// Scans the tiles of one group.
  static __device__ void scan_tiles(shared_storage& shared, Item const* in, Out out, index_t n,
                                    Op op, tile_totals<T> const& totals, T* total, int group) {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size % group_warps;
    unsigned round = 0;
    for (unsigned k = static_cast<unsigned>(group);; k += groups, ++round) {
      // 1 take the tile into registers, and give the stage back
      shared.full[k % stages][warp].wait(k / stages % 2);
      index_t const tile = shared.tile[k % slots];
      if (tile * tile_items >= n) return;
      index_t const base = tile * tile_items + warp * warp_items;
      int const valid = valid_items(n, base);
      warp_rows<T, rows, width> items;
      take(shared.stage[k % stages][warp], in + base, valid, op, items);
      simt::sync_warp();
      if (simt::lane_id() == 0) shared.empty[k % stages][warp].arrive();

      // 2 scan: in the lane, in the row, over the rows
      T const warp_total = items.template scan<Kind>(op);

      // 3 tell the group, and everybody, the total
      T* const warp_totals = shared.warp_total[group][round % 2];
      if (simt::lane_id() == 0) {
        warp_totals[warp] = warp_total;
        shared.totals_there[group].arrive();
      }
      shared.totals_there[group].wait(round % 2);
      T warps_before = op.identity();
      T tile_total = op.identity();
#pragma unroll
      for (int w = 0; w < group_warps; ++w) {
        if (w == warp) warps_before = tile_total;
        tile_total = op(tile_total, warp_totals[w]);
      }
      bool const leader = warp == 0 && simt::lane_id() == 0;
      if (leader) totals.publish(tile, tile_total);

      // 4 apply what comes before
      shared.carry_there[k % slots].wait(k / slots % 2);
      T const carry = shared.carry[k % slots];
      if (leader && total != nullptr && base + tile_items >= n) *total = op(carry, tile_total);
      items.store(out + base, valid, op(carry, warps_before), op);
    }
  }

  /// Takes the warp's part of a tile from its stage, after adding what the copies left out.
  static __device__ void take(unsigned char* stage, Item const* tile, int valid, Op op,
                              warp_rows<T, rows, width>& items) {
    staged_part<Item> const part(tile, valid);
    auto* const staged = reinterpret_cast<Item*>(stage + part.shift);
    if (part.first > 0 || part.end < valid) {
      // Without copies, the whole part; else fewer than 16 bytes at either end.
      for (int i = simt::lane_id(); i < part.first; i += simt::warp_size) staged[i] = tile[i];
      for (int i = part.end + simt::lane_id(); i < valid; i += simt::warp_size) {
        staged[i] = tile[i];
      }
      simt::fence_proxy_async();  // the next copy into the stage comes after these writes
      simt::sync_warp();
    }
    items.load(staged, valid, op);
  }
};

/// What the count of claimed tiles takes of the workspace, and keeps apart from the totals.
inline constexpr std::size_t claim_bytes = 256;

/// Bytes of workspace a pipelined scan of that many tiles needs.
template <class T>
constexpr std::size_t pipelined_scan_bytes(index_t tiles) {
  return claim_bytes + tile_totals<T>::bytes(tiles);
}

/// Launches `pipelined_scan_kernel` over n items, on as many multiprocessors as there are.
template <scan_kind Kind, class Tuning, class Item, class Out, class Op>
void pipelined_scan(workspace& ws, Item const* in, Out out, item_count n, Op op,
                    typename Op::value_type* d_total, typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = pipelined_scan_kernel<Kind, Item, Out, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  std::byte* const memory = ws.reserve(pipelined_scan_bytes<T>(tiles));
  tile_totals<T> const totals(memory + claim_bytes, tiles);
  index_t const most = simt::multiprocessor_count();
  auto const blocks = static_cast<unsigned>(tiles == 0 ? 1 : tiles < most ? tiles : most);
  simt::launch<kernel>(
      {.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream(), .cooperative = true},
      in, out, n, op, init, totals, reinterpret_cast<unsigned long long*>(memory), d_total);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
