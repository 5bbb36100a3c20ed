// SPDX-License-Identifier: Apache-2.0
// The sort within long segments whose places the host knows, too: staged passes over the tiles of
// all segments. Segments of `segmented_sort` are known on the device alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <apps/radix_sort/device/sort_passes.cuh>
#include <apps/radix_sort/device/staged_pass.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/error.hpp>
#include <libscan/radix_sort.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The most segments that are sorted together.
inline constexpr int max_listed_segments = 1024;

/// Lists the tiles of segments, in order. Every block finds how many tiles the segments have.
struct list_tiles_kernel {
  static constexpr int block_threads = max_listed_segments;

  struct shared_storage {
    index_t first_tile[max_listed_segments];
    block::scan_storage<index_t, block_threads> scan;
  };

  /// offsets: segments + 1 numbers; segments <= max_listed_segments.
  __device__ void operator()(shared_storage& shared, index_t const* offsets, int segments,
                             int tile_items, segment_tile* list) const {
    auto const thread = static_cast<int>(threadIdx.x);
    index_t const own =
        thread < segments ? ceil_div(offsets[thread + 1] - offsets[thread], index_t{tile_items})
                          : 0;
    auto const before = block::exclusive_scan(shared.scan, own, plus<index_t>{});
    shared.first_tile[thread] = before.prefix;
    simt::sync_block();
    index_t const step = index_t{gridDim.x} * block_threads;
    for (index_t tile = index_t{blockIdx.x} * block_threads + thread; tile < before.total;
         tile += step) {
      int segment = 0, past = segments;  // the last one whose first tile is not above this one
      while (past - segment > 1) {
        int const middle = segment + (past - segment) / 2;
        (shared.first_tile[middle] <= tile ? segment : past) = middle;
      }
      index_t const begin = offsets[segment] + (tile - shared.first_tile[segment]) * tile_items;
      index_t const left = offsets[segment + 1] - begin;
      list[tile] = {begin, static_cast<int>(left < tile_items ? left : tile_items),
                    static_cast<unsigned>(segment)};
    }
  }
};

/// Counts the digits of each segment. A block counts neighboring tiles, and adds its counts to the
/// others' where a segment ends.
template <class Order, class Tuning>
struct listed_histogram_kernel {
  using key_type = typename Order::key_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;

  using shared_storage = digit_counters<Order, Tuning>;

  /// `counts`: [pass][segment][digit].
  __device__ void operator()(shared_storage& shared, key_type const* in, Order order,
                             word_digits digits, segment_tile const* list, int tiles, int segments,
                             unsigned long long* counts) const {
    auto const share = [&](unsigned block) {
      return static_cast<int>(index_t{tiles} * block / gridDim.x);
    };
    int const end = share(blockIdx.x + 1);
    for (int tile = share(blockIdx.x); tile < end;) {
      unsigned const segment = list[tile].number;
      shared.clear(digits);
      simt::sync_block();
      for (; tile < end && list[tile].number == segment; ++tile) {
        shared.add(in + list[tile].begin, threadIdx.x, block_threads, list[tile].valid, order,
                   digits);
      }
      simt::sync_block();
      shared.flush(digits, [&](int pass) {
        return counts + (index_t{pass} * segments + segment) * digit_values;
      });
      simt::sync_block();
    }
  }
};

/// Turns the counts of each pass and segment into places. A warp takes one of each.
struct listed_begins_kernel {
  static constexpr int block_threads = 128;

  __device__ void operator()(unsigned long long* counts, index_t const* offsets, int segments,
                             int passes) const {
    constexpr int warps = block_threads / simt::warp_size;
    int const i = static_cast<int>(blockIdx.x) * warps +
                  static_cast<int>(threadIdx.x) / simt::warp_size;
    if (i >= segments * passes) return;
    device::begin_digits(counts + index_t{i} * digit_values, offsets[i % segments]);
  }
};

/// The tiles of a list.
template <int /*TileItems*/>
struct listed_tiles {
  static constexpr bool one_segment = false;

  segment_tile const* list;
  unsigned long long const* begins;  // [segment][digit]

