// SPDX-License-Identifier: Apache-2.0
// Device-wide scans, from the first item to the last and in reverse: one call for any length,
// associative operator and type. Every item is read once and every result written once.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/device/run.cuh>
#include <libscan/device/scan_work.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// A scan (see libscan/device/run.cuh).
template <scan_kind Kind, class In, class Out, class Op, class Init = typename Op::value_type>
struct scan_operation {
  using T = typename Op::value_type;
  using total_type = total_value_t<T>;
  using item = memory_value_t<In, T>;
  using result = memory_value_t<Out, T>;
  static constexpr bool is_small = sizeof(T) <= 16;
  static constexpr bool pipelines = is_small && suits_bulk_copy<In>;
  using tunings =
      tunings_to_try<std::conditional_t<is_small && has_short_resident<T>,
                                        short_resident_tuning<item, T, result>, void>,
                     std::conditional_t<is_small, resident_tuning<item, T, result>, void>,
                     std::conditional_t<pipelines, pipeline_tuning<item, T, result>, void>,
                     std::conditional_t<pipelines, fallback_tuning<T>, look_back_tuning<T>>>;

  In in;
  Out out;
  Op op;
  Init init;
  total_type* total;

  template <class Tuning>
  auto work() const {
    if constexpr (tunes_pipeline<Tuning>) {
      return pipelined_scan<Kind, item, Out, Op, Tuning, Init>{in, out, op, init, total};
    } else if constexpr (tuned_for<Tuning, scan_algorithm::resident>) {
      return resident_scan<Kind, In, Out, Op, total_type, Tuning, Init>{{in, out, op, init, total}};
    } else {
      return look_back_scan<Kind, In, Out, Op, total_type, Tuning, Init>{
          {in, out, op, init, total}};
    }
  }
};

/// The scan of the public calls; also with an init that converts to the operator's type on the
/// device.
template <scan_kind Kind, class Tuning, class In, class Out, class Op, class Init>
void scan_with_tuning(workspace& ws, In in, Out out, item_count n, Op op,
                      total_value_t<typename Op::value_type>* d_total, Init init) {
  device::refuse_items<In, typename Op::value_type>();
  device::refuse_results<typename Op::value_type, Out>();
  device::require_in_place_or_no_overlap(
      Kind == scan_kind::inclusive ? "inclusive scan" : "exclusive scan",
      device::memory_of(in, n.at_least()), device::memory_of(out, n.at_least()));
  device::run<Tuning>(ws, scan_operation<Kind, In, Out, Op, Init>{in, out, op, init, d_total}, n);
}

/// A scan from the last item to the first (see libscan/device/run.cuh). The pipeline needs to know
/// n: it begins less than 16 bytes past the last result, where rows of results are aligned.
template <scan_kind Kind, class In, class Out, class Op, class Init = typename Op::value_type>
struct reverse_scan_operation {
  using forward = scan_operation<Kind, from_last<In>, from_last<Out>, swap_operands<Op>, Init>;
  using T = typename Op::value_type;
  using item = memory_value_t<In, T>;
  using result = memory_value_t<Out, T>;
  static constexpr bool is_small = sizeof(T) <= 16;
  using tunings =
      tunings_to_try<std::conditional_t<is_small && has_short_resident<T>,
                                        short_resident_tuning<item, T, result>, void>,
                     std::conditional_t<is_small, resident_tuning<item, T, result>, void>,
                     std::conditional_t<is_small && suits_bulk_copy<In> && std::is_pointer_v<Out>,
                                        pipeline_tuning<item, T, result>, void>,
                     look_back_tuning<T>>;

  In in;
  Out out;
  Op op;
  Init init;
  total_value_t<T>* total;
  item_count length;

  template <class Tuning>
  auto work() const {
    if constexpr (tunes_pipeline<Tuning>) {
      index_t const from = length.at_most() + padding();
      return pipelined_reverse_scan<Kind, item, result, swap_operands<Op>, Tuning, Init>{
          {in + from}, {out + from}, {op}, init, total, padding()};
    } else {
      return forward{{in}, {out}, {op}, init, total}.template work<Tuning>();
    }
  }

  template <class Tuning>
  std::optional<item_count> count(item_count n) const {
    if constexpr (tunes_pipeline<Tuning>) {
      if (!n.known()) return {};
      return n.at_most() + padding();
    } else {
      return n;
    }
  }

 private:
  /// How many results there would be before the next 16 bytes begin.
  int padding() const {
    index_t const n = length.at_most();
    auto const past = reinterpret_cast<std::uintptr_t>(out + n) % 16;
    if (n == 0 || past % sizeof(result) != 0) return 0;
    return static_cast<int>((16 - past) % 16 / sizeof(result));
  }
};

/// The reverse scan of the public calls; also with an init that converts to the operator's type on
/// the device.
template <scan_kind Kind, class Tuning, class In, class Out, class Op, class Init>
void reverse_scan(workspace& ws, In in, Out out, item_count n, Op op,
                  total_value_t<typename Op::value_type>* d_total, Init init) {
  device::refuse_items<In, typename Op::value_type>();
  device::refuse_results<typename Op::value_type, Out>();
  device::require_in_place_or_no_overlap(
      Kind == scan_kind::inclusive ? "reverse inclusive scan" : "reverse exclusive scan",
      device::memory_of(in, n.at_least()), device::memory_of(out, n.at_least()));
  reverse_scan_operation<Kind, In, Out, Op, Init> const operation{in, out, op, init, d_total, n};
  device::run<Tuning>(ws, operation, n);
}

