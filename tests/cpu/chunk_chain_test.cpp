// SPDX-License-Identifier: Apache-2.0
// Tests of the chunk chain itself: each chunk once, in order, with the right carry and the right
// private state, whatever the threads do; errors end it without a hang.
#include <libscan/cpu/chunk_chain.hpp>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>

#ifdef LIBSCAN_TEST_WITH_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#endif

#ifdef LIBSCAN_TEST_COUNTS_ALLOCATIONS
namespace {
std::atomic<long> allocations{0};
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace libscan::test {
namespace {

using cpu::aggregates;
using cpu::chunk;
using cpu::run_chunks;

/// Delays a chunk now and then, at random, by up to 100 us.
void stall(index_t which, std::uint64_t round) {
  random_words words(round * 7919 + static_cast<std::uint64_t>(which));
  if (words.below(4) == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(words.below(100)));
  }
}

/// Items and how often each was visited, by any thread.
using visits = std::vector<std::atomic<int>>;

void visit(visits& items, chunk const& c) {
  for (index_t i = c.begin; i < c.end; ++i) ++items[static_cast<std::size_t>(i)];
}

bool all_once(visits const& items) {
  return std::all_of(items.begin(), items.end(), [](auto const& times) { return times == 1; });
}

/// Whether each item was visited, and only once unless twice is allowed: by its chunk's thread, and
/// by another one in its place.
bool visited(visits const& items, aggregates sums) {
  if (sums == aggregates::once) return all_once(items);
  return std::all_of(items.begin(), items.end(), [](auto const& times) { return times >= 1; });
}

/// Runs a chain over intervals and returns what is wrong with it, "" if nothing.
std::string misconduct(int threads, index_t n, index_t chunk_items, std::uint64_t stalls,
                       aggregates sums = aggregates::once) {
  struct private_state {
    std::thread::id owner = std::this_thread::get_id();
    index_t in_hand = -1;
    index_t next_begin = 0, next_end = 0;  // of the next chunk, if known
  };
  visits aggregated(static_cast<std::size_t>(n)), consumed(aggregated.size());
  std::atomic<int> states{0};
  std::atomic<bool> mixed{false};
  std::atomic<bool> wrong_carry{false};
  auto const total = run_chunks(
      threads, n, chunk_items, tripwire{}, interval::over(-1, 0),
      [&] {
        ++states;
        return private_state{};
      },
      [&](private_state& state, chunk const& c) {
        if (stalls != 0) stall(c.index, stalls);
        if (state.owner != std::this_thread::get_id()) mixed = true;
        if (sums == aggregates::once && state.in_hand != -1) mixed = true;
        bool const known = state.next_begin < state.next_end;
        if (known && (c.begin != state.next_begin || c.end != state.next_end)) mixed = true;
        state.in_hand = c.index;
        state.next_begin = c.next_begin;
        state.next_end = c.next_end;
        visit(aggregated, c);
        return interval::over(c.begin, c.end);
      },
      [&](private_state& state, chunk const& c, interval carry) {
        if (stalls != 0) stall(-c.index, stalls);
        if (state.in_hand != c.index || state.owner != std::this_thread::get_id()) mixed = true;
        if (carry != interval::over(-1, c.begin)) wrong_carry = true;
        state.in_hand = -1;
        visit(consumed, c);
      },
      sums);
  if (!visited(aggregated, sums) || !all_once(consumed)) return "wrong visits to an item";
  if (mixed) return "private state was mixed up";
  if (wrong_carry) return "a chunk got a wrong carry";
  int const each = sums == aggregates::once ? 1 : 2;
  if (states > each * threads) return "more states than threads have";
  if (n == 0 && states != 0) return "a state was made for nothing";
  if (total != interval::over(-1, n)) return "wrong total: " + to_string(total.found);
  return "";
}

/// The same of a chain whose threads claim ahead.
std::string misconduct_ahead(int threads, index_t n, index_t chunk_items, std::uint64_t stalls) {
  visits aggregated(static_cast<std::size_t>(n)), consumed(aggregated.size());
  std::atomic<bool> wrong_carry{false};
  auto const aggregate = [&](chunk const& c) {
    if (stalls != 0) stall(c.index, stalls);
    visit(aggregated, c);
    return interval::over(c.begin, c.end);
  };
  auto const total =
      cpu::run_chunks_ahead(threads, n, chunk_items, tripwire{}, interval::over(-1, 0), aggregate,
                            [&](chunk const& c, interval carry, chunk const* next) {
                              if (carry != interval::over(-1, c.begin)) wrong_carry = true;
                              visit(consumed, c);
                              return next != nullptr ? aggregate(*next) : interval{};
                            });
  if (!visited(aggregated, aggregates::repeatable) || !all_once(consumed)) {
    return "wrong visits to an item";
  }
  if (wrong_carry) return "a chunk got a wrong carry";
  if (total != interval::over(-1, n)) return "wrong total: " + to_string(total.found);
  return "";
}

TEST_CASE("every chunk is visited once with the sum of all earlier ones") {
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      for (index_t const n : {0, 1, 2, 7, 64, 199, 1000}) {
        for (index_t const chunk_items : {1, 2, 7, 64, 5000}) {
          INFO(threads << " threads, n = " << n << ", chunks of " << chunk_items);
          CHECK(misconduct(threads, n, chunk_items, 0) == "");
          CHECK(misconduct(threads, n, chunk_items, 0, aggregates::repeatable) == "");
          CHECK(misconduct_ahead(threads, n, chunk_items, 0) == "");
        }
      }
    }
  });
}

