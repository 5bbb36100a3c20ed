// SPDX-License-Identifier: Apache-2.0
// Device-wide scan within segments, in a single pass: every item is read once and every result
// written once, for segments of any length (Sengupta, Harris, Zhang & Owens 2007). As many items as
// the multiprocessors hold at once are scanned by resident blocks; more items on the pipeline if it
// can run, otherwise with tiles chained as Merrill & Garland (2016) do.
#pragma once

#include <algorithm>

#include <libscan/device/key_heads.cuh>
#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/offsets_to_bits.cuh>
#include <libscan/device/pipelined_segmented_scan.cuh>
#include <libscan/device/resident_segmented_scan.cuh>
#include <libscan/device/segment_ranges.cuh>
#include <libscan/device/segmented_tile.cuh>
#include <libscan/device/values.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// The segmented scan: each block claims tiles, one after the other, until none is left.
template <scan_kind Kind, class In, class Out, class Heads, class Op, class Tuning>
struct segmented_scan_kernel {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr bool programmatic_launch = true;
  static constexpr int width =
      warp::row_width<std::max(warp::item_bytes<In, T>, warp::item_bytes<Out, T>),
                      Tuning::items_per_thread>;
  static constexpr int rows = Tuning::items_per_thread / width;
  using tile_type = segmented_tile<T, block_threads, rows, width>;
  static constexpr int tile_items = tile_type::tile_items;

  using marks = tile_heads<Heads, block_threads, tile_items>;

  struct shared_storage {
    typename tile_type::shared_storage tile;
    [[no_unique_address]] typename marks::shared_storage heads;
    index_t claimed;
  };

  __device__ void operator()(shared_storage& shared, In in, Out out, Heads heads, item_count count,
                             Op op, T init, tile_state<T> state) const {
    constexpr row_prefix what =
        Kind == scan_kind::inclusive ? row_prefix::inclusive : row_prefix::exclusive;
    index_t const n = count.get();
    for (;;) {
      // 1 claim a tile
      if (threadIdx.x == 0) shared.claimed = state.claim();
      simt::sync_block();
      index_t const tile = shared.claimed;
      index_t const base = tile * tile_items;
      if (base >= n) return;
      int const valid = static_cast<int>(n - base < tile_items ? n - base : tile_items);

      // 2 load it; 3 scan each warp's part
      tile_type part;
      part.load_items(in, base, valid, T(op.identity()));
      part.load_heads(marks::of(shared.heads, heads, base, valid), base, valid);
      auto const warp_end = part.template scan_rows<what>(init, op);

      auto const written = device::items_in_segments(heads, base);

      // 4 publish the tile's open end, look back for the carry
      auto const entry = part.enter(shared.tile, state, tile, warp_end, op, [] {});

      // 5 apply it; 6 store
      part.apply(entry.warp_carry, op);
      part.store(out, base, valid, written);
    }
  }
};

/// Whether the pipeline can scan such items with such head flags.
template <class In, class Heads>
inline constexpr bool suits_segmented_pipeline =
    suits_bulk_copy<In>&& staged_heads<Heads, 32>::possible;

/// Resets the tile state and launches `segmented_scan_kernel` over n items. `memory`:
/// `tile_state<T>::bytes` for n's tiles, in the workspace.
template <scan_kind Kind, class Tuning, class In, class Out, class Heads, class Op>
void look_back_segmented_scan(workspace& ws, std::byte* memory, In in, Out out, Heads heads,
                              item_count n, Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  using kernel = segmented_scan_kernel<Kind, In, Out, Heads, Op, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  simt::fill_async(memory, 0, tile_state<T>::reset_bytes(tiles), ws.stream());
  unsigned const blocks =
      device::blocks_for<kernel, In, Out, Heads, item_count, Op, T, tile_state<T>>(
          tiles, kernel::block_threads);
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = ws.stream()}, in,
                       out, heads, n, op, init, tile_state<T>(memory, tiles));
}

/// Bytes of workspace for the tiles of either algorithm.
template <class T>
constexpr std::size_t segmented_tiles_bytes(index_t n, index_t look_back_items) {
  std::size_t const look_back = tile_state<T>::bytes(ceil_div(n, look_back_items));
  std::size_t const pipeline =
      device::pipeline_bytes<segment_carry<T>>(ceil_div(n, index_t{min_pipeline_tile}));
  return std::max({look_back, pipeline, resident_summaries_bytes<T, resident_segmented_tuning<T>>});
}

