// SPDX-License-Identifier: Apache-2.0
// What the sources claim of the textbook scans, counted in the executor while the library's own
// kernels run: additions, steps, barriers, swaps, divergent warps, bytes of shared memory, bank
// conflicts. Equalities, with the formula beside the number.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <libscan/block/textbook/catalogue.cuh>
#include <libscan/simt/executor/observer.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

using namespace libscan;
using namespace libscan::block::textbook;
namespace executor = libscan::simt::executor;

namespace {

// Steps are told apart by an observer of barriers. Builds in which a checker is the observer leave
// the log empty and count the rest.
#if defined(__SANITIZE_THREAD__)
constexpr bool steps_are_logged = false;
#elif defined(__has_feature)
constexpr bool steps_are_logged = !__has_feature(thread_sanitizer);
#else
constexpr bool steps_are_logged = true;
#endif

/// What the threads of one block added in each interval between two barriers.
class addition_log : public executor::observer {
 public:
  struct interval {
    int additions = 0;
    std::array<std::uint32_t, 32> lanes{};  ///< of each warp: those that added
  };

  addition_log() { executor::install(this); }
  ~addition_log() override { executor::install(nullptr); }

  /// The running thread adds.
  void note() {
    interval& now = intervals_.at(barriers_);
    now.additions += 1;
    now.lanes[threadIdx.x / 32] |= 1u << threadIdx.x % 32;
  }

  auto const& intervals() const { return intervals_; }

  void barrier(std::span<executor::thread_name* const>) override { ++barriers_; }
  void block_begins(std::span<executor::thread_name* const>,
                    std::span<executor::memory_range const>) override {}
  void block_ends(std::span<executor::thread_name* const>,
                  std::span<executor::memory_range const>) override {}
  void running(executor::thread_name*) override {}
  void thread_ends(executor::thread_name&) override {}
  void release(executor::thread_name&, std::uint64_t) override {}
  void acquire(executor::thread_name&, std::uint64_t) override {}
  void fence(executor::thread_name&) override {}
  void bulk_copy(executor::thread_name&, executor::memory_range, executor::memory_range,
                 std::uint64_t, std::uint64_t, simt::call_site) override {}
  void warp_converges(std::span<executor::thread_name* const>) override {}
  void launch_ends(bool) override {}

 private:
  std::array<interval, 64> intervals_{};
  std::size_t barriers_ = 0;
};

addition_log* current_log = nullptr;

/// A sum that counts each addition, on its line and in the log.
struct logged_plus : executor::counted<plus<int>> {
  int operator()(int earlier, int later, simt::call_site at = simt::call_site::here()) const {
    if (current_log != nullptr) current_log->note();
    return executor::counted<plus<int>>::operator()(earlier, later, at);
  }
};

template <scan_kind Kind, class Algorithm, int MostThreads>
struct scan_kernel {
  using shared_storage = typename Algorithm::template storage<int, MostThreads>;

  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    int items[Algorithm::items_per_thread];
    for (unsigned k = 0; k < Algorithm::items_per_thread; ++k) {
      items[k] = in[k * blockDim.x + threadIdx.x];
    }
    scan_tile<Kind, Algorithm>(shared, items, logged_plus{});
    for (unsigned k = 0; k < Algorithm::items_per_thread; ++k) {
      out[k * blockDim.x + threadIdx.x] = items[k];
    }
  }
};

/// One launch of one block, counted.
struct measured {
  executor::counts counts;
  std::vector<int> additions;        ///< of each step: each interval in which anything was added
  std::vector<int> divergent_warps;  ///< of each step: warps in which some lanes added, not all

  std::int64_t all_additions() const { return counts.total().operator_calls; }
  std::int64_t barriers() const { return counts.total().barriers; }
  int steps() const { return static_cast<int>(additions.size()); }

  /// The counts of all lines of files whose name ends so.
  executor::line_counts of_file(std::string const& name) const {
    executor::line_counts sum;
    for (auto const& [line, counted] : counts.by_line) {
      if (line.file.size() >= name.size() &&
          line.file.compare(line.file.size() - name.size(), name.size(), name) == 0) {
        sum += counted;
      }
    }
    return sum;
  }
};

