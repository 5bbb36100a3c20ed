// SPDX-License-Identifier: Apache-2.0
// The total of every segment, in a single pass: a segmented scan that stores one result per
// segment. A tile knows where its results go by a second chain of tiles, which counts heads.
#pragma once

#include <algorithm>

#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/segmented_scan.cuh>
#include <libscan/warp/bitwise_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// What becomes of the key of a segment that begins at item i: nothing.
struct no_keys {
  __device__ void begin(index_t /*segment*/, index_t /*i*/) const {}
};
/// It is stored.
template <class Keys, class Out>
struct unique_keys {
  Keys keys;
  Out out;
  __device__ void begin(index_t segment, index_t i) const { out[segment] = keys[i]; }
};

/// Totals of the segments that are not empty, stored where `places` says. An iterator.
template <class Totals>
struct placed_totals {
  Totals totals;
  index_t const* places;
  __device__ decltype(auto) operator[](index_t k) const { return totals[places[k]]; }
};

/// The segmented reduction: each block claims tiles, one after the other, until none is left.
template <class In, class Op, class Tuning>
struct segmented_reduce_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int width = warp::row_width<warp::item_bytes<In, T>, Tuning::items_per_thread>;
  static constexpr int rows = Tuning::items_per_thread / width;
  using tile_type = segmented_tile<T, block_threads, rows, width>;
  static constexpr int tile_items = tile_type::tile_items;
  static constexpr int warps = tile_type::warps;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    int heads[warps];
    index_t segments_before;
    index_t claimed;
  };

  template <class Totals, class Heads, class Keys>
  __device__ void operator()(shared_storage& shared, In in, Totals totals, Heads heads, Keys keys,
                             item_count count, Op op, T init, tile_state<T> state,
                             tile_state<position> counts, index_t* segments) const {
    index_t const n = count.get();
    if (n == 0 && segments != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *segments = 0;
    for (;;) {
      // 1 claim a tile
      if (threadIdx.x == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      index_t const base = tile * tile_items;
      if (base >= n) return;
      int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);

      // 2 load it; 3 scan each warp's part, rank its heads
      tile_type part;
      part.load(in, heads, base, valid, T(op.identity()));
      auto const warp_end = part.template scan_rows<row_prefix::ended>(init, op);
      int ranks[rows];
      int const warp_heads = rank_rows(part, ranks);
      int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
      if (simt::lane_id() == 0) shared.heads[warp] = warp_heads;

      // 4 publish what the tile leaves behind and how many segments it begins; look back for both
      auto const entry = part.enter(shared.tile, state, tile, warp_end, op,
                                    [&] { count_segments(shared, counts, tile); });
      int tile_heads = 0;
      int warps_before = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        if (w == warp) warps_before = tile_heads;
        tile_heads += shared.heads[w];
      }

      // 5 store: a head ends the segment before it, and the last item its own
      index_t const before = shared.segments_before;
      part.apply(entry.warp_carry, op);
      put(part, ranks, before + warps_before, base, totals, keys);
      if (base + valid == n && threadIdx.x == 0) {
        totals[before + tile_heads - 1] = entry.tile_last;
        if (segments != nullptr) *segments = before + tile_heads;
      }
    }
  }

  /// ranks[r] = the heads of the warp before the caller's part of row r. Returns the warp's heads.
  static __device__ int rank_rows(tile_type const& part, int (&ranks)[rows]) {
    constexpr int bits = width >= 16 ? 5 : width >= 8 ? 4 : width >= 4 ? 3 : width >= 2 ? 2 : 1;
    int all = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const own = static_cast<unsigned>(simt::popc(part.row_heads(r)));
      auto const row = warp::bitwise_scan<bits>(own);
      ranks[r] = all + static_cast<int>(row.prefix);
      all += static_cast<int>(row.total);
    }
    return all;
  }

  /// Finds how many segments begin before the tile, and tells others. By one warp.
  static __device__ void count_segments(shared_storage& shared, tile_state<position> const& counts,
                                        index_t tile) {
    position own{0};
#pragma unroll
    for (int w = 0; w < warps; ++w) own.value += shared.heads[w];
    bool const leader = simt::lane_id() == 0;
    position before{0};
    if (tile > 0) {
      if (leader) counts.publish(tile, tile_status::total, own);
      before = look_back(counts, tile, plus_position{});
    }
    if (leader) {
      counts.publish(tile, tile_status::prefix, plus_position{}(before, own));
      shared.segments_before = before.value;
    }
  }

  /// Stores what ended at each head of the caller. `before`: the segments begun before the warp.
  template <class Totals, class Keys>
  static __device__ void put(tile_type const& part, int const (&ranks)[rows], index_t before,
                             index_t base, Totals totals, Keys keys) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      unsigned const own = part.row_heads(r);
