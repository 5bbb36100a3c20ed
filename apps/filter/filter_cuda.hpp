// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the filter's host API, in plain C++; filter_cuda.cuh implements it. A build
// without nvcc calls none of it (libscan/on_engine.hpp). Internal.
#pragma once

#include <span>

#include <apps/filter/predicate.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// The filter of items of type T on CUDA device `device`; compiled for every item type.
///
/// All spans are host memory and already checked (`out` apart from `values`, or exactly at its
/// start; perhaps empty). Each function returns how many items are kept, when `out` is complete,
/// and leaves the thread's current device as it was. If more are kept than `out` holds, it writes
/// nothing past `out` and still returns how many are kept: the host API turns that into the error.
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
