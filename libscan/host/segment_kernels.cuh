// SPDX-License-Identifier: Apache-2.0
// The kernels of scans and reductions within segments, for each operator.
// script/cmake/item_types.cmake generates the sources that compile them, for few item types each.
// Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/host/device_call.cuh>
#include <libscan/host/host_call.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>

namespace libscan::inline v1::detail {

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

inline namespace LIBSCAN_MACHINE {

/// A call on items of Op::value_type.
template <class Op>
struct operator_call_on_device {
  using T = typename Op::value_type;

  T const* in;
  T* out;
  Op op;
  device::init_in_memory<T> init;
  item_count n;

  operator_call_on_device(device_call const& call, Op by)
      : in(static_cast<T const*>(call.in)),
        out(static_cast<T*>(call.out)),
        op(by),
        init(init_of<T>(call)),
        n(count_of(call)) {}

  /// A scan within segments.
  template <scan_kind Kind, class Descriptor>
  void scan(workspace& ws, Descriptor const& descriptor) const {
    device::segmented_scan<Kind, void>(ws, in, out, descriptor, n, op, init);
  }

  /// A scan from the last item to the first.
  template <scan_kind Kind>
  void reverse_scan(workspace& ws, void* d_total) const {
    device::reverse_scan<Kind, void>(ws, in, out, n, op, static_cast<T*>(d_total), init);
  }

  /// The totals of segments.
  template <class Descriptor>
  void reduce(workspace& ws, Descriptor const& descriptor, index_t* d_segments) const {
    device::checked_segmented_reduce<void>(ws, in, out, descriptor, n, op, d_segments, init);
  }

  /// The same with the first keys of segments, by the kernel that reads keys of any size.
  void reduce_by_key(workspace& ws, head_bits const& heads, keys_of_size const& keys,
                     index_t* d_segments) const {
    device::require_no_result_overlap("reduce by key", in, heads, n.at_least(), out);
    device::segmented_reduce<device::segmented_tuning<T>>(ws, in, out, heads, keys, n, op,
                                                          d_segments, init);
  }
};

}  // namespace LIBSCAN_MACHINE

/// Calls body(descriptor) with offsets, ranges or head bits in device memory as kernels read them.
template <class Body>
void with_descriptor(segmentation const& segments, Body const& body) {
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

/// Calls body(op) with the operator of a call on items of T. Where the operator has kernels for
/// unsigned words that give the same bits, calls on_words(std::type_identity<word>{}) instead.
template <class T, class Body, class OnWords>
void with_operator(operator_kind kind, Body const& body, OnWords const& on_words) {
  device::visit_operator_of<T>(kind, [&]<class Op>(Op op) {
    using word = typename Op::value_type;
    if constexpr (std::is_same_v<word, T> || !listed_operator<Op>) {
      body(op);
    } else {
      on_words(std::type_identity<word>{});
    }
  });
}

template <class Machine, scan_kind Kind, class T>
void segmented_scan_kernels<Machine, Kind, T>::enqueue(Machine on, queue_place const& place,
                                                       device_call const& call,
                                                       segmentation const& segments) {
  device::on_machine const here(on);
  with_operator<T>(
      call.op,
      [&](auto op) {
        operator_call_on_device const typed(call, op);
        workspace ws = device::workspace_of(place);
        if (call.reverse) return typed.template reverse_scan<Kind>(ws, call.d_total);
        with_descriptor(segments,
                        [&](auto const& descriptor) { typed.template scan<Kind>(ws, descriptor); });
      },
      [&]<class Word>(std::type_identity<Word>) {
        segmented_scan_kernels<Machine, Kind, Word>::enqueue(on, place, call, segments);
      });
}

template <class Machine, class T>
void segmented_reduce_kernels<Machine, T>::enqueue(Machine on, queue_place const& place,
                                                   device_call const& call,
                                                   segmentation const& segments) {
  device::on_machine const here(on);
  auto* const d_segments = static_cast<index_t*>(call.d_total);
  with_operator<T>(
      call.op,
      [&](auto op) {
        operator_call_on_device const typed(call, op);
        workspace ws = device::workspace_of(place);
        if (call.unique != nullptr) {
          keys_of_size const keys{call.segments.data(), call.unique,
                                  detail::size_of(call.segments.type())};
          head_bits const heads{static_cast<std::uint32_t const*>(segments.data())};
          return typed.reduce_by_key(ws, heads, keys, d_segments);
        }
        with_descriptor(segments,
                        [&](auto const& descriptor) { typed.reduce(ws, descriptor, d_segments); });
      },
      [&]<class Word>(std::type_identity<Word>) {
        segmented_reduce_kernels<Machine, Word>::enqueue(on, place, call, segments);
      });
}

template <class Machine, class T>
std::size_t segmented_reduce_kernels<Machine, T>::workspace_bytes(index_t n,
                                                                  segmentation const& segments) {
  std::size_t bytes = 0;
  with_descriptor(segments, [&](auto const& descriptor) {
    bytes = std::max(segmented_scan_workspace_bytes<T>(n, descriptor),
                     segmented_reduce_workspace_bytes<T>(n, descriptor));
  });
  return bytes;
}

// Operators of signed integers for which the sign is a bit like others use these.
#define LIBSCAN_DECLARE(name, T)                                                                \
  extern template struct segmented_scan_kernels<device::this_machine, scan_kind::inclusive, T>; \
  extern template struct segmented_scan_kernels<device::this_machine, scan_kind::exclusive, T>; \
  extern template struct segmented_reduce_kernels<device::this_machine, T>;
LIBSCAN_UNSIGNED_BYTES(LIBSCAN_DECLARE)
LIBSCAN_UNSIGNED_WORDS(LIBSCAN_DECLARE)
#undef LIBSCAN_DECLARE

}  // namespace libscan::inline v1::detail
