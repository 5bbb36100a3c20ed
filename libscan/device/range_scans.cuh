// SPDX-License-Identifier: Apache-2.0
// Scans and totals of segments that begin and end anywhere, in any order, with items between them
// that are in none: a block takes one segment after the other; blocks are small if segments are
// short on average. Long segments are split into pieces for all blocks, which find the totals of
// the pieces first.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <libscan/block/scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Ranges that are too long for one block, split into pieces for all blocks: the range of each
// piece, and its total.

/// One piece of a range.
struct range_piece {
  index_t segment;  // the range; -1: there is no piece
  index_t number;   // of its pieces
};

/// The pieces of long ranges, in the workspace. There are fewer than `max_pieces` unless ranges
/// overlap: each range is longer than a piece, and `parts` pieces make up all items.
template <class T>
class range_pieces {
 public:
  static constexpr index_t parts = 512;
  static constexpr index_t max_pieces = 2 * parts;

  /// Items of a piece, if blocks take tiles of so many.
  static constexpr index_t items_of(index_t n, index_t tile_items) {
    index_t const share = ceil_div(n, parts), min_items = 4 * tile_items;
    return share > min_items ? share : min_items;
  }

  /// None where no range of n items can be longer than a piece.
  static constexpr std::size_t bytes(index_t n, index_t tile_items) {
    if (n <= items_of(n, tile_items)) return 0;
    return totals_at + static_cast<std::size_t>(max_pieces) * sizeof(T);
  }
  /// How many bytes must be 0 at first.
  static constexpr std::size_t cleared_bytes = 256;

  range_pieces(std::byte* memory, index_t n, index_t tile_items)
      : items(items_of(n, tile_items)),
        claimed_(reinterpret_cast<unsigned long long*>(memory)),
        pieces_(reinterpret_cast<range_piece*>(memory + cleared_bytes)),
        totals_(reinterpret_cast<T*>(memory + totals_at)) {}

  index_t items;  // of a piece, except the last of its range

  /// Lists the pieces of a range of more items than a piece has. Returns false if there are too
  /// many pieces already. By a block, with `shared` in shared memory; ends with a barrier.
  __device__ bool list(index_t& shared, index_t segment, index_t range_items) const {
    index_t const count = ceil_div(range_items, items);
    if (threadIdx.x == 0) {
      shared = static_cast<index_t>(simt::atomic_ref<unsigned long long>(*claimed_).fetch_add(
          static_cast<unsigned long long>(count), simt::memory_order_relaxed));
    }
    simt::sync_block();
    index_t const first = shared;
    bool const fits = first + count <= max_pieces;
    for (index_t k = threadIdx.x; k < count && first + k < max_pieces; k += blockDim.x) {
      pieces_[first + k] = {fits ? segment : -1, k};
    }
    simt::sync_block();
    return fits;
  }

  /// How many pieces an earlier launch has listed.
  __device__ index_t count() const {
    auto const claimed = static_cast<index_t>(*claimed_);
    return claimed < max_pieces ? claimed : max_pieces;
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
  static constexpr std::size_t totals_at = cleared_bytes + max_pieces * sizeof(range_piece);
  static_assert(totals_at % 256 == 0);

  template <class Op>
  static __device__ T join(T const& before, T const& own, Op op) {
    return op(before, warp::exclusive_scan(own, op).total);
  }

  unsigned long long* claimed_;
  range_piece* pieces_;
  T* totals_;
};

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

/// The items of a tile of such blocks.
template <class Tuning>
inline constexpr index_t range_tile_items =
    index_t{Tuning::block_threads} * Tuning::items_per_thread;

/// The sum or scan of a part of a range by a block, one tile after the other.
template <class Op, class Tuning>
struct range_part {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;

  struct shared_storage {
    block::tile_storage<T, block_threads, items_per_thread> tile;
    block::scan_storage<T, block_threads> scan;
  };

  /// The total of items [begin, end), at least one.
  template <class In>
  static __device__ T sum(shared_storage& shared, In in, index_t begin, index_t end, Op op) {
    T total = sum_of_tile(shared, in, begin, end, op);
    for (begin += tile_items; begin < end; begin += tile_items) {
      total = op(total, sum_of_tile(shared, in, begin, end, op));
    }
    return total;
  }

  /// Scans items [begin, end) after `carry`.
  template <range_result Result, class In, class Out>
  static __device__ void scan(shared_storage& shared, In in, Out out, index_t begin, index_t end,
                              Op op, T carry) {
    for (; begin < end; begin += tile_items) {
      int const valid = valid_items<tile_items>(end, begin);
      T items[items_per_thread];
      auto const before = load(shared, in, begin, valid, op, items);
      T prefix = op(carry, before.prefix);
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) {
        T const next = op(prefix, items[k]);
        items[k] = Result == range_result::inclusive ? next : prefix;
        prefix = next;
      }
      block::store_tile(shared.tile, out, begin, valid, items);
      carry = op(carry, before.total);
    }
  }

