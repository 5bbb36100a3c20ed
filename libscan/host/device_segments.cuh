// SPDX-License-Identifier: Apache-2.0
// What host_call.hpp runs on a machine with kernels: host memory in, device calls of
// libscan/device, host memory out. script/cmake/item_types.cmake generates the sources that compile
// it, for a few accumulators each. Internal.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <libscan/core/operator_list.hpp>
#include <libscan/cpu/workers.hpp>
#include <libscan/host/convert_items.cuh>
#include <libscan/host/device_call.cuh>
#include <libscan/host/device_items.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/segment_pieces.cuh>
#include <libscan/host/segment_words.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>

namespace libscan::inline v1::detail {

/// Integers in device memory.
inline device::transfer_buffer<index_t> on_device(std::span<index_t const> bounds) {
  return device::transfer_buffer<index_t>(bounds);
}

/// Begins and ends in the order of a scan of n items.
struct scanned_ranges {
  std::vector<index_t> begins, ends;

  scanned_ranges(index_bounds const& bounds, bool reverse, index_t n) {
    begins.assign(bounds.begins(), bounds.begins() + bounds.segments());
    ends.assign(bounds.ends(), bounds.ends() + bounds.segments());
    if (!reverse) return;
    for (index_t& at : begins) at = n - at;
    for (index_t& at : ends) at = n - at;
    begins.swap(ends);
  }
};

/// Calls body(descriptor) with the segments in device memory: offsets, ranges or head bits.
template <class Body>
void with_device_segments(segmentation const& segments, std::uint32_t const* heads, bool reverse,
                          index_t n, Body const& body) {
  if (segments.how() == segmentation::form::offsets && !reverse) {
    index_bounds const bounds(segments);
    auto const offsets = on_device({bounds.begins(), bounds.ends() + bounds.segments()});
    return body(segment_offsets<index_t>{offsets.data(), bounds.segments()});
  }
  if (segments.counts_segments()) {
    scanned_ranges const ranges(index_bounds(segments), reverse, n);
    auto const begins = on_device(ranges.begins);
    auto const ends = on_device(ranges.ends);
    return body(segment_ranges<index_t>{begins.data(), ends.data(), segments.count()});
  }
  auto const words = static_cast<std::size_t>(ceil_div(n, index_t{32}));
  device::transfer_buffer<std::uint32_t> const bits(std::span<std::uint32_t const>(heads, words));
  body(head_bits{bits.data()});
}

/// Calls body(descriptor) with segments that are described in device memory, in a form that
/// compiled kernels read.
template <class Body>
void with_memory_segments(segmentation const& segments, Body const& body) {
  using form = segmentation::form;
  auto const* const bounds = static_cast<index_t const*>(segments.data());
  if (segments.how() == form::offsets) {
    return body(segment_offsets<index_t>{bounds, segments.count()});
  }
  if (segments.how() == form::ranges) {
    auto const* const ends = static_cast<index_t const*>(segments.ends());
    return body(segment_ranges<index_t>{bounds, ends, segments.count()});
  }
  body(head_bits{static_cast<std::uint32_t const*>(segments.data())});
}

/// Whether no kernel is compiled for a description: its head flags are packed into bits first.
inline bool packs_heads(segmentation const& segments) {
  using form = segmentation::form;
  return segments.how() == form::flags || segments.how() == form::keys ||
         segments.how() == form::length;
}

/// Calls body(workspace, descriptor) with the segments of a call on items of type T.
template <class T, class Machine, class Body>
void with_call_segments(Machine on, queue_place const& place, device_call const& call,
                        Body const& body) {
  workspace ws = device::workspace_of(place);
  if (!packs_heads(call.segments)) {
    return with_memory_segments(call.segments,
                                [&](auto const& descriptor) { body(ws, descriptor); });
  }
  std::size_t const heads_bytes = device_head_bits<Machine>::bytes(call.n);
  std::size_t const bytes = segments_bytes<T>(call.n, head_bits{});
  std::byte* const memory = ws.reserve(heads_bytes + bytes);
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  if (call.n > 0) device_head_bits<Machine>::pack(on, place, call, words);
  workspace rest(memory + heads_bytes, bytes, ws.stream());
  body(rest, head_bits{words});
}

template <class Machine, class T>
void device_segments<Machine, T>::enqueue_scan(Machine on, queue_place const& place,
                                               device_call const& call) {
  device::on_machine const here(on);
  device::visit_sum_or_other<T>(call.op, [&]<class Op>(Op op) {
    call_in_words<T, Op> const words(call, op);
    if (call.reverse) {
      workspace ws = device::workspace_of(place);
      return words.reverse_scan(ws, call.kind, call.d_total);
    }
    with_call_segments<T>(on, place, call, [&](workspace& ws, auto const& descriptor) {
      words.scan(ws, call.kind, descriptor);
    });
  });
}

template <class Machine, class T>
void device_segments<Machine, T>::enqueue_reduce(Machine on, queue_place const& place,
                                                 device_call const& call) {
  device::on_machine const here(on);
  auto* const d_segments = static_cast<index_t*>(call.d_total);
  device::visit_sum_or_other<T>(call.op, [&]<class Op>(Op op) {
    call_in_words<T, Op> const words(call, op);
    with_call_segments<T>(on, place, call,
                          [&]<class Descriptor>(workspace& ws, Descriptor const& descriptor) {
                            if constexpr (std::is_same_v<Descriptor, head_bits>) {
                              if (call.unique != nullptr) {
                                keys_of_size const keys{call.segments.data(), call.unique,
                                                        detail::size_of(call.segments.type())};
                                return words.reduce_by_key(ws, descriptor, keys, d_segments);
                              }
                            }
                            words.reduce(ws, descriptor, d_segments);
                          });
  });
}

template <class Machine, class T>
std::size_t device_segments<Machine, T>::workspace_bytes(index_t n, segmentation const& segments) {
  if (packs_heads(segments)) {
    return device_head_bits<Machine>::bytes(n) + segments_bytes<T>(n, head_bits{});
  }
  std::size_t bytes = 0;
  with_memory_segments(segments,
                       [&](auto const& descriptor) { bytes = segments_bytes<T>(n, descriptor); });
  return bytes;
}

template <class Machine, class T>
void device_segments<Machine, T>::convert(Machine on, queue_place const& place,
                                          item_conversion const& all) {
  device::on_machine const here(on);
  device::convert_in_memory<T>(all, device::stream_of(place));
}

/// A call of the host API on items in device memory.
template <class T, class Call>
device_call memory_call(Call const& call, T const* items, T* out) {
  return {.type = item_type_of<T>::value,
          .op = call.op,
          .in = items,
          .out = out,
          .n = call.n,
          .init = call.init};
}

/// One segment: the scan of the host API with the accumulators as items.
template <class Machine, class T>
void scan_as_items(Machine on, host_scan const& call, T* items) {
  device::transfer_buffer<T> const total(1);
  device_items<Machine, T>::enqueue_scan(
      on, {},
      {item_type_of<T>::value, call.op, call.kind, items, items, call.n, nullptr, segmentation(),
       call.init, total.data()});
  T result{};
  total.read_sync(&result, 1);
  if (call.total != nullptr) *static_cast<T*>(call.total) = result;
}

/// The head flags as bits, unless the device reads the description.
inline std::vector<std::uint32_t> device_heads(segmentation const& segments,
                                               scan_direction direction, index_t n) {
  if (segments.how() == segmentation::form::none || segments.counts_segments()) return {};
  return detail::packed_heads(cpu::default_threads(), segments, direction, n);
}

template <class Machine, class T>
void device_segments<Machine, T>::scan(Machine on, host_scan const& call) {
  device::on_machine const here(on);
  if (goes_in_pieces(on, call)) {
    // The items of a piece are marked by bits: all must be in segments, whose offsets are of
    // index_t.
    using form = segmentation::form;
    if (call.segments.how() == form::offsets) {
      index_bounds const bounds(call.segments);
      host_scan widened = call;
      widened.segments = bounds.offsets();
      if (bounds.cover(call.n)) return scan_in_pieces<T>(on, widened);
    } else if (call.segments.how() != form::ranges) {
      return scan_in_pieces<T>(on, call);
    }
  }
  bool const reverse = call.direction == scan_direction::reverse;
  if (call.n == 0) {
    if (call.total != nullptr) {
      *static_cast<T*>(call.total) = *static_cast<T const*>(call.init);
    }
    return;
  }
  device::transfer_buffer<T> const items(call.n);
  device::upload(call.type, call.in, call.n, reverse, items.data());
  if (call.segments.how() == segmentation::form::none) {
    scan_as_items(on, call, items.data());
    return device::download_sync(items.data(), call.n, reverse, call.out_type, call.out);
  }
  // Results of items that are in no segment stay as they are.
  device::transfer_buffer<T> const results(call.segments.counts_segments() ? call.n : 0);
  T* const out = results.size() == 0 ? items.data() : results.data();
  if (out != items.data()) device::upload(call.out_type, call.out, call.n, reverse, out);
  auto const heads = detail::device_heads(call.segments, call.direction, call.n);
  with_device_segments(call.segments, heads.data(), reverse, call.n, [&](auto const& descriptor) {
    workspace ws;
    call_in_words<T>(memory_call<T>(call, items.data(), out)).scan(ws, call.kind, descriptor);
  });
  device::download_sync(out, call.n, reverse, call.out_type, call.out);
}

template <class Machine, class T>
index_t device_segments<Machine, T>::reduce(Machine on, host_reduction const& call) {
  device::on_machine const here(on);
  if (goes_in_pieces(on, call) && !call.segments.counts_segments()) {
    return reduce_in_pieces<T>(on, call);
  }
  device::transfer_buffer<T> const items(call.n);
  if (call.n > 0) device::upload(call.type, call.in, call.n, false, items.data());
  bool const one = call.segments.how() == segmentation::form::none;
  bool const counted = one || call.segments.counts_segments();
  index_t segments = one ? 1 : counted ? call.segments.count() : call.n;
  device::transfer_buffer<T> const totals(segments);
  if (one) {
    device_items<Machine, T>::enqueue_reduce(
        on, {},
        {item_type_of<T>::value, call.op, scan_kind::inclusive, items.data(), totals.data(), call.n,
         nullptr, segmentation(), call.init, nullptr});
  } else {
    device::transfer_buffer<index_t> const count(1);
    auto const heads = detail::device_heads(call.segments, scan_direction::forward, call.n);
    with_device_segments(call.segments, heads.data(), false, call.n, [&](auto const& descriptor) {
      workspace ws;
      call_in_words<T>(memory_call<T>(call, items.data(), totals.data()))
          .reduce(ws, descriptor, count.data());
    });
    if (!counted) count.read_sync(&segments, 1);
  }
  totals.read_sync(static_cast<T*>(call.totals), segments);
  return segments;
}

}  // namespace libscan::inline v1::detail
