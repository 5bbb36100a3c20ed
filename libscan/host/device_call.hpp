// SPDX-License-Identifier: Apache-2.0
// Calls on device memory with their types converted into values. Internal: users include
// device_calls.hpp or c_api.h.
#pragma once

#include <cstddef>

#include <libscan/core/item_mask.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/host/scan_call.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// A `device_queue` on its machine.
struct queue_place {
  void* stream = nullptr;
  memory_functions memory = {};
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// A scan, a reduction or the differences of n items of `type`, or of *d_n at most n if that is not
/// null. Everything is device memory, except *init.
struct device_call {
  item_type type = item_type::u8;
  operator_kind op = operator_kind::plus;
  scan_kind kind = scan_kind::inclusive;  ///< of scans
  void const* in = nullptr;
  void* out = nullptr;  ///< of reductions: the result, or a total for each segment
  index_t n = 0;
  index_t const* d_n = nullptr;
  segmentation segments = {};
  void const* init = nullptr;  ///< on the host
  /// In scans: receives the total, or null; in reductions: the number of segments.
  void* d_total = nullptr;
  void const* d_init = nullptr;    ///< in place of *init, unless null
  bool reverse = false;            ///< of scans without segments: from the last item to the first
  neighbor_operator combine = {};  ///< of differences
  void* unique = nullptr;          ///< of reductions by key: receives the first key of each segment
  bool of_complex = false;         ///< of sums: each item is a complex number of two of `type`
  /// Of scans and reductions: items are of `in_type`, and results of scans of `out_type`. All
  /// else is of `type`, in which items accumulate.
  bool converts = false;
  input_type in_type = input_type::u8;
  input_type out_type = input_type::u8;
};

/// The ranks of the true items of a mask, integers of `rank_bytes`, all in device memory.
struct device_binary_scan {
  item_mask mask;
  scan_kind kind;
  void* ranks;
  std::size_t rank_bytes;
  index_t* d_total;  ///< receives the number of true items, or null
};

/// Checks the call and puts it in the queue. Throws `invalid_argument` for an engine that runs no
/// kernels, and for segments that do not describe the items, if the host sees that.
void enqueue_scan(device_queue const& queue, device_call const& call);
void enqueue_reduce(device_queue const& queue, device_call const& call);
void enqueue_difference(device_queue const& queue, device_call const& call);
void enqueue_binary_scan(device_queue const& queue, device_binary_scan const& call);

/// Bytes of workspace that each of the first three needs at most; only types, n and segments
/// matter.
std::size_t enqueued_bytes(engine const& on, device_call const& call);
/// The same for a binary scan of n items.
std::size_t enqueued_rank_bytes(engine const& on, index_t n);

}  // namespace libscan::inline v1::detail
