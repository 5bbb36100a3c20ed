// SPDX-License-Identifier: Apache-2.0
// The cpu engine's side of host_call.hpp. Compiled for each type of accumulator and each operator;
// the items' type and the description of segments are looked up once a chunk. Internal.
#pragma once

#include <algorithm>
#include <type_traits>

#include <libscan/core/operator_list.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <libscan/host/any_items.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>

namespace libscan::inline v1::detail {

/// Calls f(results), a pointer to T or, for T = float, to 16-bit floats.
template <class T, class F>
void visit_results(input_type type, void* results, F&& f) {
  if constexpr (std::is_same_v<T, float>) {
    if (type == input_type::f16) return f(static_cast<float16*>(results));
    if (type == input_type::bf16) return f(static_cast<bfloat16*>(results));
  }
  f(static_cast<T*>(results));
}

/// init op all n items.
template <class T, class Op>
T sum_any_items(int threads, any_items<T> const& items, index_t n, Op op, T init) {
  auto const code = cpu::detail::vector_scan_of<T>(op);
  return cpu::detail::sum_parts(
      threads, n, cpu::staged_chunk_items, op, init, [&](index_t begin, index_t end) {
        if (T const* const direct = items.direct(begin)) return code.sum(direct, end - begin);
        constexpr index_t at_once = cpu::detail::converted_at_once<T>;
        T buffer[at_once];
        T sum = op.identity();
        for (index_t i = begin; i < end; i += at_once) {
          index_t const count = std::min(at_once, end - i);
          items.copy_to(i, count, buffer);
          sum = i == begin ? code.sum(buffer, count) : op(sum, code.sum(buffer, count));
        }
        return sum;
      });
}

/// The scan of all items as one segment. Writes *total unless it is null.
template <scan_kind Kind, class T, class Op, class Out>
void scan_any_items(int threads, host_scan const& call, any_items<T> const& items, Op op,
                    Out* out) {
  T const init = *static_cast<T const*>(call.init);
  T* const total = static_cast<T*>(call.total);
  if (call.n == 0) {
    if (total != nullptr) *total = init;
    return;
  }
  index_t const last = call.direction == scan_direction::forward ? call.n - 1 : 0;
  T last_item{};  // read first: `out` may be `in`
  items.copy_to(last, 1, &last_item);
  if constexpr (!std::is_same_v<Out, T>) {
    // Results are rounded, the total is not.
    if (total != nullptr) *total = sum_any_items(threads, items, call.n, op, init);
  }
  cpu::staged_scan<Kind>(threads, call.direction, items, out, call.n, op, init);
  if constexpr (std::is_same_v<Out, T>) {
    if (total == nullptr) return;
    *total = Kind == scan_kind::inclusive ? out[last] : op(out[last], last_item);
  }
}

/// The scan by one operator of one kind.
template <scan_kind Kind, class T, class Op, class Out>
void scan_described(int threads, host_scan const& call, any_items<T> const& items, Op op,
                    Out* out) {
  using form = segmentation::form;
  T const init = *static_cast<T const*>(call.init);
  if (call.carry != nullptr) {
    T& carry = *static_cast<T*>(call.carry);
    if (call.segments.how() == form::none) {
      return cpu::carried_scan<Kind>(threads, call.direction, items, out, call.n, op, carry);
    }
    return cpu::carried_segmented_scan<Kind>(threads, call.direction, items, out,
                                             described_heads(call.segments, call.n), call.n, op,
                                             init, carry);
  }
  switch (call.segments.how()) {
    case form::none:
      return scan_any_items<Kind>(threads, call, items, op, out);
    case form::ranges:
    case form::offsets: {
      index_bounds const bounds(call.segments);
      if (call.segments.how() == form::offsets && bounds.cover(call.n)) {
        return cpu::staged_segmented_scan<Kind>(threads, call.direction, items, out,
                                                described_heads(bounds.offsets(), call.n), call.n,
                                                op, init);
      }
      // Items may be in no segment: one code for all operators.
      return cpu::detail::scan_checked_ranges<Kind>(threads, call.direction, items, bounds.ranges(),
                                                    out, any_operator<T>{call.op}, init,
                                                    cpu::staged_chunk_items);
    }
    default:
      return cpu::staged_segmented_scan<Kind>(threads, call.direction, items, out,
                                              described_heads(call.segments, call.n), call.n, op,
                                              init);
  }
}

template <class T>
void cpu_items<T>::scan(int threads, host_scan const& call) {
  any_items<T> const items(call.type, call.in);
  libscan::visit_operator<T>(call.op, [&](auto op) {
    visit_results<T>(call.out_type, call.out, [&](auto* out) {
      if (call.kind == scan_kind::inclusive) {
        scan_described<scan_kind::inclusive>(threads, call, items, op, out);
      } else {
        scan_described<scan_kind::exclusive>(threads, call, items, op, out);
      }
    });
  });
}

template <class T>
index_t cpu_items<T>::reduce(int threads, host_reduction const& call) {
  using form = segmentation::form;
  any_items<T> const items(call.type, call.in);
  T const init = *static_cast<T const*>(call.init);
  T* const totals = static_cast<T*>(call.totals);
  index_t segments = 0;
  libscan::visit_operator<T>(call.op, [&](auto op) {
    switch (call.segments.how()) {
      case form::none:
        *totals = sum_any_items(threads, items, call.n, op, init);
        segments = 1;
        return;
      case form::ranges: {
        index_bounds const bounds(call.segments);
        segments = cpu::detail::reduce_checked_ranges(threads, items, bounds.ranges(), totals,
                                                      any_operator<T>{call.op}, init,
                                                      cpu::staged_chunk_items);
        return;
      }
      case form::offsets: {
        index_bounds const bounds(call.segments);
        if (!bounds.cover(call.n)) {
          segments = cpu::detail::reduce_checked_ranges(threads, items, bounds.ranges(), totals, op,
                                                        init, cpu::staged_chunk_items);
          return;
        }
        segments = cpu::segmented_reduce(
            threads, items, totals, described_heads(bounds.offsets(), call.n), call.n, op, init);
        return;
      }
      default:
        segments = cpu::segmented_reduce(threads, items, totals,
                                         described_heads(call.segments, call.n), call.n, op, init);
    }
  });
  return segments;
}

}  // namespace libscan::inline v1::detail
