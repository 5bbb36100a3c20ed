// SPDX-License-Identifier: Apache-2.0
// The compiled half of device_calls.hpp: checks a call and puts it in its queue.
#include <libscan/device_calls.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/host/device_items.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/on_queue.hpp>
#include <libscan/host/side_memory.hpp>

namespace libscan::inline v1::detail {

namespace {

using form = segmentation::form;

/// Whether a call is one of `device_items`, which has a kernel for each operator. Kernels of
/// `device_segments` may choose the operator.
[[maybe_unused]] bool is_plain(device_call const& call) {
  return call.segments.how() == form::none && !call.reverse;
}

/// Bytes of each accumulator.
std::size_t value_bytes(device_call const& call) {
  return libscan::size_of(call.type) * (call.of_complex ? 2 : 1);
}

/// Bytes of each item.
std::size_t item_bytes(device_call const& call) {
  return call.converts ? detail::size_of(call.in_type) : value_bytes(call);
}

/// Refuses keys of runs that overlap what else a reduction by key reads and writes.
void check_unique(device_call const& call) {
  auto const items = call.d_n == nullptr ? call.n : 0;
  if (items == 0) return;
  // How many keys there will be only the device knows: at least one.
  detail::memory_span const keys = call.segments.bytes();
  detail::memory_span const unique(call.unique, 1, detail::size_of(call.segments.type()));
  detail::memory_span const totals(call.out, 1, value_bytes(call));
  detail::require_no_overlap("reduce by key", "unique and keys", unique, keys);
  detail::require_no_overlap("reduce by key", "unique and totals", unique, totals);
  detail::require_no_overlap("reduce by key", "unique and items", unique,
                             {call.in, items, item_bytes(call)});
  detail::require_no_overlap("reduce by key", "totals and keys", totals, keys);
}

/// Returns body(machine, std::type_identity<T>{}), a Result, for the machine of the engine and the
/// type of the items.
template <class Result = void, class Body>
Result on_typed_machine(engine const& on, device_call const& call, Body const& body) {
  detail::check_device_segments(call.segments, call.n);
  return libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T> type) {
    return detail::on_machine_of<Result>(on, call.n,
                                         [&](auto machine) { return body(machine, type); });
  });
}

/// The address of part 0 or 1 of the complex number at `numbers`; null if that is.
template <class Address>
Address part_at(Address numbers, device_call const& call, std::size_t part) {
  using byte = std::conditional_t<std::is_same_v<Address, void*>, std::byte, std::byte const>;
  if (numbers == nullptr) return nullptr;
  return static_cast<byte*>(numbers) + part * libscan::size_of(call.type);
}

/// The parts of a call's complex numbers and of its results: [0] real, [1] imaginary.
struct parts_memory {
  side_memory memory;
  index_t* count;
  void* items[2];
  void* results[2];

  parts_memory(device_queue const& queue, device_call const& call)
      : memory(queue, bytes(call), detail::enqueued_bytes(queue.on, call)),
        count(memory.take<index_t>(1)) {
    std::size_t const size = libscan::size_of(call.type);
    for (void*& part : items) part = memory.take(call.n, size);
    for (void*& part : results) part = memory.take(results_of(call), size);
  }

  static std::size_t bytes(device_call const& call) {
    std::size_t const size = libscan::size_of(call.type);
    return side_memory::bytes_of(1, sizeof(index_t)) +
           2 * (side_memory::bytes_of(call.n, size) +
                side_memory::bytes_of(results_of(call), size));
  }

 private:
  /// Scans that leave no item out write over the parts of items, and one sum is written in place.
  static index_t results_of(device_call const& call) {
    if (call.segments.how() == form::none) return 0;
    return call.segments.counts_segments() ? std::max(call.n, call.segments.count()) : call.n;
  }
};

/// How many items and results of a call the host knows of: of a scan, as many as items.
index_t known_items(device_call const& call) { return call.d_n == nullptr ? call.n : 0; }
index_t known_totals(device_call const& call) {
  return call.segments.counts_segments() ? call.segments.count() : 1;
}

