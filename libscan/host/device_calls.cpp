// SPDX-License-Identifier: Apache-2.0
// The compiled half of device_calls.hpp: checks a call and puts it in its queue.
#include <libscan/device_calls.hpp>

#include <string>

#include <libscan/core/error.hpp>
#include <libscan/host/device_items.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/on_engine.hpp>

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

/// Calls body(machine, std::type_identity<T>{}) for the machine of the engine and the type of the
/// items.
template <class Body>
auto on_machine_of(engine const& on, device_call const& call, Body const& body) {
  check_segments(call.segments);
  if (call.n < 0) {
    throw invalid_argument("number of items is " + std::to_string(call.n) + "; expected >= 0");
  }
  return libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T> type) {
    return detail::on_engine(
        on, call.n, [&](auto machine) { return body(machine, type); },
        [&](int) -> decltype(body(executor_run{}, type)) {
          throw invalid_argument(
              "calls on device memory run on the engines cuda and executor, not on the cpu engine; "
              "use the calls of libscan.hpp on host memory");
        });
  });
}

queue_place place_of(device_queue const& queue) {
  return {queue.stream, queue.memory, queue.workspace, queue.workspace_bytes};
}

}  // namespace

void enqueue_scan(device_queue const& queue, device_call const& call) {
  queue_place const place = place_of(queue);
  on_machine_of(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    if (call.segments.how() == form::none) {
      device_items<Machine, T>::enqueue_scan(on, place, call);
    } else {
      device_segments<Machine, T>::enqueue_scan(on, place, call);
    }
  });
}

void enqueue_reduce(device_queue const& queue, device_call const& call) {
  queue_place const place = place_of(queue);
  on_machine_of(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    if (call.segments.how() == form::none) {
      device_items<Machine, T>::enqueue_reduce(on, place, call);
    } else {
      device_segments<Machine, T>::enqueue_reduce(on, place, call);
    }
  });
}

std::size_t enqueued_bytes(engine const& on, device_call const& call) {
  return on_machine_of(on, call, [&]<class Machine, class T>(Machine, std::type_identity<T>) {
    return call.segments.how() == form::none
               ? device_items<Machine, T>::workspace_bytes(call.n)
               : device_segments<Machine, T>::workspace_bytes(call.n, call.segments);
  });
}

}  // namespace libscan::inline v1::detail
