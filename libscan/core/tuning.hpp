// SPDX-License-Identifier: Apache-2.0
// The sizes that kernels are compiled for, one struct per algorithm. Results never depend on them,
// except for the order in which floating-point operands are associated.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace libscan::inline v1 {

/// How a device call goes through its tiles. Every tuning of a call that has more than one way
/// names one.
enum class scan_algorithm {
  look_back,    ///< blocks claim tiles, and decoupled look-back chains them: any GPU, any iterators
  resident,     ///< all multiprocessors hold all items at once: one launch, for few items
  pipeline,     ///< tiles pass through shared memory by bulk copies: sm_90, items in memory
  two_launches  ///< tiles are counted first and written then: binary scans of many items
};

/// Whether `Tuning` is one of that algorithm.
template <class Tuning, scan_algorithm Algorithm>
concept tuned_for = requires {
  requires Tuning::algorithm == Algorithm;
};

/// Threads of a block with one item of `item_bytes` per thread: `max_threads`, or fewer for items
/// above 64 bytes, to use no more shared memory; at least two warps.
constexpr int threads_for(int max_threads, std::size_t item_bytes) {
  auto const capacity = static_cast<std::size_t>(max_threads) * 64;
  int threads = max_threads;
  while (threads > 64 && static_cast<std::size_t>(threads) * item_bytes > capacity) threads /= 2;
  return threads;
}

/// Tile of the look-back scan: 16 KiB of values where possible.
template <class T>
struct look_back_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = threads_for(256, sizeof(T));
  // Per multiprocessor: hides the look-back's latency.
  static constexpr int resident_blocks = sizeof(T) <= 4 ? 4 : 3;
  static constexpr int items_per_thread = sizeof(T) <= 4    ? 16
                                          : sizeof(T) <= 64 ? static_cast<int>(64 / sizeof(T))
                                                            : 1;
};

/// The look-back scan on GPUs without the pipeline: compilations for GPUs that all have it leave
/// its kernel empty, for they never launch it. Only for operations whose pipeline takes any number
/// of items.
template <class T>
struct fallback_tuning : look_back_tuning<T> {};

/// The number of consecutive items that a thread moves in one access: 16 bytes of the larger type.
template <class Item, class Result>
inline constexpr int widest_access = static_cast<int>(std::bit_floor(
    std::size_t{16} / (sizeof(Item) > sizeof(Result) ? sizeof(Item) : sizeof(Result))));
template <class Item, class Result>
requires(sizeof(Item) > 16 ||
         sizeof(Result) > 16) inline constexpr int widest_access<Item, Result> = 1;

/// The smallest tile of any pipelined scan, for any types.
inline constexpr int min_pipeline_tile = 512;

/// The number of stages of `stage_bytes` each that fit in a block's shared memory (227 KiB).
inline constexpr int pipeline_stages(int stage_bytes) {
  int const padded = stage_bytes + 384;  // for alignment
  int const fitting = 222 * 1024 / padded;
  return fitting < 12 ? fitting : 12;
}

/// The number of a block's tiles that are being copied at once, with `copied_bytes` each: at least
/// two, and enough for 30 KiB. One does not saturate the memory of an H200. With all stages in
/// flight the first tiles of a call arrive later: scans of 2^24 numbers took 1 to 3 us longer,
/// segmented ones 4 to 8 us.
constexpr int pipeline_tiles_in_flight(int copied_bytes, int stages) {
  constexpr int wanted = 30 * 1024;
  return std::clamp((wanted + copied_bytes - 1) / copied_bytes, 2, stages);
}