#pragma unroll
      for (int j = 0; j < width; ++j) {
        if ((own >> j & 1u) == 0) continue;
        index_t const i = base + part.first_item() + r * tile_type::row_items + j;
        index_t const segment = before + ranks[r] + simt::popc(own & ((1u << j) - 1));
        keys.begin(segment, i);
        if (segment > 0) totals[segment - 1] = part.items[r][j];
      }
    }
  }
};

/// Launches `segmented_reduce_kernel` in `memory`, which has room for two tile states.
template <class Tuning, class In, class Totals, class Heads, class Keys, class Op>
void launch_segmented_reduce(std::byte* memory, simt::stream on, In in, Totals totals, Heads heads,
                             Keys keys, item_count n, Op op, index_t* d_segments,
                             typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = segmented_reduce_kernel<In, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  std::byte* const values = memory + tile_state<position>::bytes(tiles);
  simt::fill_async(memory, 0, tile_state<position>::reset_bytes(tiles), on);
  simt::fill_async(values, 0, tile_state<T>::reset_bytes(tiles), on);
  unsigned const blocks =
      blocks_for<kernel, In, Totals, Heads, Keys, item_count, Op, T, tile_state<T>,
                 tile_state<position>, index_t*>(tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, in, totals,
                       heads, keys, n, op, init, tile_state<T>(values, tiles),
                       tile_state<position>(memory, tiles), d_segments);
}

/// What `launch_segmented_reduce` needs of memory.
template <class T, class Tuning>
constexpr std::size_t segmented_reduce_bytes(index_t n) {
  index_t const tile_items = index_t{Tuning::block_threads} * Tuning::items_per_thread;
  index_t const tiles = ceil_div(n, tile_items);
  return tile_state<position>::bytes(tiles) + tile_state<T>::bytes(tiles);
}

/// What the scan that numbers the segments needs of memory.
constexpr std::size_t places_scan_bytes(index_t segments) {
  using tuning = look_back_tuning<index_t>;
  index_t const tile_items = index_t{tuning::block_threads} * tuning::items_per_thread;
  return tile_state<index_t>::bytes(ceil_div(segments, tile_items));
}

/// An output iterator for the number of segments begun before segment s: those that begin keep s as
/// the place of their total, those that are empty get `init` for a total.
template <class Offset, class Totals, class T>
struct place_writer {
  begun_segments<Offset> begun;
  index_t* places;
  Totals totals;
  T init;

  struct reference {
    place_writer const& writer;
    index_t s;
    __device__ void operator=(index_t number) const {
      if (writer.begun[s]) {
        writer.places[number] = s;
      } else {
        writer.totals[s] = writer.init;
      }
    }
  };
  __device__ reference operator[](index_t s) const { return {*this, s}; }
};

/// Totals of all descriptors that have no empty segments.
template <class Tuning, class In, class Totals, class Heads, class Keys, class Op>
void segmented_reduce(workspace& ws, In in, Totals totals, Heads heads, Keys keys, item_count n,
                      Op op, index_t* d_segments, typename Op::value_type init) {
  using T = typename Op::value_type;
  check_heads(heads);
  std::byte* const memory = ws.reserve(segmented_reduce_bytes<T, Tuning>(n.at_most()));
  launch_segmented_reduce<Tuning>(memory, ws.stream(), in, totals, heads, keys, n, op, d_segments,
                                  init);
}

