// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the filter of the host API, in plain C++: filter_cuda_*.cu implement it in a
// build with nvcc, filter_cuda_absent.cpp (all functions throw engine_unavailable) in a build
// without. Internal.
#pragma once

#include <span>

#include <libscan/core/types.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1::detail {

/// The filter of items of type T on CUDA device `device`; compiled for every item type.
///
/// All spans are host memory and already checked (`out` does not overlap `values`, or begins where
/// it does; either may be empty). Each function returns how many items are kept, when `out` is
/// complete, and leaves the thread's current device as it was. If `out` is too short, it writes
/// nothing after `out` and still returns how many are kept: the caller makes the error of it.
/// Throws `device_error`, or `engine_unavailable` if the device cannot be used.
template <class T>
struct cuda_filter {
  static index_t values(int device, std::span<T const> values, std::span<T> out,
                        predicate<T> const& keep);
  static index_t indices(int device, std::span<T const> values, std::span<index_t> out,
                         predicate<T> const& keep);
  static index_t count(int device, std::span<T const> values, predicate<T> const& keep);
};

}  // namespace libscan::inline v1::detail
