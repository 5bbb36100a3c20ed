// SPDX-License-Identifier: Apache-2.0
// What the sources claim of the textbook scans, counted in the executor while the library's own
// kernels run: additions, steps, barriers, swaps, divergent warps, bytes of shared memory.
// Equalities, with the formula beside the number.
#include <cstdint>
#include <vector>

#include <tests/block/counting.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;
using namespace libscan::block::textbook;

namespace {

constexpr auto inclusive = scan_kind::inclusive;
constexpr auto exclusive = scan_kind::exclusive;

/// Lecture, "Problem Solving": a block of 64 sums up 128 items.
struct tree_reduction_kernel {
  struct shared_storage {
    int sum[128];
  };
  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    unsigned const t = threadIdx.x;
    shared.sum[t] = in[t];
    shared.sum[t + 64] = in[t + 64];
    for (unsigned stride = blockDim.x; stride >= 1; stride /= 2) {
      simt::sync_block();
      if (t < stride) shared.sum[t] = logged_plus{}(shared.sum[t], shared.sum[t + stride]);
    }
    if (t == 0) *out = shared.sum[0];
  }
};

/// Inclusive prefixes made exclusive, and back.
struct shift_kernel {
  using shared_storage = shift_storage<int, 256>;
  __device__ void operator()(shared_storage& shared, int* inclusive, int* exclusive) const {
    unsigned const i = threadIdx.x;
    exclusive[i] = exclusive_from_inclusive(shared, inclusive[i], logged_plus{});
    inclusive[i] = inclusive_from_exclusive(shared, exclusive[i], 256);
  }
};

}  // namespace

TEST_CASE("the sequential scan adds n - 1 times in a scan of n, the fewest possible") {
  each_power(1, 1024, [](int n, int) {
    // Harris and the lecture say n; their loops begin at the second item.
    CHECK(measure_scan<inclusive, sequential>(n).all_additions() == n - 1);
    CHECK(measure_scan<exclusive, sequential>(n).all_additions() == n - 1);
    CHECK(measure_scan<inclusive, sequential>(n).barriers() == 3);
  });
}

TEST_CASE("one thread per output adds quadratically often") {
  each_power(1, 512, [](int n, int) {
    // sum of k - 1 over outputs of k = 1 .. n items
    CHECK(measure_scan<inclusive, quadratic>(n).all_additions() == n * (n - 1) / 2);
    // sum over k = 1 .. n - 1, and the total
    CHECK(measure_scan<exclusive, quadratic>(n).all_additions() == (n - 1) * (n - 2) / 2 + 1);
    CHECK(measure_scan<inclusive, quadratic>(n).barriers() == 3);
    CHECK(measure_scan<exclusive, quadratic>(n).barriers() == 3);
  });
}

TEST_CASE("the naive scans add n log2 n - (n - 1) times in log2 n steps") {
  each_power(1, 1024, [](int n, int log2_n) {
    int const additions = n * log2_n - (n - 1);
    auto const naive = measure_scan<inclusive, hillis_steele>(n);
    auto const in_place = measure_scan<inclusive, kogge_stone>(n);
    auto const two_buffers = measure_scan<inclusive, kogge_stone_double_buffered>(n);
    for (auto const* scan : {&naive, &in_place, &two_buffers}) {
      CHECK(scan->all_additions() == additions);
      if (!steps_are_logged) continue;
      REQUIRE(scan->steps() == log2_n);
      for (int step = 0; step < log2_n; ++step) {
        // (n - 1), (n - 2), (n - 4) ... (n - n/2)
        CHECK(scan->additions[static_cast<std::size_t>(step)] == n - (1 << step));
      }
    }
    // One barrier a step, or two; one before the results are read and one after.
    CHECK(naive.barriers() == log2_n + 2);
    CHECK(two_buffers.barriers() == log2_n + 2);
    CHECK(in_place.barriers() == 2 * log2_n + 2);
    // Shifted loading leaves the last item out, and the total takes it in. Shifted reading adds
    // nothing.
    CHECK(measure_scan<exclusive, hillis_steele>(n).all_additions() == additions + 1);
    CHECK(measure_scan<exclusive, kogge_stone>(n).all_additions() == additions + 1);
    CHECK(measure_scan<exclusive, kogge_stone_double_buffered>(n).all_additions() == additions);
    CHECK(measure_scan<exclusive, hillis_steele>(n).barriers() == log2_n + 3);
    CHECK(measure_scan<exclusive, kogge_stone>(n).barriers() == 2 * log2_n + 3);
    CHECK(measure_scan<exclusive, kogge_stone_double_buffered>(n).barriers() == log2_n + 2);
  });
}

