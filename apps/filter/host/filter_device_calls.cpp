// SPDX-License-Identifier: Apache-2.0
// The compiled half of filter_device_calls.hpp: checks a call and puts it in its queue.
#include <libscan/filter_device_calls.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <apps/filter/host/filter_device.hpp>
#include <apps/filter/host/host_checks.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/host/on_queue.hpp>
#include <libscan/host/side_memory.hpp>
#include <libscan/segmentation.hpp>

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
  int const bits = 8 * static_cast<int>(detail::size_of(call.type));
  if (call.kind != filter_kind::split_bit || (call.bit >= 0 && call.bit < bits)) return;
  throw invalid_argument("split_by_bit: bit " + std::to_string(call.bit) + " of keys of " +
                         std::to_string(bits) + " bits; expected 0 to " + std::to_string(bits - 1));
}

/// The host knows where the results of runs begin; only the device knows their number.
void check_runs(filter_call const& call) {
  if (call.kind != filter_kind::run_lengths) return;
  check_min_length(call.min_length);
  if (call.n == 0) return;
  char const* const name = "run_length_encode";
  std::size_t const bytes = detail::size_of(call.type);
  detail::require_aligned_words(call.in, bytes);
  detail::require_aligned_words(call.out, bytes);
  detail::require_aligned(call.positions);
  detail::require_aligned(call.offsets);
  memory_span const in(call.in, call.d_n == nullptr ? call.n : 0, bytes), out(call.out, 1, bytes),
      lengths(call.positions, 1, sizeof(index_t)),
      offsets(call.offsets, call.offsets == nullptr ? 0 : 1, sizeof(index_t));
  detail::require_no_overlap(name, "items and out", in, out);
  detail::require_no_overlap(name, "items and lengths", in, lengths);
  detail::require_no_overlap(name, "items and offsets", in, offsets);
  detail::require_no_overlap(name, "out and lengths", out, lengths);
  detail::require_no_overlap(name, "out and offsets", out, offsets);
  detail::require_no_overlap(name, "lengths and offsets", lengths, offsets);
}

/// The description of segments in which the items of a call are keys: its runs.
segmentation runs_of(filter_call const& call) {
  return detail::visit_input_type(call.type, [&]<class T>(std::type_identity<T>) {
    auto const n = static_cast<std::size_t>(call.n);
    return segmentation::of_keys(std::span(static_cast<T const*>(call.in), n));
  });
}

index_t words_of(index_t n) { return ceil_div(n, index_t{32}); }

template <class Machine>
std::size_t head_bytes(index_t n) {
  return side_memory::bytes_of(static_cast<index_t>(device_head_bits<Machine>::bytes(n)), 1);
}

/// Bytes of the head bits, the begins and the number of the runs of n items.
template <class Machine>
std::size_t begins_bytes(index_t n) {
  return head_bytes<Machine>(n) + side_memory::bytes_of(n, sizeof(index_t)) +
         side_memory::bytes_of(1, sizeof(index_t));
}

/// Runs of some length at least: finds where runs begin, then keeps those that are long enough.
template <class Machine>
void enqueue_long_runs(Machine on, device_queue const& queue, filter_call const& call) {
  std::size_t const needs = begins_bytes<Machine>(call.n);
  side_memory memory(queue, needs, needs + untyped_filters<Machine>::workspace_bytes(call.n));
  queue_place const rest = detail::place_of(memory.rest());
  auto* const words = static_cast<std::uint32_t*>(memory.take(head_bytes<Machine>(call.n), 1));
  auto* const begins = memory.take<index_t>(call.n);
  auto* const runs = memory.take<index_t>(1);
  device_call heads;
  heads.n = call.n;
  heads.d_n = call.d_n;
  heads.segments = runs_of(call);
  if (call.n > 0) device_head_bits<Machine>::pack(on, rest, heads, words);
  std::span const bits(words, static_cast<std::size_t>(words_of(call.n)));
  untyped_filters<Machine>::enqueue(on, rest,
                                    {.kind = filter_kind::positions,
                                     .n = call.n,
                                     .d_n = call.d_n,
                                     .mask = item_mask::of_bits(bits, call.n),
                                     .positions = begins,
                                     .d_count = runs});
  untyped_filters<Machine>::keep_long_runs(on, rest, call, {begins, runs});
}

bool by_predicate(filter_call const& call) {
  return call.keep != nullptr && call.kind <= filter_kind::count;
}

}  // namespace

void enqueue_filter(device_queue const& queue, filter_call const& call) {
  check_filter(call);
  check_bit(call);
  check_runs(call);
  queue_place const place = detail::place_of(queue);
  detail::on_machine_of(queue.on, call.n, [&]<class Machine>(Machine on) {
    if (without_items(call)) return untyped_filters<Machine>::enqueue(on, place, call);
    if (call.min_length > 1) return enqueue_long_runs(on, queue, call);
    detail::visit_input_type(call.type, [&]<class T>(std::type_identity<T>) {
      if (by_predicate(call)) {
        device_filter<Machine, T>::enqueue(on, place, call);
      } else {
        device_selection<Machine, T>::enqueue(on, place, call);
      }
    });
  });
}

std::size_t enqueued_filter_bytes(engine const& on, input_type type, index_t n) {
  return detail::on_machine_of<std::size_t>(on, n, [&]<class Machine>(Machine) {
    return detail::visit_input_type(type, [&]<class T>(std::type_identity<T>) {
      return device_selection<Machine, T>::workspace_bytes(n);
    });
  });
}

std::size_t enqueued_run_bytes(engine const& on, input_type type, index_t n, index_t min_length) {
  check_min_length(min_length);
  if (min_length == 1) return enqueued_filter_bytes(on, type, n);
  return detail::on_machine_of<std::size_t>(on, n, [&]<class Machine>(Machine) {
    return begins_bytes<Machine>(n) + untyped_filters<Machine>::workspace_bytes(n);
  });
}

}  // namespace libscan::inline v1::detail
