// SPDX-License-Identifier: Apache-2.0
// What the files that run cases by CUB, Thrust and cuSPARSE share.
#pragma once

#include <thrust/execution_policy.h>

#include <apps/check/competitor_cuda.cuh>
#include <libscan/simt/cuda/check.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// CUB's two calls: first the size of the memory, then the work.
template <class Call>
void with_memory(workspace& ws, Call call) {
  std::size_t bytes = 0;
  LIBSCAN_CHECK(call(nullptr, bytes));
  void* const memory = ws.reserve(bytes + 1);
  LIBSCAN_CHECK(call(memory, bytes));
}

/// Thrust on the stream of the case.
inline auto thrust_policy(device_case const& one) {
  return thrust::cuda::par_nosync.on(one.ws.stream());
}

/// Stores numbers of items where the library does.
inline void tell_counts(device_case const& one, index_t const* counts, std::size_t size) {
  simt::copy_async(one.out.at<index_t>(slot::count), counts, size * sizeof(index_t),
                   one.ws.stream());
  simt::synchronize(one.ws.stream());
}

/// A flag.
struct is_set {
  LIBSCAN_HOST_DEVICE bool operator()(std::uint8_t flag) const { return flag != 0; }
};

/// The bit of a position.
struct is_marked {
  std::uint32_t const* words;
  LIBSCAN_HOST_DEVICE bool operator()(index_t i) const {
    return (words[i / 32] >> (i % 32) & 1) != 0;
  }
};

/// Whether CUB orders the keys of a sort as libscan does: integers, and floats without NaN, by all
/// their bits. (By a part of the bits, descending, CUB 3 gives +0 the bits of -0.)
bool has_competing_sort(check_case const& c);

/// Runs a case of `family::sort`, or a split by a key.
void sort_by_cub(device_case const& one);

/// Runs a case of `family::segmented`.
void scan_segments_by_thrust(device_case const& one);

/// Whether a case of `family::histogram` or `family::spmv` has a counterpart.
bool has_competing_table(check_case const& c);

/// Runs such a case.
void make_table_again(device_case const& one);

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