/// Scans more items than resident blocks hold, on the pipeline if `Tuning` is that of one, or is
/// void and the iterators and the GPU permit it. `memory`: for the tiles, in the workspace.
template <scan_kind Kind, class Tuning, class LookBack, class In, class Out, class Heads, class Op>
void scan_segmented_tiles(workspace& ws, std::byte* memory, In in, Out out, Heads heads,
                          item_count n, Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  if constexpr (tunes_pipeline<Tuning>) {
    return device::pipelined_segmented_scan<Kind, Tuning>(ws, memory, in, out, heads, n, op, init);
  } else {
    if constexpr (std::is_void_v<Tuning> && sizeof(T) <= 16 &&
                  suits_segmented_pipeline<In, Heads>) {
      using item = memory_value_t<In, T>;
      using result = memory_value_t<Out, T>;
      using tuning =
          segmented_pipeline_tuning<item, T, result, staged_heads<Heads, 32>::bits_per_item>;
      using work = segmented_scan_work<Kind, item, Out, Heads, Op, tuning>;
      using kernel = pipeline_kernel<work, tuning>;
      if (n.at_most() >= tuning::min_items && simt::device_can_pipeline<kernel>()) {
        return device::pipelined_segmented_scan<Kind, tuning>(ws, memory, in, out, heads, n, op,
                                                              init);
      }
    }
    device::look_back_segmented_scan<Kind, LookBack>(ws, memory, in, out, heads, n, op, init);
  }
}

/// Prepares the head flags, unless each tile finds its own, and scans in the way of `Tuning`, or as
/// the iterators and the GPU permit.
template <scan_kind Kind, class Tuning, class In, class Out, class Heads, class Op>
void segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                    typename Op::value_type init) {
  using T = typename Op::value_type;
  device::refuse_items<In, T>();
  device::refuse_heads<Heads>();
  device::refuse_results<T, Out>();
  using look_back = std::conditional_t<tunes_pipeline<Tuning> || tunes_resident_segments<Tuning> ||
                                           std::is_void_v<Tuning>,
                                       segmented_tuning<T>, Tuning>;
  device::check_heads(descriptor);
  if (n.at_most() == 0) return;
  if constexpr (by_offsets<Heads>) {
    if (descriptor.segments == 0) return;  // no item is in a segment
  }
  index_t const known = n.at_least();
  memory_span const written = device::memory_of(out, known);
  device::require_in_place_or_no_overlap("segmented scan", device::memory_of(in, known), written);
  bool const over_keys = device::overwrites_heads(descriptor, out);
  if (!over_keys) {
    device::require_no_overlap("segmented scan", "output and descriptor", written,
                               device::memory_of(descriptor, known));
  }
  std::size_t const for_heads = over_keys ? device::key_bits_bytes(descriptor, n.at_most())
                                          : device::head_bytes(descriptor, n.at_most());
  index_t const tile_items = index_t{look_back::block_threads} * look_back::items_per_thread;
  std::size_t for_tiles = device::segmented_tiles_bytes<T>(n.at_most(), tile_items);
  if constexpr (tunes_pipeline<Tuning>) {
    index_t const least = index_t{Tuning::group_threads} * Tuning::batches * Tuning::lane_vectors *
                          Tuning::vector_items;
    for_tiles = device::pipeline_bytes<segment_carry<T>>(ceil_div(n.at_most(), least));
  }
  if constexpr (by_offsets<Heads> && !tunes_pipeline<Tuning> && !tunes_resident_segments<Tuning> &&
                !marks_heads<Tuning>) {
    if (device::suits_search(n.at_most(), descriptor.segments)) {
      offsets_searched_per_tile<std::remove_cvref_t<decltype(*descriptor.offsets)>> const searched{
          descriptor.offsets, descriptor.segments};
      return device::look_back_segmented_scan<Kind, look_back>(ws, ws.reserve(for_tiles), in, out,
                                                               searched, n, op, init);
    }
  }
  std::byte* const memory = ws.reserve(for_heads + for_tiles);
  auto const heads = device::prepare_heads(descriptor, memory, n, ws.stream());
  std::byte* const past = memory + for_heads;
  // Resident blocks write after all have read.
  if constexpr (tunes_resident_segments<Tuning>) {
    return device::resident_segmented_scan<Kind, Tuning>(past, ws.stream(), in, out, heads, n, op,
                                                         init);
  } else {
    if constexpr (std::is_void_v<Tuning> && sizeof(T) <= 16) {
      if (device::resident_segmented_scan_if_fits<Kind>(past, ws.stream(), in, out, heads, n, op,
                                                        init)) {
        return;
      }
    }
    if constexpr (can_overwrite_heads<Heads, Out>) {
      if (over_keys) {
        head_bits const bits = device::mark_keys(descriptor, memory, n, ws.stream());
        return device::scan_segmented_tiles<Kind, Tuning, look_back>(ws, past, in, out, bits, n, op,
                                                                     init);
      }
    }
    device::scan_segmented_tiles<Kind, Tuning, look_back>(ws, past, in, out, heads, n, op, init);
  }
}

}  // namespace device

