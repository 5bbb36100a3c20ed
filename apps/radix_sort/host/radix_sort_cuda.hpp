// SPDX-License-Identifier: Apache-2.0
// What the CUDA side provides for the host API of the radix sort. Plain C++: radix_sort_cuda.cu
// implements it in a build with nvcc, radix_sort_cuda_absent.cpp (everything throws
// engine_unavailable) in a build without. Internal.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1::detail {

/// The sort of keys of type Key on CUDA device `device`; compiled for every item type and the
/// halves.
///
/// All pointers are to host memory, and checked; n > 0. `out` may be `keys`, `values_out` may be
/// `values`. Each function returns when its output is complete, and leaves the thread's current
/// device unchanged. Throws `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Key>
struct cuda_sort {
  static void keys(int device, Key const* keys, Key* out, index_t n, sort_order<Key> const& order);
  static void pairs(int device, Key const* keys, Key* out, std::uint32_t const* values,
                    std::uint32_t* values_out, index_t n, sort_order<Key> const& order);
  static void pairs(int device, Key const* keys, Key* out, std::uint64_t const* values,
                    std::uint64_t* values_out, index_t n, sort_order<Key> const& order);
  static void positions(int device, Key const* keys, index_t* positions, index_t n,
                        sort_order<Key> const& order);
};

}  // namespace libscan::inline v1::detail
