// SPDX-License-Identifier: Apache-2.0
// What the chapter on Fermi claims of its collectives, and what theirs replaced, counted in the
// executor: warp calls, barriers, additions, bytes of shared memory. Equalities, with the formula
// beside the number.
#include <cstdint>

#include <libscan/block/binary_scan.cuh>
#include <libscan/block/radix_sort.cuh>
#include <libscan/block/reduce.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/block/segmented_scan.cuh>
#include <libscan/warp/segmented_scan.cuh>
#include <libscan/warp/shared_scan.cuh>
#include <tests/support/catch.hpp>

using namespace libscan;
namespace executor = libscan::simt::executor;

namespace {

using counted_plus = executor::counted<plus<int>>;

struct no_storage {};

/// Calls one collective in each thread. `Collective` has a `storage` and a static `run`.
template <class Collective>
struct collective_kernel {
  using shared_storage = typename Collective::storage;
  __device__ void operator()(shared_storage& shared, unsigned* out) const {
    unsigned const thread = threadIdx.x;
    out[thread] = static_cast<unsigned>(Collective::run(shared, thread));
  }
};

/// What one call of a collective costs a block.
template <class Collective>
executor::line_counts cost(int threads) {
  executor::counts counts;
  executor::settings how;
  how.count = &counts;
  executor::scoped_settings const scope(how);
  unsigned out[1024];
  simt::launch<collective_kernel<Collective>>(
      {.blocks = 1, .threads = static_cast<unsigned>(threads)}, &out[0]);
  return counts.total();
}

/// Calls in which a warp's lanes meet.
template <class Collective>
std::int64_t warp_calls() {
  auto const counted = cost<Collective>(32);
  CHECK(counted.barriers == 0);
  return counted.warp_calls;
}

bool odd(unsigned x) { return x % 2 != 0; }

struct warp_count {
  using storage = no_storage;
  static int run(storage&, unsigned x) { return warp::count(odd(x)); }
};
struct warp_binary {
  using storage = no_storage;
  static int run(storage&, unsigned x) { return warp::binary_scan(odd(x)).rank; }
};
struct warp_segmented_by_word {
  using storage = no_storage;
  static int run(storage&, unsigned x) {
    return warp::segmented_binary_scan(odd(x), 0xa5a5a5a5u).rank;
  }
};
struct warp_segmented_by_lanes {
  using storage = no_storage;
  static int run(storage&, unsigned x) { return warp::segmented_binary_scan(odd(x), x > 7).rank; }
};
template <int Bits>
struct warp_bitwise {
  using storage = no_storage;
  static unsigned run(storage&, unsigned x) { return warp::bitwise_scan<Bits>(x % 2).prefix; }
};
struct warp_shuffles_inclusive {
  using storage = no_storage;
  static int run(storage&, unsigned x) {
    return warp::inclusive_scan(static_cast<int>(x), counted_plus{}).prefix;
  }
};
struct warp_shuffles_exclusive {
  using storage = no_storage;
  static int run(storage&, unsigned x) {
    return warp::exclusive_scan(static_cast<int>(x), counted_plus{}).prefix;
  }
};
struct warp_shared {
  using storage = warp::shared_scan_storage<int>;
  static int run(storage& shared, unsigned x) {
    return warp::shared_scan(shared, static_cast<int>(x), counted_plus{}).prefix;
  }
};
struct block_count {
  using storage = no_storage;
  static int run(storage&, unsigned x) { return block::count(odd(x)); }
};
template <int Bits>
struct block_sum {
  using storage = no_storage;
  static unsigned run(storage&, unsigned x) { return block::sum_by_counts<Bits>(x % 2); }
};
template <int Threads>
struct block_tree {
  using storage = block::tree_reduce_storage<int, Threads>;
  static int run(storage& shared, unsigned x) {
    return block::tree_reduce(shared, static_cast<int>(x), counted_plus{});
  }
};
template <int Threads, block::partial_sums How>
struct block_binary {
  using storage = block::binary_scan_storage<Threads>;
  static int run(storage& shared, unsigned x) {
    return block::binary_scan<scan_kind::exclusive, scan_direction::forward, How>(shared, odd(x))
        .rank;
  }
};
template <int Threads>
struct block_generic {
  using storage = block::scan_storage<int, Threads>;
  static int run(storage& shared, unsigned x) {
    return block::exclusive_scan(shared, static_cast<int>(x), counted_plus{}).prefix;
  }
};
template <int Threads>
struct block_segmented_binary {
  using storage = block::segmented_scan_storage<int, Threads>;
  static int run(storage& shared, unsigned x) {
    return block::segmented_binary_scan(shared, odd(x), x % 7 == 0).prefix;
  }
};
template <int Threads>
struct block_sort {
  using storage = block::radix_sort_storage<unsigned, Threads>;
  static unsigned run(storage& shared, unsigned x) { return block::radix_sort(shared, x, 3, 7); }
};

/// Calls body(n, log2 n) with the powers of two from 2 to 1024 as types.
template <int N = 2, int Log2N = 1, class Body>
void each_block_size(Body body) {
  body(std::integral_constant<int, N>{}, Log2N);
  if constexpr (N < 1024) each_block_size<2 * N, Log2N + 1>(body);
}

}  // namespace

