// SPDX-License-Identifier: Apache-2.0
// What the executor promises about launches: order, residency, errors, counts, settings and
// deadlock.
#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <libscan/core/operators.hpp>
#include <libscan/simt/simt.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

// ThreadSanitizer holds back the signals that the executor's clock takes. (racecheck is compiled
// like it.)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LIBSCAN_TEST_TSAN 1
#endif
#endif
#if defined(__linux__) && (defined(LIBSCAN_TEST_RACECHECK) || \
                           !(defined(LIBSCAN_TEST_TSAN) || defined(__SANITIZE_THREAD__)))
#define LIBSCAN_TEST_HAS_TICKS 1
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace libscan::test {

namespace {

using simt::executor::scoped_settings;
using simt::executor::seeded;
using simt::executor::settings;

/// Every thread notes in which order it came: order[n] = the global rank of the nth.
struct order_kernel {
  __device__ void operator()(int* order, int* next) const {
    int const rank = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    for (int step = 0; step < 3; ++step) {
      order[simt::atomic_ref<int>(*next).fetch_add(1, simt::memory_order_relaxed)] = rank;
      simt::sync_block();
    }
  }
};

constexpr int order_blocks = 6, order_threads = 40;

std::vector<int> order_under(settings const& how) {
  scoped_settings const scope(how);
  device_buffer<int> const order(order_blocks * order_threads * 3), next(std::vector<int>{0});
  simt::launch<order_kernel>({.blocks = order_blocks, .threads = order_threads}, order.data(),
                             next.data());
  return order.copy();
}

/// The order in which blocks came first.
std::vector<int> block_order(std::vector<int> const& order) {
  std::vector<int> blocks;
  for (int const rank : order) {
    int const block = rank / order_threads;
    if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
  }
  return blocks;
}

/// Notes how many blocks are in flight at once; none ends before `meeting` of them have begun.
struct residency_kernel {
  __device__ void operator()(int meeting, int* begun, int* now, int* most) const {
    if (threadIdx.x == 0) {
      int const here = simt::atomic_ref<int>(*now).fetch_add(1) + 1;
      simt::atomic_ref<int>(*most).fetch_max(here);
      simt::atomic_ref<int> const others(*begun);
      others.fetch_add(1);
      while (others.load(simt::memory_order_acquire) < meeting) {
      }
    }
    simt::sync_block();
    if (threadIdx.x == 0) simt::atomic_ref<int>(*now).fetch_sub(1);
  }
};

int max_resident(settings const& how, int meeting, unsigned blocks, bool cooperative) {
  scoped_settings const scope(how);
  device_buffer<int> const begun(std::vector<int>{0}), now(std::vector<int>{0}),
      most(std::vector<int>{0});
  simt::launch<residency_kernel>({.blocks = blocks, .threads = 33, .cooperative = cooperative},
                                 meeting, begun.data(), now.data(), most.data());
  REQUIRE(now.copy()[0] == 0);
  return most.copy()[0];
}

enum class endless { barriers, votes, additions, swaps, arithmetic };

/// A loop of so many rounds; below 0: without end.
struct endless_kernel {
  __device__ void operator()(endless kind, int rounds, int* word) const {
    simt::atomic_ref<int> const shared_word(*word);
    int volatile own = 0;
    for (int round = 0; round != rounds; round = (round + 1) % 1000) {
      if (kind == endless::barriers) simt::sync_block();
      if (kind == endless::votes) own = simt::any(simt::full_warp, round == 0) ? 1 : 0;
      if (kind == endless::additions) shared_word.fetch_add(1, simt::memory_order_relaxed);
      if (kind == endless::swaps) {
        int expected = -1;
        shared_word.compare_exchange_strong(expected, 1, simt::memory_order_relaxed);
      }
      own = own + 1;
    }
  }
};

/// Copies `bytes` bytes to shared memory at once.
struct bulk_kernel {
  struct shared_storage {
    alignas(16) unsigned char stage[512];
    simt::mbarrier full;
  };
  __device__ void operator()(shared_storage& shared, void const* from, unsigned bytes) const {
    shared.full.init(1);
    simt::fence_mbarrier_init();
    shared.full.arrive_expect(bytes);
    simt::bulk_load(shared.stage, from, bytes, shared.full);
    shared.full.wait(0);
  }
};

struct throwing_kernel {
  __device__ void operator()() const {
    simt::sync_block();
    if (blockIdx.x == 2 && threadIdx.x == 17) throw std::out_of_range("from the kernel");
    simt::sync_block();
  }
};

struct sum_kernel {
  __device__ void operator()(int n, long long* out) const {
    long long sum = 0;
    for (int i = 0; i < n; ++i) {
      sum += simt::reduce_add(simt::full_warp, static_cast<int>(threadIdx.x) + i);
      simt::sync_block();
    }
    simt::atomic_ref<long long>(*out).fetch_add(sum);
  }
};

long long sum_of(int n) {
  device_buffer<long long> const out(std::vector<long long>{0});
  simt::launch<sum_kernel>({.blocks = 3, .threads = 64}, n, out.data());
  return out.copy()[0];
}

long long expected_sum(int n) {
  // Each thread adds the sum of its warp: 32 i + 496 in the first, 32 i + 1520 in the second.
  long long sum = 0;
  for (int i = 0; i < n; ++i) sum += 32 * (32 * i + 496) + 32 * (32 * i + 1520);
  return 3 * sum;
}

struct counting_kernel {
  __device__ void operator()(int* out) const {
    simt::executor::counted<plus<int>> const op;
    noted_vote = __LINE__ + 1;
    unsigned const vote = simt::ballot(simt::full_warp, true);
    noted_barrier = __LINE__ + 1;
    simt::sync_block();
    noted_operator = __LINE__ + 1;
    int const sum = op(static_cast<int>(vote), 1);
    simt::sync_block_or(false);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }
  static inline std::atomic<int> noted_vote, noted_barrier, noted_operator;
};

struct leaving_kernel {
  __device__ void operator()(int* out) const {
    if (threadIdx.x >= 40) return;
    simt::sync_block();
    unsigned const here = simt::ballot(simt::full_warp, true);
    int const count = simt::sync_block_count(true);
    out[blockIdx.x * blockDim.x + threadIdx.x] = simt::popc(here) + 100 * count;
  }
};

/// One thread waits for a flag that comes, one gives up after so many looks at one that does not.
struct patience_kernel {
  __device__ void operator()(int* flag, int* never, int looks, int* looked) const {
    simt::atomic_ref<int> const watched(threadIdx.x == 0 ? *flag : *never);
    if (threadIdx.x == 0) {
      while (watched.load(simt::memory_order_acquire) == 0) {
      }
    } else {
      int n = 0;
      while (n < looks && watched.load(simt::memory_order_acquire) == 0) ++n;
      *looked = n;
      simt::atomic_ref<int>(*flag).store(1, simt::memory_order_release);
    }
  }
};

/// Waits until either of two flags is set, reading them in turn.
/// Waits until one of two flags is set, and counts its looks at them.
struct either_kernel {
  __device__ void operator()(int* flags, int setter, int* looks) const {
    if (static_cast<int>(blockIdx.x) == 0) {
      simt::atomic_ref<int> const first(flags[0]), second(flags[1]);
      while (first.load(simt::memory_order_acquire) == 0 &&
             second.load(simt::memory_order_acquire) == 0) {
        ++*looks;
      }
    } else if (setter >= 0) {
      simt::atomic_ref<int>(flags[setter]).store(1, simt::memory_order_release);
    }
  }
};

/// Runs it in one of two blocks; the other one sets the flag `setter`, or none if it is negative,
/// which is a deadlock. Returns the looks.
int wait_for_either(int setter) {
  device_buffer<int> const flags(std::vector<int>{0, 0}), looks(1);
  auto const wait = [&] {
    simt::launch<either_kernel>({.blocks = 2, .threads = 1}, flags.data(), setter, looks.data());
  };
  if (setter < 0) {
    CHECK_THROWS_WITH(wait(), Catch::Contains("deadlock"));
  } else {
    CHECK_NOTHROW(wait());
  }
  return looks.copy()[0];
}

/// Two warps (or blocks) count in turn; how far one got ahead of the other.
struct lead_kernel {
  __device__ void operator()(int* counts, int* lead) const {
    int const mine = static_cast<int>(blockIdx.x);
    for (int i = 0; i < 300; ++i) {
      int const now = simt::atomic_ref<int>(counts[mine]).fetch_add(1) + 1;
      int const other = simt::atomic_ref<int>(counts[1 - mine]).load();
      if (other < 300) simt::atomic_ref<int>(*lead).fetch_max(now - other);
    }
  }
};

}  // namespace

TEST_CASE("the same seed gives the same run, another seed another") {
  std::vector<int> const fixed = order_under({});
  CHECK(order_under({}) == fixed);
  std::vector<std::vector<int>> orders{fixed};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto const order = order_under(seeded(seed));
    CHECK(order_under(seeded(seed)) == order);
    orders.push_back(order);
  }
  std::sort(orders.begin(), orders.end());
  CHECK(std::adjacent_find(orders.begin(), orders.end()) == orders.end());
}