/// The pipelined scan of Items into Results, accumulated in T. A tile moves 48 KiB in and out,
/// rounded up to whole batches of rows; in that time one warp finds the prefix of the next tile.
/// Bytes need more work per byte of memory, so more warps share it. Numbers of 2 or 4 bytes with
/// results of 4 bytes need few registers, so a block can have its maximum of warps, which shortens
/// the tail.
template <class Item, class T, class Result>
struct pipeline_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::pipeline;
  static constexpr bool bytes_to_bytes = sizeof(Item) == 1 && sizeof(Result) == 1 && sizeof(T) <= 4;
  static constexpr bool bytes_to_words = sizeof(Item) == 1 && sizeof(Result) == 4 && sizeof(T) <= 4;
  static constexpr bool numbers = std::is_arithmetic_v<T> && sizeof(T) == 4 &&
                                  (sizeof(Item) == 4 || sizeof(Item) == 2) && sizeof(Result) == 4;
  static constexpr int groups = bytes_to_bytes || numbers ? 2 : 3;
  static constexpr int group_threads = bytes_to_bytes   ? 256
                                       : bytes_to_words ? 192
                                       : numbers        ? 320
                                                        : 128;
  static constexpr int vector_items = widest_access<Item, Result>;
  static constexpr int row_registers = vector_items * static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr int rows_at_once = row_registers > 12                    ? 1
                                      : row_registers > 8                   ? 2
                                      : row_registers > 4 || bytes_to_words ? 3
                                                                            : 6;
  // For integers that share registers. With more of them the last tiles take longer.
  static constexpr int packed_rows_at_once = bytes_to_bytes ? 4 : bytes_to_words ? 3 : 6;
  static constexpr int row_items = group_threads * vector_items;
  static constexpr int row_bytes = row_items * static_cast<int>(sizeof(Item) + sizeof(Result));
  static constexpr int tile_bytes = (bytes_to_bytes ? 64 : bytes_to_words ? 33 : 48) * 1024;
  static constexpr int batches = (tile_bytes / row_bytes + rows_at_once - 1) / rows_at_once;
  static constexpr int rows = (batches > 0 ? batches : 1) * rows_at_once;
  static constexpr int stage_bytes = rows * row_items * static_cast<int>(sizeof(Item));
  static constexpr int stages = pipeline_stages(stage_bytes);
  static constexpr int max_tiles_in_flight = pipeline_tiles_in_flight(stage_bytes, stages);
  static_assert(rows * row_items >= min_pipeline_tile);
};

/// A pipeline of items within segments, with `HeadBits` more bits of input per item. A lane
/// processes an odd number of vectors, which avoids shared-memory bank conflicts: at most
/// `MaxVectors` vectors of at most `MaxItems` items, limited by 32 registers and a tile of
/// `TileBytes`.
template <class Item, class T, int HeadBits, int MaxItems, int GroupThreads, int MaxVectors,
          int TileBytes>
struct lane_batch_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::pipeline;
  static constexpr int group_threads = GroupThreads;
  // Results are stored in the place of items, or in their own.
  static constexpr int item_bits = 8 * static_cast<int>(sizeof(Item)) + HeadBits +
                                   (std::is_same_v<Item, T> ? 0 : 8 * static_cast<int>(sizeof(T)));
  static constexpr int fitting_items(int items) {
    bool const fits =
        items * sizeof(T) <= 128 && group_threads * items * item_bits / 8 <= TileBytes;
    return items == 1 || fits ? items : fitting_items(items / 2);
  }
  static constexpr int vector_items = fitting_items(MaxItems);
  static constexpr int vector_bytes = group_threads * vector_items * item_bits / 8;
  static constexpr int fitting_vectors(int vectors) {
    int const items = vectors * vector_items;
    bool const fits =
        items <= 32 && items * sizeof(T) <= 128 && vectors * vector_bytes <= TileBytes;
    return vectors == 1 || fits ? vectors : fitting_vectors(vectors - 2);
  }
  static constexpr int lane_vectors = fitting_vectors(MaxVectors);
  static constexpr int batch_bytes = lane_vectors * vector_bytes;
  static constexpr int batches = std::clamp(TileBytes / batch_bytes, 1, 4);
  static constexpr int stages = pipeline_stages(batches * batch_bytes);
  // The space for results is not copied into.
  static constexpr int copied_bits = 8 * static_cast<int>(sizeof(Item)) + HeadBits;
  static constexpr int max_tiles_in_flight = pipeline_tiles_in_flight(
      group_threads * vector_items * lane_vectors * batches * copied_bits / 8, stages);
  static_assert(group_threads * vector_items * lane_vectors * batches >= min_pipeline_tile);
};