TEST_CASE("stalled chunks hold up the chain, but change nothing") {
  with_threads(16, [&] {
    for (std::uint64_t round = 1; round <= 20; ++round) {
      for (int const threads : {2, 16}) {
        CHECK(misconduct(threads, 200, 3, round) == "");
        CHECK(misconduct(threads, 200, 3, round, aggregates::repeatable) == "");
        CHECK(misconduct_ahead(threads, 200, 3, round) == "");
      }
    }
  });
}

struct failure : std::runtime_error {
  explicit failure(index_t where) : runtime_error("planted"), chunk_index(where) {}
  index_t chunk_index;
};

TEST_CASE("a chain goes on while a thread is held in an aggregate") {
  for (int const threads : {2, 3, 16}) {
    for (index_t const held : {0, 7, 99}) {
      INFO(threads << " threads, chunk " << held);
      std::atomic<int> calls{0}, consumed{0};
      std::atomic<bool> others_came{true};
      auto const aggregate = [&](chunk const& c) {
        // All others but the one that the thread may have claimed besides.
        if (c.index == held && calls++ == 0) others_came = comes([&] { return consumed >= 98; });
        return index_t{1};
      };
      auto const goes_on = [&](auto const& run) {
        calls = consumed = 0;
        index_t total = 0;
        with_threads(threads, [&] { total = run(); });
        CHECK(total == 100);
        CHECK(consumed == 100);
        return others_came.load();
      };
      auto const run = [&] {
        return run_chunks(
            threads, 100, 1, plus<index_t>{}, 0, [] { return 0; },
            [&](int, chunk const& c) { return aggregate(c); },
            [&](int, chunk const& c, index_t carry) { consumed += carry == c.index ? 1 : 0; },
            aggregates::repeatable);
      };
      CHECK(others_come_once([&] { return goes_on(run); }));
      bool const last = held == 99;  // for which no one waits
      CHECK((last || calls > 1));
      auto const run_ahead = [&] {
        return cpu::run_chunks_ahead(threads, 100, 1, plus<index_t>{}, 0, aggregate,
                                     [&](chunk const& c, index_t carry, chunk const* next) {
                                       consumed += carry == c.index ? 1 : 0;
                                       return next != nullptr ? aggregate(*next) : 0;
                                     });
      };
      CHECK(others_come_once([&] { return goes_on(run_ahead); }));
    }
  }
}

