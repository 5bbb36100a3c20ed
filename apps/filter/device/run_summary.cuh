// SPDX-License-Identifier: Apache-2.0
// The summary of a stretch of items for the stretches after it: how many runs of equal items begin
// in it, and the length of its last run so far.
#pragma once

#include <cstdint>

#include <apps/filter/device/outputs.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/segment_chain.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Of some consecutive items: how many runs begin among them, and how many items there are from the
/// last of these beginnings on, or in all.
struct run_summary {
  index_t runs;
  index_t open;
};

/// Two such stretches, the second directly after the first.
struct join_runs {
  using value_type = run_summary;
  LIBSCAN_HOST_DEVICE static constexpr run_summary identity() { return {0, 0}; }
  LIBSCAN_HOST_DEVICE constexpr run_summary operator()(run_summary earlier,
                                                       run_summary later) const {
    return {earlier.runs + later.runs, later.runs > 0 ? later.open : earlier.open + later.open};
  }
};

/// The outputs of run-length encoding; each an iterator of the device, or `no_output`.
template <class Values, class Lengths, class Offsets>
struct run_outputs {
  Values values;    // [r]: the item that run r repeats
  Lengths lengths;  // [r]: the run's length
  Offsets offsets;  // [r]: the position of its first

  /// Writes what is known where run `run` begins, at position `at`: its own results, and `length`,
  /// the length of the previous run.
  __device__ void begin_run(index_t run, index_t at, index_t length) const {
    if constexpr (wanted<Offsets>) offsets[run] = at;
    if (run > 0) end_run(run - 1, length);
  }
  __device__ void end_run(index_t run, index_t length) const {
    if constexpr (wanted<Lengths>) lengths[run] = length;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan {
/// Counts are integers.
template <>
inline constexpr bool exactly_associative<device::join_runs> = true;
}  // namespace libscan

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The counts of a tile, and of 32 tiles, fit 32 bits each.
template <>
struct total_format<run_summary> {
  struct value_type {
    std::uint32_t runs;
    std::uint32_t open;
  };
  static __device__ value_type value(run_summary total) {
    return {static_cast<std::uint32_t>(total.runs), static_cast<std::uint32_t>(total.open)};
  }
  static __device__ bool flag(run_summary) { return false; }
  static __device__ run_summary total(value_type value, bool) {
    return {index_t{value.runs}, index_t{value.open}};
  }
  static __device__ run_summary combine_lanes(run_summary total, join_runs) {
    using summary = segment_summary<std::uint32_t>;
    auto const open = static_cast<std::uint32_t>(total.open);
    join_segments<plus<std::uint32_t>> const join{};
    auto const all = total_format<summary>::combine_lanes(summary{total.runs, open}, join);
    return {all.segments, index_t{all.open}};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
