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
#include <libscan/host/convert_items.cuh>
#include <libscan/host/device_call.cuh>
#include <libscan/host/device_items.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>

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

/// Keys of 1 to 8 bytes that are copied to the results of a reduction by key: one compiled kernel
/// for all types.
struct keys_of_size {
  using key_type = std::uint64_t;
  void const* keys;
  void* unique;
  std::size_t bytes;

  __device__ key_type key(index_t i) const {
    switch (bytes) {
      case 1:
        return static_cast<std::uint8_t const*>(keys)[i];
      case 2:
        return static_cast<std::uint16_t const*>(keys)[i];
      case 4:
        return static_cast<std::uint32_t const*>(keys)[i];
      default:
        return static_cast<std::uint64_t const*>(keys)[i];
    }
  }
  __device__ void store(index_t segment, key_type key) const {
    switch (bytes) {
      case 1:
        static_cast<std::uint8_t*>(unique)[segment] = static_cast<std::uint8_t>(key);
        break;
      case 2:
        static_cast<std::uint16_t*>(unique)[segment] = static_cast<std::uint16_t>(key);
        break;
      case 4:
        static_cast<std::uint32_t*>(unique)[segment] = static_cast<std::uint32_t>(key);
        break;
      default:
        static_cast<std::uint64_t*>(unique)[segment] = key;
    }
  }
};

/// A call with items and results as words that its operator takes.
template <class T>
struct call_in_words {
  using op_type = decltype(operator_on_words<T>(operator_kind::plus));
  using word = typename op_type::value_type;

  word const* in;
  word* out;
  op_type op;
  device::init_in_memory<word> init;
  item_count n;

  explicit call_in_words(device_call const& call)
      : in(static_cast<word const*>(call.in)),
        out(static_cast<word*>(call.out)),
        op(operator_on_words<T>(call.op)),
        init(init_of<word>(call)),
        n(count_of(call)) {}

  /// A scan within segments.
  template <class Descriptor>
  void scan(workspace& ws, scan_kind kind, Descriptor const& descriptor) const {
    if (kind == scan_kind::inclusive) {
      device::segmented_scan<scan_kind::inclusive, void>(ws, in, out, descriptor, n, op, init);
    } else {
      device::segmented_scan<scan_kind::exclusive, void>(ws, in, out, descriptor, n, op, init);
    }
  }

  /// A scan from the last item to the first.
  void reverse_scan(workspace& ws, scan_kind kind, void* d_total) const {
    auto* const total = static_cast<word*>(d_total);
    if (kind == scan_kind::inclusive) {
      device::reverse_scan<scan_kind::inclusive, void>(ws, in, out, n, op, total, init);
    } else {
      device::reverse_scan<scan_kind::exclusive, void>(ws, in, out, n, op, total, init);
    }
  }

  /// The sums of segments.
  template <class Descriptor>
  void reduce(workspace& ws, Descriptor const& descriptor, index_t* d_segments) const {
    device::checked_segmented_reduce<void>(ws, in, out, descriptor, n, op, d_segments, init);
  }

  /// The same with the first keys of segments, by the kernel that reads keys of any size.
  void reduce_by_key(workspace& ws, head_bits const& heads, keys_of_size const& keys,
                     index_t* d_segments) const {
    device::require_no_result_overlap("reduce by key", in, heads, n.at_least(), out);
    device::segmented_reduce<device::segmented_tuning<word>>(ws, in, out, heads, keys, n, op,
                                                             d_segments, init);
  }
};

/// Bytes of workspace of the scan and the reduction of n items within segments.
template <class T, class Descriptor>
std::size_t segments_bytes(index_t n, Descriptor const& descriptor) {
  using word = typename call_in_words<T>::word;
  return std::max(segmented_scan_workspace_bytes<word>(n, descriptor),
                  segmented_reduce_workspace_bytes<word>(n, descriptor));
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
  call_in_words<T> const words(call);
  if (call.reverse) {
    workspace ws = device::workspace_of(place);
    return words.reverse_scan(ws, call.kind, call.d_total);
  }
  with_call_segments<T>(on, place, call, [&](workspace& ws, auto const& descriptor) {
    words.scan(ws, call.kind, descriptor);
  });
}

template <class Machine, class T>
void device_segments<Machine, T>::enqueue_reduce(Machine on, queue_place const& place,
                                                 device_call const& call) {
  device::on_machine const here(on);
  call_in_words<T> const words(call);
  auto* const d_segments = static_cast<index_t*>(call.d_total);
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

template <class Machine, class T>
void device_segments<Machine, T>::scan(Machine on, host_scan const& call,
                                       std::uint32_t const* heads) {
  device::on_machine const here(on);
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
  with_device_segments(call.segments, heads, reverse, call.n, [&](auto const& descriptor) {
    workspace ws;
    call_in_words<T>(memory_call<T>(call, items.data(), out)).scan(ws, call.kind, descriptor);
  });
  device::download_sync(out, call.n, reverse, call.out_type, call.out);
}

template <class Machine, class T>
index_t device_segments<Machine, T>::reduce(Machine on, host_reduction const& call,
                                            std::uint32_t const* heads) {
  device::on_machine const here(on);
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
    with_device_segments(call.segments, heads, false, call.n, [&](auto const& descriptor) {
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