 private:
  /// Loads the caller's items. Returns the total of those before them, and of the whole tile.
  template <class In>
  static __device__ block::scan_result<T> load(shared_storage& shared, In in, index_t base,
                                               int valid, Op op, T (&items)[items_per_thread]) {
    block::load_tile(shared.tile, in, base, valid, T(op.identity()), items);
    T sum = items[0];
#pragma unroll
    for (int k = 1; k < items_per_thread; ++k) sum = op(sum, items[k]);
    return block::exclusive_scan(shared.scan, sum, op);
  }

  template <class In>
  static __device__ T sum_of_tile(shared_storage& shared, In in, index_t base, index_t end, Op op) {
    T items[items_per_thread];
    return load(shared, in, base, valid_items<tile_items>(end, base), op, items).total;
  }
};

/// Items [begin, end) of segment s, cut off at n.
struct range_bounds {
  index_t begin, end;

  template <class Offset>
  __device__ range_bounds(segment_ranges<Offset> const& segments, index_t s, index_t n)
      : begin(within(segments.begins[s], n)), end(within(segments.ends[s], n)) {}

  __device__ index_t length() const { return end - begin; }

 private:
  /// An offset, or the nearest that there is.
  template <class Offset>
  static __device__ index_t within(Offset offset, index_t n) {
    auto const item = static_cast<index_t>(offset);
    return item < 0 ? 0 : item < n ? item : n;
  }
};

/// Processes segment blockIdx.x and every gridDim.x-th after it. Lists the pieces of those longer
/// than a piece for the next launches.
template <range_result Result, class Op, class Tuning>
struct range_kernel {
  using T = typename Op::value_type;
  using part = range_part<Op, Tuning>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr bool programmatic_launch = true;

  struct shared_storage : part::shared_storage {
    index_t claimed;
  };

  template <class In, class Out, class Offset>
  __device__ void operator()(shared_storage& shared, In in, Out out,
                             segment_ranges<Offset> segments, range_pieces<T> pieces,
                             item_count count, Op op, T init) const {
    index_t const n = count.get();
    for (index_t s = blockIdx.x; s < segments.segments; s += gridDim.x) {
      range_bounds const range(segments, s, n);
      if (range.length() > pieces.items && pieces.list(shared.claimed, s, range.length())) continue;
      if constexpr (Result != range_result::total) {
        part::template scan<Result>(shared, in, out, range.begin, range.end, op, init);
      } else {
        index_t const parts = range.length() > 0 ? ceil_div(range.length(), pieces.items) : 0;
        T const total = pieces.sum_each(parts, init, op, [&](index_t k) {
          index_t const begin = range.begin + k * pieces.items;
          index_t const end = begin + pieces.items;
          return part::sum(shared, in, begin, end < range.end ? end : range.end, op);
        });
        if (threadIdx.x == 0) out[s] = total;
      }
    }
  }
};

/// Finds the totals of the pieces of long ranges. If these are `Known`: scans the pieces, or writes
/// the total of each range. A block processes a piece.
template <bool Known, range_result Result, class Op, class Tuning>
struct range_piece_kernel {
  using T = typename Op::value_type;
  using part = range_part<Op, Tuning>;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr bool programmatic_launch = true;
  using shared_storage = typename part::shared_storage;

  template <class In, class Out, class Offset>
  __device__ void operator()(shared_storage& shared, In in, Out out,
                             segment_ranges<Offset> segments, range_pieces<T> pieces,
                             item_count count, Op op, T init) const {
    index_t const all = pieces.count(), n = count.get();
    for (index_t p = blockIdx.x; p < all; p += gridDim.x) {
      auto const [s, number] = pieces.at(p);
      if (s < 0) continue;
      range_bounds const range(segments, s, n);
      index_t const begin = range.begin + number * pieces.items;
      index_t const past = begin + pieces.items, end = past < range.end ? past : range.end;
      if constexpr (!Known) {
        T const total = part::sum(shared, in, begin, end, op);
        if (threadIdx.x == 0) pieces.store(p, total);
      } else if constexpr (Result != range_result::total) {
        T const carry = pieces.sum(p - number, number, init, op);
        part::template scan<Result>(shared, in, out, begin, end, op, carry);
      } else if (number == 0 && threadIdx.x < simt::warp_size) {
        T const total = pieces.sum(p, ceil_div(range.length(), pieces.items), init, op);
        if (threadIdx.x == 0) out[s] = total;
      }
    }
  }
};

