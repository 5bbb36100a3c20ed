// SPDX-License-Identifier: Apache-2.0
// Device-wide scan within segments, in a single pass: every item is read once and every result
// written once, however long or short the segments are.
#pragma once

#include <type_traits>

#include <libscan/device/arguments.cuh>
#include <libscan/device/head_bits.cuh>
#include <libscan/device/offsets_searched_per_tile.cuh>
#include <libscan/device/range_scans.cuh>
#include <libscan/device/run.cuh>
#include <libscan/device/segmented_scan_work.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// Whether the pipeline can scan such items with such head flags.
template <class In, class Heads>
inline constexpr bool suits_segmented_pipeline =
    suits_bulk_copy<In>&& staged_heads<Heads, 32>::possible;

/// A scan within segments, whose head flags kernels can read (see libscan/device/run.cuh).
/// `FewFirst`: the resident kernel is tried first.
template <scan_kind Kind, class In, class Out, class Heads, class Op, bool FewFirst,
          class Init = typename Op::value_type>
struct segmented_scan_operation {
  using T = typename Op::value_type;
  using item = memory_value_t<In, T>;
  using result = memory_value_t<Out, T>;
  static constexpr bool is_small = sizeof(T) <= 16;
  static constexpr bool pipelines = is_small && suits_segmented_pipeline<In, Heads>;
  static constexpr int head_bits = staged_heads<Heads, 32>::bits_per_item;
  using few = std::conditional_t<is_small && FewFirst, short_resident_segmented_tuning<T>, void>;
  using more = std::conditional_t<is_small && FewFirst, resident_segmented_tuning<T>, void>;
  using few_items = tunings_to_try<few, more>;
  using tunings = tunings_to_try<
      few, more,
      std::conditional_t<pipelines, segmented_pipeline_tuning<item, T, result, head_bits>, void>,
      segmented_tuning<T>>;

  In in;
  Out out;
  Heads heads;
  Op op;
  Init init;

  template <class Tuning>
  auto work() const {
    if constexpr (tunes_pipeline<Tuning>) {
      return pipelined_segmented_scan<Kind, item, Out, Heads, Op, Tuning, Init>{
          {in, heads}, out, {op}, init};
    } else {
      return register_segmented_scan<Kind, In, Out, Heads, Op, Tuning, Init>{
          in, out, heads, {op}, init};
    }
  }
};

/// Bytes of workspace for the tiles of a call with `Tuning`, which may be void, on values of T.
template <class T, class Summary, class Tuning>
constexpr std::size_t segment_run_bytes(index_t n) {
  if constexpr (tunes_pipeline<Tuning>) {
    index_t const tile = index_t{Tuning::group_threads} * Tuning::batches * Tuning::lane_vectors *
                         Tuning::vector_items;
    return device::pipeline_bytes<Summary>(ceil_div(n, tile));
  } else if constexpr (tuned_for<Tuning, scan_algorithm::resident>) {
    return resident_bytes<Summary, Tuning>;
  } else {
    using look_back = std::conditional_t<std::is_void_v<Tuning>, segmented_tuning<T>, Tuning>;
    return device::max_run_bytes<Summary>(
        n, {index_t{look_back::block_threads} * look_back::items_per_thread, min_pipeline_tile,
            resident_segmented_tuning<T>::block_threads});
  }
}

/// Whether a call with `Tuning` may let its tiles search for their segment starts.
template <class Tuning>
inline constexpr bool may_search =
    std::is_void_v<Tuning> || tuned_for<Tuning, scan_algorithm::look_back>;

