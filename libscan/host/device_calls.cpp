// SPDX-License-Identifier: Apache-2.0
// The compiled half of device_calls.hpp: checks a call and puts it in its queue.
#include <libscan/device_calls.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/host/device_items.hpp>
#include <libscan/host/device_memory.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
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

/// Bytes of each item.
std::size_t item_bytes(device_call const& call) {
  return libscan::size_of(call.type) * (call.of_complex ? 2 : 1);
}

/// Refuses keys of runs that overlap what else a reduction by key reads and writes.
void check_unique(device_call const& call) {
  auto const items = call.d_n == nullptr ? call.n : 0;
  if (items == 0) return;
  // How many keys there will be only the device knows: at least one.
  detail::memory_span const keys = call.segments.bytes();
  detail::memory_span const unique(call.unique, 1, detail::size_of(call.segments.type()));
  detail::memory_span const totals(call.out, 1, item_bytes(call));
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
  check_device_segments(call.segments, call.n);
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

/// The parts of a call's complex numbers and of its results, in memory of its queue: [0] real, [1]
/// imaginary.
struct parts_memory {
  void* items[2];
  void* results[2];
  index_t* count;
  device_queue rest;  ///< of the calls on parts: with the rest of the workspace, if there is one

  parts_memory(device_queue const& queue, device_call const& call) : rest(queue) {
    std::size_t const bytes = parts_memory::bytes(call);
    auto* at = static_cast<std::byte*>(queue.workspace);
    if (at == nullptr) {
      at = owned_.emplace(queue, static_cast<index_t>(bytes)).data();
    } else {
      rest.workspace = at + bytes;
      rest.workspace_bytes -= bytes;
    }
    count = reinterpret_cast<index_t*>(at);
    at += alignment;
    for (void*& part : items) part = std::exchange(at, at + array_bytes(call, call.n));
    for (void*& part : results) part = std::exchange(at, at + array_bytes(call, results_of(call)));
  }

  static std::size_t bytes(device_call const& call) {
    return alignment + 2 * (array_bytes(call, call.n) + array_bytes(call, results_of(call)));
  }

 private:
  static constexpr std::size_t alignment = 256;

  static std::size_t array_bytes(device_call const& call, index_t n) {
    std::size_t const bytes = static_cast<std::size_t>(n) * libscan::size_of(call.type);
    return ceil_div(bytes, alignment) * alignment;
  }

  /// Scans that leave no item out write over the parts of items, and one sum is written in place.
  static index_t results_of(device_call const& call) {
    if (call.segments.how() == form::none) return 0;
    return call.segments.counts_segments() ? std::max(call.n, call.segments.count()) : call.n;
  }

  std::optional<device_array<std::byte>> owned_;
};

/// Checks a call on complex numbers whose output has `results` of them; `out` may be `in` in scans.
void check_complex(char const* name, device_queue const& queue, device_call const& call,
                   index_t results, bool scans) {
  std::size_t const needed = detail::enqueued_bytes(queue.on, call);
  if (queue.workspace != nullptr && queue.workspace_bytes < needed) {
    throw invalid_argument("workspace of " + std::to_string(queue.workspace_bytes) +
                           " bytes, but the call needs " + std::to_string(needed));
  }
  libscan::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
    detail::require_aligned(static_cast<T const*>(call.in));
    detail::require_aligned(static_cast<T const*>(call.out));
  });
  memory_span const in(call.in, call.d_n == nullptr ? call.n : 0, item_bytes(call));
  memory_span const out(call.out, results, item_bytes(call));
  if (scans) {
    detail::require_in_place_or_no_overlap(name, in, out);
  } else {
    detail::require_no_overlap(name, "items and results", in, out);
  }
  bool const packed = call.segments.how() == form::flags || call.segments.how() == form::keys;
  if (!packed) detail::check_segments_apart(name, call.segments, out);
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

/// A scan of complex numbers: no kernel is compiled for them.
void scan_parts(device_queue const& queue, device_call const& call) {
  check_complex("scan", queue, call, call.d_n == nullptr ? call.n : 0, true);
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
    detail::enqueue_scan(memory.rest, one);
  }
  out.join = true;
  detail::copy_parts(queue, out);
}

/// The same for reductions.
void reduce_parts(device_queue const& queue, device_call const& call) {
  bool const one_sum = call.segments.how() == form::none;
  bool const counts = call.segments.counts_segments();
  check_complex("reduce", queue, call, counts ? call.segments.count() : 1, false);
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
    detail::enqueue_reduce(memory.rest, one);
  }
  if (one_sum) return;
  auto const& [real_sums, imaginary_sums] = memory.results;
  detail::copy_parts(queue, {true, bytes, call.out, real_sums, imaginary_sums,
                             counts ? call.segments.count() : call.n, counts ? nullptr : segments});
}

}  // namespace

void enqueue_scan(device_queue const& queue, device_call const& call) {
  if (call.of_complex) return scan_parts(queue, call);
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
  if (call.of_complex) {
    throw invalid_argument("differences of complex numbers; expected integers, floats or doubles");
  }
  queue_place const place = detail::place_of(queue);
  on_typed_machine(queue.on, call, [&]<class Machine, class T>(Machine on, std::type_identity<T>) {
    device_items<Machine, T>::enqueue_difference(on, place, call);
  });
}

std::size_t enqueued_bytes(engine const& on, device_call const& call) {
  std::size_t const parts = call.of_complex && call.n > 0 ? parts_memory::bytes(call) : 0;
  return parts + on_typed_machine<std::size_t>(
                     on, call, [&]<class Machine, class T>(Machine, std::type_identity<T>) {
                       return is_plain(call) ? device_items<Machine, T>::workspace_bytes(call.n)
                                             : device_segments<Machine, T>::workspace_bytes(
                                                   call.n, call.segments);
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
