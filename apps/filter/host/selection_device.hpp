// SPDX-License-Identifier: Apache-2.0
// Masks, splits and runs of the host API on a machine with kernels, in plain C++;
// selection_device.cuh and mask_device.cu implement them. Internal.
#pragma once

#include <concepts>
#include <optional>
#include <span>

#include <libscan/core/item_mask.hpp>
#include <libscan/core/types.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1::detail {

/// On a `cuda_device` or an `executor_run`; compiled for every item type.
///
/// Spans and masks are host memory and already checked. Each function returns the number of kept
/// items, or of runs, when the outputs are complete, and leaves the thread's current device as it
/// was. It writes nothing after an output that is too short: the caller makes the error of it.
/// Throws `device_error`, or `engine_unavailable` if the device cannot be used.
///
/// `split` without `rejected` writes what is not kept to `out`, which has space for both, after
/// what is kept.
template <class Machine, class T>
struct device_selection {
  static index_t filter(Machine on, std::span<T const> values, std::span<T> out,
                        item_mask const& mask);
  static index_t split(Machine on, std::span<T const> values, std::span<T> out,
                       std::optional<std::span<T>> rejected, predicate<T> const& keep);
  static index_t split(Machine on, std::span<T const> values, std::span<T> out,
                       std::optional<std::span<T>> rejected, item_mask const& mask);
  static index_t unique(Machine on, std::span<T const> values, std::span<T> out);
  static index_t run_length_encode(Machine on, std::span<T const> values, std::span<T> out,
                                   std::span<index_t> lengths);
  static index_t split_by_bit(Machine on, std::span<T const> keys, std::span<T> out,
                              int bit) requires std::unsigned_integral<T>;
};

/// The same of masks without items.
template <class Machine>
struct device_masks {
  static index_t indices(Machine on, item_mask const& mask, std::span<index_t> out);
  static index_t count(Machine on, item_mask const& mask);
};

}  // namespace libscan::inline v1::detail
