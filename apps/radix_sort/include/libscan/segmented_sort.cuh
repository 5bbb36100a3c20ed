// SPDX-License-Identifier: Apache-2.0
// Sorts within segments, from many tiny ones to few huge ones. The host need not know which: tiny
// segments are sorted in the registers of one lane or two, short ones by the warps of one block,
// all long ones together in device-wide passes.
#pragma once

#include <string>
#include <type_traits>

#include <apps/radix_sort/device/segment_groups.cuh>
#include <apps/radix_sort/device/segment_passes.cuh>
#include <apps/radix_sort/device/tiny_segments.cuh>
#include <libscan/device/arguments.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/radix_sort.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// How to sort segments: short ones in groups, long ones in tiles.
template <class Key, class Value>
struct segmented_sort_tuning {
  struct groups {
    static constexpr int block_threads = 128;
    static constexpr int stretch_items = 2048;
    static constexpr int max_lanes = 32;  // that sort a run
  };
  using tiles = segment_tile_tuning<Key, Value>;
};

/// Parts of the workspace of a segmented sort; keys at rest come first.
struct segmented_sort_layout {
  std::size_t values, longer, tile, counts, begins, bytes;

  constexpr segmented_sort_layout(index_t n, index_t stretch_items, index_t tile_items,
                                  std::size_t key_bytes, std::size_t bytes_of_values)
      : values(sort_layout::aligned(key_bytes)),
        longer(values + sort_layout::aligned(bytes_of_values)),
        tile(longer + sort_layout::aligned(longer_segments::bytes(n, stretch_items))) {
    index_t const long_ones = n / stretch_items;
    index_t const tiles = n / tile_items + long_ones;
    counts = tile + static_cast<std::size_t>(tiles) * sizeof(segment_tile);
    begins = counts + digit_counts(tiles);
    bytes = begins + digit_counts(long_ones);
  }

 private:
  /// Bytes of digit counts for this many tiles or segments.
  static constexpr std::size_t digit_counts(index_t each) {
    return static_cast<std::size_t>(each) * digit_values * sizeof(index_t);
  }
};

/// The layout for types and a tuning.
template <class Key, class Value, class Tuning>
constexpr segmented_sort_layout segmented_layout(index_t n) {
  return segmented_sort_layout(n, Tuning::groups::stretch_items,
                               device::tile_items_of<typename Tuning::tiles>(),
                               device::bytes_of<Key>(n), device::bytes_of<Value>(n));
}

/// Launches the sort of tiny segments, which records the longer ones.
template <class Order, class Value, class Offset>
void sort_tiny_segments(simt::stream on, segment_list<Offset> segments,
                        longer_segments const& longer, index_t n, Order const& order,
                        sort_buffers<typename Order::key_type> keys, sort_buffers<Value> values) {
  using kernel = tiny_segments_kernel<Order, Value, Offset>;
  auto const blocks =
      static_cast<unsigned>(libscan::ceil_div(segments.count, index_t{kernel::block_threads}));
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, segments,
                       longer, n, order, keys, values);
}

/// Launches the sort of the short segments of n items.
template <class Tuning, class Order, class Value, class Offset>
void sort_short_segments(simt::stream on, segment_list<Offset> segments,
                         longer_segments const& longer, index_t n, Order const& order,
                         sort_buffers<typename Order::key_type> keys, sort_buffers<Value> values) {
  using key_type = typename Order::key_type;
  using kernel = segment_groups_kernel<Order, Value, Offset, Tuning>;
  unsigned const blocks = device::blocks_for<kernel, segment_list<Offset>, longer_segments, index_t,
                                             Order, sort_buffers<key_type>, sort_buffers<Value>>(
      ceil_div(n, index_t{kernel::stretch_items}), kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, segments,
                       longer, n, order, keys, values);
}

/// Launches the sort of the long segments of n items.
template <class Tuning, class Order, class Value, class Offset>
void sort_long_segments(simt::stream on, segment_tiles<Offset> const& tiles, index_t n,
                        Order const& order, sort_buffers<typename Order::key_type> keys,
                        sort_buffers<Value> values) {
  using key_type = typename Order::key_type;
  using kernel = long_segments_kernel<Order, Value, Offset, Tuning>;
  unsigned const blocks = device::blocks_for<kernel, Order, sort_buffers<key_type>,
                                             sort_buffers<Value>, segment_tiles<Offset>>(
      libscan::ceil_div(n, device::tile_items_of<Tuning>()), kernel::block_threads);
  simt::launch<kernel>(
      {.blocks = blocks, .threads = kernel::block_threads, .on = on, .cooperative = true}, order,
      keys, values, tiles);
}

/// Throws `invalid_argument` for numbers that are none.
inline void check_segmented_sort(index_t n, index_t segments) {
  if (n >= 0 && segments >= 0) return;
  throw invalid_argument("segmented sort of " + std::to_string(n) + " items in " +
                         std::to_string(segments) + " segments; expected >= 0");
}

/// Sorts within segments.
template <class Tuning, class Order, class Value, class Offset>
void segmented_sort(workspace& ws, sort_buffers<typename Order::key_type> keys,
                    sort_buffers<Value> values, index_t n, Offset const* offsets, index_t segments,
                    Order const& order) {
  using key_type = typename Order::key_type;
  using tuning =
      std::conditional_t<std::is_void_v<Tuning>, segmented_sort_tuning<key_type, Value>, Tuning>;
  static_assert(std::is_integral_v<Offset>, "libscan: offsets are integers");
  order.check_bits();
  check_segmented_sort(n, segments);
  auto const items = device::memory_of(keys, values, n);
  items.require_no_overlap("segmented sort", false);
  items.require_no_overlap_with("segmented sort", "outputs and offsets",
                                device::memory_of(offsets, segments + 1), false);
  auto const at = device::segmented_layout<key_type, Value, tuning>(n);
  std::byte* const memory = ws.reserve(at.bytes);
  if (n == 0 || segments == 0) return;
  segment_list<Offset> const list{offsets, segments};
  constexpr index_t stretch = tuning::groups::stretch_items;
  longer_segments const longer(memory + at.longer, n, stretch,
                               device::tile_items_of<typename tuning::tiles>());
  simt::fill_async(memory + at.longer, 0, longer_segments::cleared_bytes(n, stretch), ws.stream());
  device::sort_tiny_segments(ws.stream(), list, longer, n, order, keys, values);
  device::sort_short_segments<typename tuning::groups>(ws.stream(), list, longer, n, order, keys,
                                                       values);
  if (n <= stretch) return;
  keys.other = reinterpret_cast<key_type*>(memory);
  if constexpr (!std::is_void_v<Value>) values.other = reinterpret_cast<Value*>(memory + at.values);
  segment_tiles<Offset> const tiles{list, longer, reinterpret_cast<segment_tile*>(memory + at.tile),
                                    reinterpret_cast<index_t*>(memory + at.counts),
                                    reinterpret_cast<index_t*>(memory + at.begins)};
  device::sort_long_segments<typename tuning::tiles>(ws.stream(), tiles, n, order, keys, values);
}

}  // namespace device

/// Bytes of workspace for a sort within any segments of up to n keys, with values of type Value
/// unless that is void: a buffer of each, and for keys and values of up to 8 bytes at most 1 KiB
/// and 2.6 bytes an item. A pure function of its arguments; needs no device.
template <class Key, class Value = void>
constexpr std::size_t segmented_sort_workspace_bytes(index_t n) {
  using tuning = device::segmented_sort_tuning<Key, Value>;
  return device::segmented_layout<Key, Value, tuning>(n).bytes;
}

/// Sorts each segment s, items [offsets[s], offsets[s + 1]) of `in`, into the same place of `out`,
/// as `sort_keys` does.
///
/// Types: those of `sort_keys`. offsets: segments + 1 integers in device memory that do not
/// descend, within 0 ... n; segments may be empty. Items outside all segments are neither read nor
/// written. n, segments: any size >= 0.
/// Aliasing: outputs must not overlap anything else.
/// Synchronization: asynchronous on the workspace's stream, the same launches for all segments.
/// Traffic: items of segments of up to 2048 are read and written once (the shortest may be sorted
/// twice; keys are read again from caches if they have values, are sorted by only some of their
/// bits, include -0 or NaNs, or are several words). Those of longer segments are read twice and
/// written once for every eight bits of the order.
/// Progress: longer segments are sorted in one cooperative launch, whose blocks wait for one
/// another.
/// Throws: `invalid_argument`, `device_error`.
template <class Tuning = void, class Key, class Offset, class Order = sort_order<Key>>
void segmented_sort_keys(workspace& ws, Key const* in, Key* out, index_t n, Offset const* offsets,
                         index_t segments, Order order = {}) {
  libscan::detail::refuse_order<Key, Order>();
  device::refuse_moved<Key>();
  device::segmented_sort<Tuning, Order, void>(ws, {in, out}, {}, n, offsets, segments, order);
}

/// The same with values that move with the keys, of any type that is trivially copyable and has a
/// default constructor.
template <class Tuning = void, class Key, class Value, class Offset, class Order = sort_order<Key>>
void segmented_sort_pairs(workspace& ws, Key const* keys_in, Key* keys_out, Value const* values_in,
                          Value* values_out, index_t n, Offset const* offsets, index_t segments,
                          Order order = {}) {
  libscan::detail::refuse_order<Key, Order>();
  device::refuse_moved<Value>();
  device::segmented_sort<Tuning, Order, Value>(ws, {keys_in, keys_out}, {values_in, values_out}, n,
                                               offsets, segments, order);
}

}  // namespace libscan::inline LIBSCAN_MACHINE

#include <apps/radix_sort/device/sort_ranges.cuh>