/// Runs `launch` with counts and log attached. Every warp has 32 lanes, or is the only one.
template <class Launch>
measured measure(int threads, int banks, Launch launch) {
  measured result;
  executor::settings how;
  how.count = &result.counts;
  how.shared_banks = banks;
  executor::scoped_settings const scope(how);
  if (!steps_are_logged) {
    launch();
    return result;
  }
  addition_log log;
  current_log = &log;
  launch();
  current_log = nullptr;
  std::uint32_t const all = threads >= 32 ? ~0u : (1u << threads) - 1u;
  for (auto const& interval : log.intervals()) {
    if (interval.additions == 0) continue;
    int divergent = 0;
    for (auto const lanes : interval.lanes) divergent += lanes != 0 && lanes != all ? 1 : 0;
    result.additions.push_back(interval.additions);
    result.divergent_warps.push_back(divergent);
  }
  return result;
}

/// A scan of n items by one block, none of them padding.
template <scan_kind Kind, class Algorithm>
measured measure_scan(int n, int banks = 32) {
  int const threads = n / Algorithm::items_per_thread;
  auto const in = libscan::test::make_input<int>(libscan::test::pattern::random, n);
  std::vector<int> out(in.size());
  auto const result = measure(threads, banks, [&] {
    simt::launch<scan_kernel<Kind, Algorithm, 1024>>(
        {.blocks = 1, .threads = static_cast<unsigned>(threads)}, in.data(), out.data());
  });
  int sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    int const before = sum;
    sum = plus<int>{}(sum, in[i]);
    REQUIRE(out[i] == (Kind == scan_kind::inclusive ? sum : before));
  }
  return result;
}

constexpr auto inclusive = scan_kind::inclusive;
constexpr auto exclusive = scan_kind::exclusive;

int log2_of(int n) {
  int result = 0;
  while (n > 1) n /= 2, ++result;
  return result;
}

/// Calls body(n, log2 n) for the powers of two from `first` to `last`.
template <class Body>
void each_power(int first, int last, Body body) {
  for (int n = first; n <= last; n *= 2) {
    INFO(n << " items");
    body(n, log2_of(n));
  }
}

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

// Only the racecheck build hears accesses of memory.
#ifdef LIBSCAN_TEST_RACECHECK

namespace {

/// Passes over the banks in both sweeps of the tree: each up-sweep node loads left and right and
/// stores right; each down-sweep node loads and stores both. Loading the items and reading the
/// results is free of conflicts in any layout, and not among them.
template <class Layout>
executor::line_counts tree_passes(int n, int banks) {
  return measure_scan<exclusive, blelloch<Layout>>(n, banks).of_file("textbook/tree_sweeps.cuh");
}

/// Passes without conflicts: 7 accesses on each level of n/2, n/4 ... 1 nodes, as many nodes at
/// once as there are banks.
int ideal_passes(int n, int banks) {
  int passes = 0;
  for (int nodes = n / 2; nodes > 0; nodes /= 2) passes += 7 * ceil_div(nodes, banks);
  return passes;
}

}  // namespace

TEST_CASE("on 16 banks, the plain tree of 512 items conflicts up to 16 ways, and padding helps") {
  CHECK(ideal_passes(512, 16) == 245);
  auto const plain = tree_passes<dense>(512, 16);
  CHECK(plain.shared_ideal == 245);
  CHECK(plain.shared_wavefronts == 1113);
  CHECK(plain.shared_worst == 16);
  auto const simple = tree_passes<padded<16>>(512, 16);
  CHECK(simple.shared_ideal == 245);
  CHECK(simple.shared_wavefronts == 273);  // 1.11 times ideal
  CHECK(simple.shared_worst == 2);
  auto const full = tree_passes<fully_padded<16>>(512, 16);
  CHECK(full.shared_wavefronts == 245);
  CHECK(full.shared_worst == 1);
}

TEST_CASE(
    "on 32 banks, simple padding is free of conflicts up to 1024 items, full padding beyond") {
  CHECK(tree_passes<dense>(512, 32).shared_ideal == 140);
  CHECK(tree_passes<dense>(512, 32).shared_wavefronts == 665);  // 4.75 times ideal
  each_power(2, 1024, [](int n, int) {
    auto const simple = tree_passes<padded<32>>(n, 32);
    CHECK(simple.shared_ideal == ideal_passes(n, 32));
    CHECK(simple.shared_wavefronts == simple.shared_ideal);
  });
  CHECK(ideal_passes(2048, 32) == 476);
  CHECK(tree_passes<padded<32>>(2048, 32).shared_ideal == 476);
  CHECK(tree_passes<padded<32>>(2048, 32).shared_wavefronts == 511);  // 1.07 times ideal
  CHECK(tree_passes<fully_padded<32>>(2048, 32).shared_wavefronts == 476);
}

#endif
