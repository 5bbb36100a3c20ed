// SPDX-License-Identifier: Apache-2.0
// The block scans of predicates that Harris & Garland compare (Listing 3.6, and libscan's), and the
// block radix sort on top of each.
#pragma once

#include <bench/chapter_kernels.cuh>
#include <libscan/block/binary_scan.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/warp/shared_scan.cuh>

namespace libscan::bench::chapter {

using warp::scan_result;

// Figure 3.2: exclusive prefix sums of the block's predicates. A scan has `block_threads`,
// `storage`, and scan(storage, predicate).

/// Step A of Listing 3.6 by ballot and population count.
template <int BlockThreads>
struct step_a_binary {
  struct storage {};
  static __device__ unsigned before(storage&, bool predicate) {
    return static_cast<unsigned>(warp::binary_scan(predicate).rank);
  }
};

/// Step A by the 32-bit scan of Listing 3.1.
template <int BlockThreads>
struct step_a_generic {
  struct storage {
    warp::shared_scan_storage<unsigned> of_warp[BlockThreads / simt::warp_size];
  };
  static __device__ unsigned before(storage& shared, bool predicate) {
    return warp::shared_scan(shared.of_warp[threadIdx.x / simt::warp_size],
                             static_cast<unsigned>(predicate), plus<unsigned>{})
        .prefix;
  }
};

/// Listing 3.6: StepA scans each warp, then one warp scans the warps' sums in padded shared memory.
/// Its last barrier, which the printed form lacks, lets the next repetition write.
template <int BlockThreads, template <int> class StepA>
struct chapter_scan {
  static constexpr int block_threads = BlockThreads;
  struct storage : StepA<BlockThreads>::storage {
    warp::shared_scan_storage<unsigned> sums;
  };
  static __device__ scan_result<unsigned> scan(storage& shared, bool predicate) {
    constexpr int warps = BlockThreads / simt::warp_size;
    int const thread = static_cast<int>(threadIdx.x);
    int const own_warp = thread / simt::warp_size;
    unsigned* const sum = shared.sums.value;
    unsigned const before = StepA<BlockThreads>::before(shared, predicate);
    if (simt::lane_id() == simt::warp_size - 1) sum[own_warp] = before + predicate;
    simt::sync_block();
    if (thread < simt::warp_size) {
      unsigned const mine = thread < warps ? sum[thread] : 0;
      simt::sync_warp();
      unsigned const of_warps = warp::shared_scan(shared.sums, mine, plus<unsigned>{}).prefix;
      sum[thread] = of_warps;
    }
    simt::sync_block();
    // The scan in shared memory stores its last inclusive sum after its last lane's place.
    scan_result<unsigned> const result{sum[own_warp] + before, sum[2 * simt::warp_size - 1]};
    simt::sync_block();
    return result;
  }
};

/// block::binary_scan: ballots, then one warp scans the counts by shuffles.
template <int BlockThreads>
struct library_binary_scan {
  static constexpr int block_threads = BlockThreads;
  using storage = block::binary_scan_storage<BlockThreads>;
  static __device__ scan_result<unsigned> scan(storage& shared, bool predicate) {
    auto const scanned = block::binary_scan(shared, predicate);
    return {static_cast<unsigned>(scanned.rank), static_cast<unsigned>(scanned.count)};
  }
};

/// The same, but one warp scans the counts bit by bit.
template <int BlockThreads>
struct bitwise_sums_scan {
  static constexpr int block_threads = BlockThreads;
  using storage = block::binary_scan_storage<BlockThreads>;
  static __device__ scan_result<unsigned> scan(storage& shared, bool predicate) {
    auto const scanned = block::binary_scan<scan_kind::exclusive, scan_direction::forward,
                                            block::partial_sums::bitwise>(shared, predicate);
    return {static_cast<unsigned>(scanned.rank), static_cast<unsigned>(scanned.count)};
  }
};

/// Ballots, then every warp scans the counts by shuffles: differs from block::exclusive_scan only
/// in step A.
template <int BlockThreads>
struct binary_shuffle_scan {
  static constexpr int block_threads = BlockThreads;
  using storage = block::scan_storage<unsigned, BlockThreads>;
  static __device__ scan_result<unsigned> scan(storage& shared, bool predicate) {
    auto const in_warp = warp::binary_scan(predicate);
    auto const of_warps =
        block::scan_of_warps(shared, static_cast<unsigned>(in_warp.count), plus<unsigned>{});
    return {of_warps.prefix + static_cast<unsigned>(in_warp.rank), of_warps.total};
  }
};

/// block::exclusive_scan of 32-bit integers: shuffles only.
template <int BlockThreads>
struct generic_shuffle_scan {
  static constexpr int block_threads = BlockThreads;
  using storage = block::scan_storage<unsigned, BlockThreads>;
  static __device__ scan_result<unsigned> scan(storage& shared, bool predicate) {
    return block::exclusive_scan(shared, static_cast<unsigned>(predicate), plus<unsigned>{});
  }
};

/// A scan as a primitive: the prefix of each thread.
template <class Scan>
struct prefix_of : Scan {
  static __device__ unsigned of(typename Scan::storage& shared, unsigned x) {
    return Scan::scan(shared, item_of<1>(x) != 0).prefix;
  }
};

/// Primitive in a kernel that keeps a tile of `Bytes` in shared memory for other purposes.
template <class Primitive, int Bytes>
struct beside_tile : Primitive {
  struct storage : Primitive::storage {
    unsigned tile[Bytes / sizeof(unsigned)];
  };
};

// 3.3: the block's radix sort, by 32 splits.

/// block::radix_sort, whose splits are block::binary_scan.
template <int BlockThreads>
struct library_sort {
  static constexpr int block_threads = BlockThreads;
  using storage = block::radix_sort_storage<unsigned, BlockThreads>;
  static __device__ unsigned of(storage& shared, unsigned x) {
    return block::radix_sort(shared, x);
  }
};

/// The same sort with splits by Scan, never unrolled: compilers would unroll some of the scans 32
/// times and others not.
template <class Scan>
struct sort_by {
  static constexpr int block_threads = Scan::block_threads;
  struct storage {
    typename Scan::storage scan;
    unsigned key[block_threads];
  };
  static __device__ unsigned of(storage& shared, unsigned x) {
    unsigned const thread = threadIdx.x;
#pragma unroll 1
    for (int bit = 0; bit < 32; ++bit) {
      bool const one = (x >> bit & 1u) != 0;
      scan_result<unsigned> const ones = Scan::scan(shared.scan, one);
      shared.key[one ? block_threads - ones.total + ones.prefix : thread - ones.prefix] = x;
      simt::sync_block();
      x = shared.key[thread];
      simt::sync_block();
    }
    return x;
  }
};

}  // namespace libscan::bench::chapter
