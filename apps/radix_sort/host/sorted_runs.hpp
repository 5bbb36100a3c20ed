// SPDX-License-Identifier: Apache-2.0
// Searches in sorted keys of device memory, and merges of sorted runs there, in plain C++.
// sorted_runs_device.cuh implements them. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <apps/radix_sort/core/merged_pair.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// One pass of merges. All pointers are to device memory.
struct merge_call {
  void const* keys;
  void* out;
  void const* values;  ///< null: none
  void* values_out;
  int value_bytes;  ///< 4 or 8
};

/// Sorted keys of a type, which `sort_key` lists, in memory of a queue's machine.
template <class Key>
struct compiled_runs {
  using word = typename sort_order<Key>::word_type;

  /// For each word, how many of the n keys are below it, and how many not above it.
  /// Synchronization: on the queue's stream; returns when the result is there.
  static std::vector<index_t> search(device_queue const& queue, Key const* keys, index_t n,
                                     std::span<word const> words, sort_order<Key> const& order);

  /// Merges the runs that end at `ends` two by two; an odd last one is copied. Stable. `out` must
  /// not overlap the keys. Returns the ends of the merged runs.
  /// Synchronization: on the queue's stream; returns before the merges are complete.
  static std::vector<index_t> merge(device_queue const& queue, merge_call const& call,
                                    std::span<index_t const> ends, sort_order<Key> const& order);
};

/// The same on a `cuda_device` or an `executor_run`, on arrays in its memory.
template <class Machine, class Key>
struct device_runs {
  using word = typename sort_order<Key>::word_type;

  /// Results of a tile.
  static int tile_items();
  static void search(Machine on, queue_place const& place, Key const* keys, index_t n,
                     word const* words, index_t count, index_t* found,
                     sort_order<Key> const& order);
  /// `splits` has space for one number per tile.
  static void merge(Machine on, queue_place const& place, merge_call const& call,
                    merged_pair const* pairs, int count, index_t tiles, index_t* splits,
                    sort_order<Key> const& order);
};

}  // namespace libscan::inline v1::detail
