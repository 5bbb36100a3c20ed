// SPDX-License-Identifier: Apache-2.0
// Sorts within segments that begin and end anywhere, in any order, with items between them that are
// in none. The items of all ranges are copied together, sorted, and copied back. Included by
// segmented_sort.cuh.
#pragma once

#include <type_traits>
#include <utility>

#include <libscan/core/segments.hpp>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/range_scans.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_sort.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// The lengths of ranges of n items, as an iterator.
template <class Offset>
struct range_lengths {
  segment_ranges<Offset> segments;
  index_t n;
  index_t first = 0;

  __device__ index_t operator[](index_t s) const {
    index_t const length = range_bounds(segments, first + s, n).length();
    return length > 0 ? length : 0;
  }
  __device__ range_lengths operator+(index_t by) const { return {segments, n, first + by}; }
};

/// Copies the items of all ranges together, range s to offsets[s]; or `Back`. A block processes
/// tiles of the items that lie together, and searches for their ranges.
template <class T, class Offset, bool Back>
struct copy_ranges_kernel {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = 8;
  static constexpr index_t tile_items = index_t{block_threads} * items_per_thread;
  static constexpr bool programmatic_launch = true;

  __device__ void operator()(T const* from, T* to, segment_ranges<Offset> segments, index_t n,
                             index_t const* offsets) const {
    index_t const count = segments.segments, all = offsets[count];
    for (index_t base = index_t{blockIdx.x} * tile_items; base < all;
         base += index_t{gridDim.x} * tile_items) {
      index_t const last = (all - base < tile_items ? all : base + tile_items) - 1;
      index_t const first_range = first_offset<block_threads>(offsets + 1, count, base + 1);
      index_t const last_range = first_offset<block_threads>(offsets + 1, count, last + 1);
      for (index_t i = base + threadIdx.x; i <= last; i += block_threads) {
        index_t const s = range_of(offsets, i, first_range, last_range);
        index_t const place = range_bounds(segments, s, n).begin + (i - offsets[s]);
        if constexpr (Back) {
          to[place] = from[i];
        } else {
          to[i] = from[place];
        }
      }
    }
  }

