// SPDX-License-Identifier: Apache-2.0
// Scans and totals of segments that begin and end anywhere, in any order, with items between them
// that are in none: a block takes one segment after the other; blocks are small if segments are
// short on average. One long segment keeps one block busy while others are idle.
#pragma once

#include <string>
#include <type_traits>

#include <libscan/block/scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/core/segmented.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/memory_span.cuh>
#include <libscan/device/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Whether `Heads` are ranges of items.
template <class Heads>
inline constexpr bool by_ranges = false;
template <class Offset>
inline constexpr bool by_ranges<segment_ranges<Offset>> = true;

/// The results of the segments: their prefixes, or their totals.
enum class range_result { inclusive, exclusive, total };

/// Blocks for long segments, and for short ones.
template <class T>
struct range_tuning : look_back_tuning<T> {};
template <class T>
struct short_range_tuning : range_tuning<T> {
  static constexpr int block_threads = simt::warp_size;
  static constexpr int resident_blocks = 1;
};

/// Works on segment blockIdx.x and every gridDim.x-th after it, a tile at a time.
template <range_result Result, class Op, class Tuning>
struct range_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;

  struct shared_storage {
    block::tile_storage<T, block_threads, items_per_thread> tile;
    block::scan_storage<T, block_threads> scan;
  };

  template <class In, class Out, class Offset>
  __device__ void operator()(shared_storage& shared, In in, Out out,
                             segment_ranges<Offset> segments, item_count count, Op op,
                             T init) const {
    index_t const n = count.get();
    for (index_t s = blockIdx.x; s < segments.segments; s += gridDim.x) {
      index_t const begin = within(segments.begins[s], n), end = within(segments.ends[s], n);
      T carry = init;
      for (index_t base = begin; base < end; base += tile_items) {
        int const valid = static_cast<int>(end - base < tile_items ? end - base : tile_items);
        carry = work_on_tile(shared, in, out, base, valid, op, carry);
      }
      if constexpr (Result == range_result::total) {
        if (threadIdx.x == 0) out[s] = carry;
      }
    }
  }

 private:
  /// An offset, or the nearest that there is.
  template <class Offset>
  static __device__ index_t within(Offset offset, index_t n) {
    auto const item = static_cast<index_t>(offset);
    return item < 0 ? 0 : item < n ? item : n;
  }

  /// Returns the carry after the tile. By the block.
  template <class In, class Out>
  static __device__ T work_on_tile(shared_storage& shared, In in, Out out, index_t base, int valid,
                                   Op op, T carry) {
    T items[items_per_thread];
    block::load_tile(shared.tile, in, base, valid, T(op.identity()), items);
    T sum = items[0];
#pragma unroll
    for (int k = 1; k < items_per_thread; ++k) sum = op(sum, items[k]);
    auto const before = block::exclusive_scan(shared.scan, sum, op);
    if constexpr (Result != range_result::total) {
      T prefix = op(carry, before.prefix);
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) {
        T const next = op(prefix, items[k]);
        items[k] = Result == range_result::inclusive ? next : prefix;
        prefix = next;
      }
      block::store_tile(shared.tile, out, base, valid, items);
    }
    return op(carry, before.total);
  }
};

/// Launches `range_kernel`.
template <range_result Result, class Tuning, class In, class Out, class Offset, class Op>
void work_on_ranges(simt::stream on, In in, Out out, segment_ranges<Offset> segments, item_count n,
                    Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = range_kernel<Result, Op, Tuning>;
  unsigned const blocks =
      device::blocks_for<kernel, In, Out, segment_ranges<Offset>, item_count, Op, T>(
          segments.segments, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, in, out,
                       segments, n, op, init);
}

/// Refuses results that share memory with the descriptor, and chooses by the average length.
template <range_result Result, class Tuning, class In, class Out, class Offset, class Op>
void segments_by_ranges(char const* call, workspace& ws, In in, Out out,
                        segment_ranges<Offset> segments, item_count n, Op op,
                        typename Op::value_type init) {
  using T = typename Op::value_type;
  index_t const count = segments.segments;
  if (count < 0) {
    throw invalid_argument("number of segments is " + std::to_string(count) + "; expected >= 0");
  }
  index_t const results = Result == range_result::total ? count : n.at_least();
  memory_span const written = device::memory_of(out, results);
  device::require_apart(call, "descriptor and results", device::memory_of(segments.begins, count),
                        written);
  device::require_apart(call, "descriptor and results", device::memory_of(segments.ends, count),
                        written);
  if (count == 0) return;
  using many = range_tuning<T>;
  using few = short_range_tuning<T>;
  if constexpr (!std::is_void_v<Tuning>) {
    device::work_on_ranges<Result, Tuning>(ws.stream(), in, out, segments, n, op, init);
  } else if (n.at_most() / count > index_t{4} * few::block_threads * few::items_per_thread) {
    device::work_on_ranges<Result, many>(ws.stream(), in, out, segments, n, op, init);
  } else {
    device::work_on_ranges<Result, few>(ws.stream(), in, out, segments, n, op, init);
  }
}

/// Scans within ranges of items.
template <scan_kind Kind, class Tuning, class In, class Out, class Offset, class Op>
void segmented_scan(workspace& ws, In in, Out out, segment_ranges<Offset> segments, item_count n,
                    Op op, typename Op::value_type init) {
  device::require_in_place_or_apart("segmented scan", device::memory_of(in, n.at_least()),
                                    device::memory_of(out, n.at_least()));
  constexpr auto result =
      Kind == scan_kind::inclusive ? range_result::inclusive : range_result::exclusive;
  device::segments_by_ranges<result, Tuning>("segmented scan", ws, in, out, segments, n, op, init);
}

/// The totals of ranges of items.
template <class Tuning, class In, class Totals, class Offset, class Op>
void reduce_ranges(workspace& ws, In in, Totals totals, segment_ranges<Offset> segments,
                   item_count n, Op op, typename Op::value_type init) {
  device::require_apart("segmented reduce", "items and results",
                        device::memory_of(in, n.at_least()),
                        device::memory_of(totals, segments.segments));
  device::segments_by_ranges<range_result::total, Tuning>("segmented reduce", ws, in, totals,
                                                          segments, n, op, init);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
