// SPDX-License-Identifier: Apache-2.0
// Scans from the last item to the first: a forward scan through iterators that count backward, with
// an operator that swaps its operands.
#pragma once

#include <libscan/device/pipelined_reverse_scan.cuh>
#include <libscan/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// `Op` for a scan from the end: what such a scan reads earlier is later in memory.
template <monoid Op>
struct swap_operands {
  using value_type = typename Op::value_type;
  Op op{};

  LIBSCAN_HOST_DEVICE constexpr value_type identity() const { return op.identity(); }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type met_first,
                                                      value_type met_later) const {
    return op(met_later, met_first);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE

namespace libscan {
/// As exact and commutative as Op itself.
template <class Op>
inline constexpr bool exactly_associative<swap_operands<Op>> = exactly_associative<Op>;
template <class Op>
inline constexpr bool commutative<swap_operands<Op>> = commutative<Op>;
}  // namespace libscan

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// Scans from the end in the way of `Tuning`; void: chooses, as `scan` does.
template <scan_kind Kind, class Tuning, class In, class Out, class Op>
void reverse_scan(workspace& ws, In in, Out out, item_count n, Op op,
                  total_value_t<typename Op::value_type>* d_total, typename Op::value_type init) {
  using T = typename Op::value_type;
  device::refuse_items<In, T>();
  device::refuse_results<T, Out>();
  device::require_in_place_or_no_overlap(
      Kind == scan_kind::inclusive ? "reverse inclusive scan" : "reverse exclusive scan",
      device::memory_of(in, n.at_least()), device::memory_of(out, n.at_least()));
  swap_operands<Op> const swapped{op};
  from_last<In> const from{in};
  from_last<Out> const to{out};
  if constexpr (tunes_pipeline<Tuning>) {
    if (!n.known()) {
      throw invalid_argument(
          "reverse scan: the tuning asks for a pipeline; expected a number of "
          "items that the host knows");
    }
    device::pipelined_reverse_scan<Kind, Tuning>(ws, in, out, n.at_most(), swapped, d_total, init);
  } else if constexpr (!std::is_void_v<Tuning>) {
    device::scan_as_tuned<Kind, Tuning>(ws, from, to, n, swapped, d_total, init);
  } else {
    if constexpr (sizeof(T) <= 16) {
      if (device::resident_scan_if_fits<Kind>(ws, from, to, n, swapped, d_total, init)) return;
      if constexpr (suits_bulk_copy<In> && std::is_pointer_v<Out>) {
        using item = memory_value_t<In, T>;
        using result = memory_value_t<Out, T>;
        using tuning = pipeline_tuning<item, T, result>;
        using work = reverse_scan_work<Kind, item, result, swap_operands<Op>, tuning>;
        if (n.known() && simt::device_can_pipeline<pipeline_kernel<work, tuning>>()) {
          return device::pipelined_reverse_scan<Kind, tuning>(ws, in, out, n.at_most(), swapped,
                                                              d_total, init);
        }
      }
    }
    device::look_back_scan<Kind, look_back_tuning<T>>(ws, from, to, n, swapped, d_total, init);
  }
}

}  // namespace device

/// out[i] = in[i + 1] op ... op in[n - 1] op init for 0 <= i < n, and *d_total = in[0] op ... op
/// in[n - 1] op init: the sum of the items after each item. The operands keep their order in
/// memory, even if the operator does not commute; `init` comes last. Otherwise as `exclusive_scan`;
/// if more items than are resident at once are scanned, the pipeline is used only if the results
/// are also at a plain pointer and the host knows n.
template <class Tuning = void, class In, class Out, monoid Op>
void reverse_exclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                            typename Op::value_type* d_total,
                            std::type_identity_t<typename Op::value_type> init) {
  device::reverse_scan<scan_kind::exclusive, Tuning>(ws, in, out, n, op, d_total, init);
}

/// The same without an init, and with any other callable: as for `exclusive_scan`.
template <class Tuning = void, class In, class Out, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void reverse_exclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                            operator_value_t<Op, In, Init>* d_total = nullptr,
                            Init init = unstated::init()) {
  using call = detail::operator_call<Op, In, Init, detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto by, auto first) {
      device::reverse_scan<scan_kind::exclusive, Tuning>(ws, in, out, n, by, d_total, first);
    });
  }
}

/// out[i] = in[i] op ... op in[n - 1] op init for 0 <= i < n; otherwise as
/// `reverse_exclusive_scan`.
template <class Tuning = void, class In, class Out, monoid Op>
void reverse_inclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                            typename Op::value_type* d_total,
                            std::type_identity_t<typename Op::value_type> init) {
  device::reverse_scan<scan_kind::inclusive, Tuning>(ws, in, out, n, op, d_total, init);
}

/// The same without an init, and with any other callable: as for `inclusive_scan`.
template <class Tuning = void, class In, class Out, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void reverse_inclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                            operator_value_t<Op, In, Init>* d_total = nullptr,
                            Init init = unstated::init()) {
  using call = detail::operator_call<Op, In, Init, detail::init_needed::never>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto by, auto first) {
      device::reverse_scan<scan_kind::inclusive, Tuning>(ws, in, out, n, by, d_total, first);
    });
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE
