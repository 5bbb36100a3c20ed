// SPDX-License-Identifier: Apache-2.0
// Sorts of device memory around the kernels that sort between offsets of index_t, with values of 4
// or 8 bytes, and not in place: other descriptions of segments become offsets, other values move by
// positions, and what would be overwritten is copied.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <apps/radix_sort/host/segment_moves.hpp>
#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/on_queue.hpp>
#include <libscan/host/side_memory.hpp>

namespace libscan::inline v1::detail {

namespace {

using form = segmentation::form;
using sort_function = function_ref<void(device_queue const&, sort_call const&)>;

/// Runs body(moves, machine) with the functions of the queue's machine.
template <class Body>
void with_moves(device_queue const& queue, Body const& body) {
  detail::on_machine_of(queue.on, 0, [&]<class Machine>(Machine on) {
    body(segment_moves<Machine>(), on, detail::place_of(queue));
  });
}

void check_device_sort(engine const& on, sort_call const& call) {
  detail::on_machine_of(on, call.n, [](auto) {});
  detail::check_device_segments(call.described, call.n);
}

/// Refuses outputs that overlap other arrays of the call.
void check_outputs(sort_call const& call, std::size_t key_bytes) {
  char const* const name = call.in_segments ? "segmented sort" : "sort";
  index_t const n = call.d_n == nullptr ? call.n : 0;
  memory_span const keys(call.keys, n, key_bytes), out(call.out, n, key_bytes);
  auto const size = static_cast<std::size_t>(call.value_bytes);
  memory_span const values(call.values, n, size), moved(call.values_out, n, size);
  detail::require_in_place_or_no_overlap(name, keys, out);
  detail::require_in_place_or_no_overlap(name, values, moved);
  detail::require_no_overlap(name, "keys and values_out", keys, moved);
  detail::require_no_overlap(name, "values and out", values, out);
  detail::require_no_overlap(name, "out and values_out", out, moved);
  detail::check_segments_apart(name, call.described, out);
  detail::check_segments_apart(name, call.described, moved);
}

// Sorts within segments in place: kernels would read what they have overwritten, so they read a
// copy. Values that move by positions, and ranges, are copied anyway.

bool may_copy(sort_call const& call) {
  return call.in_segments && call.n > 0 && call.described.how() != form::ranges;
}

bool copies_keys(sort_call const& call) {
  return may_copy(call) && call.out != nullptr && call.out == call.keys;
}

bool copies_values(sort_call const& call) {
  return may_copy(call) && call.values_out != nullptr && call.values_out == call.values &&
         !moves_by_positions(call.value_bytes);
}

bool copies_first(sort_call const& call) { return copies_keys(call) || copies_values(call); }

std::size_t copied_bytes(sort_call const& call, std::size_t key_bytes) {
  auto const size = static_cast<std::size_t>(call.value_bytes);
  return side_memory::bytes_of(copies_keys(call) ? call.n : 0, key_bytes) +
         side_memory::bytes_of(copies_values(call) ? call.n : 0, size);
}

void sort_copies(device_queue const& queue, sort_call call, std::size_t key_bytes,
                 std::size_t needs, sort_function sort) {
  side_memory memory(queue, copied_bytes(call, key_bytes), needs);
  auto const copy_of = [&](void const* items, std::size_t bytes) {
    void* const copied = memory.take(call.n, bytes);
    detail::copy(queue, copied, items, static_cast<std::size_t>(call.n) * bytes);
    return copied;
  };
  bool const values = copies_values(call);
  if (copies_keys(call)) call.keys = copy_of(call.keys, key_bytes);
  if (values) call.values = copy_of(call.values, static_cast<std::size_t>(call.value_bytes));
  sort(memory.rest(), call);
}

// Values of other sizes: positions are sorted with the keys, and tell where values come from.

std::size_t moved_by_positions_bytes(sort_call const& call) {
  auto const places = static_cast<std::size_t>(position_bytes(call.n));
  return 2 * side_memory::bytes_of(call.n, places) +
         side_memory::bytes_of(call.n, static_cast<std::size_t>(call.value_bytes));
}

/// The call with positions as values. They come from `numbers` and go to `places`.
sort_call call_with_positions(sort_call call, void const* numbers, void* places) {
  call.values = numbers;
  call.values_out = places;
  call.value_bytes = position_bytes(call.n);
  return call;
}

void sort_by_positions(device_queue const& queue, sort_call const& call, std::size_t needs,
                       sort_function sort) {
  if (call.n > 0 && call.values == nullptr) {
    throw invalid_argument("sort: no values, but a place for them; expected both or neither");
  }
  auto const bytes = static_cast<std::size_t>(call.value_bytes);
  int const place_bytes = position_bytes(call.n);
  auto const place_size = static_cast<std::size_t>(place_bytes);
  side_memory memory(queue, moved_by_positions_bytes(call), needs);
  void* const numbers = memory.take(call.n, place_size);
  void* const places = memory.take(call.n, place_size);
  void const* from = call.values;
  if (call.values == call.values_out) {
    void* const copied = memory.take(call.n, bytes);
    detail::copy(queue, copied, call.values, static_cast<std::size_t>(call.n) * bytes);
    from = copied;
  }
  with_moves(queue, [&](auto moves, auto on, queue_place const& place) {
    moves.number_items(on, place, numbers, place_bytes, call.n);
    // Values in no segment stay where they are.
    if (call.in_segments) moves.clear_positions(on, place, places, place_bytes, call.n);
  });
  sort(memory.rest(), call_with_positions(call, numbers, places));
  detail::gather_values(queue,
                        {bytes, from, call.values_out, place_size, places, call.n, call.d_n});
}

// Offsets of 32 bits, begins and ends.

std::size_t bounds_bytes(segmentation const& segments) {
  if (!segments.counts_segments()) return 0;
  if (detail::size_of(segments.type()) == sizeof(index_t)) return 0;
  return 2 * side_memory::bytes_of(segments.count() + 1, sizeof(index_t));
}

/// Offsets, begins or ends as index_t.
index_t const* bounds_as_indices(device_queue const& queue, side_memory& memory, input_type type,
                                 void const* bounds, index_t count) {
  if (detail::size_of(type) == sizeof(index_t)) return static_cast<index_t const*>(bounds);
  auto* const to = memory.take<index_t>(count);
  detail::enqueue_conversion(queue, item_type::i64, {type, bounds, input_type::i64, to, count});
  return to;
}

// Head flags, bits, keys and lengths: each item may begin a segment.

index_t head_words(index_t n) { return ceil_div(n, index_t{32}); }

std::size_t packed_bytes(engine const& on, sort_call const& call) {
  if (call.described.how() == form::bits) return 0;
  std::size_t bytes = 0;
  detail::on_machine_of(on, call.n, [&]<class Machine>(Machine) {
    bytes = device_head_bits<Machine>::bytes(call.n);
  });
  return side_memory::bytes_of(static_cast<index_t>(bytes), 1);
}

std::size_t heads_bytes(engine const& on, sort_call const& call) {
  return packed_bytes(on, call) + side_memory::bytes_of(call.n, sizeof(std::uint64_t)) +
         side_memory::bytes_of(1, sizeof(index_t)) +
         side_memory::bytes_of(call.n + 1, sizeof(index_t));
}

/// The head bits of a call's segments.
std::uint32_t const* packed_heads_of(device_queue const& queue, side_memory& memory,
                                     sort_call const& call) {
  if (call.described.how() == form::bits) {
    return static_cast<std::uint32_t const*>(call.described.data());
  }
  std::size_t const bytes = packed_bytes(queue.on, call);
  auto* const words = static_cast<std::uint32_t*>(memory.take(static_cast<index_t>(bytes), 1));
  device_call heads;
  heads.n = call.n;
  heads.segments = call.described;
  detail::on_machine_of(queue.on, call.n, [&]<class Machine>(Machine on) {
    device_head_bits<Machine>::pack(on, detail::place_of(queue), heads, words);
  });
  return words;
}

void sort_between_heads(device_queue const& queue, sort_call call, std::size_t needs,
                        sort_function sort) {
  if (call.n == 0) return;
  side_memory memory(queue, heads_bytes(queue.on, call), needs);
  std::uint32_t const* const words = packed_heads_of(queue, memory, call);
  auto* const ranks = memory.take<std::uint64_t>(call.n);
  auto* const total = memory.take<index_t>(1);
  auto* const offsets = memory.take<index_t>(call.n + 1);
  auto const mask =
      item_mask::of_bits({words, static_cast<std::size_t>(head_words(call.n))}, call.n);
  detail::enqueue_binary_scan(memory.rest(),
                              {mask, scan_kind::exclusive, ranks, sizeof(std::uint64_t), total});
  with_moves(queue, [&](auto moves, auto on, queue_place const& place) {
    moves.offsets_of(on, place, {words, ranks, total, call.n}, offsets);
  });
  call.offsets = offsets;
  call.segments = call.n;  // those after the last one are empty
  call.described = {};
  sort(memory.rest(), call);
}

// Ranges: their items are copied together, sorted, and copied back.

std::size_t together_bytes(sort_call const& call, std::size_t key_bytes) {
  auto const size = static_cast<std::size_t>(call.value_bytes);
  return bounds_bytes(call.described) +
         side_memory::bytes_of(call.described.count() + 1, sizeof(index_t)) +
         2 * (side_memory::bytes_of(call.n, key_bytes) + side_memory::bytes_of(call.n, size));
}

/// The scan of the lengths of ranges.
device_call scan_of_lengths(index_t* offsets, index_t count, index_t const& zero) {
  return {.type = item_type::i64,
          .op = operator_kind::plus,
          .kind = scan_kind::exclusive,
          .in = offsets,
          .out = offsets,
          .n = count,
          .init = &zero,
          .d_total = offsets + count};
}

void sort_together(device_queue const& queue, sort_call const& call, std::size_t key_bytes,
                   std::size_t needs, sort_function sort) {
  auto const size = static_cast<std::size_t>(call.value_bytes);
  index_t const count = call.described.count(), zero = 0;
  side_memory memory(queue, together_bytes(call, key_bytes), needs);
  segmentation const& bounds = call.described;
  segment_ranges<index_t> const ranges{
      bounds_as_indices(queue, memory, bounds.type(), bounds.data(), count),
      bounds_as_indices(queue, memory, bounds.type(), bounds.ends(), count), count};
  auto* const offsets = memory.take<index_t>(count + 1);
  void* const keys = memory.take(call.n, key_bytes);
  void* const sorted_keys = memory.take(call.n, key_bytes);
  void* const values = memory.take(call.n, size);
  void* const sorted_values = memory.take(call.n, size);
  auto const copy = [&](std::size_t bytes, void const* from, void* to, bool back) {
    with_moves(queue, [&](auto moves, auto on, queue_place const& place) {
      moves.copy_ranges(on, place, {bytes, from, to, ranges, call.n, offsets, back});
    });
  };
  with_moves(queue, [&](auto moves, auto on, queue_place const& place) {
    moves.lengths_of(on, place, ranges, call.n, offsets);
    if (call.values_out != nullptr && call.values == nullptr) {
      moves.number_items(on, place, sorted_values, call.value_bytes, call.n);
    }
  });
  detail::enqueue_scan(memory.rest(), scan_of_lengths(offsets, count, zero));
  sort_call together = call;
  together.described = {};
  together.offsets = offsets;
  together.segments = count;
  together.keys = keys;
  together.out = sorted_keys;
  copy(key_bytes, call.keys, keys, false);
  if (call.values_out != nullptr) {
    copy(size, call.values != nullptr ? call.values : sorted_values, values, false);
    together.values = values;
    together.values_out = sorted_values;
  }
  sort(memory.rest(), together);
  if (call.out != nullptr) copy(key_bytes, sorted_keys, call.out, true);
  if (call.values_out != nullptr) copy(size, sorted_values, call.values_out, true);
}

/// A sort between offsets of 32 bits.
void sort_between_offsets(device_queue const& queue, sort_call call, std::size_t needs,
                          sort_function sort) {
  segmentation const& bounds = call.described;
  side_memory memory(queue, bounds_bytes(bounds), needs);
  call.segments = bounds.count();
  call.offsets = bounds_as_indices(queue, memory, bounds.type(), bounds.data(), bounds.count() + 1);
  call.described = {};
  sort(memory.rest(), call);
}

}  // namespace

sort_call checked_sort(sort_call const& call, std::size_t key_bytes) {
  if (call.n > 0 && call.out == nullptr && call.values_out == nullptr) {
    throw invalid_argument("sort: no output; expected sorted keys or values, or both");
  }
  form const how = call.described.how();
  bool const between_offsets = call.in_segments && (how == form::none || how == form::offsets);
  if (between_offsets && call.offsets == nullptr && call.described.data() == nullptr) {
    throw invalid_argument("segmented sort: no offsets; expected one more than segments");
  }
  return detail::checked_items(call, key_bytes);
}

bool needs_preparation(sort_call const& call) {
  return call.described.how() != form::none || moves_by_positions(call.value_bytes) ||
         copies_first(call);
}

void enqueue_prepared_sort(device_queue const& queue, sort_call const& call, std::size_t key_bytes,
                           std::size_t needs, sort_function sort) {
  check_device_sort(queue.on, call);
  check_outputs(call, key_bytes);
  if (moves_by_positions(call.value_bytes)) return sort_by_positions(queue, call, needs, sort);
  if (copies_first(call)) return sort_copies(queue, call, key_bytes, needs, sort);
  if (call.described.how() == form::offsets) {
    return sort_between_offsets(queue, call, needs, sort);
  }
  if (call.described.how() == form::ranges) {
    return sort_together(queue, call, key_bytes, needs, sort);
  }
  sort_between_heads(queue, call, needs, sort);
}

std::size_t prepared_sort_bytes(engine const& on, sort_call const& call, std::size_t key_bytes,
                                function_ref<std::size_t(sort_call const&)> bytes) {
  check_device_sort(on, call);
  if (moves_by_positions(call.value_bytes)) {
    sort_call const with_positions = call_with_positions(call, &call, nullptr);
    return moved_by_positions_bytes(call) + bytes(with_positions);
  }
  sort_call prepared = call;
  if (copies_first(call)) {
    prepared.keys = nullptr;
    if (copies_values(call)) prepared.values = &call;
    return copied_bytes(call, key_bytes) + bytes(prepared);
  }
  index_t const any_offset = 0;
  prepared.described = {};
  if (call.described.how() == form::offsets) return bounds_bytes(call.described) + bytes(prepared);
  if (call.described.how() == form::ranges) {
    if (call.value_bytes != 0) prepared.values = &any_offset;  // also positions
    device_call const lengths{.type = item_type::i64, .n = call.described.count()};
    return together_bytes(call, key_bytes) +
           std::max(bytes(prepared), detail::enqueued_bytes(on, lengths));
  }
  return heads_bytes(on, call) + std::max(bytes(prepared), detail::enqueued_rank_bytes(on, call.n));
}

}  // namespace libscan::inline v1::detail