/// Whether head flags are packed first, so that results may overlap what describes segments.
bool reads_segments_first(device_call const& call) {
  return call.segments.how() == form::flags || call.segments.how() == form::keys;
}

/// Checks where a call reads and writes; results that may be in place have the items' type.
void check_memory(char const* name, device_call const& call, memory_span const& out,
                  bool in_place) {
  memory_span const in(call.in, known_items(call), item_bytes(call));
  if (in_place) {
    detail::require_in_place_or_no_overlap(name, in, out);
  } else {
    detail::require_no_overlap(name, "items and results", in, out);
  }
  if (!reads_segments_first(call)) detail::check_segments_apart(name, call.segments, out);
}

void check_aligned(void const* items, input_type type) {
  detail::visit_input_type(type, [&]<class Item>(std::type_identity<Item>) {
    detail::require_aligned(static_cast<Item const*>(items));
  });
}

/// Checks a call on complex numbers whose output has `results` of them; `out` may be `in` in scans.
void check_complex(char const* name, device_call const& call, index_t results, bool scans) {
  check_aligned(call.in, detail::as_input(call.type));
  check_aligned(call.out, detail::as_input(call.type));
  check_memory(name, call, {call.out, results, value_bytes(call)}, scans);
}

/// The call on the parts of complex numbers, first on the real ones.
device_call call_of_part(device_call call, std::size_t part, parts_memory const& memory,
                         void* out) {
  call.init = part_at(call.init, call, part);
  call.d_init = part_at(call.d_init, call, part);
  call.in = memory.items[part];
  call.out = out;
  call.of_complex = false;
  return call;
}

/// Puts a call in a queue.
using enqueue_function = void (*)(device_queue const&, device_call const&);

/// A scan or differences of complex numbers: no kernel is compiled for them.
void scan_parts(char const* name, device_queue const& queue, device_call const& call,
                enqueue_function enqueue) {
  check_complex(name, call, known_items(call), true);
  parts_memory const memory(queue, call);
  std::size_t const bytes = libscan::size_of(call.type);
  auto const& [real, imaginary] = memory.items;
  detail::copy_parts(queue,
                     {false, bytes, const_cast<void*>(call.in), real, imaginary, call.n, call.d_n});
  bool const leaves_items = call.segments.counts_segments();
  auto const& results = leaves_items ? memory.results : memory.items;
  complex_parts out{false, bytes, call.out, results[0], results[1], call.n, call.d_n};
  if (leaves_items) detail::copy_parts(queue, out);
  for (std::size_t const part : {0, 1}) {
    device_call one = call_of_part(call, part, memory, results[part]);
    one.d_total = part_at(call.d_total, call, part);
    enqueue(memory.memory.rest(), one);
  }
  out.join = true;
  detail::copy_parts(queue, out);
}

/// The same for reductions.
void reduce_parts(device_queue const& queue, device_call const& call) {
  bool const one_sum = call.segments.how() == form::none;
  bool const counts = call.segments.counts_segments();
  check_complex("reduce", call, known_totals(call), false);
  parts_memory const memory(queue, call);
  std::size_t const bytes = libscan::size_of(call.type);
  auto const& [real, imaginary] = memory.items;
  detail::copy_parts(queue,
                     {false, bytes, const_cast<void*>(call.in), real, imaginary, call.n, call.d_n});
  auto* const segments =
      call.d_total != nullptr ? static_cast<index_t*>(call.d_total) : memory.count;
  for (std::size_t const part : {0, 1}) {
    void* const sums = one_sum ? part_at(call.out, call, part) : memory.results[part];
    device_call one = call_of_part(call, part, memory, sums);
    if (!one_sum && !counts) one.d_total = segments;
    detail::enqueue_reduce(memory.memory.rest(), one);
  }
  if (one_sum) return;
  auto const& [real_sums, imaginary_sums] = memory.results;
  detail::copy_parts(queue, {true, bytes, call.out, real_sums, imaginary_sums,
                             counts ? call.segments.count() : call.n, counts ? nullptr : segments});
}

