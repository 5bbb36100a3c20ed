// SPDX-License-Identifier: Apache-2.0
// The compiled half of filter_device_calls.hpp: checks a call and puts it in its queue.
#include <libscan/filter_device_calls.hpp>

#include <cstddef>
#include <string>

#include <apps/filter/host/filter_device.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/host/on_queue.hpp>

namespace libscan::inline v1::detail {

namespace {

void check_filter(filter_call const& call) {
  if (call.mask && call.mask->size() != call.n) {
    throw invalid_argument("a mask of " + std::to_string(call.mask->size()) + " items for " +
                           std::to_string(call.n) + " values; expected one for each");
  }
}

bool without_items(filter_call const& call) {
  return call.mask && (call.kind == filter_kind::positions || call.kind == filter_kind::count);
}

void check_bit(filter_call const& call) {
  int const bits = 8 * static_cast<int>(libscan::size_of(call.type));
  if (call.kind != filter_kind::split_bit || (call.bit >= 0 && call.bit < bits)) return;
  throw invalid_argument("split_by_bit: bit " + std::to_string(call.bit) + " of keys of " +
                         std::to_string(bits) + " bits; expected 0 to " + std::to_string(bits - 1));
}

/// The host knows where the offsets of runs begin; only the device knows their number.
void check_offsets(filter_call const& call) {
  if (call.offsets == nullptr) return;
  memory_span const first(call.offsets, 1, sizeof(index_t));
  std::size_t const bytes = libscan::size_of(call.type);
  detail::require_no_overlap("run_length_encode", "items and offsets",
                             {call.in, call.d_n == nullptr ? call.n : 0, bytes}, first);
  detail::require_no_overlap("run_length_encode", "out and offsets", {call.out, 1, bytes}, first);
  detail::require_no_overlap("run_length_encode", "lengths and offsets",
                             {call.positions, 1, sizeof(index_t)}, first);
}

bool by_predicate(filter_call const& call) {
  return call.keep != nullptr && call.kind <= filter_kind::count;
}

}  // namespace

void enqueue_filter(device_queue const& queue, filter_call const& call) {
  check_filter(call);
  check_bit(call);
  check_offsets(call);
  queue_place const place = detail::place_of(queue);
  detail::on_machine_of(queue.on, call.n, [&]<class Machine>(Machine on) {
    if (without_items(call)) return device_masks<Machine>::enqueue(on, place, call);
    libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
      if (by_predicate(call)) {
        device_filter<Machine, T>::enqueue(on, place, call);
      } else {
        device_selection<Machine, T>::enqueue(on, place, call);
      }
    });
  });
}

std::size_t enqueued_filter_bytes(engine const& on, item_type type, index_t n) {
  return detail::on_machine_of<std::size_t>(on, n, [&]<class Machine>(Machine) {
    return libscan::visit_item_type(type, [&]<class T>(std::type_identity<T>) {
      return device_selection<Machine, T>::workspace_bytes(n);
    });
  });
}

}  // namespace libscan::inline v1::detail