  __device__ index_t base(int tile) const { return list[tile].begin; }
  __device__ int valid(int tile) const { return list[tile].valid; }
  __device__ bool leads(int tile) const {
    return tile == 0 || list[tile - 1].number != list[tile].number;
  }
  __device__ index_t begin(int tile, int digit) const {
    return static_cast<index_t>(begins[index_t{list[tile].number} * digit_values + digit]);
  }
};

/// A pass over the tiles of a list.
template <class Order, class Value, tile_witness Witness, class Tuning>
struct listed_pass_kernel {
  using shape = staged_pass_shape<Order, Value, Witness, Tuning, listed_tiles>;
  using shared_storage = typename shape::shared_storage;
  using work_type = typename shape::work_type;
  static constexpr int block_threads = shape::block_threads;
  static constexpr int resident_blocks = 1;
  static constexpr bool cooperative = true;
  static constexpr int tile_items = shape::tile_items;

  __device__ void operator()(shared_storage& shared, work_type work, digit_table next) const {
    if constexpr (simt::has_bulk_copy) staged_pass<shape>::run(shared, work, next);
  }
};

/// Two buffers of the keys or values of a sort. The first pass reads `from`.
template <class T>
struct buffer_pair {
  T* from = nullptr;
  T* to = nullptr;
};
template <>
struct buffer_pair<void> {};

/// Sorts the items of each segment in passes, by kernels that suit long ones: `Tuning` has
/// `histogram`, and tunings of staged passes for keys and for positions.
template <class Tuning, tile_witness Witness, class Order, class Value>
void sort_listed_by_passes(workspace& ws, buffer_pair<typename Order::key_type> keys,
                           buffer_pair<Value> values, std::span<index_t const> offsets,
                           index_t const* d_offsets, Order const& order,
                           std::vector<digit_place> const& places) {
  using tuning = typename Tuning::template staged<Witness>;
  using kernel = listed_pass_kernel<Order, Value, Witness, tuning>;
  using histogram = listed_histogram_kernel<Order, typename Tuning::histogram>;
  device::require_pipeline<kernel>();
  auto const segments = static_cast<int>(offsets.size()) - 1;
  auto const passes = static_cast<int>(places.size());
  index_t tiles = 0;
  for (int s = 0; s < segments; ++s) {
    auto const i = static_cast<std::size_t>(s);
    tiles += ceil_div(offsets[i + 1] - offsets[i], index_t{kernel::tile_items});
  }
  if (tiles == 0) return;

  index_t const counters = index_t{passes} * segments * digit_values;
  index_t const table_words = digit_table::words(tiles);
  std::size_t const list_bytes = sort_layout::aligned(static_cast<std::size_t>(tiles) * sizeof(segment_tile));
  std::size_t const count_bytes = static_cast<std::size_t>(counters) * sizeof(unsigned long long);
  std::size_t const table_bytes = static_cast<std::size_t>(table_words) * sizeof(unsigned);
  std::byte* const memory = ws.reserve(list_bytes + count_bytes + 2 * table_bytes);
  auto* const list = reinterpret_cast<segment_tile*>(memory);
  auto* const counts = reinterpret_cast<unsigned long long*>(memory + list_bytes);
  auto* const tables = reinterpret_cast<unsigned*>(memory + list_bytes + count_bytes);
  simt::fill_async(counts, 0, count_bytes + table_bytes, ws.stream());

  auto const launch_over = [&](index_t items, int threads) {
    return static_cast<unsigned>(ceil_div(items, index_t{threads}));
  };
  simt::launch<list_tiles_kernel>({.blocks = launch_over(tiles, list_tiles_kernel::block_threads),
                                   .threads = list_tiles_kernel::block_threads,
                                   .on = ws.stream()},
                                  d_offsets, segments, kernel::tile_items, list);
  word_digits digits{0, 0, 0, passes, true, pass_count::any, {}};
  for (digit_place const& place : places) digits.place[digits.passes++] = place;
  index_t const max_counting = index_t{simt::multiprocessor_count()} * histogram::resident_blocks;
  simt::launch<histogram>({.blocks = static_cast<unsigned>(tiles < max_counting ? tiles : max_counting),
                           .threads = histogram::block_threads,
                           .on = ws.stream()},
                          static_cast<typename Order::key_type const*>(keys.from), order, digits,
                          static_cast<segment_tile const*>(list), static_cast<int>(tiles), segments,
                          counts);
  constexpr int begins_warps = listed_begins_kernel::block_threads / simt::warp_size;
  simt::launch<listed_begins_kernel>({.blocks = launch_over(index_t{passes} * segments, begins_warps),
                                      .threads = listed_begins_kernel::block_threads,
                                      .on = ws.stream()},
                                     counts, d_offsets, segments, passes);

  index_t const max_blocks = simt::multiprocessor_count();
  auto const blocks = static_cast<unsigned>(tiles < max_blocks ? tiles : max_blocks);
  auto const table = [&](int pass) {
    return digit_table(tables + pass % 2 * table_words, table_words);
  };
  for (int p = 0; p < passes; ++p) {
    typename kernel::work_type work{
        {list, counts + index_t{p} * segments * digit_values},
        static_cast<int>(tiles),
        order,
        places[static_cast<std::size_t>(p)],
        keys.from,
        keys.to,
        nullptr,
        nullptr,
        table(p)};
    std::swap(keys.from, keys.to);
    if constexpr (!std::is_void_v<Value>) {
      work.values_in = values.from;
      work.values_out = values.to;
      std::swap(values.from, values.to);
    }
    simt::launch<kernel>({.blocks = blocks,
                          .threads = kernel::block_threads,
                          .on = ws.stream(),
                          .cooperative = kernel::cooperative},
                         work, table(p + 1));
  }
}