/// Where the items of a call become accumulators, and its results.
struct conversion {
  bool widens;    ///< items
  bool rounds;    ///< results
  bool in_place;  ///< items become accumulators in `out`, which has space for them
  bool results_apart;

  explicit conversion(device_call const& call, bool scans)
      : widens(call.in_type != detail::as_input(call.type)),
        rounds(scans && call.out_type != detail::as_input(call.type)),
        in_place(scans && !rounds && !call.segments.counts_segments() &&
                 !reads_segments_first(call)),
        results_apart(rounds && (!widens || call.segments.counts_segments())) {}

  /// Items and results in memory of the call's own.
  index_t items(index_t n) const { return widens && !in_place ? n : 0; }
  index_t results(index_t n) const { return results_apart ? n : 0; }
};

std::size_t converted_bytes(device_call const& call, bool scans) {
  conversion const how(call, scans);
  std::size_t const size = value_bytes(call);
  return side_memory::bytes_of(how.items(call.n), size) +
         side_memory::bytes_of(how.results(call.n), size);
}

/// The accumulators of a call's items.
void const* converted_items(device_queue const& queue, device_call const& call,
                            conversion const& how, void* to) {
  if (!how.widens) return call.in;
  detail::enqueue_conversion(
      queue, call.type, {call.in_type, call.in, detail::as_input(call.type), to, call.n, call.d_n});
  return to;
}

/// A scan or differences whose items or results are not accumulators.
void scan_converted(char const* name, device_queue const& queue, device_call const& call,
                    enqueue_function enqueue) {
  conversion const how(call, true);
  check_aligned(call.in, call.in_type);
  check_aligned(call.out, call.out_type);
  check_memory(name, call, {call.out, known_items(call), detail::size_of(call.out_type)},
               call.in_type == call.out_type);
  side_memory memory(queue, converted_bytes(call, true), detail::enqueued_bytes(queue.on, call));
  void* const items = memory.take(how.items(call.n), value_bytes(call));
  void* const results = memory.take(how.results(call.n), value_bytes(call));
  device_call plain = call;
  plain.converts = false;
  plain.in = converted_items(queue, call, how, how.in_place ? call.out : items);
  plain.out = how.results_apart ? results : how.rounds ? items : call.out;
  input_type const value = detail::as_input(call.type);
  if (how.rounds && call.segments.counts_segments()) {
    // Results of items in no segment keep their values: of NaN not all bits, after two conversions.
    detail::enqueue_conversion(queue, call.type,
                               {call.out_type, call.out, value, results, call.n, call.d_n});
  }
  enqueue(memory.rest(), plain);
  if (how.rounds) {
    detail::enqueue_conversion(queue, call.type,
                               {value, plain.out, call.out_type, call.out, call.n, call.d_n});
  }
}

/// A reduction whose items are not accumulators.
void reduce_converted(device_queue const& queue, device_call const& call) {
  conversion const how(call, false);
  check_aligned(call.in, call.in_type);
  check_memory("reduce", call, {call.out, known_totals(call), value_bytes(call)}, false);
  side_memory memory(queue, converted_bytes(call, false), detail::enqueued_bytes(queue.on, call));
  device_call plain = call;
  plain.converts = false;
  plain.in = converted_items(queue, call, how, memory.take(how.items(call.n), value_bytes(call)));
  detail::enqueue_reduce(memory.rest(), plain);
}

/// How many offsets, begins or ends are no index_t, and become such first.
index_t other_bounds(segmentation const& segments) {
  if (!segments.counts_segments() || detail::size_of(segments.type()) == sizeof(index_t)) return 0;
  return segments.how() == form::offsets ? segments.count() + 1 : segments.count();
}

std::size_t bounds_bytes(segmentation const& segments) {
  std::size_t const one = side_memory::bytes_of(other_bounds(segments), sizeof(index_t));
  return segments.how() == form::ranges ? 2 * one : one;
}