TEST_CASE("every thread of every block runs, whatever the order") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    settings how = seeded(seed);
    how.blocks_in_flight = 1 + static_cast<int>(seed);
    auto order = order_under(how);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(order[i] == static_cast<int>(i / 3));
  }
}

TEST_CASE("outside kernels threadIdx names no thread") {
  CHECK(threadIdx.x == simt::no_thread.x);
  order_under({});
  CHECK(threadIdx.x == simt::no_thread.x);
}

TEST_CASE("blocks start in order under the fixed schedule and shuffled under seeds") {
  std::vector<int> in_order(order_blocks);
  std::iota(in_order.begin(), in_order.end(), 0);
  settings one_by_one;
  one_by_one.blocks_in_flight = 1;
  CHECK(block_order(order_under(one_by_one)) == in_order);
  int shuffled = 0, last_first = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    settings how = seeded(seed);
    how.blocks_in_flight = 1;
    auto const blocks = block_order(order_under(how));
    shuffled += blocks != in_order ? 1 : 0;
    last_first += blocks[0] == order_blocks - 1 ? 1 : 0;
  }
  CHECK(shuffled >= 35);
  CHECK(last_first >= 1);
}

TEST_CASE("as many blocks are in flight as requested, in a cooperative launch all") {
  for (int const wanted : {1, 2, 5, 16}) {
    for (bool const by_seed : {false, true}) {
      settings how = by_seed ? seeded(7) : settings{};
      how.blocks_in_flight = wanted;
      CHECK(max_resident(how, wanted, 20, false) == wanted);
      CHECK_THROWS_WITH(max_resident(how, wanted + 1, 20, false), Catch::Contains("deadlock"));
    }
  }
  CHECK(max_resident({}, 20, 20, true) == 20);
  CHECK_THROWS_WITH(max_resident({}, 1, 65, true), Catch::Contains("at most 64"));
}

