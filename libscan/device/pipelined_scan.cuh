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

/// The pipelined scan of items in global memory into whatever `out` is. Tile k of a block is number
/// blockIdx + k * gridDim of the grid, for group k % groups; all blocks must be resident.
template <scan_kind Kind, class Item, class Out, class Op, class Tuning>
struct pipelined_scan_kernel {
  using T = typename Op::value_type;
  static constexpr int groups = Tuning::groups;
  static constexpr int group_threads = Tuning::group_threads;
  static constexpr int group_warps = group_threads / simt::warp_size;
  static constexpr int stages = Tuning::stages;
  static constexpr int rows = Tuning::rows;
  static constexpr int width = Tuning::vector_items;
  static constexpr int row_items = simt::warp_size * width;
  static constexpr int tile_items = group_warps * rows * row_items;
  static constexpr int prefix_warp = groups * group_warps;
  static constexpr int fetch_warp = prefix_warp + 1;
  static constexpr int block_threads = (fetch_warp + 1) * simt::warp_size;
  static constexpr int resident_blocks = 1;
  // The prefix warp is never so far ahead: it needs totals of tiles that have left the ring, and a
  // group takes its next tile from there only when it has used its prefix.
  static constexpr int carry_slots = stages + groups;

  struct shared_storage {
    alignas(128) unsigned char stage[stages][tile_items * sizeof(Item) + 16];
    simt::mbarrier full[stages];
    simt::mbarrier empty[stages];
    simt::mbarrier carry_there[carry_slots];
    T carry[carry_slots];
    simt::mbarrier totals_there[groups];
    T warp_total[groups][2][group_warps];  // twice: a warp may be one tile ahead of another
  };

