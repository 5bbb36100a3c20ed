// SPDX-License-Identifier: Apache-2.0
// Counting what a launch in the executor does: additions, steps, barriers, divergent warps, and, in
// the racecheck build, accesses of shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <libscan/simt/executor/observer.hpp>
#include <libscan/textbook/block/catalog.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {

namespace executor = libscan::simt::executor;

// Steps are distinguished by an observer of barriers. Builds in which a checker is the observer
// leave the log empty and count the rest.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool steps_are_logged = false;
#elif defined(__has_feature)
inline constexpr bool steps_are_logged = !__has_feature(thread_sanitizer);
#else
inline constexpr bool steps_are_logged = true;
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

inline addition_log* current_log = nullptr;

/// A sum that counts each addition, on its line and in the log.
struct logged_plus : executor::counted<plus<int>> {
  int operator()(int earlier, int later, simt::call_site at = simt::call_site::here()) const {
    if (current_log != nullptr) current_log->note();
    return executor::counted<plus<int>>::operator()(earlier, later, at);
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

/// Runs `launch`, of a block of `threads`, with counts and log attached. Every warp has 32 lanes,
/// or is the only one.
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

template <scan_kind Kind, class Algorithm, int MaxThreads>
struct counted_scan_kernel {
  using shared_storage = typename Algorithm::template storage<int, MaxThreads>;

  __device__ void operator()(shared_storage& shared, int const* in, int* out) const {
    int items[Algorithm::items_per_thread];
    for (unsigned k = 0; k < Algorithm::items_per_thread; ++k) {
      items[k] = in[k * blockDim.x + threadIdx.x];
    }
    block::textbook::scan_tile<Kind, Algorithm>(shared, items, logged_plus{});
    for (unsigned k = 0; k < Algorithm::items_per_thread; ++k) {
      out[k * blockDim.x + threadIdx.x] = items[k];
    }
  }
};

/// A scan of n items by one block, none of them padding.
template <scan_kind Kind, class Algorithm>
measured measure_scan(int n, int banks = 32) {
  int const threads = n / Algorithm::items_per_thread;
  auto const in = make_input<int>(pattern::random, n);
  std::vector<int> out(in.size());
  auto const result = measure(threads, banks, [&] {
    simt::launch<counted_scan_kernel<Kind, Algorithm, 1024>>(
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

inline int log2_of(int n) {
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

}  // namespace libscan::test
