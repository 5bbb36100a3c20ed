// SPDX-License-Identifier: Apache-2.0
// The common part of the strategies: a tile of the textbook block scans, the number and size of
// blocks, parts of a workspace. And the second half of those that scan tiles first: the carry of a
// tile is added to all its items (Harris 2007, "Arrays of Arbitrary Size").
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/textbook/block/catalog.cuh>
#include <libscan/workspace.cuh>

// Every strategy is a type of this shape; BlockScan is a textbook scan, MaxThreads from 1 to 1024:
//
//   template <class BlockScan, int MaxThreads>
//   struct strategy : block_strategy<BlockScan, MaxThreads> {
//     strategy(), strategy(threads)                   blocks of MaxThreads, or of fewer
//     static constexpr scan_strategy which;
//     workspace_bytes<T, Out>(n)                      pure; n > 0
//     scan<Kind>(ws, in, out, n, op, d_total, init)   n > 0; d_total may be null
//   };
//
// Kernels have shared memory for MaxThreads and see from the launch how many there are: one kernel
// serves all sizes of blocks, not only powers of two.
//
// People call them through `scan_with` (catalog.cuh), which says what every scan promises.

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// The most blocks of a launch: the limit of a grid in 2007, and more than any GPU holds at once.
/// With more tiles, a block takes several, so no n is too large.
inline constexpr index_t max_blocks = 65535;

/// A tile for a textbook scan: items[k] of a thread is item k * threads + thread, so that
/// neighboring threads access neighboring items.
template <class BlockScan, int MaxThreads>
struct textbook_tile {
  static constexpr int items_per_thread = BlockScan::items_per_thread;

  /// Shared memory of the block scan.
  template <class T>
  using storage = typename BlockScan::template storage<T, MaxThreads>;

  /// Items of the calling block's tiles.
  static __device__ index_t items() {
    return index_t{block::textbook::block_threads()} * items_per_thread;
  }

  /// Loads the tile whose first item is in[base]; `fill` after the last item, n - 1.
  template <class In, class T>
  static __device__ void load(In in, index_t base, index_t n, T fill, T (&x)[items_per_thread]) {
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k) {
      index_t const i = place(base, k);
      x[k] = i < n ? static_cast<T>(in[i]) : fill;
    }
  }

  /// Stores the tile, with `carry` before each item; writes nothing after item n - 1.
  template <class Out, class T, class Op>
  static __device__ void store(Out out, index_t base, index_t n, T carry,
                               T const (&x)[items_per_thread], Op op) {
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k) {
      index_t const i = place(base, k);
      if (i < n) out[i] = op(carry, x[k]);
    }
  }

  /// The same without a carry.
  template <class Out, class T>
  static __device__ void store(Out out, index_t base, index_t n, T const (&x)[items_per_thread]) {
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k) {
      index_t const i = place(base, k);
      if (i < n) out[i] = x[k];
    }
  }

 private:
  static __device__ index_t place(index_t base, int k) {
    return base + k * block::textbook::block_threads() + block::textbook::this_thread();
  }
};

/// The number of threads of a strategy's blocks, and what follows from it. A thread scans
/// `VectorItems` items by itself for each item of the block scan.
template <class BlockScan, int MaxThreads, int VectorItems = 1>
class block_strategy {
  static_assert(MaxThreads >= 1 && MaxThreads <= 1024);

 public:
  /// Blocks of MaxThreads threads.
  constexpr block_strategy() = default;

  /// Blocks of this many threads. Throws `invalid_argument` unless they are from 1 to MaxThreads.
  explicit constexpr block_strategy(int threads) : threads_(threads) {
    if (threads < 1 || threads > MaxThreads) {
      throw invalid_argument("blocks of " + std::to_string(threads) + " threads; expected 1 to " +
                             std::to_string(MaxThreads));
    }
  }

  constexpr int threads() const { return threads_; }

  /// Items of a tile.
  constexpr index_t tile_items() const {
    return index_t{threads_} * BlockScan::items_per_thread * VectorItems;
  }

  /// The number of tiles of n items.
  constexpr index_t tiles(index_t n) const { return libscan::ceil_div(n, tile_items()); }

 protected:
  /// A block for each tile of n items, or the most blocks.
  simt::launch_config grid_of(index_t n, workspace const& ws) const {
    index_t const blocks = tiles(n) < max_blocks ? tiles(n) : max_blocks;
    return {.blocks = static_cast<unsigned>(blocks),
            .threads = static_cast<unsigned>(threads_),
            .on = ws.stream()};
  }

 private:
  int threads_ = MaxThreads;
};

/// Bytes that `count` values take in a workspace, where each array begins at a multiple of 256.
template <class T>
constexpr std::size_t array_bytes(index_t count) {
  return ceil_div(static_cast<std::size_t>(count) * sizeof(T), std::size_t{256}) * 256;
}

/// Arrays of a workspace, one after the other. A small value.
class array_maker {
 public:
  explicit array_maker(std::byte* memory) : next_(memory) {}

  /// The next array, of `count` values, which are undefined.
  template <class T>
  T* make(index_t count) {
    auto* const array = reinterpret_cast<T*>(next_);
    next_ += strategies::array_bytes<T>(count);
    return array;
  }

  /// The memory after the arrays made so far.
  std::byte* rest() const { return next_; }

 private:
  std::byte* next_;
};

/// Whether results that are not final yet can wait in the output itself: it is memory of the
/// operator's type. Otherwise they would be rounded, or could not be read again.
template <class T, class Out>
inline constexpr bool output_keeps_values = std::is_same_v<Out, T*>;

/// How many values must wait in the workspace.
template <class T, class Out>
constexpr index_t values_in_workspace(index_t n) {
  return output_keeps_values<T, Out> ? 0 : n;
}

/// Where they wait: in `out`, or in `apart`.
template <class T, class Out>
T* values_kept([[maybe_unused]] Out out, [[maybe_unused]] T* apart) {
  if constexpr (output_keeps_values<T, Out>) {
    return out;
  } else {
    return apart;
  }
}

/// out[i] = before[i / t] op in[i], where a tile of t items has ItemsPerThread for each thread of a
/// block. Reads n and a value per warp and tile, writes n. `out` may be equal to `in`.
template <int MaxThreads, int ItemsPerThread, class Op>
struct uniform_add_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = MaxThreads;

  template <class Out>
  __device__ void operator()(T const* before, T const* in, Out out, index_t n, Op op) const {
    index_t const tile_items = index_t{blockDim.x} * ItemsPerThread;
    for (index_t tile = blockIdx.x; tile * tile_items < n; tile += gridDim.x) {
      T const carry = before[tile];
      index_t const base = tile * tile_items;
      index_t const end = n - base < tile_items ? n : base + tile_items;
      for (index_t i = base + threadIdx.x; i < end; i += blockDim.x) out[i] = op(carry, in[i]);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
