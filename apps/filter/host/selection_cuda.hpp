// SPDX-License-Identifier: Apache-2.0
// The CUDA side of masks, splits and runs of the host API, in plain C++: selection_cuda*.cu
// implement it in a build with nvcc, selection_cuda_absent.cpp (all functions throw
// engine_unavailable) in a build without. Internal.
#pragma once

#include <concepts>
#include <optional>
#include <span>

#include <apps/filter/host/item_mask.hpp>
#include <libscan/core/types.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1::detail {

/// On CUDA device `device`, compiled for every item type.
///
/// Spans and masks are host memory and already checked. Each function returns the number of kept
/// items, or of runs, when the outputs are complete, and leaves the thread's current device as it
/// was. It writes nothing after an output that is too short: the caller makes the error of it.
/// Throws `device_error`, or `engine_unavailable` if the device cannot be used.
///
/// `split` without `rejected` writes what is not kept to `out`, which has space for both, after
/// what is kept.
template <class T>
struct cuda_selection {
  static index_t filter(int device, std::span<T const> values, std::span<T> out,
                        item_mask const& mask);
  static index_t split(int device, std::span<T const> values, std::span<T> out,
                       std::optional<std::span<T>> rejected, predicate<T> const& keep);
  static index_t split(int device, std::span<T const> values, std::span<T> out,
                       std::optional<std::span<T>> rejected, item_mask const& mask);
  static index_t unique(int device, std::span<T const> values, std::span<T> out);
  static index_t run_length_encode(int device, std::span<T const> values, std::span<T> out,
                                   std::span<index_t> lengths);
  static index_t split_by_bit(int device, std::span<T const> keys, std::span<T> out,
                              int bit) requires std::unsigned_integral<T>;
};

/// The same of masks without items.
index_t cuda_mask_indices(int device, item_mask const& mask, std::span<index_t> out);
index_t cuda_count_marked(int device, item_mask const& mask);

}  // namespace libscan::inline v1::detail
