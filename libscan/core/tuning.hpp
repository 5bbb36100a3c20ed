// SPDX-License-Identifier: Apache-2.0
// The sizes kernels are compiled for, one struct per algorithm. Results never depend on them,
// except the order in which floating-point operands are associated.
#pragma once

#include <cstddef>

namespace libscan::inline v1 {

/// Tile of the look-back scan: 16 KiB of values where possible.
template <class T>
struct look_back_tuning {
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 4;  // of a multiprocessor: hides the look-back's latency
  static constexpr int items_per_thread = sizeof(T) <= 4    ? 16
                                          : sizeof(T) <= 64 ? static_cast<int>(64 / sizeof(T))
                                                            : 1;
};

/// The pipelined scan of Items into Results, accumulated in T: 64 registers of values a thread, and
/// the widest accesses there are.
template <class Item, class T, class Result>
struct pipeline_tuning {
  static constexpr int groups = 4;
  static constexpr int group_threads = 128;
  static constexpr std::size_t widest = sizeof(Item) > sizeof(Result) ? sizeof(Item)
                                                                      : sizeof(Result);
  static constexpr int vector_items = widest < 16 ? static_cast<int>(16 / widest) : 1;
  static constexpr int registers_per_item = static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr int rows =
      64 / registers_per_item > vector_items ? 64 / registers_per_item / vector_items : 1;
  static constexpr std::size_t tile_bytes = group_threads * rows * vector_items * sizeof(Item);
  static constexpr int stages =
      static_cast<int>(192 * 1024 / tile_bytes < 12 ? 192 * 1024 / tile_bytes : 12);
};

/// Tile of the filter.
template <class T>
struct filter_tuning : look_back_tuning<T> {};

/// The smallest tile there is, for tests: a few items already make many tiles.
struct tiny_tuning {
  static constexpr int block_threads = 32;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 1;
};

/// The smallest pipeline that has all its parts, for tests.
struct tiny_pipeline_tuning {
  static constexpr int groups = 2;
  static constexpr int group_threads = 64;
  static constexpr int vector_items = 2;
  static constexpr int rows = 2;
  static constexpr int stages = 3;
};

}  // namespace libscan::inline v1