TEST_CASE("a binary warp scan is one ballot, a bitwise one has a ballot for each bit") {
  CHECK(warp_calls<warp_count>() == 1);
  CHECK(warp_calls<warp_binary>() == 1);
  CHECK(warp_calls<warp_segmented_by_word>() == 1);
  CHECK(warp_calls<warp_segmented_by_lanes>() == 1 + 1);  // and one for the head flags
  CHECK(warp_calls<warp_bitwise<1>>() == 1);
  CHECK(warp_calls<warp_bitwise<4>>() == 4);
  CHECK(warp_calls<warp_bitwise<5>>() == 5);
  CHECK(warp_calls<warp_bitwise<32>>() == 32);
}

TEST_CASE("a generic warp scan takes log2 32 = 5 steps, by shuffles or in shared memory") {
  // A shuffle a step; one for the total; one to make it exclusive.
  CHECK(warp_calls<warp_shuffles_inclusive>() == 5 + 1);
  CHECK(warp_calls<warp_shuffles_exclusive>() == 5 + 1 + 1);
  // Lane k adds in the steps of distance up to k: 32 x 5 - (1 + 2 + 4 + 8 + 16).
  CHECK(cost<warp_shuffles_exclusive>(32).operator_calls == 32 * 5 - 31);
  // What lockstep hid: after the load, twice a step, and before the memory is used again.
  CHECK(warp_calls<warp_shared>() == 1 + 2 * 5 + 1);
  // The padding spares conditionals: every lane adds in every step.
  CHECK(cost<warp_shared>(32).operator_calls == 32 * 5);
}

TEST_CASE("a block count is one barrier, where the tree reduction has log2 n + 2 and adds") {
  each_block_size([](auto n, int log2_n) {
    INFO("block of " << n);
    CHECK(cost<block_count>(n).barriers == 1);
    CHECK(cost<block_count>(n).warp_calls == 0);
    CHECK(cost<block_sum<5>>(n).barriers == 5);  // one a bit
    auto const tree = cost<block_tree<n>>(n);
    CHECK(tree.barriers == log2_n + 2);  // one a step, one before the steps and one after
    CHECK(tree.operator_calls == n - 1);
  });
  CHECK(cost<block_tree<1000>>(1000).barriers == 10 + 2);  // 512 < 1000 <= 1024 = 2^10
  CHECK(cost<block_tree<1000>>(1000).operator_calls == 999);
}

TEST_CASE("a block binary scan is a ballot a warp and one warp's scan of 32 sums") {
  using enum block::partial_sums;
  each_block_size([](auto n, int) {
    INFO("block of " << n);
    int const warps = ceil_div(int{n}, 32);
    auto const by_shuffles = cost<block_binary<n, generic>>(n);
    CHECK(by_shuffles.warp_calls == warps + 5 + 1);  // 5 steps and a __syncwarp
    CHECK(by_shuffles.barriers == 3);  // sums are written, are scanned, have been read
    auto const bit_by_bit = cost<block_binary<n, bitwise>>(n);
    CHECK(bit_by_bit.warp_calls == warps + 6 + 1);  // sums reach 32: 6 bits, not 5
    CHECK(bit_by_bit.barriers == 3);
  });
  // The 32-bit scan that it replaces: every warp scans its items and the warps' totals, in 7 calls
  // each, and takes its own of the latter; every thread adds what lies before its warp.
  auto const generic_scan = cost<block_generic<1024>>(1024);
  CHECK(generic_scan.warp_calls == 32 * (7 + 7 + 1));
  CHECK(generic_scan.operator_calls == 32 * (129 + 129) + 1024);
  CHECK(generic_scan.barriers == 2);
  CHECK(cost<block_segmented_binary<256>>(256).barriers == 2);
}

TEST_CASE("the block radix sort splits once a bit") {
  // 4 bits: 3 barriers of the split's scan, one after scattering the keys and one after reading.
  CHECK(cost<block_sort<256>>(256).barriers == 4 * (3 + 2));
}

TEST_CASE("the chapter's collectives take this much shared memory") {
  // The padded warp scan: 2 x 32 words. The chapter counts 256 bytes a warp for a 32-bit scan of
  // the block, and 256 bytes a block for a binary one, whose sums one such warp scans.
  CHECK(sizeof(warp::shared_scan_storage<int>) == 256);
  CHECK(32 * sizeof(warp::shared_scan_storage<int>) == 8192);  // a block of 1024
  // Here that warp scans in registers: 32 sums and the total remain.
  CHECK(sizeof(block::binary_scan_storage<1024>) == 4 * (32 + 1));
  CHECK(sizeof(block::binary_scan_storage<512>) == 4 * (16 + 1));
  // The generic scan by shuffles has likewise one value a warp.
  CHECK(sizeof(block::scan_storage<int, 1024>) == 4 * 32);
  CHECK(sizeof(block::segmented_scan_storage<int, 1024>) == 8 * 32);  // and its head
  // A tree of all levels, 2 n + 10 words; a count takes none. (The chapter's reduction overwrites
  // its leaves, 128 bytes a warp, and so asks operators to commute.)
  CHECK(sizeof(block::tree_reduce_storage<int, 1024>) == 4 * (2 * 1024 + 10));
}
