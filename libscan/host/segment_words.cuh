// SPDX-License-Identifier: Apache-2.0
// Scans and sums within segments of items that are represented by unsigned words. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <libscan/core/operator_list.hpp>
#include <libscan/host/device_call.cuh>
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

/// A call with items and results as words that its operator takes: by default one that is known
/// when the call runs.
template <class T, class Op = decltype(operator_on_words<T>(operator_kind::plus))>
struct call_in_words {
  using word = typename Op::value_type;

  word const* in;
  word* out;
  Op op;
  device::init_in_memory<word> init;
  item_count n;

  explicit call_in_words(device_call const& call)
      : call_in_words(call, operator_on_words<T>(call.op)) {}
  call_in_words(device_call const& call, Op by)
      : in(static_cast<word const*>(call.in)),
        out(static_cast<word*>(call.out)),
        op(by),
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

}  // namespace libscan::inline v1::detail