/// The pipelined scan of Items within segments into Results. This many groups, of one tile each,
/// hide the latency of finding a prefix; with keys more input arrives meanwhile.
template <class Item, class T, class Result, int HeadBits>
struct segmented_pipeline_tuning
    : lane_batch_tuning<Item, T, HeadBits,
                        std::min(widest_access<Item, T>, widest_access<Item, Result>),
                        HeadBits <= 8 ? 160 : 192, 5, (HeadBits <= 8 ? 32 : 42) * 1024> {
  static constexpr int groups = HeadBits <= 8 ? 6 : 5;
  // The pipeline is faster from here on.
  static constexpr std::ptrdiff_t min_items = std::ptrdiff_t{1} << 23;
  static_assert(segmented_pipeline_tuning::stages >= groups);
};

/// Totals of segments of Items.
template <class Item, class T, int HeadBits>
struct segmented_reduce_pipeline_tuning
    : lane_batch_tuning<Item, T, HeadBits, widest_access<Item, Item>, 192, HeadBits <= 8 ? 5 : 7,
                        46 * 1024> {
  static constexpr int groups = 4;
  // With tiles claimed dynamically, 2^28 words with flags took 1.04 times as long (H200).
  static constexpr bool static_schedule = true;
  // The pipeline is faster from here on.
  static constexpr std::ptrdiff_t min_items = std::ptrdiff_t{1} << 18;
  static_assert(segmented_reduce_pipeline_tuning::stages >= groups);
};

/// The resident scan: up to `rows` rows per warp of a block, in 32 registers of a thread.
template <class Item, class T, class Result>
struct resident_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::resident;
  static constexpr int block_threads = 512;
  static constexpr int vector_items = widest_access<Item, Result>;
  static constexpr int row_registers = vector_items * static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr int rows = row_registers < 32 ? 32 / row_registers : 1;
};

/// One row per warp, for inputs that fit: the code loads sooner.
template <class Item, class T, class Result>
struct short_resident_tuning : resident_tuning<Item, T, Result> {
  static constexpr int rows = 1;
};

/// Whether scans of T choose it: for 2^16 to 2^17 doubles it takes 6 to 11 % less time than the
/// long one. For items of at most 4 bytes it does not pay (H200).
template <class T>
inline constexpr bool has_short_resident = sizeof(T) > 4;

/// The resident scan and reduction within segments: one tile per multiprocessor.
template <class T>
struct resident_segmented_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::resident;
  static constexpr int block_threads = 512;
  static constexpr int items_per_thread = sizeof(T) <= 4 ? 16 : sizeof(T) <= 8 ? 8 : 4;
};

/// A quarter of the items per thread, for inputs that fit, on the same number of multiprocessors.
template <class T>
struct short_resident_segmented_tuning : resident_segmented_tuning<T> {
  static constexpr int items_per_thread = resident_segmented_tuning<T>::items_per_thread / 4;
};

/// Tile of the look-back filter.
template <class T>
struct filter_tuning : look_back_tuning<T> {};

/// The resident filter: one tile per multiprocessor.
template <class T>
struct resident_filter_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::resident;
  static constexpr int block_threads = 1024;
  static constexpr int items_per_thread = sizeof(T) <= 4    ? 16
                                          : sizeof(T) <= 64 ? 64 / static_cast<int>(sizeof(T))
                                                            : 1;
  // The kept items are collected in shared memory.
  static constexpr bool fits = sizeof(T) <= 64;
};

/// Half the threads, for inputs that fit them: the grid barrier is shorter.
template <class T>
struct half_resident_filter_tuning : resident_filter_tuning<T> {
  static constexpr int block_threads = resident_filter_tuning<T>::block_threads / 2;
};

/// Two items per thread, for inputs that fit: the code loads sooner.
template <class T>
struct short_resident_filter_tuning : resident_filter_tuning<T> {
  static constexpr int block_threads = 512;
  static constexpr int items_per_thread = resident_filter_tuning<T>::items_per_thread < 2 ? 1 : 2;
};

