// SPDX-License-Identifier: Apache-2.0
// The radix sort of the host API on a machine with kernels, in plain C++; radix_sort_device.cuh
// implements it. Internal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <apps/radix_sort/host/sort_call.hpp>
#include <libscan/core/types.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1::detail {

/// The sort of keys of type Key on a `cuda_device` or an `executor_run`; compiled for every item
/// type and the halves.
///
/// `enqueue` is asynchronous, on device memory. Of the others, all pointers are to host memory, and
/// checked; n > 0. `out` may be `keys`, `values_out` may be `values`. They return when the output
/// is complete. All leave the thread's current device unchanged. Throws `device_error`, or
/// `engine_unavailable` if the device cannot be used.
template <class Machine, class Key>
struct device_sort {
  static void keys(Machine on, Key const* keys, Key* out, index_t n, sort_order<Key> const& order);
  static void pairs(Machine on, Key const* keys, Key* out, std::uint32_t const* values,
                    std::uint32_t* values_out, index_t n, sort_order<Key> const& order);
  static void pairs(Machine on, Key const* keys, Key* out, std::uint64_t const* values,
                    std::uint64_t* values_out, index_t n, sort_order<Key> const& order);
  static void positions(Machine on, Key const* keys, index_t* positions, index_t n,
                        sort_order<Key> const& order);
  static void positions(Machine on, Key const* keys, std::uint32_t* positions, index_t n,
                        sort_order<Key> const& order);

  static void enqueue(Machine on, queue_place const& place, sort_call const& call,
                      sort_order<Key> const& order);

  /// Bytes of workspace that any sort of n keys with values or positions of so many bytes, 0, 4 or
  /// 8, needs.
  static std::size_t workspace_bytes(index_t n, int value_bytes);
};

}  // namespace libscan::inline v1::detail
