// SPDX-License-Identifier: Apache-2.0
// The sizes that the sort's kernels are compiled for, one struct per kernel. Results never depend
// on them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <libscan/core/tuning.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// Bytes of a value that travels with a key; 0 for none.
template <class Value>
inline constexpr int value_bytes = static_cast<int>(sizeof(Value));
template <>
inline constexpr int value_bytes<void> = 0;

/// The count of all digits: each lane adds to one of `copies` counters a bin has.
template <class Word>
struct digit_histogram_tuning {
  static constexpr int block_threads = 512;
  static constexpr int resident_blocks = 2;  // of a multiprocessor
  static constexpr int items_per_thread = 16 / static_cast<int>(sizeof(Word));
  static constexpr int copies = sizeof(Word) == 8 ? 4 : 8;
};

/// One pass on any GPU: about 32 KiB of keys or values to a tile, up to 512 bytes of either to an
/// item.
template <class Key, class Value>
struct digit_pass_tuning {
  static constexpr int widest = static_cast<int>(sizeof(Key)) > value_bytes<Value>
                                    ? static_cast<int>(sizeof(Key))
                                    : value_bytes<Value>;
  static constexpr int block_threads = threads_for(512, widest);
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = widest <= 4 ? 16 : widest < 64 ? 64 / widest : 1;
  // Tiles per launch, so that counts fit in 30 bits.
  static constexpr index_t portion_tiles = (index_t{1} << 29) / (block_threads * items_per_thread);
};

/// A pass of the sort of long segments; many are little longer than a tile. Small keys
/// without values use small tiles, so that more run at once; other items use larger ones, which
/// write longer runs.
template <class Key, class Value>
struct segment_tile_tuning {
  using pass = digit_pass_tuning<Key, Value>;
  static constexpr bool small_keys = sizeof(Key) <= 4 && std::is_void_v<Value>;
  static constexpr int block_threads = small_keys ? 256 : pass::block_threads;
  static constexpr int items_per_thread = pass::items_per_thread;
  // Blocks per multiprocessor, as registers permit.
  static constexpr int resident_blocks = small_keys ? 3 : items_per_thread <= 8 ? 2 : 1;
};

/// How to check that a tile is sorted stably. `keys`: keys that compare equal are identical, so it
/// is enough that the bits sorted so far ascend. `positions`: every key has its position in the
/// previous tile, and positions must ascend within a run.
enum class tile_witness : std::uint8_t { keys, positions };

/// The order in which lanes with the same digit get their ranks from a counter: the hardware's,
/// which is undocumented but has always been ascending; or, for tests, a known one: ascending or
/// reversed.
enum class rank_order : std::uint8_t { hardware, ascending, reversed };

/// One pass for GPUs with bulk copies: the tile fills the shared memory, the keys of a thread its
/// registers.
template <class Key, class Value, tile_witness Witness>
struct staged_pass_tuning {
  static constexpr int rank_warps = 16;
  static constexpr int write_warps = 10;
  static constexpr int look_back_warps = 4;
  static constexpr int check_warps = 2;
  static constexpr int look_back_tiles = 1;
  static constexpr int long_run = 512;  // items; several warps write longer runs
  static constexpr rank_order ranks = rank_order::hardware;
  // The stage, the sorted tile, its positions, the values.
  static constexpr int item_bytes = 2 * static_cast<int>(sizeof(Key)) +
                                    (Witness == tile_witness::positions ? 2 : 0) +
                                    value_bytes<Value>;
  static constexpr int shared_bytes = 206 * 1024;
  static constexpr int in_shared = shared_bytes / (item_bytes * rank_warps * 32);
  static constexpr int in_registers = sizeof(Key) == 8 ? 24 : 44;
  static constexpr int items_per_thread =
      (in_shared < in_registers ? in_shared : in_registers) / 2 * 2;
  static constexpr int rows_at_once = items_per_thread % 4 == 0 ? 4 : 2;
  static constexpr index_t portion_tiles =
      (index_t{1} << 29) / (rank_warps * 32 * items_per_thread);
  // With fewer items the tiles are too few for most multiprocessors.
  static constexpr index_t min_items = index_t{1} << 18;
};

/// The sort in one cluster, of items small enough. A single block has up to `items_per_thread`
/// rows. Several with fewer rows than `min_rows_together` would wait for one another longer than
/// they work; with more than `max_rows_together` the exchange of items would take longer than
/// through memory.
template <class Key, class Value>
struct cluster_sort_tuning {
  static constexpr int block_threads = 512;
  // Keys and values twice, and positions.
  static constexpr int row_bytes =
      2 * block_threads * (static_cast<int>(sizeof(Key)) + value_bytes<Value> + 1);
  // Beside 21 KiB of counts; 0 of large items.
  static constexpr unsigned fitting_rows = 204 * 1024 / row_bytes;
  static constexpr int items_per_thread = fitting_rows > 8
                                              ? 8
                                              : static_cast<int>(std::bit_floor(fitting_rows));
  static constexpr int min_rows_together =
      std::min(items_per_thread, std::is_void_v<Value> ? 4 : 2);
  static constexpr int max_rows_together =
      std::min(items_per_thread, std::is_void_v<Value> ? 8 : 4);
  static constexpr int max_blocks = 16;
  static constexpr rank_order ranks = rank_order::hardware;
};

/// The sort in one launch, of as many items as the multiprocessors hold. Fewer blocks, with
/// `min_rows` or more, read one another's counts sooner.
template <class Key, class Value>
struct resident_sort_tuning {
  static constexpr int bytes = static_cast<int>(sizeof(Key)) + value_bytes<Value>;
  static constexpr bool resident = true;
  static constexpr int block_threads = 1024;
  static constexpr int items_per_thread = bytes <= 4    ? 12
                                          : bytes <= 8  ? 8
                                          : bytes <= 48 ? 48 / bytes
                                                        : 1;
  static constexpr int min_rows = std::min(items_per_thread, std::is_void_v<Value> ? 4 : 2);
  static constexpr rank_order ranks = rank_order::hardware;
};

}  // namespace libscan::inline v1
