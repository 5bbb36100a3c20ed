// SPDX-License-Identifier: Apache-2.0
// The sizes that the histogram's kernels are compiled for, one struct per kernel. Results never
// depend on them.
#pragma once

#include <cstddef>

#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// All kernels of the production histogram.
struct histogram_tuning {
  /// Shared memory per block; 0: all that the device allows.
  static constexpr std::size_t shared_bytes = 0;
  /// The most bits of a place within a bucket.
  static constexpr int bucket_bits = 15;

  /// 32-bit counters, all of them in each block.
  struct shared {
    static constexpr int block_threads = 1024;
    static constexpr int resident_blocks = 1;  // per multiprocessor
    static constexpr int batch = 4;            // pieces of 16 bytes in flight per thread
    // From this many samples on it pays to build a guide to given edges.
    static constexpr index_t min_guided = index_t{1} << 23;
  };
  /// 16-bit counters.
  struct packed {
    static constexpr int block_threads = 1024;
    static constexpr int resident_blocks = 1;
    static constexpr int batch = 4;
  };
  /// 8-bit samples.
  struct bytes {
    static constexpr int block_threads = 1024;
    static constexpr int resident_blocks = 2;
    static constexpr int batch = 2;
  };
  /// Sorts places into buckets.
  struct split {
    static constexpr int block_threads = 512;
    static constexpr int resident_blocks = 2;
    static constexpr int split_items = 16;  // per thread
  };
  /// Counts the places of buckets.
  struct buckets {
    static constexpr int block_threads = 1024;
    static constexpr int resident_blocks = 1;
    static constexpr int batch = 4;
  };
};

/// The histogram by counting barriers.
struct counted_histogram_tuning {
  static constexpr int block_threads = 1024;
  static constexpr int resident_blocks = 2;
};

/// The kernels around the sort of the textbook histogram.
struct place_tuning {
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 4;
  static constexpr int items_per_thread = 4;
};

}  // namespace libscan::inline v1
