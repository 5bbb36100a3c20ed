// SPDX-License-Identifier: Apache-2.0
// Sorts of device memory with the types of values converted into sizes. Internal: users include
// the public headers.
#pragma once

#include <cstddef>

#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// A sort of n keys, or of *d_n at most n if that is not null. All pointers are to device memory.
struct sort_call {
  void const* keys = nullptr;
  void* out = nullptr;           ///< null: the sorted keys are not wanted, only positions
  void const* values = nullptr;  ///< null: values are positions
  void* values_out = nullptr;    ///< null: there are no values
  int value_bytes = 0;           ///< of values or positions: 4 or 8
  index_t n = 0;
  index_t const* d_n = nullptr;
  index_t const* offsets = nullptr;  ///< of sorts within segments: segments + 1
  index_t segments = 0;
};

/// A split by keys, which are unsigned integers of `key_bytes` in [0, buckets). All pointers are to
/// device memory. Values as of `sort_call`.
struct split_call {
  int key_bytes = 0;
  void const* keys = nullptr;
  void* out = nullptr;
  void const* values = nullptr;
  void* values_out = nullptr;
  int value_bytes = 0;
  index_t n = 0;
  index_t const* d_n = nullptr;
  index_t* offsets = nullptr;  ///< buckets + 1
  int buckets = 0;
};

/// Checks the call and puts it in the queue. Throws `invalid_argument` for an engine that runs no
/// kernels.
void enqueue_split(device_queue const& queue, split_call const& call);

/// Bytes of workspace that it needs at most; n and the sizes of keys and values matter.
std::size_t enqueued_split_bytes(engine const& on, split_call const& call);

}  // namespace libscan::inline v1::detail
