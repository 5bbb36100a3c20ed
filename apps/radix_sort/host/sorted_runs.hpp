// SPDX-License-Identifier: Apache-2.0
// Searches in sorted keys of device memory, and merges of sorted runs there, in plain C++.
// sorted_runs_device.cuh implements them. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// Where a pass of merges writes: device memory. `values` is null if there are none.
struct merge_target {
  void* keys;
  void* values;
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

  /// Merges runs two by two, stable, one result after the other; an odd last run is copied. No run
  /// may overlap the target. Returns the merged runs.
  /// Synchronization: on the queue's stream; returns before the merges are complete.
  static std::vector<sorted_run<Key>> merge(device_queue const& queue,
                                            std::span<sorted_run<Key> const> runs,
                                            merge_target const& to, sort_order<Key> const& order);
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
  static void merge(Machine on, queue_place const& place, merge_target const& to,
                    merged_pair<Key> const* pairs, int count, index_t tiles, index_t* splits,
                    sort_order<Key> const& order);
};

}  // namespace libscan::inline v1::detail
