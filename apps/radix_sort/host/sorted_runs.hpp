// SPDX-License-Identifier: Apache-2.0
// What sorts over ranks do with keys in device memory beside plain sorts, in plain C++: samples,
// searches in sorted keys, merges of sorted runs, and sorts within buckets. sorted_runs_device.cuh
// and listed_sort_device.cuh implement them. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <apps/radix_sort/core/listed_segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>

namespace libscan::inline v1::detail {

/// Where a pass of merges writes: device memory. `values` is null if there are none.
struct merge_target {
  void* keys;
  void* values;
  int value_bytes;  ///< 4 or 8
};

/// Keys of a type, which `sort_key` lists, in memory of a queue's machine.
template <class Key>
struct compiled_runs {
  using word = typename sort_order<Key>::word_type;

  /// The words of some of n > 0 keys, at equal distances; as many as `words`.
  /// Synchronization: on the queue's stream; returns when the result is there.
  static void sample(device_queue const& queue, Key const* keys, index_t n, std::span<word> words,
                     sort_order<Key> const& order);

  /// For each word, how many of the n sorted keys are below it, and how many not above it.
  /// Synchronization: on the queue's stream; returns when the result is there.
  static std::vector<index_t> search(device_queue const& queue, Key const* keys, index_t n,
                                     std::span<word const> words, sort_order<Key> const& order);

  /// How many items of run a are among the first k of the stable merge of a and b.
  /// Synchronization: on the queue's stream; returns when the result is there.
  static index_t merge_cut(device_queue const& queue, sorted_run<Key> const& a,
                           sorted_run<Key> const& b, index_t k, sort_order<Key> const& order);

  /// Merges runs two by two, stable, one result after the other; an odd last run is copied. No run
  /// may overlap the target. Returns the merged runs.
  /// Synchronization: on the queue's stream; returns before the merges are complete.
  static std::vector<sorted_run<Key>> merge(device_queue const& queue,
                                            std::span<sorted_run<Key> const> runs,
                                            merge_target const& to, sort_order<Key> const& order);

  /// Sorts within segments; see `listed_sort_call`. Keys have 4 or 8 bytes. The highest bit is none
  /// of the order's.
  /// Synchronization: on the queue's stream; returns before the sort is complete.
  static void sort_segments(device_queue const& queue, listed_sort_call const& segments,
                            sort_order<Key> const& order);
  /// Whether it is fast for many segments.
  static bool sorts_segments_fast(device_queue const& queue);

 private:
  /// Keys as they are compiled: the highest bit, in which signed words differ from unsigned ones,
  /// is not sorted by.
  using segment_key = std::conditional_t<std::is_integral_v<Key>, word, Key>;
};

/// The same on a `cuda_device` or an `executor_run`, on arrays in its memory.
template <class Machine, class Key>
struct device_runs {
  using word = typename sort_order<Key>::word_type;

  /// Results of a tile.
  static int tile_items();
  static void sample(Machine on, queue_place const& place, Key const* keys, index_t n, word* words,
                     index_t count, sort_order<Key> const& order);
  static void search(Machine on, queue_place const& place, Key const* keys, index_t n,
                     word const* words, index_t count, index_t* found,
                     sort_order<Key> const& order);
  static void merge_cut(Machine on, queue_place const& place, sorted_run<Key> const& a,
                        sorted_run<Key> const& b, index_t k, index_t* found,
                        sort_order<Key> const& order);
  /// `splits` has space for one number per tile.
  static void merge(Machine on, queue_place const& place, merge_target const& to,
                    merged_pair<Key> const* pairs, int count, index_t tiles, index_t* splits,
                    sort_order<Key> const& order);
};

}  // namespace libscan::inline v1::detail
