// SPDX-License-Identifier: Apache-2.0
// Runs of equal items on the device: the first of each, and run-length encoding. Both are filters
// with flags where runs begin.
#pragma once

#include <apps/filter/device/runs_work.cuh>
#include <libscan/device/arguments.cuh>
#include <libscan/device/segment_readers.cuh>
#include <libscan/filter.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Writes the first item of each run of equal ones in in[0 .. n-1] to `out`, in order, and the
/// number of runs to *d_count. Otherwise as `filter`.
///
/// Types: `equal(earlier, later)` is a copyable functor with a device call, called for neighbors
/// only (default ==: every NaN is then a run of its own). The rest as for `filter`.
/// Aliasing: `out` may be `in` itself.
/// Traffic: reads n items, writes one for each run.
template <class Tuning = void, class In, class Out, class Equal = equal_values>
void unique(workspace& ws, In in, Out out, item_count n, index_t* d_count, Equal equal = {}) {
  device::filter_outputs<Out> const outputs{out, {}, {}};
  device::filter<Tuning>(ws, in, outputs, n, device::keep_heads<Equal>{equal}, d_count);
}

namespace device {

/// A run-length encoding (see libscan/device/run.cuh).
template <class In, class Equal, class Outputs>
struct run_operation {
  using item = typename std::iterator_traits<In>::value_type;
  using resident = resident_filter_tunings<item>;
  using tunings =
      tunings_to_try<typename resident::shortest, typename resident::half, typename resident::whole,
                     std::conditional_t<suits_bulk_copy<In>, pipelined_filter_tuning<item>, void>,
                     filter_tuning<item>>;

  In in;
  Outputs out;
  keep_heads<Equal> heads;
  index_t* runs;

  template <class Tuning>
  auto work() const {
    if constexpr (tunes_pipeline<Tuning>) {
      using encoding = run_work<item, Equal, Outputs, Tuning>;
      return encoding{{in, {out.values, {}, {}}, heads, nullptr}, out, runs};
    } else {
      return run_tile_work<In, Equal, Outputs, Tuning>{in, out, heads, runs};
    }
  }
};

/// Encodes runs the way `Tuning` says; void: chooses.
template <class Tuning, class In, class Outputs, class Equal>
void encode_runs(workspace& ws, In in, Outputs out, item_count n, Equal equal, index_t* d_runs) {
  using item = typename std::iterator_traits<In>::value_type;
  keep_heads<Equal> const rule{equal};
  device::refuse_items<In>();
  libscan::detail::refuse_comparison<device::given_item<In>, Equal>();
  device::refuse_results<item, std::remove_cvref_t<decltype(out.values)>>();
  device::refuse_results<index_t, std::remove_cvref_t<decltype(out.lengths)>>();
  device::refuse_results<index_t, std::remove_cvref_t<decltype(out.offsets)>>();
  char const* const call = "run_length_encode";
  device::require_no_overlap(call, in, rule, n.at_most(),
                             {device::first_byte_of(out.values), device::first_byte_of(out.lengths),
                              device::first_byte_of(out.offsets)});
  device::require_two_places(call, out.values, out.lengths, n.at_most());
  device::require_two_places(call, out.values, out.offsets, n.at_most());
  device::require_two_places(call, out.lengths, out.offsets, n.at_most());
  std::byte* const memory =
      ws.reserve(device::filter_bytes<run_summary, Tuning, item>(n.at_most()));
  run_operation<In, Equal, Outputs> const operation{in, out, rule, d_runs};
  device::run<Tuning>(ws, memory, operation, n);
}

}  // namespace device

/// Bytes of workspace that `run_length_encode` of up to `n` items of type T needs. A pure function
/// of its arguments; needs no device.
template <class T>
constexpr std::size_t run_length_workspace_bytes(index_t n) {
  return device::filter_bytes<device::run_summary, void, T>(n);
}

/// For each run r of equal items in in[0 .. n-1]: values[r] = the item, lengths[r] = its length,
/// offsets[r] = the position of its first item. *d_runs = the number of runs.
/// Otherwise as `filter`.
///
/// Types: each of the three outputs may be `no_output{}`. Lengths and offsets are converted from
/// `index_t` to the output's type. `equal`: as for `unique`; a run continues while neighbors are
/// equal.
/// Aliasing: outputs must not overlap `in`, even with the same start, or one another.
/// Traffic: reads n items, writes the outputs once, in one pass.
template <class Tuning = void, class In, class Values, class Lengths, class Offsets,
          class Equal = equal_values>
void run_length_encode(workspace& ws, In in, Values values, Lengths lengths, Offsets offsets,
                       item_count n, index_t* d_runs, Equal equal = {}) {
  device::run_outputs<Values, Lengths, Offsets> const out{values, lengths, offsets};
  device::encode_runs<Tuning>(ws, in, out, n, equal, d_runs);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
