// SPDX-License-Identifier: Apache-2.0
// The total of every segment, in a single pass: a segmented scan that stores one result per
// segment.
#pragma once

#include <algorithm>

#include <libscan/device/run.cuh>
#include <libscan/device/scatter_totals.cuh>
#include <libscan/device/segmented_reduce_work.cuh>
#include <libscan/segmented_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// A reduction of segments, whose head flags kernels can read (see libscan/device/run.cuh).
template <class In, class Totals, class Heads, class Keys, class Op,
          class Init = typename Op::value_type>
struct segmented_reduce_operation {
  using T = typename Op::value_type;
  using item = memory_value_t<In, T>;
  static constexpr bool is_small = sizeof(T) <= 16;
  static constexpr bool pipelines = is_small && suits_segmented_pipeline<In, Heads>;
  static constexpr int head_bits = staged_heads<Heads, 32>::bits_per_item;
  using tunings = tunings_to_try<
      std::conditional_t<is_small, short_resident_segmented_tuning<T>, void>,
      std::conditional_t<is_small, resident_segmented_tuning<T>, void>,
      std::conditional_t<pipelines, segmented_reduce_pipeline_tuning<item, T, head_bits>, void>,
      segmented_tuning<T>>;

  In in;
  Totals totals;
  Heads heads;
  Keys keys;
  Op op;
  Init init;
  index_t* segments;

  template <class Tuning>
  auto work() const {
    if constexpr (tunes_pipeline<Tuning>) {
      return segmented_reduce_work<item, Totals, Heads, Keys, Op, Tuning, Init>{
          {in, heads}, totals, keys, {op}, init, segments};
    } else if constexpr (tuned_for<Tuning, scan_algorithm::resident>) {
      return gathered_segment_totals<In, Totals, Heads, Keys, Op, Tuning, Init>{
          {in, totals, heads, keys, {op}, init, segments}};
    } else {
      return segment_totals<In, Totals, Heads, Keys, Op, Tuning, Init>{
          {in, totals, heads, keys, {op}, init, segments}};
    }
  }
};

/// Totals of few items between offsets, for which each tile searches (see libscan/device/run.cuh).
template <class In, class Totals, class Offset, class Op, class Init>
struct searched_reduce_operation {
  In in;
  Totals totals;
  offsets_searched_per_tile<Offset> heads;
  Op op;
  Init init;

  template <class Tuning>
  auto work() const {
    return searched_segment_totals<In, Totals, Offset, Op, Tuning, Init>{
        in, totals, heads, {op}, init};
  }
};

/// Bytes of workspace for the tiles of a reduction.
template <class T, class Tuning>
constexpr std::size_t segmented_reduce_bytes(index_t n) {
  return device::segment_run_bytes<T, segment_summary<T>, Tuning>(n);
}

/// Totals of all descriptors that have no empty segments.
template <class Tuning, class In, class Totals, class Heads, class Keys, class Op, class Init>
void segmented_reduce(workspace& ws, In in, Totals totals, Heads heads, Keys keys, item_count n,
                      Op op, index_t* d_segments, Init init) {
  device::check_heads(heads);
  segmented_reduce_operation<In, Totals, Heads, Keys, Op, Init> const operation{
      in, totals, heads, keys, op, init, d_segments};
  device::run<Tuning>(ws, operation, n);
}

/// The parts of the workspace of totals between offsets: where each begins, and the number of
/// bytes.
struct offset_totals_layout {
  std::size_t numbered;  // after the head bits: how many segments are to be numbered, all or none
  std::size_t spread;    // the tiles that distribute totals
  std::size_t nonempty;  // the totals to be distributed; up to their end all must be 0
  std::size_t tiles;     // those of items
  std::size_t bytes;
};
template <class T, class Tuning, class Offset>
constexpr offset_totals_layout lay_out_offset_totals(index_t n,
                                                     segment_offsets<Offset> const& descriptor) {
  auto const whole = [](std::size_t bytes) { return ceil_div(bytes, std::size_t{256}) * 256; };
  index_t const segments = descriptor.segments;
  // Also those of the items before the first segment, and after the last.
  auto const max_nonempty = static_cast<std::size_t>(std::min(n, segments + 2));
  offset_totals_layout layout{};
  layout.numbered = device::head_bytes(descriptor, n);
  layout.spread = layout.numbered + 256;
  layout.nonempty =
      layout.spread +
      whole(tile_state<packed_count>::bytes(device::scatter_tiles<Offset, T>(segments)));
  layout.tiles = layout.nonempty + whole(max_nonempty * sizeof(T));
  layout.bytes = layout.tiles + device::segmented_reduce_bytes<T, Tuning>(n);
  return layout;
}

