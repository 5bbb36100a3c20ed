// SPDX-License-Identifier: Apache-2.0
// The smallest sorts of each kind, for the executor: a few hundred items are many tiles.
#pragma once

#include <apps/radix_sort/tuning.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// A count of digits by few threads.
struct small_histogram {
  static constexpr int block_threads = 32;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 2;
  static constexpr int copies = 2;
};

/// The passes of any GPU, over tiles of 64 items.
struct small_passes {
  using histogram = small_histogram;
  struct pass {
    static constexpr int block_threads = 32;
    static constexpr int resident_blocks = 1;
    static constexpr int items_per_thread = 2;
    static constexpr index_t portion_tiles = 5;
  };
};

/// The passes of GPUs with bulk copies, over tiles of 256 items.
struct small_staged_passes {
  using histogram = small_histogram;
  struct pass {
    static constexpr int rank_warps = 8;
    static constexpr int write_warps = 2;
    static constexpr int look_back_warps = 1;
    static constexpr int check_warps = 2;
    static constexpr int look_back_tiles = 3;
    static constexpr int items_per_thread = 2;
    static constexpr int rows_at_once = 2;
    static constexpr int long_run = 64;
    static constexpr rank_order ranks = rank_order::hardware;
    static constexpr index_t portion_tiles = 7;
  };
};

/// Sorts within segments of which those beyond 128 items are long.
struct small_segments {
  struct groups {
    static constexpr int block_threads = 256;
    static constexpr int stretch_items = 128;
  };
  using tiles = small_passes::pass;
};

}  // namespace libscan::apps
