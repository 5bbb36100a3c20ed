// SPDX-License-Identifier: Apache-2.0
// The compiled half of device_calls.hpp: checks a call and puts it in its queue.
#include <libscan/device_calls.hpp>

#include <libscan/core/error.hpp>
#include <libscan/host/device_items.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

namespace {

using form = segmentation::form;

void check_segments(segmentation const& segments) {
  bool const bounds = segments.counts_segments() && segments.type() == input_type::i64;
  if (segments.how() == form::none || segments.how() == form::bits || bounds) return;
  throw invalid_argument(
      "segments in device memory: expected segmentation::of_bits, or of_offsets or of_ranges of "
      "64-bit integers; for other forms include libscan/segmented_scan.cuh in CUDA code");
}

/// Returns body(machine, std::type_identity<T>{}), a Result, for the machine of the engine and the
/// type of the items.
template <class Result = void, class Body>
Result on_typed_machine(engine const& on, device_call const& call, Body const& body) {
  check_segments(call.segments);
  return libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T> type) {
    return detail::on_machine_of<Result>(on, call.n,
                                         [&](auto machine) { return body(machine, type); });
  });
}

}  // namespace

void enqueue_scan(device_queue const& queue, device_call const& call) {
  queue_place const place = detail::place_of(queue);
  on_typed_machine(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    if (call.segments.how() == form::none) {
      device_items<Machine, T>::enqueue_scan(on, place, call);
    } else {
      device_segments<Machine, T>::enqueue_scan(on, place, call);
    }
  });
}

void enqueue_reduce(device_queue const& queue, device_call const& call) {
  queue_place const place = detail::place_of(queue);
  on_typed_machine(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    if (call.segments.how() == form::none) {
      device_items<Machine, T>::enqueue_reduce(on, place, call);
    } else {
      device_segments<Machine, T>::enqueue_reduce(on, place, call);
    }
  });
}

std::size_t enqueued_bytes(engine const& on, device_call const& call) {
  return on_typed_machine<std::size_t>(
      on, call, [&]<class Machine, class T>(Machine, std::type_identity<T>) {
        return call.segments.how() == form::none
                   ? device_items<Machine, T>::workspace_bytes(call.n)
                   : device_segments<Machine, T>::workspace_bytes(call.n, call.segments);
      });
}

}  // namespace libscan::inline v1::detail
