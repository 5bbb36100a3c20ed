// SPDX-License-Identifier: Apache-2.0
// The machine that a translation unit is compiled for, and what both machines share.
#pragma once

#ifdef __CUDACC__
#define LIBSCAN_MACHINE v1_cuda
#else
#define LIBSCAN_MACHINE v1_executor
#endif

namespace libscan::inline LIBSCAN_MACHINE::simt {

/// Lanes of a warp.
inline constexpr int warp_size = 32;

/// The mask of all lanes of a warp.
inline constexpr unsigned full_warp = 0xffffffffu;

/// How long the second-level cache should keep what a bulk copy reads.
enum l2_priority : unsigned char { l2_normal, l2_keep };

/// `Count` items that travel in one access; aligned to their total size.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector {
  T item[Count];
};

}  // namespace libscan::inline LIBSCAN_MACHINE::simt
