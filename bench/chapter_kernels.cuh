// SPDX-License-Identifier: Apache-2.0
// One kernel that repeats a primitive in a dependent chain, so that the primitive is timed and not
// the launch; and the counts and warp scans that Harris & Garland ("Optimizing Parallel Prefix
// Operations for the Fermi Architecture") compare, theirs and libscan's.
#pragma once

#include <bench/chapter_oracle.hpp>
#include <libscan/block/reduce.cuh>
#include <libscan/warp/bitwise_scan.cuh>
#include <libscan/warp/shared_scan.cuh>

namespace libscan::bench::chapter {

using simt::threadIdx;

/// The size of a block unless the chapter varies it.
inline constexpr int standard_threads = 512;

/// Shared memory of a primitive that needs none.
struct no_storage {};

/// Each thread's word after `repetitions` of Primitive. A primitive has `block_threads`, `storage`,
/// and of(storage, x): the result for the calling thread with word x.
template <class Primitive>
struct repeated_kernel {
  static constexpr int block_threads = Primitive::block_threads;
  using shared_storage = typename Primitive::storage;
  __device__ void operator()(shared_storage& shared, unsigned const* in, unsigned* out,
                             int repetitions) const {
    auto const i = static_cast<index_t>(simt::blockIdx.x) * block_threads + threadIdx.x;
    unsigned x = in[i];
#pragma unroll 1
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      x = next_word(x, Primitive::of(shared, x));
    }
    out[i] = x;
  }
};

/// The chain without a primitive: the cost of the loop.
struct nothing {
  static constexpr int block_threads = standard_threads;
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned x) { return item_of<1>(x); }
};

// Figure 3.1: the number of threads of the block whose predicate is true.

/// The counting barrier.
struct counting_barrier {
  static constexpr int block_threads = standard_threads;
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned x) {
    return static_cast<unsigned>(block::count(item_of<1>(x) != 0));
  }
};

/// The sum of a word of each thread, in every thread. Each step halves the number of sums; the last
/// warp needs no block barrier (Harris 2007, "Optimizing Parallel Reduction in CUDA").
template <int BlockThreads>
struct shared_tree_sum {
  struct storage {
    unsigned value[BlockThreads];
    unsigned total;
  };
  static __device__ unsigned sum(storage& shared, unsigned x) {
    int const thread = static_cast<int>(threadIdx.x);
    unsigned sum = x;
    shared.value[thread] = sum;
    simt::sync_block();
#pragma unroll
    for (int half = BlockThreads / 2; half > simt::warp_size; half /= 2) {
      if (thread < half) shared.value[thread] = sum += shared.value[thread + half];
      simt::sync_block();
    }
    if (thread < simt::warp_size) {
#pragma unroll
      for (int half = simt::warp_size; half > 0; half /= 2) {
        unsigned const other = shared.value[thread + half];
        simt::sync_warp();  // all lanes have read before any writes
        shared.value[thread] = sum += other;
        simt::sync_warp();
      }
      if (thread == 0) shared.total = sum;
    }
    simt::sync_block();
    return shared.total;
  }
};

/// The chapter's alternative to the counting barrier. The sum goes to every thread, as with the
/// barrier.
struct shared_tree {
  static constexpr int block_threads = standard_threads;
  using storage = shared_tree_sum<block_threads>::storage;
  static __device__ unsigned of(storage& shared, unsigned x) {
    return shared_tree_sum<block_threads>::sum(shared, item_of<1>(x));
  }
};

/// block::tree_reduce: neighbors first, for operators that do not commute; one barrier per step.
struct ordered_tree {
  static constexpr int block_threads = standard_threads;
  using storage = block::tree_reduce_storage<unsigned, block_threads>;
  static __device__ unsigned of(storage& shared, unsigned x) {
    return block::tree_reduce(shared, item_of<1>(x), plus<unsigned>{});
  }
};