TEST_CASE("launches that are no launches are refused") {
  CHECK_THROWS_WITH(simt::launch<throwing_kernel>({.blocks = 1, .threads = 1025}),
                    Catch::Contains("1025 threads"));
  CHECK_THROWS_WITH(simt::launch<throwing_kernel>({.blocks = 0, .threads = 32}),
                    Catch::Contains("0 blocks"));
  CHECK_THROWS_WITH(simt::launch<throwing_kernel>(
                        {.blocks = 1, .threads = 32, .dynamic_shared_bytes = 227 * 1024 + 1}),
                    Catch::Contains("232449 bytes of shared memory"));
}

TEST_CASE("what a kernel throws comes out of launch, and the next launch is fine") {
  for (int again = 0; again < 50; ++again) {
    scoped_settings const scope(again % 2 == 0 ? settings{} : seeded(3));
    CHECK_THROWS_AS(simt::launch<throwing_kernel>({.blocks = 5, .threads = 100}),
                    std::out_of_range);
    REQUIRE(sum_of(2) == expected_sum(2));
  }
}

TEST_CASE("launches from several OS threads at once") {
  std::array<int, 4> right{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&right, t] {
      scoped_settings const scope(t % 2 == 0 ? settings{} : seeded(t));
      for (int i = 0; i < 10; ++i) {
        try {
          if (i == 5) simt::launch<throwing_kernel>({.blocks = 5, .threads = 100});
        } catch (std::out_of_range const&) {
          ++right[t];
        }
        right[t] += sum_of(i) == expected_sum(i) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::array<int, 4>{11, 11, 11, 11});
}

TEST_CASE("settings hold for a scope, and for one OS thread") {
  REQUIRE(simt::executor::current_settings().seed == 0);
  {
    scoped_settings const outer(seeded(5));
    {
      settings inner = seeded(6);
      inner.multiprocessors = 9;
      scoped_settings const scope(inner);
      CHECK(simt::multiprocessor_count() == 9);
      CHECK(simt::executor::current_settings().seed == 6);
      std::uint64_t elsewhere = 1;
      std::thread([&] { elsewhere = simt::executor::current_settings().seed; }).join();
      CHECK(elsewhere == 0);
    }
    CHECK(simt::executor::current_settings().seed == 5);
  }
  CHECK(simt::executor::current_settings().seed == 0);
}

TEST_CASE("counts of warp calls, barriers and operator applications per line") {
  simt::executor::counts count;
  settings how;
  how.count = &count;
  scoped_settings const scope(how);
  device_buffer<int> const out(3 * 72);
  for (int i = 0; i < 2; ++i) {
    simt::launch<counting_kernel>({.blocks = 3, .threads = 72}, out.data());
  }
  CHECK(count.launches == 2);
  CHECK(count.at({__FILE__, counting_kernel::noted_vote}).warp_calls == 2 * 3 * 3);
  CHECK(count.at({__FILE__, counting_kernel::noted_barrier}).barriers == 2 * 3);
  CHECK(count.at({__FILE__, counting_kernel::noted_operator}).operator_calls == 2 * 3 * 72);
  CHECK(count.total().warp_calls == 2 * 3 * 3);
  CHECK(count.total().barriers == 2 * 3 * 2);
}

TEST_CASE("threads may leave before a barrier if that is requested") {
  device_buffer<int> const out(2 * 64);
  CHECK_THROWS_WITH(simt::launch<leaving_kernel>({.blocks = 1, .threads = 64}, out.data()),
                    Catch::Contains("returned"));
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    settings how = seeded(seed);
    if (seed == 0) how.schedule = simt::executor::schedule::fixed;
    how.early_return = true;
    scoped_settings const scope(how);
    simt::launch<leaving_kernel>({.blocks = 2, .threads = 64}, out.data());
    auto const got = out.copy();
    for (std::size_t i = 0; i < 40; ++i) REQUIRE(got[i] == (i < 32 ? 32 : 8) + 4000);
  }
}

