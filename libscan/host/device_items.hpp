// SPDX-License-Identifier: Apache-2.0
// Scans, reductions and differences of the host API on a machine with kernels. Plain C++;
// device_items.cuh implements it. Internal.
#pragma once

#include <cstddef>

#include <libscan/host/device_call.hpp>
#include <libscan/host/scan_call.hpp>

namespace libscan::inline v1::detail {

/// These calls with items of type T on a machine, a `cuda_device` or an `executor_run`;
/// compiled for every item type. Calls are checked (n >= 0; out == in, or no overlap). Each
/// function returns when its results are complete, and leaves the thread's current device as it
/// was. Throws `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class T>
struct device_items {
  /// All pointers are to host memory. Writes only out[0..n-1] and *total, or only *result.
  static void scan(Machine on, scan_call const& call);
  static void reduce(Machine on, reduce_call const& call);
  static void difference(Machine on, difference_call const& call);

  /// Calls on device memory without segments.
  static void enqueue_scan(Machine on, queue_place const& place, device_call const& call);
  static void enqueue_reduce(Machine on, queue_place const& place, device_call const& call);
  static void enqueue_difference(Machine on, queue_place const& place, device_call const& call);

  /// Bytes of workspace that each of these needs for n items at most.
  static std::size_t workspace_bytes(index_t n);
};

}  // namespace libscan::inline v1::detail