/// Launches one of the kernels for up to `max_ranges` ranges or pieces.
template <class Kernel, class... Args>
void launch_range_kernel(simt::stream on, index_t max_ranges, Args... args) {
  unsigned const blocks = device::blocks_for<Kernel, Args...>(max_ranges, Kernel::block_threads);
  simt::launch<Kernel>({.blocks = blocks, .threads = Kernel::block_threads, .on = on}, args...);
}

/// Processes all ranges with blocks of `Tuning`, and the pieces of long ones with blocks of
/// `Pieces`. `memory`: `range_pieces<T>::bytes` for the latter's tiles, in the workspace.
template <range_result Result, class Tuning, class Pieces, class In, class Out, class Offset,
          class Op, class Init>
void work_on_ranges(std::byte* memory, simt::stream on, In in, Out out,
                    segment_ranges<Offset> segments, item_count n, Op op, Init init) {
  using pieces_type = range_pieces<typename Op::value_type>;
  constexpr index_t tile_items = range_tile_items<Pieces>;
  pieces_type const pieces(memory, n.at_most(), tile_items);
  bool const some = pieces_type::bytes(n.at_most(), tile_items) > 0;
  if (some) simt::fill_async(memory, 0, pieces_type::cleared_bytes, on);
  device::launch_range_kernel<range_kernel<Result, Op, Tuning>>(on, segments.segments, in, out,
                                                                segments, pieces, n, op, init);
  if (!some) return;
  device::launch_range_kernel<range_piece_kernel<false, Result, Op, Pieces>>(
      on, pieces_type::max_pieces, in, out, segments, pieces, n, op, init);
  device::launch_range_kernel<range_piece_kernel<true, Result, Op, Pieces>>(
      on, pieces_type::max_pieces, in, out, segments, pieces, n, op, init);
}

/// Refuses results that share memory with the descriptor, and chooses by the average length.
template <range_result Result, class Tuning, class In, class Out, class Offset, class Op,
          class Init>
void segments_by_ranges(char const* call, workspace& ws, In in, Out out,
                        segment_ranges<Offset> segments, item_count n, Op op, Init init) {
  using T = typename Op::value_type;
  device::refuse_items<In, T>();
  device::refuse_results<T, Out>();
  index_t const count = segments.segments;
  if (count < 0) {
    throw invalid_argument("number of segments is " + std::to_string(count) + "; expected >= 0");
  }
  index_t const results = Result == range_result::total ? count : n.at_least();
  memory_span const written = device::memory_of(out, results);
  device::require_no_overlap(call, "descriptor and results",
                             device::memory_of(segments.begins, count), written);
  device::require_no_overlap(call, "descriptor and results",
                             device::memory_of(segments.ends, count), written);
  if (count == 0) return;
  using many = range_tuning<T>;
  using few = short_range_tuning<T>;
  using pieces = std::conditional_t<std::is_void_v<Tuning>, many, Tuning>;
  std::byte* const memory =
      ws.reserve(range_pieces<T>::bytes(n.at_most(), range_tile_items<pieces>));
  auto const work = [&]<class Blocks>(Blocks) {
    device::work_on_ranges<Result, Blocks, pieces>(memory, ws.stream(), in, out, segments, n, op,
                                                   init);
  };
  if constexpr (!std::is_void_v<Tuning>) {
    work(Tuning{});
  } else if (n.at_most() / count > 4 * range_tile_items<few>) {
    work(many{});
  } else {
    work(few{});
  }
}

/// Bytes of workspace for ranges of n items.
template <class T>
constexpr std::size_t ranges_bytes(index_t n) {
  return range_pieces<T>::bytes(n, range_tile_items<range_tuning<T>>);
}

/// Scans within ranges of items.
template <scan_kind Kind, class Tuning, class In, class Out, class Offset, class Op, class Init>
void segmented_scan(workspace& ws, In in, Out out, segment_ranges<Offset> segments, item_count n,
                    Op op, Init init) {
  device::require_in_place_or_no_overlap("segmented scan", device::memory_of(in, n.at_least()),
                                         device::memory_of(out, n.at_least()));
  constexpr auto result =
      Kind == scan_kind::inclusive ? range_result::inclusive : range_result::exclusive;
  device::segments_by_ranges<result, Tuning>("segmented scan", ws, in, out, segments, n, op, init);
}

/// The totals of ranges of items.
template <class Tuning, class In, class Totals, class Offset, class Op, class Init>
void reduce_ranges(workspace& ws, In in, Totals totals, segment_ranges<Offset> segments,
                   item_count n, Op op, Init init) {
  device::require_no_overlap("segmented reduce", "items and results",
                             device::memory_of(in, n.at_least()),
                             device::memory_of(totals, segments.segments));
  device::segments_by_ranges<range_result::total, Tuning>("segmented reduce", ws, in, totals,
                                                          segments, n, op, init);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