/// Totals between offsets: first a scan finds the number of each segment among those not empty.
template <class Tuning, class In, class Totals, class Offset, class Op>
void segmented_reduce(workspace& ws, In in, Totals totals, segment_offsets<Offset> descriptor,
                      no_keys keys, item_count n, Op op, index_t* /*d_segments*/,
                      typename Op::value_type init) {
  using T = typename Op::value_type;
  check_heads(descriptor);
  index_t const segments = descriptor.segments;
  std::size_t const for_heads = head_bytes(descriptor, n.at_most());
  std::size_t const for_places = static_cast<std::size_t>(ceil_div(segments, index_t{32})) * 256;
  std::size_t const for_scan = places_scan_bytes(segments);
  std::size_t const for_tiles = segmented_reduce_bytes<T, Tuning>(n.at_most());
  std::byte* const memory = ws.reserve(for_heads + for_places + std::max(for_scan, for_tiles));
  auto* const places = reinterpret_cast<index_t*>(memory + for_heads);
  std::byte* const behind = memory + for_heads + for_places;

  auto const heads = prepare_heads(descriptor, memory, n, ws.stream());
  begun_segments<Offset> const begun{descriptor.offsets, n};
  workspace scan_ws(behind, for_scan, ws.stream());
  using scan_tuning = look_back_tuning<index_t>;
  look_back_scan<scan_kind::exclusive, scan_tuning>(
      scan_ws, begun, place_writer<Offset, Totals, T>{begun, places, totals, init}, segments,
      plus<index_t>{}, nullptr, 0);
  launch_segmented_reduce<Tuning>(behind, ws.stream(), in, placed_totals<Totals>{totals, places},
                                  heads, keys, n, op, nullptr, init);
}

}  // namespace device

/// Bytes of workspace that `segmented_reduce` of up to `n` items with values of type T needs. A
/// pure function of its arguments; needs no device.
template <class T, class Heads>
constexpr std::size_t segmented_reduce_workspace_bytes(index_t n, Heads const& /*descriptor*/) {
  return device::segmented_reduce_bytes<T, device::segmented_tuning<T>>(n);
}
template <class T, class Offset>
constexpr std::size_t segmented_reduce_workspace_bytes(index_t n,
                                                       segment_offsets<Offset> const& descriptor) {
  index_t const segments = descriptor.segments;
  std::size_t const a = device::places_scan_bytes(segments);
  std::size_t const b = device::segmented_reduce_bytes<T, device::segmented_tuning<T>>(n);
  return device::head_bytes(descriptor, n) +
         static_cast<std::size_t>(ceil_div(segments, index_t{32})) * 256 + (a > b ? a : b);
}

/// totals[s] = init op the items of segment s, in order.
///
/// Descriptors, types, operator, n, synchronisation, repeatability and errors are those of
/// `segmented_scan`. Progress: a tile waits only for tiles claimed by running blocks.
/// `segment_offsets` gives a total to every segment, `init` to empty ones; the others have no empty
/// segments. d_segments: receives the number of segments in device memory, or is null; not written
/// for `segment_offsets`, whose number the caller knows. Aliasing: `totals` may overlap nothing.
/// Traffic: reads n items and the descriptor, writes one result per segment; for `segment_offsets`
/// also reads the offsets twice more and passes 8 bytes per segment through the workspace.
template <class Tuning = void, class In, class Totals, class Heads, class Op>
void segmented_reduce(workspace& ws, In in, Totals totals, Heads descriptor, item_count n, Op op,
                      index_t* d_segments = nullptr,
                      std::type_identity_t<typename Op::value_type> init = Op::identity()) {
  static_assert(monoid<Op>,
                "a reduction's operator needs value_type, identity() and an associative call");
  using tuning = device::segmented_tuning_or<Tuning, typename Op::value_type>;
  device::segmented_reduce<tuning>(ws, in, totals, descriptor, device::no_keys{}, n, op, d_segments,
                                   init);
}

/// Every run of equal neighbouring keys becomes one: unique[s] = the key of run s, totals[s] = init
/// op the items of run s, *d_runs = how many runs there are. Otherwise as `segmented_reduce` with
/// `segment_keys`. `unique` and `totals` need room for as many results as there are runs, n at
/// most; they may overlap nothing.
template <class Tuning = void, class Keys, class In, class Unique, class Totals, class Op,
          class Equal = equal_values>
void reduce_by_key(workspace& ws, Keys keys, In in, Unique unique, Totals totals, item_count n,
                   Op op, index_t* d_runs, Equal equal = {},
                   std::type_identity_t<typename Op::value_type> init = Op::identity()) {
  using tuning = device::segmented_tuning_or<Tuning, typename Op::value_type>;
  device::segmented_reduce<tuning>(ws, in, totals, segment_keys<Keys, Equal>{keys, equal},
                                   device::unique_keys<Keys, Unique>{keys, unique}, n, op, d_runs,
                                   init);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
