// SPDX-License-Identifier: Apache-2.0
// What the CUDA side owes the facade of masks, splits and runs. Plain C++: selection_cuda*.cu
// implement it in a build with nvcc, selection_cuda_absent.cpp (everything throws
// engine_unavailable) in a build without. Internal.
#pragma once

#include <optional>
#include <span>

#include <apps/filter/item_mask.hpp>
#include <apps/filter/predicate.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// On CUDA device `device`, for the ten arithmetic types.
///
/// Spans and masks are host memory and already checked. Each function returns how many items are
/// kept, or runs there are, when the outputs are complete, and leaves the thread's current device
/// as it was. It writes nothing behind an output that is too short: the facade turns that into the
/// error. Throws `device_error`, or `engine_unavailable` if the device cannot be used.
///
/// `split` without `rejected` writes what is not kept to `out`, which holds both, behind what is.
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
};

/// The same of a split by a bit into one buffer; instantiated for unsigned integers.
template <class Word>
index_t cuda_split_words(int device, std::span<Word const> keys, std::span<Word> out, int bit);

/// The same of masks alone.
index_t cuda_mask_indices(int device, item_mask const& mask, std::span<index_t> out);
index_t cuda_count_marked(int device, item_mask const& mask);

}  // namespace libscan::inline v1::detail