/// Sorts the items of each segment, [offsets[s], offsets[s + 1]) of `from`, between two buffers:
/// after an odd number of digits the result is in `to`, else in `from`. Fast where all segments are
/// long. offsets: on the host, and in device memory, too. `agree_above`: all keys of a segment are
/// equal in the bits above those of the order.
template <class Tuning = void, class Order, class Value>
void sort_listed_segments(workspace& ws, buffer_pair<typename Order::key_type> keys,
                          buffer_pair<Value> values, std::span<index_t const> offsets,
                          index_t const* d_offsets, Order const& order, bool agree_above) {
  using key_type = typename Order::key_type;
  using tuning = std::conditional_t<
      std::is_void_v<Tuning>, pass_sort_tuning<key_type, Value, typename Order::word_type>, Tuning>;
  order.check();
  auto const places = device::digit_places(order);
  if (places.empty() || offsets.size() < 2) return;
  if constexpr (suits_staged_pass<Order, Value>) {
    using by_position = typename tuning::template staged<tile_witness::positions>;
    using kernel = listed_pass_kernel<Order, Value, tile_witness::positions, by_position>;
    bool const few = offsets.size() <= max_listed_segments + 1;
    index_t const n = offsets.back() - offsets.front();
    if (few && n >= by_position::min_items && simt::device_can_pipeline<kernel>()) {
      // Keys of a segment that are equal in the order's bits must be identical.
      if constexpr (equal_is_identical<Order> && std::is_void_v<Value>) {
        if (order.first_bit == 0 && agree_above) {
          return device::sort_listed_by_passes<tuning, tile_witness::keys>(
              ws, keys, values, offsets, d_offsets, order, places);
        }
      }
      return device::sort_listed_by_passes<tuning, tile_witness::positions>(
          ws, keys, values, offsets, d_offsets, order, places);
    }
  }
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    index_t const begin = offsets[s], n = offsets[s + 1] - begin;
    double_buffer<key_type> of_keys{keys.from + begin, keys.to + begin};
    if constexpr (std::is_void_v<Value>) {
      if (n > 0) device::sort_between<void, Order, void>(ws, of_keys, nullptr, n, order);
    } else {
      double_buffer<Value> of_values{values.from + begin, values.to + begin};
      if (n > 0) device::sort_between<void, Order, Value>(ws, of_keys, &of_values, n, order);
    }
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