/// The sum over a warp by shuffles.
struct sum_by_shuffles {
  static __device__ unsigned of(unsigned x) {
#pragma unroll
    for (int distance = simt::warp_size / 2; distance > 0; distance /= 2) {
      x += simt::shfl_xor(simt::full_warp, x, distance);
    }
    return x;
  }
};

/// The sum over a warp by the reduction instruction.
struct sum_by_reduction {
  static __device__ unsigned of(unsigned x) { return simt::reduce_add(simt::full_warp, x); }
};

/// The sum of a word of each thread, in every thread: each warp's sum, then every warp sums those.
template <int BlockThreads, class WarpSum>
struct sum_of_warps {
  struct storage {
    unsigned of_warp[BlockThreads / simt::warp_size];
  };
  static __device__ unsigned sum(storage& shared, unsigned x) {
    constexpr int warps = BlockThreads / simt::warp_size;
    int const lane = simt::lane_id();
    unsigned const sum = WarpSum::of(x);
    if (lane == 0) shared.of_warp[threadIdx.x / simt::warp_size] = sum;
    simt::sync_block();
    unsigned const total = WarpSum::of(lane < warps ? shared.of_warp[lane] : 0u);
    simt::sync_block();
    return total;
  }
};

/// Today's form.
template <class WarpSum>
struct two_level_sum {
  static constexpr int block_threads = standard_threads;
  using storage = typename sum_of_warps<block_threads, WarpSum>::storage;
  static __device__ unsigned of(storage& shared, unsigned x) {
    return sum_of_warps<block_threads, WarpSum>::sum(shared, item_of<1>(x));
  }
};

// 3.2.2.1: lane masks, and scans of a warp.

/// The arithmetic as printed in Listing 3.3: right in one-dimensional blocks only.
struct printed_lane_masks {
  static __device__ __forceinline__ unsigned lt() {
    return (1u << (threadIdx.x & (simt::warp_size - 1))) - 1u;
  }
  static __device__ __forceinline__ unsigned le() { return lt() << 1 | 1u; }
};

/// A warp's binary scan. Within a loop compilers compute the mask once, before it.
template <class LaneMasks>
struct binary_warp_scan {
  static constexpr int block_threads = standard_threads;
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned x) {
    return static_cast<unsigned>(
        warp::binary_scan<scan_kind::exclusive, scan_direction::forward, LaneMasks>(item_of<1>(x) !=
                                                                                    0)
            .rank);
  }
};

/// Primitive called without inlining, so that everything it needs is recomputed each time, as in
/// code that uses it once.
template <class Primitive>
struct called : Primitive {
  [[gnu::noinline]] static __device__ unsigned of_word(unsigned x) {
    no_storage none;
    return Primitive::of(none, x);
  }
  static __device__ unsigned of(no_storage&, unsigned x) { return of_word(x); }
};

/// Items of `Bits` bits, one binary scan per bit.
template <int Bits>
struct bitwise_warp_scan {
  static constexpr int block_threads = standard_threads;
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned x) {
    return warp::bitwise_scan<Bits>(item_of<Bits>(x)).prefix;
  }
};

/// The same by the 32-bit scan in shuffles.
template <int Bits>
struct shuffle_warp_scan {
  static constexpr int block_threads = standard_threads;
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned x) {
    return warp::exclusive_scan(item_of<Bits>(x), plus<unsigned>{}).prefix;
  }
};

/// The same by the 32-bit scan in padded shared memory.
template <int Bits>
struct shared_warp_scan {
  static constexpr int block_threads = standard_threads;
  struct storage {
    warp::shared_scan_storage<unsigned> of_warp[block_threads / simt::warp_size];
  };
  static __device__ unsigned of(storage& shared, unsigned x) {
    return warp::shared_scan(shared.of_warp[threadIdx.x / simt::warp_size], item_of<Bits>(x),
                             plus<unsigned>{})
        .prefix;
  }
};

}  // namespace libscan::bench::chapter
