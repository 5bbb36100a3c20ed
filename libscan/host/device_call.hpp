// SPDX-License-Identifier: Apache-2.0
// Calls on device memory with their types converted into values. Internal: users include
// device_calls.hpp or c_api.h.
#pragma once

#include <cstddef>

#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_queue.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// A `device_queue` on its machine.
struct queue_place {
  void* stream = nullptr;
  memory_functions memory = {};
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// A scan or reduction of n items of `type`, or of *d_n at most n if that is not null. `in`, `out`,
/// `d_total`, `d_n` and what `segments` refers to are device memory; *init is on the host.
struct device_call {
  item_type type;
  operator_kind op;
  scan_kind kind;  ///< of scans
  void const* in;
  void* out;  ///< of reductions: the result, or a total for each segment
  index_t n;
  index_t const* d_n;
  segmentation segments;
  void const* init;  ///< on the host
  void* d_total;  ///< of scans: receives the total, or null; of reductions: the number of segments
  void const* d_init = nullptr;  ///< of scans without segments: in place of *init, unless null
};

/// Checks the call and puts it in the queue. Throws `invalid_argument` for an engine that runs no
/// kernels, and for segments in a form that is not compiled.
void enqueue_scan(device_queue const& queue, device_call const& call);
void enqueue_reduce(device_queue const& queue, device_call const& call);

/// Bytes of workspace that each of the two needs at most; only type, n and segments matter.
std::size_t enqueued_bytes(engine const& on, device_call const& call);

}  // namespace libscan::inline v1::detail