TEST_CASE("a chunk is not consumed while another thread still reads it") {
  CHECK(others_come_once([] {
    std::atomic<int> calls{0};
    std::atomic<bool> later_consumed{false}, second_left{false}, in_order{false}, came{true};
    with_threads(3, [&] {
      run_chunks(
          3, 30, 1, plus<int>{}, 0, [] { return 0; },
          [&](int, chunk const& c) {
            if (c.index != 0) return 1;
            int const call = calls++;
            if (call == 0 && !comes([&] { return calls == 2; })) came = false;
            if (call == 1) {
              // The owner, which goes on now, and a third thread let later chunks begin.
              if (!comes([&] { return later_consumed.load(); })) came = false;
              second_left = true;
            }
            return 1;
          },
          [&](int, chunk const& c, int) {
            if (c.index == 0) in_order = second_left.load();
            if (c.index > 0) later_consumed = true;
          },
          aggregates::repeatable);
    });
    if (came) CHECK(in_order);
    return came.load();
  }));
}

TEST_CASE("what an aggregate throws in another thread's place leaves the chain") {
  CHECK(others_come_once([] {
    std::atomic<int> calls{0};
    std::atomic<bool> thrown{false}, came{true};
    auto const run = [&] {
      run_chunks(
          2, 50, 1, plus<int>{}, 0, [] { return 0; },
          [&](int, chunk const& c) {
            if (c.index != 9) return 1;
            if (calls++ > 0) {
              thrown = true;
              throw failure(9);
            }
            if (!comes([&] { return thrown.load(); })) came = false;
            return 1;
          },
          [](int, chunk const&, int) {}, aggregates::repeatable);
    };
    bool failed = false;
    with_threads(2, [&] {
      try {
        run();
      } catch (failure const&) {
        failed = true;
      }
    });
    if (came) CHECK(failed);
    return came.load();
  }));
}

TEST_CASE("a thread that has held up others which cannot help leaves the chain to them") {
  for (int const threads : {2, 3, 16}) {
    index_t total = 0;
    with_threads(threads, [&] {
      total = run_chunks(
          threads, 400, 1, plus<index_t>{}, 0, [] { return 0; },
          [&](int, chunk const& c) {
            if (c.index % 50 == 9) std::this_thread::sleep_for(std::chrono::milliseconds(5));
            return c.index;
          },
          [](int, chunk const&, index_t) {});
    });
    CHECK(total == 400 * 399 / 2);
  }
}

TEST_CASE("several threads take part") {
  CHECK(others_come_once([] {
    std::atomic<int> at_work{0};
    with_threads(2, [&] {
      run_chunks(
          2, 2, 1, plus<int>{}, 0, [&] { return ++at_work; },
          [&](int, chunk const&) { return comes([&] { return at_work == 2; }) ? 1 : 0; },
          [](int, chunk const&, int) {});
    });
    return at_work == 2;
  }));
}

TEST_CASE("a chain ends when only the caller comes to work") {
  with_threads(1, [&] { CHECK(misconduct(16, 1000, 3, 0) == ""); });
}

/// The chunk whose exception leaves a chain in which chunks from `first` on throw in the given
/// call; -1 if none does.
index_t failing_chunk(int threads, index_t first, bool in_aggregate, bool in_operator = false) {
  struct picky {
    using value_type = index_t;
    index_t limit;
    index_t identity() const { return 0; }
    index_t operator()(index_t earlier, index_t later) const {
      if (earlier + later > limit) throw failure(earlier);
      return earlier + later;
    }
  };
  try {
    run_chunks(
        threads, 300, 3, picky{in_operator ? first : 1000}, 0, [] { return 0; },
        [&](int, chunk const& c) {
          stall(c.index, 77);
          if (in_aggregate && c.index >= first) throw failure(c.index);
          return index_t{1};
        },
        [&](int, chunk const& c, index_t) {
          if (!in_aggregate && !in_operator && c.index >= first) throw failure(c.index);
        });
  } catch (failure const& caught) {
    return caught.chunk_index;
  }
  return -1;
}

TEST_CASE("the exception of the first chunk that throws leaves the chain, without a hang") {
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      for (index_t const first : {0, 1, 41, 99}) {
        INFO(threads << " threads, chunk " << first);
        CHECK(failing_chunk(threads, first, true) == first);
        CHECK(failing_chunk(threads, first, false) == first);
        CHECK(failing_chunk(threads, first, false, true) == first);
      }
      CHECK(failing_chunk(threads, 100, true) == -1);
    }
  });
}