TEST_CASE("a spin with an end is no deadlock") {
  for (int const looks : {1, 10, 1000, 50000}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      scoped_settings const scope(seed == 0 ? settings{} : seeded(seed));
      device_buffer<int> const flag(std::vector<int>{0}), never(std::vector<int>{0}), looked(1);
      simt::launch<patience_kernel>({.blocks = 1, .threads = 2}, flag.data(), never.data(), looks,
                                    looked.data());
      CHECK(looked.copy()[0] == looks);
    }
  }
}

TEST_CASE("a loop may poll several values in turn") {
  for (std::uint64_t seed = 0; seed < (quick_types ? 2 : 5); ++seed) {
    settings how = seed == 0 ? settings{} : seeded(seed);
    how.blocks_in_flight = 2;
    scoped_settings const scope(how);
    wait_for_either(0);
    wait_for_either(1);
    // A deadlock is found by what the kernel does, not by a time limit.
    CHECK(wait_for_either(-1) < 3);
  }
}

TEST_CASE("a bulk copy that rounds its end up past a buffer is found in every build") {
  device_image<int> const image(61);
  device_buffer<int> const items(61);
  std::vector<int> const host(64, 1);
  auto const copy = [](int const* from, unsigned bytes) {
    simt::launch<bulk_kernel>({.blocks = 1, .threads = 1}, static_cast<void const*>(from), bytes);
  };
  for (auto const& how : {settings{}, seeded(1)}) {
    scoped_settings const scope(how);
    CHECK_NOTHROW(copy(host.data(), 256));
    for (int const* const from : {image.data(), items.data()}) {
      CHECK_NOTHROW(copy(from, 240));
      CHECK_THROWS_WITH(copy(from, 256),
                        Catch::Contains("bulk_kernel") &&
                            Catch::Contains("reads 256 bytes, out of bounds: 0 bytes past the end "
                                            "of a buffer of 244 bytes"));
    }
  }
}

