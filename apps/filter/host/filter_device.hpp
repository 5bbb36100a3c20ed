// SPDX-License-Identifier: Apache-2.0
// The filter of the host API on a machine with kernels, in plain C++; filter_device.cuh implements
// it. Internal.
#pragma once

#include <span>

#include <libscan/core/types.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1::detail {

/// The filter of items of type T on a `cuda_device` or an `executor_run`; compiled for every item
/// type.
///
/// All spans are host memory and already checked (`out` does not overlap `values`, or begins where
/// it does; either may be empty). Each function returns how many items are kept, when `out` is
/// complete, and leaves the thread's current device as it was. If `out` is too short, it writes
/// nothing after `out` and still returns how many are kept: the caller makes the error of it.
/// Throws `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class T>
struct device_filter {
  static index_t values(Machine on, std::span<T const> values, std::span<T> out,
                        predicate<T> const& keep);
  static index_t indices(Machine on, std::span<T const> values, std::span<index_t> out,
                         predicate<T> const& keep);
  static index_t count(Machine on, std::span<T const> values, predicate<T> const& keep);
};

}  // namespace libscan::inline v1::detail