  __device__ void operator()(shared_storage& shared, Item const* in, Out out, item_count count,
                             Op op, T init, tile_totals<T> totals, T* total) const {
    if constexpr (simt::has_bulk_copy) {
      index_t const n = count.get();
      index_t const tiles = ceil_div(n, index_t{tile_items});
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      bool const fetches = warp == fetch_warp && simt::lane_id() == 0;
      unsigned const mine = tiles_of_block(tiles);
      unsigned const at_once = mine < stages ? mine : stages;
      if (fetches) {
        init_barriers(shared);
        fetch(shared, in, n, 0, at_once);
      }
      totals.clear(index_t{blockIdx.x} * block_threads + threadIdx.x,
                   index_t{gridDim.x} * block_threads);
      simt::sync_grid();
      if (tiles == 0 && total != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *total = init;
      if (fetches) {
        fetch(shared, in, n, at_once, mine);
      } else if (warp == prefix_warp) {
        find_prefixes(shared, totals, running_prefix<T, Op>(init, op), mine);
      } else if (warp < prefix_warp) {
        scan_tiles(shared, in, out, n, op, totals, total, warp / group_warps);
      }
    }
  }

  static __device__ unsigned tiles_of_block(index_t tiles) {
    return tiles <= blockIdx.x ? 0
                               : static_cast<unsigned>((tiles - blockIdx.x - 1) / gridDim.x) + 1;
  }

  static __device__ index_t tile_number(unsigned k) {
    return blockIdx.x + static_cast<index_t>(k) * gridDim.x;
  }

  static __device__ int valid_items(index_t n, index_t tile) {
    index_t const rest = n - tile * tile_items;
    return static_cast<int>(rest < tile_items ? rest : tile_items);
  }

  static __device__ void init_barriers(shared_storage& shared) {
    for (int s = 0; s < stages; ++s) {
      shared.full[s].init(1);
      shared.empty[s].init(group_warps);
    }
    for (int s = 0; s < carry_slots; ++s) shared.carry_there[s].init(1);
    for (int g = 0; g < groups; ++g) shared.totals_there[g].init(group_warps);
    simt::fence_mbarrier_init();
  }

  /// Fills the ring with tiles [k, end) of the block. By one thread.
  static __device__ void fetch(shared_storage& shared, Item const* in, index_t n, unsigned k,
                               unsigned end) {
    for (; k < end; ++k) {
      unsigned const s = k % stages;
      if (k >= stages) shared.empty[s].wait((k / stages + 1) % 2);
      Item const* const tile = in + tile_number(k) * tile_items;
      staged_part<Item> const part(tile, valid_items(n, tile_number(k)));
      unsigned const bytes = static_cast<unsigned>((part.end - part.first) * sizeof(Item));
      shared.full[s].arrive_expect(bytes);
      if (bytes == 0) continue;
      simt::bulk_load(shared.stage[s] + part.shift + part.first * sizeof(Item), tile + part.first,
                      bytes, shared.full[s], simt::l2_keep);
    }
  }

  /// Finds the prefix that enters each tile of the block. By one warp.
  static __device__ void find_prefixes(shared_storage& shared, tile_totals<T> const& totals,
                                       running_prefix<T, Op> prefix, unsigned mine) {
    for (unsigned k = 0; k < mine; ++k) {
      T const carry = prefix.advance_to(totals, tile_number(k));
      if (simt::lane_id() == 0) {
        shared.carry[k % carry_slots] = carry;
        shared.carry_there[k % carry_slots].arrive();
      }
    }
  }

  /// Scans the tiles of one group. A warp holds consecutive rows; in a row, a lane holds `width`
  /// consecutive items.
  static __device__ void scan_tiles(shared_storage& shared, Item const* in, Out out, index_t n,
                                    Op op, tile_totals<T> const& totals, T* total, int group) {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size % group_warps;
    int const first = warp * rows * row_items + simt::lane_id() * width;
    unsigned const mine = tiles_of_block(ceil_div(n, index_t{tile_items}));
    unsigned round = 0;
    for (unsigned k = static_cast<unsigned>(group); k < mine; k += groups, ++round) {
      index_t const base = tile_number(k) * tile_items;
      int const valid = valid_items(n, tile_number(k));

      // 1 take the tile into registers, and give the stage back
      T items[rows][width];
      shared.full[k % stages].wait(k / stages % 2);
      take(shared.stage[k % stages], in + base, valid, first, op, items);
      simt::sync_warp();
      if (simt::lane_id() == 0) shared.empty[k % stages].arrive();

      // 2 scan: in the lane, in the row, over the rows
      T const warp_total = scan_rows(items, op);

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
      if (leader) totals.publish(tile_number(k), tile_total);

      // 4 apply what comes before
      shared.carry_there[k % carry_slots].wait(k / carry_slots % 2);
      T const carry = shared.carry[k % carry_slots];
      if (leader && total != nullptr && base + valid == n) *total = op(carry, tile_total);
      put(out + base, valid, first, op, op(carry, warps_before), items);
    }
  }

  /// items[r][j] = T of item first + r * row_items + j of the tile, the identity from `valid` on.
  static __device__ void take(unsigned char const* stage, Item const* tile, int valid, int first,
                              Op op, T (&items)[rows][width]) {
    staged_part<Item> const part(tile, valid);
    auto const* const staged = reinterpret_cast<Item const*>(stage + part.shift);
    if (part.first == 0 && part.end == tile_items) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        auto const row = simt::load_vector<width>(staged + first + r * row_items);
#pragma unroll
        for (int j = 0; j < width; ++j) items[r][j] = static_cast<T>(row.item[j]);
      }
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          int const i = first + r * row_items + j;
          items[r][j] = i >= part.first && i < part.end ? static_cast<T>(staged[i])
                        : i < valid                     ? static_cast<T>(tile[i])
                                                        : static_cast<T>(op.identity());
        }
      }
    }
  }

  /// Turns a lane's items into their prefixes within the warp. Returns the total of the warp.
  static __device__ T scan_rows(T (&items)[rows][width], Op op) {
    T total = op.identity();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      T sum = items[r][0];
#pragma unroll
      for (int j = 1; j < width; ++j) sum = op(sum, items[r][j]);
      auto const row = warp::exclusive_scan(sum, op);
      T prefix = op(total, row.prefix);
      total = op(total, row.total);
#pragma unroll
      for (int j = 0; j < width; ++j) {
        T const next = op(prefix, items[r][j]);
        items[r][j] = Kind == scan_kind::inclusive ? next : prefix;
        prefix = next;
      }
    }
    return total;
  }

  /// Stores a lane's results; nothing beyond `valid`.
  static __device__ void put(Out tile, int valid, int first, Op op, T entering,
                             T const (&items)[rows][width]) {
    if constexpr (std::is_pointer_v<Out>) {
      using result = std::remove_pointer_t<Out>;
      if (valid == tile_items &&
          reinterpret_cast<std::uintptr_t>(tile) % (sizeof(result) * width) == 0) {
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          simt::vector<result, width> row;
#pragma unroll
          for (int j = 0; j < width; ++j) {
            row.item[j] = static_cast<result>(op(entering, items[r][j]));
          }
          simt::store_vector<width>(tile + first + r * row_items, row);
        }
        return;
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < width; ++j) {
        int const i = first + r * row_items + j;
        if (i < valid) tile[i] = op(entering, items[r][j]);
      }
    }
  }
};

/// Launches `pipelined_scan_kernel` over n items, on as many multiprocessors as there are.
template <scan_kind Kind, class Tuning, class Item, class Out, class Op>
void pipelined_scan(workspace& ws, Item const* in, Out out, item_count n, Op op,
                    typename Op::value_type* d_total, typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = pipelined_scan_kernel<Kind, Item, Out, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  tile_totals<T> const totals(ws.reserve(tile_totals<T>::bytes(tiles)), tiles);
  index_t const most = simt::multiprocessor_count();
  auto const blocks = static_cast<unsigned>(tiles == 0 ? 1 : tiles < most ? tiles : most);
  simt::launch<kernel>(
      {.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream(), .cooperative = true},
      in, out, n, op, init, totals, d_total);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
