// SPDX-License-Identifier: Apache-2.0
// The filters of the host API on a machine with kernels, in plain C++. filter_device.cuh,
// selection_device.cuh and mask_device.cu implement them. Internal.
#pragma once

#include <cstddef>

#include <apps/filter/host/filter_call.hpp>

namespace libscan::inline v1::detail {

/// Filters of items of type T by a predicate, on a `cuda_device` or an `executor_run`; compiled for
/// every item type. The kinds are items, positions, with_indices and count.
///
/// `enqueue` is asynchronous. `run` takes checked host memory (`out` does not overlap `in`, or
/// begins where it does) and returns how many items are kept, when the outputs are complete. If an
/// output is too short, it writes nothing after it and still returns how many are kept: the caller
/// makes the error of it. Both leave the thread's current device as it was. They throw
/// `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class T>
struct device_filter {
  static void enqueue(Machine on, queue_place const& place, filter_call const& call);
  static index_t run(Machine on, host_filter const& filter);
};

/// The same of filters by masks, of splits and of runs.
template <class Machine, class T>
struct device_selection {
  static void enqueue(Machine on, queue_place const& place, filter_call const& call);
  static index_t run(Machine on, host_filter const& filter);

  /// Bytes of workspace that any filter of n items needs, by a predicate or a mask.
  static std::size_t workspace_bytes(index_t n);
};

/// The same of masks without items: positions and counts.
template <class Machine>
struct device_masks {
  static void enqueue(Machine on, queue_place const& place, filter_call const& call);
  static index_t run(Machine on, host_filter const& filter);
};

}  // namespace libscan::inline v1::detail
