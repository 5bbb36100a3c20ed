// SPDX-License-Identifier: Apache-2.0
// Ranges that are too long for one block, split into pieces for all blocks: the range of each
// piece, and its total.
#pragma once

#include <cstddef>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// One piece of a range.
struct range_piece {
  index_t segment;  // the range; -1: there is no piece
  index_t number;   // of its pieces
};

/// The pieces of long ranges, in the workspace. There are fewer than `most` unless ranges overlap:
/// each range is longer than a piece, and `parts` pieces make up all items.
template <class T>
class range_pieces {
 public:
  static constexpr index_t parts = 512;
  static constexpr index_t most = 2 * parts;

  /// Items of a piece, if blocks take tiles of so many.
  static constexpr index_t items_of(index_t n, index_t tile_items) {
    index_t const share = ceil_div(n, parts), least = 4 * tile_items;
    return share > least ? share : least;
  }

  /// None where no range of n items can be longer than a piece.
  static constexpr std::size_t bytes(index_t n, index_t tile_items) {
    if (n <= items_of(n, tile_items)) return 0;
    return totals_at + static_cast<std::size_t>(most) * sizeof(T);
  }
  /// Of which so many must be 0 at first.
  static constexpr std::size_t cleared_bytes = 256;

  range_pieces(std::byte* memory, index_t n, index_t tile_items)
      : items(items_of(n, tile_items)),
        claimed_(reinterpret_cast<unsigned long long*>(memory)),
        pieces_(reinterpret_cast<range_piece*>(memory + cleared_bytes)),
        totals_(reinterpret_cast<T*>(memory + totals_at)) {}

  index_t items;  // of a piece, but for the last of its range

  /// Lists the pieces of a range of more items than a piece has. Returns false if there are too
  /// many pieces already. By a block, with `room` in shared memory; ends with a barrier.
  __device__ bool list(index_t& room, index_t segment, index_t range_items) const {
    index_t const count = ceil_div(range_items, items);
    if (threadIdx.x == 0) {
      room = static_cast<index_t>(simt::atomic_ref<unsigned long long>(*claimed_).fetch_add(
          static_cast<unsigned long long>(count), simt::memory_order_relaxed));
    }
    simt::sync_block();
    index_t const first = room;
    bool const fits = first + count <= most;
    for (index_t k = threadIdx.x; k < count && first + k < most; k += blockDim.x) {
      pieces_[first + k] = {fits ? segment : -1, k};
    }
    simt::sync_block();
    return fits;
  }

  /// How many pieces an earlier launch has listed.
  __device__ index_t count() const {
    auto const claimed = static_cast<index_t>(*claimed_);
    return claimed < most ? claimed : most;
  }
  __device__ range_piece at(index_t p) const { return pieces_[p]; }
  __device__ void store(index_t p, T const& total) const { totals_[p] = total; }

  /// init op the totals of `count` pieces from p on, in groups of 32. By a warp.
  template <class Op>
  __device__ T sum(index_t p, index_t count, T init, Op op) const {
#pragma unroll 2
    for (index_t k = 0; k < count; k += simt::warp_size) {
      T total = op.identity();
      if (k + simt::lane_id() < count) total = totals_[p + k + simt::lane_id()];
      init = join(init, total, op);
    }
    return init;
  }

  /// The same for totals that total_of(k) returns to all lanes, for k = 0 ... count - 1.
  template <class Op, class TotalOf>
  static __device__ T sum_each(index_t count, T init, Op op, TotalOf total_of) {
    for (index_t k = 0; k < count; k += simt::warp_size) {
      T total = op.identity();
      for (int lane = 0; lane < simt::warp_size && k + lane < count; ++lane) {
        T const next = total_of(k + lane);
        if (lane == simt::lane_id()) total = next;
      }
      init = join(init, total, op);
    }
    return init;
  }

 private:
  static constexpr std::size_t totals_at = cleared_bytes + most * sizeof(range_piece);
  static_assert(totals_at % 256 == 0);

  template <class Op>
  static __device__ T join(T const& before, T const& own, Op op) {
    return op(before, warp::exclusive_scan(own, op).total);
  }

  unsigned long long* claimed_;
  range_piece* pieces_;
  T* totals_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
