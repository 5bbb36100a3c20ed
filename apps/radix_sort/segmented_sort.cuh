// SPDX-License-Identifier: Apache-2.0
// Sorts within segments, from many tiny ones to few huge ones, without the host knowing which:
// short segments in the shared memory of one block, all long ones together in device-wide passes.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/radix_sort.cuh>
#include <apps/radix_sort/segment_passes.cuh>
#include <libscan/device/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// How to sort segments: short ones in groups, long ones in tiles.
template <class Key, class Value>
struct segmented_sort_tuning {
  struct groups {
    static constexpr int block_threads = 256;
    // Of a group's keys: up to 32 KiB, unless they are wider than 128 bytes.
    static constexpr int stretch_items = sizeof(Key) <= 8    ? 2048
                                         : sizeof(Key) <= 16 ? 1024
                                         : sizeof(Key) <= 32 ? 512
                                         : sizeof(Key) <= 64 ? 256
                                                             : 128;
  };
  using tiles = digit_pass_tuning<Key, Value>;
};

/// Parts of the workspace of a segmented sort.
struct segmented_sort_layout {
  std::size_t values, first_tile, counts, scan, bytes;

  constexpr segmented_sort_layout(index_t n, index_t segments, index_t stretch_items,
                                  index_t tile_items, std::size_t key_bytes,
                                  std::size_t bytes_of_values) {
    index_t const long_ones = n / stretch_items < segments ? n / stretch_items : segments;
    index_t const tiles = n / tile_items + long_ones;
    values = sort_layout::aligned(key_bytes);
    first_tile = values + sort_layout::aligned(bytes_of_values);
    counts = first_tile +
             sort_layout::aligned((static_cast<std::size_t>(segments) + 1) * sizeof(index_t));
    scan = counts + static_cast<std::size_t>(tiles) * digit_values * sizeof(index_t);
    bytes = scan + scan_workspace_bytes<index_t>(segments);
  }
};

/// The layout for types and a tuning.
template <class Key, class Value, class Tuning>
constexpr segmented_sort_layout segmented_layout(index_t n, index_t segments) {
  return segmented_sort_layout(n, segments, Tuning::groups::stretch_items,
                               tile_items_of<typename Tuning::tiles>(), bytes_of<Key>(n),
                               bytes_of<Value>(n));
}

/// Sorts the long segments in passes.
template <class Tuning, class Order, class Value, class Offset>
void sort_long_segments(workspace& ws, std::byte* memory, segmented_sort_layout const& at,
                        sort_buffers<typename Order::key_type> keys, sort_buffers<Value> values,
                        index_t n, segment_list<Offset> segments, Order const& order,
                        std::vector<digit_place> const& places) {
  using key_type = typename Order::key_type;
  using tuning = typename Tuning::tiles;
  using mover = move_segment_tiles_kernel<Order, Value, Offset, tuning>;
  using counter = count_segment_tiles_kernel<Order, Offset, tuning>;
  using value_type = typename mover::value_type;
  constexpr index_t tile_items = tile_items_of<tuning>();
  auto* const first_tile = reinterpret_cast<index_t*>(memory + at.first_tile);
  segment_tiles<Offset> const tiles{segments, first_tile,
                                    reinterpret_cast<index_t*>(memory + at.counts)};
  workspace for_scan(memory + at.scan, at.bytes - at.scan, ws.stream());
  exclusive_scan(
      for_scan,
      tiles_of_segments<Offset>{segments, index_t{Tuning::groups::stretch_items}, tile_items},
      first_tile, segments.count, plus<index_t>{}, first_tile + segments.count);
  index_t const most = n / tile_items + n / Tuning::groups::stretch_items;
  index_t const many = index_t{simt::multiprocessor_count()} * 4;
  auto const blocks = static_cast<unsigned>(most < many ? most : many);
  for (std::size_t p = 0; p < places.size(); ++p) {
    bool const into_out = (places.size() - 1 - p) % 2 == 0;
    key_type const* const from = p == 0 ? keys.in : into_out ? keys.other : keys.out;
    value_type const* values_from = nullptr;
    value_type* values_to = nullptr;
    if constexpr (!std::is_void_v<Value>) {
      values_from = p == 0 ? values.in : into_out ? values.other : values.out;
      values_to = into_out ? values.out : values.other;
    }
    simt::launch_config const shape{
        .blocks = blocks, .threads = tuning::block_threads, .on = ws.stream()};
    simt::launch<counter>(shape, from, order, places[p], tiles);
    simt::launch<scan_segment_tiles_kernel<Offset>>(
        {.blocks = blocks,
         .threads = scan_segment_tiles_kernel<Offset>::block_threads,
         .on = ws.stream()},
        tiles);
    simt::launch<mover>(shape, from, into_out ? keys.out : keys.other, values_from, values_to,
                        order, places[p], tiles);
  }
}

