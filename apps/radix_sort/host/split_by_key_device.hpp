// SPDX-License-Identifier: Apache-2.0
// The split by key of the host API on a machine with kernels, in plain C++; split_by_key_device.cuh
// implements it. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <apps/radix_sort/host/sort_call.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// n > 0 keys of host memory, each a bucket's number: in_bucket[i] < buckets <= 256. `offsets`
/// receives where the buckets begin, buckets + 1 numbers; the grouped keys follow from it.
template <class Word>
struct split_keys {
  Word const* in_bucket;
  index_t n;
  int buckets;
  index_t* offsets;
};

/// The split by key on a `cuda_device` or an `executor_run`; compiled for unsigned words of all
/// sizes as keys.
///
/// `enqueue` is asynchronous, on device memory. Of the others, all pointers are to host memory, and
/// checked. Values may be of any type of their size; null: positions, or nothing if `out` is null.
/// They return when the outputs are complete. All leave the thread's current device as it was.
/// Throws `device_error`, or `engine_unavailable` if the device cannot be used.
template <class Machine, class Word>
struct device_split {
  static void values(Machine on, split_keys<Word> const& keys, std::uint32_t const* values,
                     std::uint32_t* out);
  static void values(Machine on, split_keys<Word> const& keys, std::uint64_t const* values,
                     std::uint64_t* out);

  static void enqueue(Machine on, queue_place const& place, split_call const& call);
  /// Bytes of workspace that it needs.
  static std::size_t workspace_bytes(split_call const& call);
};

}  // namespace libscan::inline v1::detail