/// Bytes of workspace that a segmented scan of up to `n` items with values of type T needs. A pure
/// function of its arguments; needs no device.
template <class T, class Heads>
constexpr std::size_t segmented_scan_workspace_bytes(index_t n, Heads const& descriptor) {
  using tuning = device::segmented_tuning<T>;
  index_t const tile_items = index_t{tuning::block_threads} * tuning::items_per_thread;
  return device::head_bytes(descriptor, n) + device::key_bits_bytes(descriptor, n) +
         device::segmented_tiles_bytes<T>(n, tile_items);
}

/// The same for ranges of items.
template <class T, class Offset>
constexpr std::size_t segmented_scan_workspace_bytes(index_t n, segment_ranges<Offset> const&) {
  return device::ranges_bytes<T>(n);
}

/// Scan within segments: out[i] = init op in[h] op ... op in[i] (inclusive) or init op in[h] op ...
/// op in[i - 1] (exclusive) for 0 <= i < n, where h is the last head up to and including i.
///
/// Segments: `descriptor` is one of `head_flags`, `head_bits`, `segment_offsets`, `segment_keys`,
/// `equal_segments`; item 0 always begins a segment. `segment_offsets` may leave out items before
/// the first segment and after the last, `segment_ranges` any: those of `out` do not change.
/// Ranges are cut off at n; they may not overlap.
/// Types: `in` and `out` are random-access iterators of the device; items are converted to
/// Op::value_type before the operator is applied, and results from it when they are stored.
/// Operator: associative; need not commute: unless it is `commutative`, it is only called as
/// op(earlier, later), on items, `init` and the identity; also on items that offsets leave out.
/// n: any size >= 0, also read from device memory (`item_count::on_device`); n = 0 writes nothing.
/// Aliasing: `out` may be equal to `in`, or to the keys of `segment_keys`, of one type at plain
/// pointers. Any other overlap, also with the descriptor, is refused if both are pointers and the
/// host knows n, and undefined otherwise.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `segmented_scan_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic: reads n items and the descriptor, writes n results, for segments of any length; few
/// offsets are read again by tiles that search them. Keys that are overwritten become head bits in
/// the workspace first, unless resident blocks hold all items. Of ranges, only their items are
/// read; ranges of more than n / 512 items and 4 tiles are split into pieces for all blocks, and
/// read twice.
/// Determinism: results are bitwise the same in every run on one kind of GPU.
/// Progress: few items, and many at plain pointers on GPUs with bulk copies and enough shared
/// memory for the pipeline (sm_90), use a cooperative launch, which starts when all its blocks fit;
/// otherwise a tile waits only for tiles claimed by running blocks.
/// Throws: `invalid_argument` (workspace too small, invalid length, overlap), `device_error`.
template <scan_kind Kind, class Tuning = void, class In, class Out, class Heads, monoid Op>
void segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                    std::type_identity_t<typename Op::value_type> init) {
  device::segmented_scan<Kind, Tuning>(ws, in, out, descriptor, n, op, init);
}

/// The same without an init, which is the identity; and with any other callable
/// (libscan/core/function_operator.hpp), for which an exclusive scan needs init if its identity is
/// not known.
template <scan_kind Kind, class Tuning = void, class In, class Out, class Heads, class Op,
          class Init = unstated>
requires detail::adapted<Op, Init>
void segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                    Init init = unstated::init()) {
  constexpr auto needed = Kind == scan_kind::inclusive ? detail::init_needed::never
                                                       : detail::init_needed::if_no_identity;
  using call = detail::operator_call<Op, In, Init, needed>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto by, auto first) {
      device::segmented_scan<Kind, Tuning>(ws, in, out, descriptor, n, by, first);
    });
  }
}

/// `segmented_scan` of the inclusive kind.
template <class Tuning = void, class In, class Out, class Heads, monoid Op>
void inclusive_segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                              std::type_identity_t<typename Op::value_type> init) {
  device::segmented_scan<scan_kind::inclusive, Tuning>(ws, in, out, descriptor, n, op, init);
}
template <class Tuning = void, class In, class Out, class Heads, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void inclusive_segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                              Init init = unstated::init()) {
  libscan::segmented_scan<scan_kind::inclusive, Tuning>(ws, in, out, descriptor, n, op, init);
}

/// `segmented_scan` of the exclusive kind.
template <class Tuning = void, class In, class Out, class Heads, monoid Op>
void exclusive_segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                              std::type_identity_t<typename Op::value_type> init) {
  device::segmented_scan<scan_kind::exclusive, Tuning>(ws, in, out, descriptor, n, op, init);
}
template <class Tuning = void, class In, class Out, class Heads, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void exclusive_segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                              Init init = unstated::init()) {
  libscan::segmented_scan<scan_kind::exclusive, Tuning>(ws, in, out, descriptor, n, op, init);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
