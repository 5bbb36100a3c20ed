// SPDX-License-Identifier: Apache-2.0
// What host_call.hpp runs on a machine with kernels: host memory in, device calls of
// libscan/device, host memory out. The files device_segments_*.cu compile it for a few accumulators
// each. Internal.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <libscan/buffer.cuh>
#include <libscan/core/operator_list.hpp>
#include <libscan/host/convert_items.cuh>
#include <libscan/host/device_items.cuh>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>

namespace libscan::inline v1::detail {

/// The operator of a call over the bits of T. Signed integers are scanned as unsigned ones, to
/// compile half as many kernels.
template <class T>
auto operator_on_bits(operator_kind kind) {
  if constexpr (std::signed_integral<T>) {
    using word = std::make_unsigned_t<T>;
    return any_operator<word>{kind, static_cast<word>(word{1} << (8 * sizeof(T) - 1))};
  } else {
    return any_operator<T>{kind};
  }
}

/// Integers in device memory.
inline device::buffer<index_t> on_device(std::span<index_t const> bounds) {
  return device::buffer<index_t>(bounds);
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
  device::buffer<std::uint32_t> const bits(std::span<std::uint32_t const>(heads, words));
  body(head_bits{bits.data()});
}

/// Calls body(descriptor) with segments that are described in device memory.
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

/// A scan of n items in device memory within segments.
template <class T, class Descriptor>
void scan_in_segments(workspace& ws, operator_kind kind, scan_kind which, T const* in, T* out,
                      Descriptor const& descriptor, item_count n, T init) {
  auto const op = operator_on_bits<T>(kind);
  using word = typename decltype(op)::value_type;
  auto const* const from = reinterpret_cast<word const*>(in);
  auto* const to = reinterpret_cast<word*>(out);
  auto const first = static_cast<word>(init);
  if (which == scan_kind::inclusive) {
    segmented_scan<scan_kind::inclusive>(ws, from, to, descriptor, n, op, first);
  } else {
    segmented_scan<scan_kind::exclusive>(ws, from, to, descriptor, n, op, first);
  }
}

/// The sums of segments of n items in device memory.
template <class T, class Descriptor>
void reduce_segments(workspace& ws, operator_kind kind, T const* in, T* totals,
                     Descriptor const& descriptor, item_count n, index_t* d_segments, T init) {
  auto const op = operator_on_bits<T>(kind);
  using word = typename decltype(op)::value_type;
  segmented_reduce(ws, reinterpret_cast<word const*>(in), reinterpret_cast<word*>(totals),
                   descriptor, n, op, d_segments, static_cast<word>(init));
}

template <class Machine, class T>
void device_segments<Machine, T>::enqueue_scan(Machine on, queue_place const& place,
                                               device_call const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  with_memory_segments(call.segments, [&](auto const& descriptor) {
    scan_in_segments(ws, call.op, call.kind, static_cast<T const*>(call.in),
                     static_cast<T*>(call.out), descriptor, count_of(call),
                     *static_cast<T const*>(call.init));
  });
}

template <class Machine, class T>
void device_segments<Machine, T>::enqueue_reduce(Machine on, queue_place const& place,
                                                 device_call const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  with_memory_segments(call.segments, [&](auto const& descriptor) {
    reduce_segments(ws, call.op, static_cast<T const*>(call.in), static_cast<T*>(call.out),
                    descriptor, count_of(call), static_cast<index_t*>(call.d_total),
                    *static_cast<T const*>(call.init));
  });
}

template <class Machine, class T>
std::size_t device_segments<Machine, T>::workspace_bytes(index_t n, segmentation const& segments) {
  using word = typename decltype(operator_on_bits<T>(operator_kind::plus))::value_type;
  std::size_t bytes = 0;
  with_memory_segments(segments, [&](auto const& descriptor) {
    bytes = std::max(segmented_scan_workspace_bytes<word>(n, descriptor),
                     segmented_reduce_workspace_bytes<word>(n, descriptor));
  });
  return bytes;
}

/// One segment: the scan of the host API with the accumulators as items.
template <class Machine, class T>
void scan_as_items(Machine on, host_scan const& call, T* items) {
  device::buffer<T> const total(1);
  device_items<Machine, T>::enqueue_scan(
      on, {},
      {item_type_of<T>::value, call.op, call.kind, items, items, call.n, nullptr, segmentation(),
       call.init, total.data()});
  T result{};
  total.read_sync(&result, 1);
  if (call.total != nullptr) *static_cast<T*>(call.total) = result;
}

template <class Machine, class T>
void device_segments<Machine, T>::scan(Machine on, host_scan const& call,
                                       std::uint32_t const* heads) {
  device::on_machine const here(on);
  bool const reverse = call.direction == scan_direction::reverse;
  T const init = *static_cast<T const*>(call.init);
  if (call.n == 0) {
    if (call.total != nullptr) *static_cast<T*>(call.total) = init;
    return;
  }
  device::buffer<T> const items(call.n);
  device::upload(call.type, call.in, call.n, reverse, items.data());
  if (call.segments.how() == segmentation::form::none) {
    scan_as_items(on, call, items.data());
    return device::download_sync(items.data(), call.n, reverse, call.out_type, call.out);
  }
  // Results of items that are in no segment stay as they are.
  device::buffer<T> const results(call.segments.counts_segments() ? call.n : 0);
  T* const out = results.size() == 0 ? items.data() : results.data();
  if (out != items.data()) device::upload(call.out_type, call.out, call.n, reverse, out);
  with_device_segments(call.segments, heads, reverse, call.n, [&](auto const& descriptor) {
    workspace ws;
    scan_in_segments(ws, call.op, call.kind, static_cast<T const*>(items.data()), out, descriptor,
                     call.n, init);
  });
  device::download_sync(out, call.n, reverse, call.out_type, call.out);
}

template <class Machine, class T>
index_t device_segments<Machine, T>::reduce(Machine on, host_reduction const& call,
                                            std::uint32_t const* heads) {
  device::on_machine const here(on);
  device::buffer<T> const items(call.n);
  if (call.n > 0) device::upload(call.type, call.in, call.n, false, items.data());
  bool const one = call.segments.how() == segmentation::form::none;
  bool const counted = one || call.segments.counts_segments();
  index_t segments = one ? 1 : counted ? call.segments.count() : call.n;
  device::buffer<T> const totals(segments);
  if (one) {
    device_items<Machine, T>::enqueue_reduce(
        on, {},
        {item_type_of<T>::value, call.op, scan_kind::inclusive, items.data(), totals.data(), call.n,
         nullptr, segmentation(), call.init, nullptr});
  } else {
    device::buffer<index_t> const count(1);
    with_device_segments(call.segments, heads, false, call.n, [&](auto const& descriptor) {
      workspace ws;
      reduce_segments(ws, call.op, static_cast<T const*>(items.data()), totals.data(), descriptor,
                      call.n, count.data(), *static_cast<T const*>(call.init));
    });
    if (!counted) count.read_sync(&segments, 1);
  }
  totals.read_sync(static_cast<T*>(call.totals), segments);
  return segments;
}

}  // namespace libscan::inline v1::detail