/// The call with offsets or ranges of index_t, by enqueue(queue, call).
void with_index_bounds(device_queue const& queue, device_call call, memory_span const& out,
                       enqueue_function enqueue) {
  if (call.segments.data() == nullptr && call.segments.how() == form::offsets) {
    throw invalid_argument("segments: no offsets; expected one more than segments");
  }
  detail::check_segments_apart("segments", call.segments, out);
  side_memory memory(queue, bounds_bytes(call.segments), detail::enqueued_bytes(queue.on, call));
  index_t const count = other_bounds(call.segments);
  auto const as_indices = [&](void const* bounds) {
    auto* const to = memory.take<index_t>(count);
    detail::enqueue_conversion(queue, item_type::i64,
                               {call.segments.type(), bounds, input_type::i64, to, count});
    return std::span<index_t const>(to, static_cast<std::size_t>(count));
  };
  auto const begins = as_indices(call.segments.data());
  call.segments = call.segments.how() == form::offsets
                      ? segmentation::of_offsets(begins)
                      : segmentation::of_ranges(begins, as_indices(call.segments.ends()));
  enqueue(memory.rest(), call);
}

/// Bytes of workspace before that of the kernels.
std::size_t side_bytes(device_call const& call) {
  std::size_t bytes = bounds_bytes(call.segments);
  if (call.of_complex) bytes += parts_memory::bytes(call);
  if (call.converts) {
    bytes += std::max(converted_bytes(call, true), converted_bytes(call, false));
  }
  return bytes;
}

}  // namespace

void check_device_segments(segmentation const& segments, index_t n) {
  if (segments.how() == form::none || segments.how() == form::length) return;
  if (segments.counts_segments()) return;
  if (segments.how() == form::own_keys) {
    throw invalid_argument(
        "keys in device memory: expected numbers that are compared by ==; for others include "
        "libscan/segmented_scan.cuh in CUDA code, or mark where segments begin by flags");
  }
  if (segments.count() == n) return;
  throw invalid_argument("segments of " + std::to_string(segments.count()) + " items for " +
                         std::to_string(n) + " items; expected as many");
}

void enqueue_conversion(device_queue const& queue, item_type accumulator,
                        item_conversion const& all) {
  detail::on_machine_of(queue.on, all.n, [&]<class Machine>(Machine on) {
    libscan::visit_item_type(accumulator, [&]<class T>(std::type_identity<T>) {
      device_segments<Machine, T>::convert(on, detail::place_of(queue), all);
    });
  });
}

void enqueue_scan(device_queue const& queue, device_call const& call) {
  if (call.of_complex) return scan_parts("scan", queue, call, detail::enqueue_scan);
  if (call.converts) return scan_converted("scan", queue, call, detail::enqueue_scan);
  if (other_bounds(call.segments) > 0) {
    memory_span const out(call.out, known_items(call), value_bytes(call));
    return with_index_bounds(queue, call, out, detail::enqueue_scan);
  }
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
  if (call.of_complex) return reduce_parts(queue, call);
  if (call.converts) return reduce_converted(queue, call);
  if (other_bounds(call.segments) > 0) {
    memory_span const out(call.out, known_totals(call), value_bytes(call));
    return with_index_bounds(queue, call, out, detail::enqueue_reduce);
  }
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
  char const* const name = "adjacent_difference";
  if (call.of_complex) return scan_parts(name, queue, call, detail::enqueue_difference);
  if (call.converts) return scan_converted(name, queue, call, detail::enqueue_difference);
  queue_place const place = detail::place_of(queue);
  on_typed_machine(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    device_items<Machine, T>::enqueue_difference(on, place, call);
  });
}

std::size_t enqueued_bytes(engine const& on, device_call const& call) {
  std::size_t const kernels = on_typed_machine<std::size_t>(
      on, call, [&]<class Machine, class T>(Machine, std::type_identity<T>) {
        return is_plain(call) ? device_items<Machine, T>::workspace_bytes(call.n)
                              : device_segments<Machine, T>::workspace_bytes(call.n, call.segments);
      });
  return side_bytes(call) + kernels;
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