/// The smallest tile of any pipelined filter, for any types.
inline constexpr int min_filter_tile = 1536;

/// The pipelined filter of Items: tiles of 28 KiB, with `RuleBits` more bits per item. Tiles are
/// scheduled statically: when few items are kept, a tile passes so fast that a claim takes as long
/// as all other work. With dynamic claims words took 1.06 times as long with 1 % kept and 1.01
/// times with 50 or 99 %; words by bytes took 1.21, 1.03 and 1.05 times. Tiles of 24 KiB take 1.015
/// times as long with 1 or 50 % kept (H200, 2^28). Words by bytes use more groups of fewer threads.
template <class Item, int RuleBits = 0>
struct pipelined_filter_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::pipeline;
  static constexpr bool words_by_bytes = sizeof(Item) == 4 && RuleBits == 8;
  static constexpr int groups = words_by_bytes ? 3 : 2;
  static constexpr int group_threads = words_by_bytes ? 160 : 224;
  static constexpr bool static_schedule = true;
  static constexpr int vector_items = static_cast<int>(16 / sizeof(Item));
  // As many rows as one word per lane has bits for.
  static constexpr int rows_at_once = vector_items <= 4 ? 8 : 32 / vector_items;
  static constexpr int rows = 8;
  static constexpr int rule_bytes =
      RuleBits == 0 ? 0 : group_threads * (rows * vector_items * RuleBits / 8 + 4);
  static constexpr int stage_bytes =
      group_threads * (rows * 16 + 4 * (rows / rows_at_once + 2)) + rule_bytes;
  static constexpr int stages = 222 * 1024 / stage_bytes;
  // With two, words by bytes took 1.02 times as long (H200, 2^28, half of them kept).
  static constexpr int max_tiles_in_flight =
      words_by_bytes ? 3
                     : pipeline_tiles_in_flight(
                           group_threads * rows * (16 + vector_items * RuleBits / 8), stages);
  // From here on it is the faster way.
  static constexpr std::ptrdiff_t min_items = (std::ptrdiff_t{1} << 20) / sizeof(Item) + 1;
  static_assert(group_threads * vector_items * rows >= min_filter_tile);
};

/// The pipelined filter by a mask that stages only the mask, of `MaskBits` per item. It has many
/// groups, since each waits for its items.
template <int MaskBits>
struct pipelined_mask_filter_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::pipeline;
  static constexpr int groups = 6;
  static constexpr int group_threads = 128;
  static constexpr int vector_items = 4;
  static constexpr int rows_at_once = 8;
  static constexpr int rows = 32;
  static constexpr int stages = MaskBits == 1 ? 12 : 8;
  static constexpr int max_tiles_in_flight =
      pipeline_tiles_in_flight(group_threads * rows * vector_items * MaskBits / 8, stages);
  // From here on it is the faster way.
  static constexpr std::ptrdiff_t min_items = (std::ptrdiff_t{1} << 22) + 1;
};

/// The smallest possible tile, for tests: a few items already make many tiles.
struct tiny_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = 32;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 1;
};

/// The smallest pipeline that has all its parts, for tests.
struct tiny_pipeline_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::pipeline;
  static constexpr int groups = 2;
  static constexpr int group_threads = 64;
  static constexpr int vector_items = 2;
  static constexpr int rows = 2;
  static constexpr int rows_at_once = 1;
  static constexpr int packed_rows_at_once = 2;
  static constexpr int lane_vectors = 3;
  static constexpr int batches = 2;
  static constexpr int stages = 4;
  static constexpr int max_tiles_in_flight = 2;
};

/// The smallest tile of a resident filter, for tests.
struct tiny_resident_filter_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::resident;
  static constexpr int block_threads = 64;
  static constexpr int items_per_thread = 2;
  static constexpr bool fits = true;
};

/// The smallest tile of a resident scan, for tests.
struct tiny_resident_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::resident;
  static constexpr int block_threads = 64;
  static constexpr int vector_items = 2;
  static constexpr int rows = 2;
};

}  // namespace libscan::inline v1