/// Prepares the head flags, unless each tile finds its own, and scans.
template <scan_kind Kind, class Tuning, class In, class Out, class Heads, class Op, class Init>
void segmented_scan(workspace& ws, In in, Out out, Heads descriptor, item_count n, Op op,
                    Init init) {
  using T = typename Op::value_type;
  device::refuse_items<In, T>();
  libscan::detail::refuse_heads<Heads, device::given_item>();
  device::refuse_results<T, Out>();
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
  std::size_t const for_tiles = device::segment_run_bytes<T, segment_carry<T>, Tuning>(n.at_most());
  if constexpr (by_offsets<Heads> && may_search<Tuning> && !marks_heads<Tuning>) {
    if (device::suits_search(n.at_most(), descriptor.segments)) {
      using look_back = std::conditional_t<std::is_void_v<Tuning>, segmented_tuning<T>, Tuning>;
      using searched =
          offsets_searched_per_tile<std::remove_cvref_t<decltype(*descriptor.offsets)>>;
      segmented_scan_operation<Kind, In, Out, searched, Op, false, Init> const few{
          in, out, {descriptor.offsets, descriptor.segments}, op, init};
      return device::run<look_back>(ws, ws.reserve(for_tiles), few, n);
    }
  }
  std::size_t const for_heads = over_keys ? device::key_bits_bytes(descriptor, n.at_most())
                                          : device::head_bytes(descriptor, n.at_most());
  std::byte* const memory = ws.reserve(for_heads + for_tiles);
  std::byte* const tiles = memory + for_heads;
  auto const heads = device::prepare_heads(descriptor, memory, n, ws.stream());
  segmented_scan_operation<Kind, In, Out, std::remove_const_t<decltype(heads)>, Op, true,
                           Init> const operation{in, out, heads, op, init};
  if constexpr (can_overwrite_heads<Heads, Out> && !tuned_for<Tuning, scan_algorithm::resident>) {
    if (over_keys) {
      // Resident blocks write when all have read; others compare bits made of the keys before.
      if constexpr (std::is_void_v<Tuning>) {
        using few = typename decltype(operation)::few_items;
        if (device::run_first_suited(ws, tiles, operation, n, few{})) return;
      }
      head_bits const bits = device::pack_heads(descriptor, memory, n, ws.stream());
      segmented_scan_operation<Kind, In, Out, head_bits, Op, false, Init> const by_bits{
          in, out, bits, op, init};
      return device::run<Tuning>(ws, tiles, by_bits, n);
    }
  }
  device::run<Tuning>(ws, tiles, operation, n);
}

}  // namespace device

/// Bytes of workspace that a segmented scan of up to `n` items with values of type T needs. A pure
/// function of its arguments; needs no device.
template <class T, class Heads>
constexpr std::size_t segmented_scan_workspace_bytes(index_t n, Heads const& descriptor) {
  return device::head_bytes(descriptor, n) + device::key_bits_bytes(descriptor, n) +
         device::segment_run_bytes<T, device::segment_carry<T>, void>(n);
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
/// Operator: associative; need not commute. Unless it is `commutative`, it is only called as
/// op(earlier, later), on items, `init` and the identity; also on items that offsets leave out.
/// n: any size >= 0, also read from device memory (`item_count::on_device`); n = 0 writes nothing.
/// Aliasing: `out` may be equal to `in`, or to the keys of `segment_keys`, of one type at plain
/// pointers. Any other overlap, also with the descriptor, is refused if both are pointers and the
/// host knows n, and undefined otherwise.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `segmented_scan_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic: reads n items and the descriptor, writes n results, for segments of any length; few
/// offsets are read again by tiles that search them. Keys that are overwritten become head bits in
/// the workspace first, unless resident blocks hold all items. With ranges, only their items are
/// read. Ranges of more than n / 512 items and 4 tiles are split into pieces for all blocks, and
/// read twice.
/// Determinism: results are bitwise the same in every run on one kind of GPU.
/// Progress: few items use a cooperative launch, which starts when all its blocks fit. So do many
/// at plain pointers on GPUs that run the pipeline (sm_90: bulk copies and enough shared memory).
/// Otherwise a tile waits only for tiles claimed by running blocks.
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