/// Totals between offsets. With few items, each tile searches for its segments; otherwise head
/// flags are marked. Only if a segment is empty, or an item is in none, are totals written
/// contiguously first, and then distributed.
template <class Tuning, class In, class Totals, class Offset, class Op, class Init>
void segmented_reduce(workspace& ws, In in, Totals totals, segment_offsets<Offset> descriptor,
                      no_keys keys, item_count n, Op op, index_t* /*d_segments*/, Init init) {
  using T = typename Op::value_type;
  device::check_heads(descriptor);
  if (descriptor.segments == 0) return;
  if constexpr (may_search<Tuning> && !marks_heads<Tuning>) {
    using tuning = std::conditional_t<std::is_void_v<Tuning>, segmented_tuning<T>, Tuning>;
    using offset = std::remove_cv_t<Offset>;
    using few_type = searched_reduce_operation<In, Totals, offset, Op, Init>;
    using kernel = look_back_kernel<work_of<few_type, tuning>, tuning>;
    if (device::suits_search(n.at_most(), descriptor.segments) &&
        sizeof(typename kernel::shared_storage) <= simt::max_shared_bytes()) {
      few_type const few{in, totals, {descriptor.offsets, descriptor.segments}, op, init};
      return device::run<tuning>(ws, few, n);
    }
  }
  auto const layout = device::lay_out_offset_totals<T, Tuning>(n.at_most(), descriptor);
  std::byte* const memory = ws.reserve(layout.bytes);
  auto* const numbered = reinterpret_cast<index_t*>(memory + layout.numbered);
  auto* const nonempty = reinterpret_cast<T*>(memory + layout.nonempty);

  simt::fill_async(memory, 0, layout.nonempty, ws.stream());
  auto const heads = device::mark_heads(descriptor, memory, n, numbered, ws.stream());
  using spread = nonempty_totals<Totals, T>;
  segmented_reduce_operation<In, spread, head_bits, no_keys, Op, Init> const operation{
      in, spread{totals, nonempty, numbered}, heads, keys, op, init, nullptr};
  device::run<Tuning>(ws, memory + layout.tiles, operation, n);
  device::scatter_totals<Offset, T>(memory + layout.spread, ws.stream(), descriptor.offsets,
                                    descriptor.segments, numbered, n, nonempty, totals, init);
}

/// Throws `invalid_argument` if results share memory with what is read, where the host knows the
/// memory. If only the device knows the number of results, the host knows where they begin.
template <class In, class Heads, class Results>
void require_no_result_overlap(char const* call, In const& in, Heads const& descriptor, index_t n,
                               Results const& results) {
  device::check_heads(descriptor);
  index_t known = 1;
  if constexpr (by_offsets<Heads>) known = descriptor.segments;
  memory_span const written = device::memory_of(results, known);
  device::require_no_overlap(call, "items and results", device::memory_of(in, n), written);
  device::require_no_overlap(call, "descriptor and results", device::memory_of(descriptor, n),
                             written);
}

/// The reduction of the public calls; also with an init that converts to the operator's type on
/// the device.
template <class Tuning, class In, class Totals, class Heads, class Op, class Init>
void checked_segmented_reduce(workspace& ws, In in, Totals totals, Heads descriptor, item_count n,
                              Op op, index_t* d_segments, Init init) {
  device::refuse_items<In, typename Op::value_type>();
  libscan::detail::refuse_heads<Heads, device::given_item>();
  device::refuse_results<typename Op::value_type, Totals>();
  if constexpr (device::by_ranges<Heads>) {
    device::reduce_ranges<Tuning>(ws, in, totals, descriptor, n, op, init);
  } else {
    device::require_no_result_overlap("segmented reduce", in, descriptor, n.at_least(), totals);
    device::segmented_reduce<Tuning>(ws, in, totals, descriptor, device::no_keys{}, n, op,
                                     d_segments, init);
  }
}

}  // namespace device

/// Bytes of workspace that `segmented_reduce` of up to `n` items with values of type T needs. A
/// pure function of its arguments; needs no device.
template <class T, class Heads>
constexpr std::size_t segmented_reduce_workspace_bytes(index_t n, Heads const& /*descriptor*/) {
  return device::segmented_reduce_bytes<T, void>(n);
}
template <class T, class Offset>
constexpr std::size_t segmented_reduce_workspace_bytes(index_t n,
                                                       segment_offsets<Offset> const& descriptor) {
  return device::lay_out_offset_totals<T, void>(n, descriptor).bytes;
}