 private:
  /// The range in [low, high] of item i of those together: the first that ends after it.
  static __device__ index_t range_of(index_t const* offsets, index_t i, index_t low, index_t high) {
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      if (offsets[middle + 1] > i) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// Launches `copy_ranges_kernel` for up to n items.
template <bool Back, class T, class Offset>
void copy_ranges(simt::stream on, T const* from, T* to, segment_ranges<Offset> segments, index_t n,
                 index_t const* offsets) {
  using kernel = copy_ranges_kernel<T, Offset, Back>;
  unsigned const blocks =
      blocks_for<kernel, T const*, T*, segment_ranges<Offset>, index_t, index_t const*>(
          ceil_div(n, kernel::tile_items), kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, from, to,
                       segments, n, offsets);
}

/// Parts of the workspace of a sort of ranges. The offsets of ranges in the items together come
/// first.
struct range_sort_layout {
  std::size_t keys, sorted_keys, values, sorted_values, work, bytes;

  constexpr range_sort_layout(index_t segments, std::size_t key_bytes, std::size_t bytes_of_values,
                              std::size_t work_bytes)
      : keys(aligned(static_cast<std::size_t>(segments + 1) * sizeof(index_t))),
        sorted_keys(keys + aligned(key_bytes)),
        values(sorted_keys + aligned(key_bytes)),
        sorted_values(values + aligned(bytes_of_values)),
        work(sorted_values + aligned(bytes_of_values)),
        bytes(work + work_bytes) {}

 private:
  static constexpr std::size_t aligned(std::size_t bytes) {
    return ceil_div(bytes, std::size_t{256}) * 256;
  }
};

/// The layout for types and a tuning. The scan of lengths and the sort share their workspace.
template <class Key, class Value, class Tuning>
constexpr range_sort_layout range_layout(index_t n, index_t segments) {
  std::size_t const scan = scan_workspace_bytes<index_t>(segments);
  std::size_t const sort = segmented_layout<Key, Value, Tuning>(n).bytes;
  return {segments, bytes_of<Key>(n), bytes_of<Value>(n), scan > sort ? scan : sort};
}

/// Sorts within ranges. Ranges between offsets are sorted as such.
template <class Tuning, class Order, class Value, class Offset>
void sort_ranges(workspace& ws, sort_buffers<typename Order::key_type> keys,
                 sort_buffers<Value> values, index_t n, segment_ranges<Offset> segments,
                 Order const& order) {
  using key_type = typename Order::key_type;
  using tuning =
      std::conditional_t<std::is_void_v<Tuning>, segmented_sort_tuning<key_type, Value>, Tuning>;
  index_t const count = segments.segments;
  if (count > 0 && segments.ends == segments.begins + 1) {
    return device::segmented_sort<Tuning>(ws, keys, values, n, segments.begins, count, order);
  }
  check_segmented_sort(n, count);
  order.check_bits();
  auto const items = device::memory_of(keys, values, n);
  items.require_no_overlap("segmented sort", false);
  auto const require_no_overlap_with = [&](Offset const* bounds) {
    items.require_no_overlap_with("segmented sort", "outputs and ranges",
                                  device::memory_of(bounds, count), false);
  };
  require_no_overlap_with(segments.begins);
  require_no_overlap_with(segments.ends);
  auto const at = range_layout<key_type, Value, tuning>(n, count);
  std::byte* const memory = ws.reserve(at.bytes);
  if (n == 0 || count == 0) return;
  auto* const offsets = reinterpret_cast<index_t*>(memory);
  workspace work(memory + at.work, at.bytes - at.work, ws.stream());
  libscan::exclusive_scan(work, range_lengths<Offset>{segments, n}, offsets, count, plus<index_t>{},
                          offsets + count, 0);
  auto const gather = [&](auto const& buffers, std::size_t in, std::size_t out) {
    auto moved = buffers;
    using item = std::remove_pointer_t<decltype(moved.out)>;
    auto* const together = reinterpret_cast<item*>(memory + in);
    device::copy_ranges<false>(ws.stream(), moved.in, together, segments, n, offsets);
    moved.in = together;
    moved.out = reinterpret_cast<item*>(memory + out);
    return moved;
  };
  auto const scatter = [&](auto const& sorted, auto const& buffers) {
    using item = std::remove_pointer_t<decltype(buffers.out)>;
    device::copy_ranges<true>(ws.stream(), static_cast<item const*>(sorted.out), buffers.out,
                              segments, n, offsets);
  };
  auto const keys_together = gather(keys, at.keys, at.sorted_keys);
  auto values_together = values;
  if constexpr (!std::is_void_v<Value>)
    values_together = gather(values, at.values, at.sorted_values);
  device::segmented_sort<tuning>(work, keys_together, values_together, n,
                                 static_cast<index_t const*>(offsets), count, order);
  scatter(keys_together, keys);
  if constexpr (!std::is_void_v<Value>) scatter(values_together, values);
}

}  // namespace device

/// Bytes of workspace for a sort within ranges: that of a sort between offsets, two more buffers of
/// keys, and of values if there are any, and 8 bytes for each range.
template <class Key, class Value = void, class Offset>
constexpr std::size_t segmented_sort_workspace_bytes(index_t n,
                                                     segment_ranges<Offset> const& segments) {
  using tuning = device::segmented_sort_tuning<Key, Value>;
  return device::range_layout<Key, Value, tuning>(n, segments.segments).bytes;
}

/// Sorts each range of `in` into the same place of `out`, as between offsets. Ranges may come in
/// any order, leave items out and be empty, but may not overlap; they are cut off at n. Workspace:
/// `segmented_sort_workspace_bytes`. Traffic: that of `segmented_sort_keys` between offsets for
/// `segment_ranges<Offset>::between`; items of other ranges are read and written twice more.
template <class Tuning = void, class Key, class Offset, class Order = sort_order<Key>>
void segmented_sort_keys(workspace& ws, Key const* in, Key* out, index_t n,
                         segment_ranges<Offset> segments, Order order = {}) {
  device::sort_ranges<Tuning, Order, void>(ws, {in, out}, {}, n, segments, order);
}

/// The same with values that go with the keys.
template <class Tuning = void, class Key, class Value, class Offset, class Order = sort_order<Key>>
void segmented_sort_pairs(workspace& ws, Key const* keys_in, Key* keys_out, Value const* values_in,
                          Value* values_out, index_t n, segment_ranges<Offset> segments,
                          Order order = {}) {
  device::refuse_moved<Value>();
  device::sort_ranges<Tuning, Order, Value>(ws, {keys_in, keys_out}, {values_in, values_out}, n,
                                            segments, order);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