TEST_CASE("a loop that never ends is found by the bound of steps") {
  auto const kinds = {endless::barriers, endless::votes, endless::additions, endless::swaps};
  for (auto how : {settings{}, seeded(1), seeded(2)}) {
    how.max_steps = 20000;
    scoped_settings const scope(how);
    for (endless const kind : kinds) {
      device_buffer<int> const word(std::vector<int>{0});
      auto const launch = [&](int rounds) {
        simt::launch<endless_kernel>({.blocks = 2, .threads = 32}, kind, rounds, word.data());
      };
      CHECK_NOTHROW(launch(20));
      CHECK_THROWS_WITH(launch(-1),
                        Catch::Contains("endless_kernel") && Catch::Contains("block (") &&
                            Catch::Contains("still goes on after 20000 steps of the launch"));
      CHECK_NOTHROW(launch(20));
    }
  }
}

#ifdef LIBSCAN_TEST_HAS_TICKS
TEST_CASE("a loop that never ends is found by its CPU time, also if it takes no steps") {
  settings how;
  how.launch_seconds = 1;
  scoped_settings const scope(how);
  device_buffer<int> const word(std::vector<int>{0});
  auto const launch = [&](endless kind, int rounds) {
    simt::launch<endless_kernel>({.blocks = 2, .threads = 32}, kind, rounds, word.data());
  };
  CHECK_THROWS_WITH(launch(endless::barriers, -1),
                    Catch::Contains("endless_kernel") && Catch::Contains("still goes on after") &&
                        Catch::Contains("s of CPU time of the launch"));
  CHECK_THROWS_WITH(launch(endless::arithmetic, -1),
                    Catch::Contains("endless_kernel") &&
                        Catch::Contains("thread 0 runs in a loop without any") &&
                        Catch::Contains("s of CPU time of the launch"));
  CHECK_NOTHROW(launch(endless::barriers, 20));
  CHECK_NOTHROW(launch(endless::arithmetic, 20));
}

TEST_CASE("children of a process that has launched kernels find endless loops, too") {
  settings how;
  how.launch_seconds = 1;
  scoped_settings const scope(how);
  device_buffer<int> const word(std::vector<int>{0});
  auto const ends = [&](int rounds) {
    try {
      simt::launch<endless_kernel>({.blocks = 1, .threads = 32}, endless::arithmetic, rounds,
                                   word.data());
      return true;
    } catch (simt::kernel_error const&) {
      return false;
    }
  };
  // Runs `body` in a child, which gets SIGALRM if it takes a minute; whether that returned true.
  auto const in_child = [](auto body) {
    pid_t const child = ::fork();
    if (child == 0) {
      ::alarm(60);
      ::_exit(body() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status == 0;
  };
  REQUIRE(ends(20));  // so the parent has a timer
  CHECK(in_child(
      [&] { return !ends(-1) && ends(20) && in_child([&] { return ends(20) && !ends(-1); }); }));
  CHECK(ends(20));
}
#endif

TEST_CASE("seeded schedules let one block lag far") {
  int far = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    scoped_settings const scope(seeded(seed));
    device_buffer<int> const counts(std::vector<int>{0, 0}), lead(std::vector<int>{0});
    simt::launch<lead_kernel>({.blocks = 2, .threads = 1}, counts.data(), lead.data());
    far += lead.copy()[0] >= 40 ? 1 : 0;
  }
  CHECK(far >= 5);
}

}  // namespace libscan::test