TEST_CASE("the naive scan of a million items costs almost 20 times the additions") {
  // By the formulas just counted, at n = 2^20.
  std::int64_t const n = 1 << 20;
  std::int64_t const naive = n * 20 - (n - 1);
  CHECK(naive == 19922945);           // n (log2 n - 1) + 1
  CHECK(naive == 19 * (n - 1) + 20);  // log2 n - 1 = 19 times the sequential n - 1, and 20
  CHECK(naive / (2 * (n - 1)) == 9);  // and more than 9 times Blelloch's
}

TEST_CASE("Blelloch adds 2 (n - 1) times and swaps n - 1 times in 2 log2 n steps") {
  each_power(2, 2048, [](int n, int log2_n) {
    auto const plain = measure_scan<exclusive, blelloch<dense>>(n);
    auto const back = measure_scan<inclusive, blelloch<dense>>(n);
    auto const with_padding = measure_scan<exclusive, blelloch<fully_padded<32>>>(n);
    for (auto const* scan : {&plain, &back, &with_padding}) {
      CHECK(scan->all_additions() == 2 * (n - 1));
      CHECK(scan->barriers() == 2 * log2_n + 2);
      if (!steps_are_logged) continue;
      REQUIRE(scan->steps() == 2 * log2_n);
      int swaps = 0;  // each node of the down-sweep swaps once and adds once
      for (int step = 0; step < log2_n; ++step) {
        auto const up = static_cast<std::size_t>(step);
        auto const down = static_cast<std::size_t>(2 * log2_n - 1 - step);
        CHECK(scan->additions[up] == n >> (step + 1));  // n/2, n/4 ... 1
        CHECK(scan->additions[down] == n >> (step + 1));
        swaps += scan->additions[down];
      }
      CHECK(swaps == n - 1);
    }
  });
}

TEST_CASE("Brent-Kung adds 2 (n - 1) - log2 n times in 2 log2 n - 1 steps") {
  each_power(2, 2048, [](int n, int log2_n) {
    auto const scan = measure_scan<inclusive, brent_kung>(n);
    CHECK(scan.all_additions() == 2 * (n - 1) - log2_n);
    if (steps_are_logged) CHECK(scan.steps() == 2 * log2_n - 1);  // the slide says 2 log2 n
    CHECK(scan.barriers() == 2 * log2_n - 1 + 2);
    auto const shifted = measure_scan<exclusive, brent_kung>(n);
    CHECK(shifted.all_additions() == 2 * (n - 1) - log2_n + 1);  // the total
    CHECK(shifted.barriers() == 2 * log2_n - 1 + 3);
  });
  // The lecture's example: n/2, n/4, n/8, n/16, then n/8 - 1, n/4 - 1, n/2 - 1
  auto const sixteen = measure_scan<inclusive, brent_kung>(16);
  if (steps_are_logged) CHECK(sixteen.additions == std::vector<int>{8, 4, 2, 1, 1, 3, 7});
  CHECK(sixteen.all_additions() == 26);  // 15 + 14 - 3
  // "2048 x 2" in the lecture's exercise: 2 (2048 - 1) - 11
  CHECK(measure_scan<inclusive, brent_kung>(2048).all_additions() == 4083);
}

