// SPDX-License-Identifier: Apache-2.0
// The textbook's compactions, on flags: for reading, and for scan-filter --algorithm. By a scan of
// all flags and a scatter (Harris 2007, Sengupta, Harris, Zhang & Owens 2007), and by counting
// barriers and ballots (Harris & Garland, 3.1 and 3.3).
#pragma once

#include <cstdint>

#include <libscan/binary_scan.cuh>
#include <libscan/block/binary_scan.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/buffer.cuh>
#include <libscan/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// positions[ranks[i]] = i for every flag i that is set.
struct scatter_positions_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(std::uint8_t const* flags, index_t const* ranks, index_t n,
                             index_t* positions) const {
    index_t const threads = index_t{gridDim.x} * block_threads;
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += threads) {
      if (flags[i] != 0) positions[ranks[i]] = i;
    }
  }
};

/// counts[t] = the flags of tile t that are set: a counting barrier.
struct count_flags_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(std::uint8_t const* flags, index_t n, index_t* counts) const {
    for (index_t tile = blockIdx.x; tile * block_threads < n; tile += gridDim.x) {
      index_t const i = tile * block_threads + threadIdx.x;
      int const count = block::count(i < n && flags[i] != 0);
      if (threadIdx.x == 0) counts[tile] = count;
    }
  }
};

/// The positions of set flags, from before[t] on for those of tile t: ranks by ballots.
struct rank_flags_kernel {
  static constexpr int block_threads = 256;
  using shared_storage = block::binary_scan_storage<block_threads>;

  __device__ void operator()(shared_storage& shared, std::uint8_t const* flags, index_t n,
                             index_t const* before, index_t* positions) const {
    for (index_t tile = blockIdx.x; tile * block_threads < n; tile += gridDim.x) {
      index_t const i = tile * block_threads + threadIdx.x;
      bool const set = i < n && flags[i] != 0;
      int const rank = block::binary_scan(shared, set).rank;
      if (set) positions[before[tile] + rank] = i;
    }
  }
};

/// Up to 65535 blocks, each for several tiles of 256 flags if there are more.
inline simt::launch_config flag_tiles(workspace const& ws, index_t n) {
  index_t const tiles = libscan::ceil_div(n, index_t{256});
  index_t const blocks = tiles < 1 ? 1 : tiles < 65535 ? tiles : 65535;
  return {.blocks = static_cast<unsigned>(blocks), .threads = 256, .on = ws.stream()};
}

/// The positions of set flags, in their order, and their number: a binary scan of all flags gives
/// each its rank. `positions` and `count` are device memory.
/// Synchronization: waits for the work, since its buffers are freed. Throws `device_error`.
inline void positions_by_scatter(std::uint8_t const* flags, index_t n, index_t* positions,
                                 index_t* count) {
  workspace ws;
  buffer<index_t> const ranks(n);
  exclusive_binary_scan(ws, byte_mask{flags}, ranks.data(), n, count);
  simt::launch<scatter_positions_kernel>(flag_tiles(ws, n), flags,
                                         static_cast<index_t const*>(ranks.data()), n, positions);
  simt::synchronize(ws.stream());
}

/// The same in three launches: blocks count, a scan of the counts, blocks rank and write.
inline void positions_by_ballots(std::uint8_t const* flags, index_t n, index_t* positions,
                                 index_t* count) {
  workspace ws;
  index_t const tiles = libscan::ceil_div(n, index_t{256});
  buffer<index_t> const counts(tiles);
  simt::launch<count_flags_kernel>(flag_tiles(ws, n), flags, n, counts.data());
  exclusive_scan(ws, static_cast<index_t const*>(counts.data()), counts.data(), tiles,
                 plus<index_t>{}, count);
  simt::launch<rank_flags_kernel>(flag_tiles(ws, n), flags, n,
                                  static_cast<index_t const*>(counts.data()), positions);
  simt::synchronize(ws.stream());
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
