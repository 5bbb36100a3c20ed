// SPDX-License-Identifier: Apache-2.0
// The split by key of the host API on a machine with kernels, in plain C++; split_by_key_device.cu
// implements it. Internal.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// Splits what belongs to n > 0 keys on a `cuda_device` or an `executor_run`.
/// in_bucket[i] < buckets <= 256 is the bucket of item i, whatever type its key has; the grouped
/// keys follow from `offsets`, buckets + 1 of them. All pointers are to host memory, and checked.
/// Values may be of any type of their size. Each function returns when its outputs are complete,
/// and leaves the thread's current device as it was. Throws `device_error`, or `engine_unavailable`
/// if the device cannot be used.
template <class Machine>
struct device_split {
  Machine on;
  std::uint8_t const* in_bucket;
  index_t n;
  int buckets;
  index_t* offsets;

  void keys() const;
  void values(std::uint32_t const* values, std::uint32_t* out) const;
  void values(std::uint64_t const* values, std::uint64_t* out) const;
  /// out[j] = the position of item j of the output.
  void positions(std::uint64_t* out) const;
};

}  // namespace libscan::inline v1::detail
