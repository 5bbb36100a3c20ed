// SPDX-License-Identifier: Apache-2.0
// The sort within long segments whose places the host knows, too: staged passes over the tiles of
// all segments. A segment may come in pieces. The segments of `segmented_sort` are known on the
// device only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/radix_sort/core/listed_segments.hpp>
#include <apps/radix_sort/device/sort_passes.cuh>
#include <apps/radix_sort/device/staged_pass.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

using libscan::detail::listed_piece;
using libscan::detail::listed_pieces;
using libscan::detail::max_listed_pieces;

/// Items of one tile of a piece.
struct alignas(16) listed_tile {
  index_t begin;
  int valid;
  std::uint16_t segment;
  std::uint16_t source;
};

/// Lists the tiles of pieces, in order. Every block finds how many tiles the pieces have.
struct list_tiles_kernel {
  static constexpr int block_threads = static_cast<int>(max_listed_pieces);

  struct shared_storage {
    index_t first_tile[max_listed_pieces];
    block::scan_storage<index_t, block_threads> scan;
  };

  /// Tiles have the numbers of their segments counted from `first_segment`.
  __device__ void operator()(shared_storage& shared, listed_piece const* pieces, int count,
                             int first_segment, int tile_items, listed_tile* list) const {
    auto const thread = static_cast<int>(threadIdx.x);
    index_t const own = thread < count ? ceil_div(pieces[thread].size, index_t{tile_items}) : 0;
    auto const before = block::exclusive_scan(shared.scan, own, plus<index_t>{});
    shared.first_tile[thread] = before.prefix;
    simt::sync_block();
    index_t const step = index_t{gridDim.x} * block_threads;
    for (index_t tile = index_t{blockIdx.x} * block_threads + thread; tile < before.total;
         tile += step) {
      int found = 0, past = count;  // the last piece whose first tile is not above this one
      while (past - found > 1) {
        int const middle = found + (past - found) / 2;
        (shared.first_tile[middle] <= tile ? found : past) = middle;
      }
      listed_piece const piece = pieces[found];
      index_t const begin = (tile - shared.first_tile[found]) * tile_items;
      index_t const left = piece.size - begin;
      list[tile] = {piece.begin + begin, static_cast<int>(left < tile_items ? left : tile_items),
                    static_cast<std::uint16_t>(piece.segment - first_segment),
                    static_cast<std::uint16_t>(piece.source)};
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

  /// `counts`: [pass][segment][digit]. `shift`: from the keys of source 0 to those of source 1.
  __device__ void operator()(shared_storage& shared, key_type const* in, index_t shift, Order order,
                             word_digits digits, listed_tile const* list, int tiles, int segments,
                             unsigned long long* counts) const {
    auto const share = [&](unsigned block) {
      return static_cast<int>(index_t{tiles} * block / gridDim.x);
    };
    int const end = share(blockIdx.x + 1);
    for (int tile = share(blockIdx.x); tile < end;) {
      unsigned const segment = list[tile].segment;
      shared.clear(digits);
      simt::sync_block();
      for (; tile < end && list[tile].segment == segment; ++tile) {
        listed_tile const own = list[tile];
        key_type const* const keys = in + own.begin + (own.source == 0 ? 0 : shift);
        shared.add(keys, threadIdx.x, block_threads, own.valid, order, digits);
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

  __device__ void operator()(unsigned long long* counts, listed_piece const* segments, int count,
                             int passes) const {
    constexpr int warps = block_threads / simt::warp_size;
    int const i =
        static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / simt::warp_size;
    if (i >= count * passes) return;
    device::begin_digits(counts + index_t{i} * digit_values, segments[i % count].begin);
  }
};

/// The tiles of a list.
template <int /*TileItems*/>
struct listed_tiles {
  static constexpr bool one_segment = false;

  listed_tile const* list;
  unsigned long long const* begins;  // [segment][digit]
  index_t key_shift, value_shift;    // from the items of source 0 to those of source 1

  __device__ index_t key_base(int tile) const {
    return list[tile].begin + (list[tile].source == 0 ? 0 : key_shift);
  }
  __device__ index_t value_base(int tile) const {
    return list[tile].begin + (list[tile].source == 0 ? 0 : value_shift);
  }
  __device__ int valid(int tile) const { return list[tile].valid; }
  __device__ bool leads(int tile) const {
    return tile == 0 || list[tile - 1].segment != list[tile].segment;
  }
  __device__ index_t begin(int tile, int digit) const {
    return static_cast<index_t>(begins[index_t{list[tile].segment} * digit_values + digit]);
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

/// Two buffers of the keys or values of a sort, and where pieces of source 1 are. The first pass
/// reads `from`, and `more`.
template <class T>
struct listed_buffers {
  T* from = nullptr;
  T* to = nullptr;
  T const* more = nullptr;

  /// From `from` to `more`, in items.
  index_t shift() const {
    if (more == nullptr) return 0;
    auto const bytes =
        reinterpret_cast<std::intptr_t>(more) - reinterpret_cast<std::intptr_t>(from);
    return static_cast<index_t>(bytes) / static_cast<index_t>(sizeof(T));
  }
};
/// Keys without values.
template <>
struct listed_buffers<void> {};

/// The number of tiles of pieces.
inline index_t tiles_of(std::span<listed_piece const> pieces, int tile_items) {
  index_t tiles = 0;
  for (listed_piece const& one : pieces) tiles += ceil_div(one.size, index_t{tile_items});
  return tiles;
}

/// Sorts the items of each segment in staged passes. `Tuning` has `histogram`, and tunings of such
/// passes for keys and for positions.
template <class Tuning, tile_witness Witness, class Order, class Value>
void sort_listed_by_passes(workspace& ws, listed_buffers<typename Order::key_type> keys,
                           listed_buffers<Value> values, listed_pieces const& pieces,
                           listed_pieces const& segments, Order const& order,
                           std::vector<digit_place> const& places) {
  using key_type = typename Order::key_type;
  using kernel =
      listed_pass_kernel<Order, Value, Witness, typename Tuning::template staged<Witness>>;
  using histogram = listed_histogram_kernel<Order, typename Tuning::histogram>;
  device::require_pipeline<kernel>();
  auto const count = static_cast<int>(segments.host.size());
  auto const passes = static_cast<int>(places.size());
  index_t const of_pieces = device::tiles_of(pieces.host, kernel::tile_items);
  index_t const of_segments = device::tiles_of(segments.host, kernel::tile_items);
  if (of_pieces == 0) return;

  // The lists for the first pass and for the others, the counts, and two tables.
  auto const bytes_of = [](index_t n, std::size_t size) {
    return sort_layout::aligned(static_cast<std::size_t>(n) * size);
  };
  index_t const table_words = digit_table::words(of_pieces);  // segments have no more tiles
  std::size_t const list_bytes = bytes_of(of_pieces + of_segments, sizeof(listed_tile));
  std::size_t const bytes_of_counts =
      bytes_of(index_t{passes} * count * digit_values, sizeof(unsigned long long));
  std::size_t const table_bytes = bytes_of(table_words, sizeof(unsigned));
  std::byte* const memory = ws.reserve(list_bytes + bytes_of_counts + 2 * table_bytes);
  auto* const piece_list = reinterpret_cast<listed_tile*>(memory);
  auto* const segment_list = piece_list + of_pieces;
  auto* const counts = reinterpret_cast<unsigned long long*>(memory + list_bytes);
  auto const table = [&](int pass) {
    std::byte* const begin =
        memory + list_bytes + bytes_of_counts + (pass % 2 == 0 ? 0 : table_bytes);
    return digit_table(reinterpret_cast<unsigned*>(begin), table_words);
  };
  simt::fill_async(counts, 0, bytes_of_counts + table_bytes, ws.stream());

  auto const blocks_for = [](index_t work, int each) {
    return static_cast<unsigned>(ceil_div(work, index_t{each}));
  };
  auto const list_tiles = [&](listed_pieces const& of, index_t tiles, listed_tile* list) {
    simt::launch<list_tiles_kernel>({.blocks = blocks_for(tiles, list_tiles_kernel::block_threads),
                                     .threads = list_tiles_kernel::block_threads,
                                     .on = ws.stream()},
                                    of.device, static_cast<int>(of.host.size()),
                                    segments.host[0].segment, kernel::tile_items, list);
  };
  list_tiles(pieces, of_pieces, piece_list);
  if (passes > 1) list_tiles(segments, of_segments, segment_list);

  word_digits digits{0, 0, 0, passes, true, pass_count::any, {}};
  for (digit_place const& place : places) digits.place[digits.passes++] = place;
  index_t const counting = index_t{simt::multiprocessor_count()} * histogram::resident_blocks;
  simt::launch<histogram>({.blocks = static_cast<unsigned>(std::min(of_pieces, counting)),
                           .threads = histogram::block_threads,
                           .on = ws.stream()},
                          static_cast<key_type const*>(keys.from), keys.shift(), order, digits,
                          static_cast<listed_tile const*>(piece_list), static_cast<int>(of_pieces),
                          count, counts);
  constexpr int begins_warps = listed_begins_kernel::block_threads / simt::warp_size;
  simt::launch<listed_begins_kernel>({.blocks = blocks_for(index_t{passes} * count, begins_warps),
                                      .threads = listed_begins_kernel::block_threads,
                                      .on = ws.stream()},
                                     counts, segments.device, count, passes);

  for (int p = 0; p < passes; ++p) {
    index_t const tiles = p == 0 ? of_pieces : of_segments;
    typename kernel::work_type work{{p == 0 ? piece_list : segment_list,
                                     counts + index_t{p} * count * digit_values, keys.shift(), 0},
                                    static_cast<int>(tiles),
                                    order,
                                    places[static_cast<std::size_t>(p)],
                                    keys.from,
                                    keys.to,
                                    nullptr,
                                    nullptr,
                                    table(p)};
    std::swap(keys.from, keys.to);
    keys.more = nullptr;
    if constexpr (!std::is_void_v<Value>) {
      work.items.value_shift = values.shift();
      work.values_in = values.from;
      work.values_out = values.to;
      std::swap(values.from, values.to);
      values.more = nullptr;
    }
    index_t const blocks = std::min<index_t>(tiles, simt::multiprocessor_count());
    simt::launch<kernel>({.blocks = static_cast<unsigned>(blocks),
                          .threads = kernel::block_threads,
                          .on = ws.stream(),
                          .cooperative = kernel::cooperative},
                         work, table(p + 1));
  }
}

/// The same by a plain sort of each segment, after its pieces have been brought together.
template <class Order, class Value>
void sort_listed_each(workspace& ws, listed_buffers<typename Order::key_type> keys,
                      listed_buffers<Value> values, listed_pieces const& pieces,
                      listed_pieces const& segments, Order const& order, bool ends_in_to) {
  using key_type = typename Order::key_type;
  auto const gather = [&](auto const& buffers, index_t target, listed_piece const& piece) {
    auto const* const source = piece.source == 0 ? buffers.from : buffers.more;
    simt::copy_async(buffers.to + target, source + piece.begin,
                     static_cast<std::size_t>(piece.size) * sizeof(*source), ws.stream());
  };
  std::size_t next = 0;
  for (listed_piece const& segment : segments.host) {
    for (index_t done = 0; done < segment.size; ++next) {
      listed_piece const& piece = pieces.host[next];
      gather(keys, segment.begin + done, piece);
      if constexpr (!std::is_void_v<Value>) gather(values, segment.begin + done, piece);
      done += piece.size;
    }
  }
  for (listed_piece const& segment : segments.host) {
    if (segment.size == 0) continue;
    auto const within = [&](auto const& buffers) {
      auto* const in = buffers.to + segment.begin;
      auto* const out = ends_in_to ? in : buffers.from + segment.begin;
      return sort_buffers<std::remove_pointer_t<decltype(out)>>{in, out};
    };
    sort_buffers<Value> of_values;
    if constexpr (!std::is_void_v<Value>) of_values = within(values);
    sort_buffers<key_type> const of_keys = within(keys);
    device::sort<void, Order, Value>(ws, of_keys, of_values, segment.size, order);
  }
}

/// Whether `sort_listed_segments` of keys sorts long segments together on this device.
template <class Key>
bool sorts_segments_together() {
  using tuning =
      typename pass_sort_tuning<Key, void, Key>::template staged<tile_witness::positions>;
  using kernel = listed_pass_kernel<sort_order<Key>, void, tile_witness::positions, tuning>;
  return simt::device_can_pipeline<kernel>();
}

/// Sorts the items of each segment between two buffers. After an odd number of digits the result is
/// in `to`, else in `from`, in the segment's place. `segments`: their places in the result, in
/// order; `pieces`: where their items are, those of the first segment first, and in the order that
/// equal ones keep. Both are on the host and in device memory. A piece of source 1 is in `more`;
/// one of source 0 in `from`, at places of these segments. Fast where all pieces are long.
/// `agree_above`: all keys of a segment are equal in the bits above those of the order.
template <class Tuning = void, class Order, class Value>
void sort_listed_segments(workspace& ws, listed_buffers<typename Order::key_type> keys,
                          listed_buffers<Value> values, listed_pieces const& pieces,
                          listed_pieces const& segments, Order const& order, bool agree_above) {
  using key_type = typename Order::key_type;
  using tuning =
      std::conditional_t<std::is_void_v<Tuning>,
                         pass_sort_tuning<key_type, Value, typename Order::word_type>, Tuning>;
  order.check_bits();
  auto const places = device::digit_places(order);
  if (places.empty() || segments.host.empty()) return;
  if constexpr (suits_staged_pass<Order, Value>) {
    using by_position = typename tuning::template staged<tile_witness::positions>;
    using kernel = listed_pass_kernel<Order, Value, tile_witness::positions, by_position>;
    index_t n = 0, longest = 0;
    for (listed_piece const& one : segments.host) {
      n += one.size;
      longest = std::max(longest, one.size);
    }
    bool const fits = std::max(pieces.host.size(), segments.host.size()) <= max_listed_pieces &&
                      longest <= by_position::portion_tiles * kernel::tile_items;
    if (fits && n >= by_position::min_items && simt::device_can_pipeline<kernel>()) {
      // Keys of a segment that are equal in the order's bits must be identical.
      if constexpr (equal_is_identical<Order> && std::is_void_v<Value>) {
        if (order.first_bit == 0 && agree_above) {
          return device::sort_listed_by_passes<tuning, tile_witness::keys>(ws, keys, values, pieces,
                                                                           segments, order, places);
        }
      }
      return device::sort_listed_by_passes<tuning, tile_witness::positions>(
          ws, keys, values, pieces, segments, order, places);
    }
  }
  device::sort_listed_each(ws, keys, values, pieces, segments, order, places.size() % 2 != 0);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
