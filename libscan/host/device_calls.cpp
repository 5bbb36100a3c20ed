// SPDX-License-Identifier: Apache-2.0
// The compiled half of device_calls.hpp: checks a call and puts it in its queue.
#include <libscan/device_calls.hpp>

#include <cstddef>
#include <span>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/host/device_items.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

namespace {

using form = segmentation::form;

void check_device_segments(segmentation const& segments, index_t n) {
  if (segments.counts_segments()) {
    if (segments.type() == input_type::i64) return;
    throw invalid_argument(
        "offsets and ranges in device memory: expected 64-bit signed integers; for others include "
        "libscan/segmented_scan.cuh in CUDA code");
  }
  if (segments.how() == form::none || segments.how() == form::length) return;
  if (segments.how() == form::own_keys) {
    throw invalid_argument(
        "keys in device memory: expected numbers that are compared by ==; for others include "
        "libscan/segmented_scan.cuh in CUDA code, or mark where segments begin by flags");
  }
  if (segments.count() == n) return;
  throw invalid_argument("segments of " + std::to_string(segments.count()) + " items for " +
                         std::to_string(n) + " items; expected as many");
}

/// Whether a call is one of `device_items`; those of `device_segments` choose the operator in the
/// kernel.
bool is_plain(device_call const& call) {
  return call.segments.how() == form::none && !call.reverse;
}

/// Refuses keys of runs that overlap what else a reduction by key reads and writes.
void check_unique(device_call const& call) {
  auto const items = call.d_n == nullptr ? call.n : 0;
  if (items == 0) return;
  // How many keys there will be only the device knows: at least one.
  std::size_t const item_bytes = libscan::size_of(call.type);
  detail::memory_span const keys = call.segments.bytes();
  detail::memory_span const unique(call.unique, 1, detail::size_of(call.segments.type()));
  detail::memory_span const totals(call.out, 1, item_bytes);
  detail::require_no_overlap("reduce by key", "unique and keys", unique, keys);
  detail::require_no_overlap("reduce by key", "unique and totals", unique, totals);
  detail::require_no_overlap("reduce by key", "unique and items", unique,
                             {call.in, items, item_bytes});
  detail::require_no_overlap("reduce by key", "totals and keys", totals, keys);
}

/// Returns body(machine, std::type_identity<T>{}), a Result, for the machine of the engine and the
/// type of the items.
template <class Result = void, class Body>
Result on_typed_machine(engine const& on, device_call const& call, Body const& body) {
  check_device_segments(call.segments, call.n);
  return libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T> type) {
    return detail::on_machine_of<Result>(on, call.n,
                                         [&](auto machine) { return body(machine, type); });
  });
}

}  // namespace

void enqueue_scan(device_queue const& queue, device_call const& call) {
  queue_place const place = detail::place_of(queue);
  on_typed_machine(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    if (is_plain(call)) {
      device_items<Machine, T>::enqueue_scan(on, place, call);
    } else {
      device_segments<Machine, T>::enqueue_scan(on, place, call);
    }
  });
}

void enqueue_reduce(device_queue const& queue, device_call const& call) {
  if (call.unique != nullptr) check_unique(call);
  queue_place const place = detail::place_of(queue);
  on_typed_machine(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    if (is_plain(call)) {
      device_items<Machine, T>::enqueue_reduce(on, place, call);
    } else {
      device_segments<Machine, T>::enqueue_reduce(on, place, call);
    }
  });
}

void enqueue_difference(device_queue const& queue, device_call const& call) {
  queue_place const place = detail::place_of(queue);
  on_typed_machine(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    device_items<Machine, T>::enqueue_difference(on, place, call);
  });
}

std::size_t enqueued_bytes(engine const& on, device_call const& call) {
  return on_typed_machine<std::size_t>(
      on, call, [&]<class Machine, class T>(Machine, std::type_identity<T>) {
        return is_plain(call) ? device_items<Machine, T>::workspace_bytes(call.n)
                              : device_segments<Machine, T>::workspace_bytes(call.n, call.segments);
      });
}

void enqueue_binary_scan(device_queue const& queue, device_binary_scan const& call) {
  queue_place const place = detail::place_of(queue);
  detail::on_machine_of(queue.on, call.mask.size(), [&]<class Machine>(Machine on) {
    device_ranks<Machine>::enqueue(on, place, call);
  });
}

std::size_t enqueued_rank_bytes(engine const& on, index_t n) {
  return detail::on_machine_of<std::size_t>(
      on, n, [&]<class Machine>(Machine) { return device_ranks<Machine>::workspace_bytes(n); });
}

}  // namespace libscan::inline v1::detail
