// SPDX-License-Identifier: Apache-2.0
// The sizes kernels are compiled for, one struct per algorithm. Results never depend on them,
// except the order in which floating-point operands are associated.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>

namespace libscan::inline v1 {

/// Tile of the look-back scan: 16 KiB of values where possible.
template <class T>
struct look_back_tuning {
  static constexpr int block_threads = 256;
  // Of a multiprocessor: hides the look-back's latency.
  static constexpr int resident_blocks = sizeof(T) <= 4 ? 4 : 3;
  static constexpr int items_per_thread = sizeof(T) <= 4    ? 16
                                          : sizeof(T) <= 64 ? static_cast<int>(64 / sizeof(T))
                                                            : 1;
};

/// How many consecutive items a thread moves at once: 16 bytes of whichever is larger.
template <class Item, class Result>
inline constexpr int widest_access = static_cast<int>(std::bit_floor(
    std::size_t{16} / (sizeof(Item) > sizeof(Result) ? sizeof(Item) : sizeof(Result))));
template <class Item, class Result>
requires(sizeof(Item) > 16 ||
         sizeof(Result) > 16) inline constexpr int widest_access<Item, Result> = 1;

/// No tile of the pipelined scans is smaller, whatever the types are.
inline constexpr int least_pipeline_tile = 512;

/// The pipelined scan of Items into Results, accumulated in T; with `HeadBits` more of input for
/// each item of a segmented scan. A tile moves about 48 KiB in and out, in which time one warp
/// finds the prefix of the next; stages fill the shared memory.
template <class Item, class T, class Result, int HeadBits = -1>
struct pipeline_tuning {
  static constexpr bool segmented = HeadBits >= 0;
  // Two groups leave a thread 128 registers, three leave it 96.
  static constexpr int groups = segmented && sizeof(T) > 4 ? 2 : 3;
  static constexpr int group_threads = 128;
  static constexpr int vector_items = widest_access<Item, Result>;
  static constexpr int row_registers = vector_items * static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr int rows_at_once = row_registers > 12  ? 1
                                      : row_registers > 8 ? 2
                                      : row_registers > 4 ? 3
                                      : segmented         ? 4
                                                          : 6;
  static constexpr int row_items = group_threads * vector_items;
  static constexpr int head_bytes = segmented ? row_items * HeadBits / 8 : 0;
  static constexpr int row_bytes =
      row_items * static_cast<int>(sizeof(Item) + sizeof(Result)) + head_bytes;
  static constexpr int tile_bytes = 48 * 1024;
  static constexpr int batches = (tile_bytes / row_bytes + rows_at_once - 1) / rows_at_once;
  static constexpr int rows = (batches > 0 ? batches : 1) * rows_at_once;
  static constexpr int padding = 384;  // of what is staged, for its alignment
  static constexpr int stage_bytes =
      rows * (row_items * static_cast<int>(sizeof(Item)) + head_bytes) + padding;
  static constexpr int shared_bytes = 222 * 1024;  // of the 227 KiB a block may have
  static constexpr int stages = shared_bytes / stage_bytes < 12 ? shared_bytes / stage_bytes : 12;
  static_assert(rows * row_items >= least_pipeline_tile);
  // Of a segmented scan: from here on the pipeline is the faster way.
  static constexpr std::ptrdiff_t least_items = std::ptrdiff_t{1} << (HeadBits > 8 ? 27 : 24);
};

/// The resident scan: up to `rows` rows for each warp of a block, in 32 registers of a thread.
template <class Item, class T, class Result>
struct resident_tuning {
  static constexpr int block_threads = 512;
  static constexpr int vector_items = widest_access<Item, Result>;
  static constexpr int row_registers = vector_items * static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr int rows = row_registers < 32 ? 32 / row_registers : 1;
};

/// The same for so few items that a row for each warp is enough: its code is there sooner.
template <class Item, class T, class Result>
struct short_resident_tuning : resident_tuning<Item, T, Result> {
  static constexpr int rows = 1;
};

/// Tile of the look-back filter.
template <class T>
struct filter_tuning : look_back_tuning<T> {};

/// The pipelined filter of Items: tiles of 32 KiB.
template <class Item>
struct pipelined_filter_tuning {
  static constexpr int groups = 3;
  static constexpr int group_threads = 128;
  static constexpr int vector_items = static_cast<int>(16 / sizeof(Item));
  // As many as one word per lane has bits for.
  static constexpr int rows_at_once = vector_items <= 4 ? 8 : 32 / vector_items;
  static constexpr int rows = 16;
  static constexpr int stage_bytes =
      group_threads * rows * 16 + 4 * group_threads * (rows / rows_at_once + 2);
  static constexpr int stages = 222 * 1024 / stage_bytes;
  // Of items: up to there the look-back filter is faster.
  static constexpr std::size_t look_back_bytes = std::size_t{4} << 20;
};

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
  static constexpr int rows_at_once = 1;
  static constexpr int stages = 4;
};

/// The smallest tile of a resident scan, for tests.
struct tiny_resident_tuning {
  static constexpr int block_threads = 64;
  static constexpr int vector_items = 2;
  static constexpr int rows = 2;
};

}  // namespace libscan::inline v1
