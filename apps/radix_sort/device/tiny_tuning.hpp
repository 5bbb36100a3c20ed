// SPDX-License-Identifier: Apache-2.0
// The smallest sort of each kind, for tests and scan-check in the executor: a few hundred items are
// many tiles.
#pragma once

#include <libscan/core/types.hpp>
#include <libscan/tuning/radix_sort.hpp>

namespace libscan::inline v1 {

/// A count of digits by few threads.
struct tiny_digit_histogram {
  static constexpr int block_threads = 32;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 2;
  static constexpr int copies = 2;
};

/// The passes of any GPU, over tiles of 64 items in portions of five tiles.
struct tiny_passes {
  using histogram = tiny_digit_histogram;
  struct pass {
    static constexpr int block_threads = 32;
    static constexpr int resident_blocks = 1;
    static constexpr int items_per_thread = 2;
    static constexpr index_t portion_tiles = 5;
  };
};

/// The passes of GPUs with bulk copies, over tiles of 256 items in portions of seven tiles.
template <rank_order Ranks = rank_order::hardware>
struct tiny_staged_passes {
  using histogram = tiny_digit_histogram;
  struct pass {
    static constexpr int rank_warps = 8;
    static constexpr int write_warps = 2;
    static constexpr int look_back_warps = 1;
    static constexpr int check_warps = 2;
    static constexpr int look_back_tiles = 3;
    static constexpr int items_per_thread = 2;
    static constexpr int rows_at_once = 2;
    static constexpr int long_run = 60;
    static constexpr rank_order ranks = Ranks;
    static constexpr index_t portion_tiles = 7;
  };
};

/// The sort in one launch, with up to two rows to a warp.
template <rank_order Ranks = rank_order::hardware>
struct tiny_resident_sort {
  static constexpr bool resident = true;
  static constexpr rank_order ranks = Ranks;
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = 2;
  static constexpr int min_rows = 1;
};

/// The sort in one cluster of up to four blocks, with up to four rows to a warp.
template <rank_order Ranks = rank_order::hardware>
struct tiny_cluster_sort {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = 4;
  static constexpr int min_rows_together = 1;
  static constexpr int max_rows_together = 4;
  static constexpr int max_blocks = 4;
  static constexpr rank_order ranks = Ranks;
};

/// The sort within segments: those of more than 128 items are long, and in tiles of 64.
struct tiny_segmented_sort {
  struct groups {
    static constexpr int block_threads = 64;
    static constexpr int stretch_items = 128;
    static constexpr int max_lanes = 2;
  };
  using tiles = tiny_passes::pass;
};

}  // namespace libscan::inline v1