/// A scan by an operator that may be any callable, and with an init that may be left out.
template <scan_kind Kind, scan_direction Direction, class Tuning, class In, class Out, class Op,
          class Init>
void scan_by_callable(workspace& ws, In in, Out out, item_count n, Op op,
                      operator_value_t<Op, In, Init>* d_total, Init init) {
  using libscan::detail::init_needed;
  constexpr auto needed =
      Kind == scan_kind::inclusive ? init_needed::never : init_needed::if_no_identity;
  using call = libscan::detail::operator_call<Op, In, Init, needed>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto by, auto first) {
      if constexpr (Direction == scan_direction::forward) {
        device::scan_with_tuning<Kind, Tuning>(ws, in, out, n, by, d_total, first);
      } else {
        device::reverse_scan<Kind, Tuning>(ws, in, out, n, by, d_total, first);
      }
    });
  }
}

}  // namespace device

/// Bytes of workspace that a scan of up to `n` items of any type needs, with values of type T. A
/// pure function of its arguments; needs no device.
template <class T>
constexpr std::size_t scan_workspace_bytes(index_t n) {
  using look_back = look_back_tuning<T>;
  device::tile_bounds bounds{index_t{look_back::block_threads} * look_back::items_per_thread};
  if (sizeof(T) <= 16) {
    bounds.pipeline_items = min_pipeline_tile;
    bounds.resident_threads = resident_tuning<T, T, T>::block_threads;
  }
  // A reverse scan on the pipeline goes over less than 16 bytes more.
  return device::max_run_bytes<T>(n + 15, bounds);
}

/// out[i] = init op in[0] op ... op in[i - 1] for 0 <= i < n, and *d_total = init op in[0] op ...
/// op in[n - 1].
///
/// Types: `in` and `out` are random-access iterators of the device; items are converted to
/// Op::value_type before the operator is applied, and results from it when they are stored.
/// Operator: associative; need not commute. Unless it is `commutative`, it is only called as
/// op(earlier, later), on items, `init` and the identity. n: any size >= 0, also read from device
/// memory (`item_count::on_device`). n = 0 writes only the total. d_total: one value in device
/// memory, or null.
/// Aliasing: `out` may be equal to `in`. Any other overlap is refused if both are pointers and the
/// host knows n, and undefined otherwise.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `scan_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic: reads n items, writes n results.
/// Determinism: results are bitwise the same in every run on one kind of GPU.
/// Progress: few items use a cooperative launch, which starts when all its blocks fit. So does any
/// number at a plain pointer on GPUs that run the pipeline (sm_90: bulk copies and enough shared
/// memory). Otherwise a tile waits only for tiles claimed by running blocks, in any order of
/// blocks.
/// Throws: `invalid_argument` (workspace too small, overlap), `device_error`.
template <class Tuning = void, class In, class Out, monoid Op>
void exclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                    typename Op::value_type* d_total,
                    std::type_identity_t<typename Op::value_type> init) {
  device::scan_with_tuning<scan_kind::exclusive, Tuning>(ws, in, out, n, op, d_total, init);
}

/// The same without an init, which is the identity; and with any other callable
/// (libscan/core/function_operator.hpp), which needs init if its identity is not known.
template <class Tuning = void, class In, class Out, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void exclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                    operator_value_t<Op, In, Init>* d_total = nullptr,
                    Init init = unstated::init()) {
  device::scan_by_callable<scan_kind::exclusive, scan_direction::forward, Tuning>(
      ws, in, out, n, op, d_total, init);
}

/// out[i] = init op in[0] op ... op in[i] for 0 <= i < n; otherwise as `exclusive_scan`.
template <class Tuning = void, class In, class Out, monoid Op>
void inclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                    typename Op::value_type* d_total,
                    std::type_identity_t<typename Op::value_type> init) {
  device::scan_with_tuning<scan_kind::inclusive, Tuning>(ws, in, out, n, op, d_total, init);
}

/// The same without an init, which is the identity; and with any other callable
/// (libscan/core/function_operator.hpp), which needs no init.
template <class Tuning = void, class In, class Out, class Op, class Init = unstated>
requires detail::adapted<Op, Init>
void inclusive_scan(workspace& ws, In in, Out out, item_count n, Op op,
                    operator_value_t<Op, In, Init>* d_total = nullptr,
                    Init init = unstated::init()) {
  device::scan_by_callable<scan_kind::inclusive, scan_direction::forward, Tuning>(
      ws, in, out, n, op, d_total, init);
}

/// out[i] = in[i + 1] op ... op in[n - 1] op init for 0 <= i < n, and *d_total = in[0] op ... op
/// in[n - 1] op init: the sum of the items after each item. The operands keep their order in
/// memory, even if the operator does not commute; `init` comes last. Otherwise as `exclusive_scan`.
/// For more items than are resident at once, the pipeline is used only if the results are also at a
/// plain pointer and the host knows n.
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
  device::scan_by_callable<scan_kind::exclusive, scan_direction::reverse, Tuning>(
      ws, in, out, n, op, d_total, init);
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
  device::scan_by_callable<scan_kind::inclusive, scan_direction::reverse, Tuning>(
      ws, in, out, n, op, d_total, init);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