/// Sorts within segments.
template <class Tuning, class Order, class Value, class Offset>
void segmented_sort(workspace& ws, sort_buffers<typename Order::key_type> keys,
                    sort_buffers<Value> values, index_t n, Offset const* offsets, index_t segments,
                    Order const& order) {
  using key_type = typename Order::key_type;
  using tuning =
      std::conditional_t<std::is_void_v<Tuning>, segmented_sort_tuning<key_type, Value>, Tuning>;
  static_assert(std::is_integral_v<Offset>);
  order.check();
  if (n < 0 || segments < 0) {
    throw invalid_argument("segmented sort of " + std::to_string(n) + " items in " +
                           std::to_string(segments) + " segments; expected >= 0");
  }
  auto places = digit_places(order);
  if (places.empty()) places.push_back({0, 0, 0});
  if (places.size() > segment_digits::most) {
    throw invalid_argument("segmented sort by " + std::to_string(places.size()) +
                           " digits of 8 bits; expected at most 32");
  }
  auto const at = segmented_layout<key_type, Value, tuning>(n, segments);
  std::byte* const memory = ws.reserve(at.bytes);
  if (n == 0 || segments == 0) return;
  segment_list<Offset> const list{offsets, segments};
  segment_digits digits{};
  for (digit_place const place : places) digits.place[digits.count++] = place;
  using groups = segment_groups_kernel<Order, Value, Offset, typename tuning::groups>;
  unsigned const blocks = blocks_for<groups, segment_list<Offset>, index_t, Order,
                                     sort_buffers<key_type>, sort_buffers<Value>, segment_digits>(
      ceil_div(n, index_t{groups::stretch_items}), groups::block_threads);
  simt::launch<groups>({.blocks = blocks, .threads = groups::block_threads, .on = ws.stream()},
                       list, n, order, keys, values, digits);
  if (n <= groups::stretch_items) return;
  keys.other = reinterpret_cast<key_type*>(memory);
  if constexpr (!std::is_void_v<Value>) values.other = reinterpret_cast<Value*>(memory + at.values);
  sort_long_segments<tuning>(ws, memory, at, keys, values, n, list, order, places);
}

/// Throws if an output shares memory with its input.
template <class A, class B>
void require_separate(A const* in, B const* out, index_t n, char const* what) {
  if (!share_memory(in, out, n)) return;
  throw invalid_argument(std::string("segmented sort: input and output ") + what +
                         " overlap; expected separate buffers");
}

}  // namespace device

/// Bytes of workspace for a sort within up to `segments` segments of up to n keys, with values of
/// type Value unless that is void: a buffer of each, 8 bytes a segment, and at most 1.25 bytes an
/// item. A pure function of its arguments; needs no device.
template <class Key, class Value = void>
constexpr std::size_t segmented_sort_workspace_bytes(index_t n, index_t segments) {
  using tuning = device::segmented_sort_tuning<Key, Value>;
  return device::segmented_layout<Key, Value, tuning>(n, segments).bytes;
}

/// Sorts each segment s, items [offsets[s], offsets[s + 1]) of `in`, into the same place of `out`,
/// as `sort_keys` does.
///
/// offsets: segments + 1 integers in device memory that do not descend, within 0 ... n; segments
/// may be empty. Items outside all segments are neither read nor written. n, segments: any size
/// >= 0. Orders of up to 32 digits of 8 bits. Aliasing: `in` may not overlap `out`.
/// Synchronisation: asynchronous on the workspace's stream, the same launches whatever the
/// segments. Traffic: items of short segments (up to 2048 keys of 8 bytes) are read and written
/// once, those of long ones read twice and written once for every eight bits that count. Progress:
/// no block waits for another. Throws: `invalid_argument`, `device_error`.
template <class Tuning = void, class Key, class Offset, class Order = sort_order<Key>>
void segmented_sort_keys(workspace& ws, Key const* in, Key* out, index_t n, Offset const* offsets,
                         index_t segments, Order order = {}) {
  device::require_separate(in, out, n, "keys");
  device::segmented_sort<Tuning, Order, void>(ws, {in, out}, {}, n, offsets, segments, order);
}

/// The same with values, of any trivially copyable type, that go with the keys.
template <class Tuning = void, class Key, class Value, class Offset, class Order = sort_order<Key>>
void segmented_sort_pairs(workspace& ws, Key const* keys_in, Key* keys_out, Value const* values_in,
                          Value* values_out, index_t n, Offset const* offsets, index_t segments,
                          Order order = {}) {
  static_assert(std::is_trivially_copyable_v<Value>);
  device::require_separate(keys_in, keys_out, n, "keys");
  device::require_separate(values_in, values_out, n, "values");
  device::segmented_sort<Tuning, Order, Value>(ws, {keys_in, keys_out}, {values_in, values_out}, n,
                                               offsets, segments, order);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
