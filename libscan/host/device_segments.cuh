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
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>

namespace libscan::inline v1::detail {

inline namespace LIBSCAN_MACHINE {

/// Integers in device memory.
inline device::transfer_buffer<index_t> on_device(std::span<index_t const> bounds) {
  return device::transfer_buffer<index_t>(bounds);
}

}  // namespace LIBSCAN_MACHINE

/// All of them.
inline std::span<index_t const> span_of(device::transfer_buffer<index_t> const& bounds) {
  return {bounds.data(), static_cast<std::size_t>(bounds.size())};
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

/// Calls body(segments) with the segments in device memory: offsets, ranges or head bits.
template <class Body>
void with_device_segments(segmentation const& segments, std::uint32_t const* heads, bool reverse,
                          index_t n, Body const& body) {
  if (segments.how() == segmentation::form::offsets && !reverse) {
    index_bounds const bounds(segments);
    auto const offsets = on_device({bounds.begins(), bounds.ends() + bounds.segments()});
    return body(segmentation::of_offsets(span_of(offsets)));
  }
  if (segments.counts_segments()) {
    scanned_ranges const ranges(index_bounds(segments), reverse, n);
    auto const begins = on_device(ranges.begins);
    auto const ends = on_device(ranges.ends);
    return body(segmentation::of_ranges(span_of(begins), span_of(ends)));
  }
  auto const words = static_cast<std::size_t>(ceil_div(n, index_t{32}));
  device::transfer_buffer<std::uint32_t> const bits(std::span<std::uint32_t const>(heads, words));
  body(segments_of_bits(bits.data(), n));
}

/// Whether no kernel is compiled for a description: its head flags are packed into bits first.
inline bool packs_heads(segmentation const& segments) {
  using form = segmentation::form;
  return segments.how() == form::flags || segments.how() == form::keys ||
         segments.how() == form::length;
}

/// Calls body(place, segments) with segments that kernels read. If none reads call.segments, a
/// kernel first packs their head flags into bits in the workspace.
template <class T, class Machine, class Body>
void with_kernel_segments(Machine on, queue_place const& place, device_call const& call,
                          Body const& body) {
  if (!packs_heads(call.segments)) return body(place, call.segments);
  workspace ws = device::workspace_of(place);
  std::size_t const bytes = device_segments<Machine, T>::workspace_bytes(call.n, call.segments);
  std::size_t const heads_bytes = device_head_bits<Machine>::bytes(call.n);
  std::byte* const memory = ws.reserve(bytes);
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  if (call.n > 0) device_head_bits<Machine>::pack(on, place, call, words);
  body({place.stream, {}, memory + heads_bytes, bytes - heads_bytes},
       segments_of_bits(words, call.n));
}

template <class Machine, class T>
void device_segments<Machine, T>::enqueue_scan(Machine on, queue_place const& place,
                                               device_call const& call) {
  device::on_machine const here(on);
  with_kernel_segments<T>(on, place, call,
                          [&](queue_place const& rest, segmentation const& segments) {
                            enqueue_segmented_scan<T>(on, rest, call, segments);
                          });
}

template <class Machine, class T>
void device_segments<Machine, T>::enqueue_reduce(Machine on, queue_place const& place,
                                                 device_call const& call) {
  device::on_machine const here(on);
  with_kernel_segments<T>(on, place, call,
                          [&](queue_place const& rest, segmentation const& segments) {
                            segmented_reduce_kernels<Machine, T>::enqueue(on, rest, call, segments);
                          });
}

template <class Machine, class T>
std::size_t device_segments<Machine, T>::workspace_bytes(index_t n, segmentation const& segments) {
  bool const packs = packs_heads(segments);
  return (packs ? device_head_bits<Machine>::bytes(n) : 0) +
         segmented_reduce_kernels<Machine, T>::workspace_bytes(n, packs ? some_bits() : segments);
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
  device_call each = memory_call(call, items.data(), out);
  each.kind = call.kind;
  with_device_segments(
      call.segments, heads.data(), reverse, call.n,
      [&](segmentation const& segments) { enqueue_segmented_scan<T>(on, {}, each, segments); });
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
    device_call each = memory_call(call, items.data(), totals.data());
    each.d_total = count.data();
    with_device_segments(call.segments, heads.data(), false, call.n,
                         [&](segmentation const& described) {
                           segmented_reduce_kernels<Machine, T>::enqueue(on, {}, each, described);
                         });
    if (!counted) count.read_sync(&segments, 1);
  }
  totals.read_sync(static_cast<T*>(call.totals), segments);
  return segments;
}

}  // namespace libscan::inline v1::detail