TEST_CASE("an exception from making the private state leaves the chain") {
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      CHECK_THROWS_AS(run_chunks(
                          threads, 100, 1, plus<int>{}, 0, []() -> int { throw std::bad_alloc(); },
                          [](int, chunk const&) { return 1; }, [](int, chunk const&, int) {}),
                      std::bad_alloc);
    }
  });
}

TEST_CASE("impossible arguments are refused") {
  auto const run = [](int threads, index_t n, index_t chunk_items) {
    run_chunks(
        threads, n, chunk_items, plus<int>{}, 0, [] { return 0; },
        [](int, chunk const&) { return 1; }, [](int, chunk const&, int) {});
  };
  CHECK_NOTHROW(run(1, 0, 1));
  CHECK_THROWS_AS(run(0, 1, 1), invalid_argument);
  CHECK_THROWS_AS(run(1, -1, 1), invalid_argument);
  CHECK_THROWS_AS(run(1, 1, 0), invalid_argument);
}

TEST_CASE("a single chunk runs on the caller") {
  auto const caller = std::this_thread::get_id();
  bool elsewhere = false;
  int const total = run_chunks(
      16, 100, 100, plus<int>{}, 1, [] { return 0; },
      [&](int, chunk const& c) {
        elsewhere = elsewhere || std::this_thread::get_id() != caller;
        return static_cast<int>(c.size());
      },
      [&](int, chunk const&, int) {
        elsewhere = elsewhere || std::this_thread::get_id() != caller;
      });
  CHECK(total == 101);
  CHECK_FALSE(elsewhere);
}

#ifdef LIBSCAN_TEST_COUNTS_ALLOCATIONS
TEST_CASE("a chain allocates nothing on a single thread") {
  auto const allocated = [](int threads, index_t n) {
    long const before = allocations;
    run_chunks(
        threads, n, 100, plus<int>{}, 0, [] { return 0; }, [](int, chunk const&) { return 1; },
        [](int, chunk const&, int) {});
    return allocations - before;
  };
  CHECK(allocated(16, 0) == 0);
  CHECK(allocated(16, 100) == 0);
  CHECK(allocated(1, 10000) == 0);
}
#endif

#ifdef LIBSCAN_TEST_WITH_TBB
TEST_CASE("callables may themselves wait inside oneTBB") {
  with_threads(16, [&] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> done{0};
      auto const nested = [&] { tbb::parallel_for(0, 50, [&](int) { ++done; }); };
      int const total = run_chunks(
          16, 200, 1, plus<int>{}, 0, [] { return 0; },
          [&](int, chunk const&) {
            nested();
            return 1;
          },
          [&](int, chunk const&, int) { nested(); });
      CHECK(total == 200);
      CHECK(done == 2 * 200 * 50);
    }
  });
}

TEST_CASE("a chain runs to its end inside a group that has been canceled") {
  with_threads(4, [] {
    int total = 0;
    tbb::task_group group;
    group.run([&] {
      group.cancel();
      total = run_chunks(
          4, 1000, 1, plus<int>{}, 0, [] { return 0; }, [](int, chunk const&) { return 1; },
          [](int, chunk const&, int) {});
    });
    group.wait();
    CHECK(total == 1000);
  });
}

TEST_CASE("every thread rounds as the caller does") {
  with_threads(4, [] {
    // The threads are there, and round to nearest.
    REQUIRE(misconduct(4, 3000, 7, 0).empty());
    std::fesetround(FE_UPWARD);
    std::atomic<int> otherwise{0};
    run_chunks(
        4, 400, 1, plus<int>{}, 0, [] { return 0; },
        [&](int, chunk const&) {
          if (std::fegetround() != FE_UPWARD) ++otherwise;
          std::this_thread::sleep_for(std::chrono::microseconds(20));
          return 1;
        },
        [](int, chunk const&, int) {});
    std::fesetround(FE_TONEAREST);
    CHECK(otherwise == 0);
  });
}

TEST_CASE("chains may run inside other parallel work, and side by side") {
  with_threads(16, [&] {
    std::atomic<int> wrong{0};
    tbb::parallel_for(0, 40, [&](int) {
      if (!misconduct(3, 300, 7, 0).empty()) ++wrong;
    });
    CHECK(wrong == 0);
  });
}
#endif

}  // namespace
}  // namespace libscan::test