/// The same for ranges of items.
template <class T, class Offset>
constexpr std::size_t segmented_reduce_workspace_bytes(index_t n, segment_ranges<Offset> const&) {
  return device::ranges_bytes<T>(n);
}

/// totals[s] = init op the items of segment s, in order. Otherwise as `segmented_scan`.
///
/// Segments: `segment_offsets` gives a total to every segment, `init` to empty ones. Its offsets
/// ascend within 0 ... n, and need not begin with 0 or end with n. The other descriptors have no
/// empty segments, except `segment_ranges`, whose ranges may be empty, overlap and be in any order.
/// d_segments: receives the number of segments in device memory, 0 if n = 0, or is null. It is not
/// written for `segment_offsets` and `segment_ranges`, whose number the caller knows.
/// Aliasing: `totals` must not overlap anything. (It is refused if they begin within what is read;
/// between offsets also if they end there.) n must not be read from where the number of segments is
/// written.
/// Workspace: `segmented_reduce_workspace_bytes`.
/// Traffic: reads n items and the descriptor, writes one result per segment. For `segment_offsets`,
/// 1/8 byte an item is written and read in the workspace, unless they are so few that tiles search
/// them. If any segment is empty, the totals of the others are, too, and the offsets are read once
/// more.
template <class Tuning = void, class In, class Totals, class Heads, monoid Op>
void segmented_reduce(workspace& ws, In in, Totals totals, Heads descriptor, item_count n, Op op,
                      index_t* d_segments, std::type_identity_t<typename Op::value_type> init) {
  device::checked_segmented_reduce<Tuning>(ws, in, totals, descriptor, n, op, d_segments, init);
}

/// The same without an init, which is the identity; and with any other callable
/// (libscan/core/function_operator.hpp), which needs init if its identity is not known.
template <class Tuning = void, class In, class Totals, class Heads, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void segmented_reduce(workspace& ws, In in, Totals totals, Heads descriptor, item_count n, Op op,
                      index_t* d_segments = nullptr, Init init = unstated::init()) {
  using call = detail::operator_call<Op, In, Init, detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto by, auto first) {
      libscan::segmented_reduce<Tuning>(ws, in, totals, descriptor, n, by, d_segments, first);
    });
  }
}

/// Reduces every run of equal neighboring keys: unique[s] = the key of run s, totals[s] = init op
/// the items of run s, *d_runs = the number of runs. Otherwise as `segmented_reduce` with
/// `segment_keys`.
/// Types: `unique` and `totals` must have space for as many results as there are runs, n at most.
/// Aliasing: `unique` and `totals` must not overlap anything.
template <class Tuning = void, class Keys, class In, class Unique, class Totals, monoid Op,
          class Equal = equal_values>
void reduce_by_key(workspace& ws, Keys keys, In in, Unique unique, Totals totals, item_count n,
                   Op op, index_t* d_runs, Equal equal,
                   std::type_identity_t<typename Op::value_type> init) {
  device::refuse_items<In, typename Op::value_type>();
  device::refuse_results<typename Op::value_type, Totals>();
  device::refuse_items<Keys>();
  libscan::detail::refuse_comparison<device::given_item<Keys>, Equal>();
  device::refuse_results<typename detail::iterated_item<Keys>::type, Unique>();
  segment_keys<Keys, Equal> const descriptor{keys, equal};
  device::require_no_result_overlap("reduce by key", in, descriptor, n.at_least(), totals);
  device::require_no_result_overlap("reduce by key", in, descriptor, n.at_least(), unique);
  device::segmented_reduce<Tuning>(ws, in, totals, descriptor,
                                   device::unique_keys<Keys, Unique>{keys, unique}, n, op, d_runs,
                                   init);
}

/// The same without an init, which is the identity; and with any other callable
/// (libscan/core/function_operator.hpp), which needs no init.
template <class Tuning = void, class Keys, class In, class Unique, class Totals, class Op,
          class Equal = equal_values, class Init = unstated>
requires detail::adapted<Op, Init>
void reduce_by_key(workspace& ws, Keys keys, In in, Unique unique, Totals totals, item_count n,
                   Op op, index_t* d_runs, Equal equal = {}, Init init = unstated::init()) {
  using call = detail::operator_call<Op, In, Init, detail::init_needed::never>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto by, auto first) {
      libscan::reduce_by_key<Tuning>(ws, keys, in, unique, totals, n, by, d_runs, equal, first);
    });
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE
