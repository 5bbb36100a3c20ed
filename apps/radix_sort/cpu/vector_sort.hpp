// SPDX-License-Identifier: Apache-2.0
// The leaf of the CPU sort for words compared by all bits: Highway's VQSort, if vectors make it
// faster than counting. (Wassenberg, Blacher, Giesen, Sanders: Vectorized and performance-portable
// Quicksort, 2022.)
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// Whether it is faster on this CPU.
bool vector_sort_pays();

/// Sorts words[0..n-1], ascending. Not stable, which makes no difference for words. A thread's
/// first call allocates a few KiB, which it keeps until it ends.
void vector_sort(std::uint32_t* words, index_t n);
void vector_sort(std::uint64_t* words, index_t n);

}  // namespace libscan::inline v1::cpu::detail