TEST_CASE("a shift makes inclusive exclusive, or back, without additions and with 2 barriers") {
  std::vector<int> prefixes(256), shifted(256);
  for (int i = 0; i < 256; ++i) prefixes[static_cast<std::size_t>(i)] = i + 1;
  auto const inclusive_prefixes = prefixes;
  auto const shift = measure(256, 32, [&] {
    simt::launch<shift_kernel>({.blocks = 1, .threads = 256}, prefixes.data(), shifted.data());
  });
  CHECK(shift.all_additions() == 0);
  CHECK(shift.barriers() == 2 + 2);
  CHECK(prefixes == inclusive_prefixes);
  CHECK(shifted.front() == 0);
  CHECK(shifted.back() == 255);
}

// A warp counts as divergent in a step if some of its lanes add and others do not: what each lane
// really added in the executor, not what a GPU's compiler makes of the branch.
TEST_CASE("warps diverge where the lecture's exercises say") {
  if (!steps_are_logged) return;
  std::vector<int> in(128, 1);
  int sum = 0;
  auto const reduction = measure(64, 32, [&] {
    simt::launch<tree_reduction_kernel>({.blocks = 1, .threads = 64},
                                        static_cast<int const*>(in.data()), &sum);
  });
  CHECK(sum == 128);
  CHECK(reduction.additions == std::vector<int>{64, 32, 16, 8, 4, 2, 1});
  // Second iteration: warp 0 is fully active, warp 1 not at all.
  CHECK(reduction.divergent_warps == std::vector<int>{0, 0, 1, 1, 1, 1, 1});

  auto const scan = measure_scan<inclusive, brent_kung>(1024);
  // 512, 256, 128, 64, 32, 16 ... threads add: the sixth iteration is the first to split a warp.
  CHECK(std::vector<int>(scan.additions.begin(), scan.additions.begin() + 6) ==
        std::vector<int>{512, 256, 128, 64, 32, 16});
  CHECK(std::vector<int>(scan.divergent_warps.begin(), scan.divergent_warps.begin() + 6) ==
        std::vector<int>{0, 0, 0, 0, 0, 1});
  // On the way back 2^k - 1 threads add: the last warp always lacks one.
  CHECK(std::vector<int>(scan.divergent_warps.begin() + 6, scan.divergent_warps.end()) ==
        std::vector<int>(13, 1));
}

TEST_CASE("textbook scans take as much shared memory as their pages say") {
  // 4-byte items of a block of 256: n = 256, or 512 for those of two items per thread.
  CHECK(sizeof(sequential::storage<int, 256>) == 4 * (256 + 1));  // the items and the total
  CHECK(sizeof(quadratic::storage<int, 256>) == 4 * (256 + 1));
  CHECK(sizeof(kogge_stone::storage<int, 256>) == 4 * (256 + 1));
  CHECK(sizeof(kogge_stone_double_buffered::storage<int, 256>) == 4 * 2 * 256);  // temp[2][n]
  CHECK(sizeof(hillis_steele::storage<int, 256>) == 4 * (2 * 256 + 1));
  CHECK(sizeof(brent_kung::storage<int, 256>) == 4 * (512 + 1));
  CHECK(sizeof(blelloch<dense>::storage<int, 256>) == 4 * (512 + 1));
  CHECK(sizeof(blelloch<padded<16>>::storage<int, 256>) == 4 * (512 + 31 + 1));  // + (n - 1) >> 4
  CHECK(sizeof(blelloch<padded<32>>::storage<int, 256>) == 4 * (512 + 15 + 1));  // + (n - 1) >> 5
  CHECK(sizeof(blelloch<fully_padded<16>>::storage<int, 256>) ==
        4 * (512 + 31 + 1 + 1));  // + (n - 1) >> 4, + (n - 1) >> 8
  CHECK(sizeof(blelloch<fully_padded<32>>::storage<int, 1024>) ==
        4 * (2048 + 63 + 1 + 1));  // + (n - 1) >> 5, + (n - 1) >> 10
  // A remainder: 2 x 300 items are padded to 1024.
  CHECK(sizeof(blelloch<dense>::storage<int, 300>) == 4 * (1024 + 1));
  CHECK(sizeof(brent_kung::storage<int, 300>) == 4 * (1024 + 1));
}
