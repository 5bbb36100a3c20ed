// SPDX-License-Identifier: Apache-2.0
// Tests of scan-bench's measuring stick: samples and their summary, and what counts as changed.
#include <bench/changes.hpp>
#include <bench/measure.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <libscan/core/error.hpp>
#include <tests/support/catch.hpp>

namespace libscan::bench {
namespace {

result timed(std::string name, double median_us, double noise) {
  result r;
  r.name = std::move(name);
  r.median_us = median_us;
  r.noise = noise;
  return r;
}

TEST_CASE("a summary holds the median, the extremes, and the width of the middle half") {
  result const r = summary({9, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(r.median_us == 5);
  CHECK(r.min_us == 1);
  CHECK(r.max_us == 9);
  CHECK(r.noise == Approx((7.0 - 3.0) / 5.0));
  CHECK(r.samples == 9);
  CHECK(r.p95_us == 9);
  CHECK(summary({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 9}).p95_us == 5);
  CHECK(summary({3}).noise == 0);
}

TEST_CASE("all contenders take turns, in one order or another, and warm-up is not counted") {
  std::string order;
  workload const work{"cpu", "work",
                      "i32", 1,
                      8,     {{"a", [&] { order += 'a'; }, {}}, {"b", [&] { order += 'b'; }, {}}}};
  int calls = 0;
  auto const results = measure(work, 20, [&](std::function<void()> const& run) {
    run();
    return ++calls <= 4 ? 1000.0 : 1.0;
  });
  REQUIRE(order.size() == 2 * (1 + 2 + 20));  // verified, warm-up, timed
  CHECK(order.substr(0, 2) == "ab");
  bool swapped = false;
  for (std::size_t i = 2; i < order.size(); i += 2) {
    CHECK(order[i] != order[i + 1]);
    swapped = swapped || order[i] == 'b';
  }
  CHECK(swapped);
  REQUIRE(results.size() == 2);
  CHECK(results[1].name == "b");
  CHECK(results[1].max_us == 1);
  CHECK(results[1].samples == 20);
}

TEST_CASE("a contender has a stopwatch of its own, and stops early where it takes seconds") {
  contender slow{"slow", [] {}, {}};
  slow.time = [](std::function<void()> const&) { return 0.5e6; };
  workload const work{"cpu", "work", "i32", 1, 8, {slow, {"fast", [] {}, {}}}};
  auto const results = measure(work, 21, [](std::function<void()> const&) { return 1.0; });
  CHECK(results[0].samples == 7);
  CHECK(results[0].median_us == 0.5e6);
  CHECK(results[1].samples == 21);
}

/// Contenders of one workload, timed by a clock that each of their calls moves on.
struct clocked {
  double now = 0;
  std::vector<contender> contenders;

  void add(std::string name, std::vector<double> took) {
    auto const calls = std::make_shared<std::size_t>(0);
    contenders.push_back(
        {std::move(name),
         [this, took, calls] { now += took[std::min((*calls)++, took.size() - 1)]; },
         {}});
  }

  std::vector<result> measured(int rounds, double min_us = 0, more_rounds const& more = {}) {
    stopwatch const time = [this](std::function<void()> const& run) {
      double const start = now;
      run();
      return now - start;
    };
    return measure({"cpu", "work", "i32", 1, 8, contenders}, rounds, time, min_us, more);
  }
};

TEST_CASE("a ratio is the median of those of the rounds, by what libscan took in each") {
  // Verified, two rounds of warm-up, five rounds: in each the competitor takes 3 or 1/2 times as
  // long, which the medians, 10 and 20, do not tell.
  for (auto const* ours : {"libscan", "production"}) {
    clocked work;
    work.add(ours, {7, 7, 7, 10, 40, 10, 40, 10});
    work.add("competitor", {7, 7, 7, 30, 20, 30, 20, 5});
    auto const results = work.measured(5);
    CHECK(results[0].ratio == 0);
    CHECK(results[0].median_us == 10);
    CHECK(results[1].median_us == 20);
    CHECK(results[1].ratio == Approx(0.5));
  }
  clocked work;
  work.add("competitor", {1});
  CHECK(work.measured(3)[0].ratio == 0);
}

TEST_CASE("short workloads have more rounds, as long as all take little") {
  clocked work;
  work.add("libscan", {1});
  CHECK(work.measured(3, 0, {1000})[0].samples == 51);
  CHECK(work.measured(60, 0, {1000})[0].samples == 60);
  CHECK(work.measured(3, 0, {20})[0].samples == 20);
  CHECK(work.measured(3, 0, {2})[0].samples == 3);
  CHECK(work.measured(3, 0, {1000, 301})[0].samples == 301);
}

TEST_CASE("who stops early is compared in the rounds that it took part in") {
  clocked work;
  work.add("libscan", {1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e3});
  work.add("competitor", {2e6});
  auto const results = work.measured(9);
  CHECK(results[1].samples == 7);
  CHECK(results[0].samples == 9);
  CHECK(results[1].ratio == Approx(20));
}

TEST_CASE("short calls are repeated, and prepared for outside of the clock") {
  clocked work;
  int prepared = 0, run = 0;
  work.add("short", {0.3});
  work.add("long", {100});
  contender each{"in place",
                 [&] {
                   ++run;
                   work.now += 4;
                 },
                 [&] { return prepared == run; }};
  each.prepare = [&] {
    ++prepared;
    work.now += 1000;
  };
  work.contenders.push_back(each);
  auto const results = work.measured(3, 20);
  CHECK(results[0].calls == 67);
  CHECK(results[0].median_us == Approx(0.3));
  CHECK(results[0].samples == 3);
  CHECK(results[1].calls == 1);
  CHECK(results[2].problem.empty());
  CHECK(results[2].calls == 5);
  CHECK(results[2].median_us == Approx(4));
  CHECK(prepared == run);
  CHECK(run == 1 + 1 + 4 * 5);  // verified, the first of warm-up, the rest
  CHECK(work.measured(3)[0].calls == 1);
}

TEST_CASE("who gives a wrong result, or fails, is named and not timed") {
  workload const work{"cuda",
                      "scan",
                      "u8",
                      77,
                      8,
                      {{"hasty", [] {}, [] { return false; }},
                       {"broken", [] { throw error("no memory"); }, {}},
                       {"right", [] {}, [] { return true; }}}};
  auto const results = measure(work, 3, [](std::function<void()> const& run) {
    run();
    return 1.0;
  });
  REQUIRE(results.size() == 3);
  CHECK(results[0].name == "hasty");
  CHECK(results[0].problem == "wrong result");
  CHECK(results[0].samples == 0);
  CHECK(results[1].problem == "no memory");
  CHECK(results[2].name == "right");
  CHECK(results[2].problem.empty());
  CHECK(results[2].samples == 3);
  CHECK(measure(work, 0, {}).size() == 2);
}

TEST_CASE("implementations are requested by the first word of a contender's name") {
  options wanted;
  wanted.implementations = {"cub"};
  std::set<std::string> reported;
  session const now{wanted, [](auto const&) { return 1.0; },
                    [&](std::vector<result> const& results) {
                      for (result const& r : results) reported.insert(r.name);
                    }};
  now.run({"cpu",
           "work",
           "i32",
           1,
           8,
           {{"cub", [] {}, {}},
            {"cub int", [] {}, {}},
            {"cub-newest", [] {}, {}},
            {"libscan", [] {}, {}}}});
  CHECK(reported == std::set<std::string>{"cub", "cub int"});
}

TEST_CASE("who asks for libscan gets its production scan among strategies, and no other of them") {
  options wanted;
  std::set<std::string> reported;
  session const now{wanted, [](auto const&) { return 1.0; },
                    [&](std::vector<result> const& results) {
                      for (result const& r : results) reported.insert(r.name);
                    }};
  auto const run = [&](std::vector<std::string> requested) {
    reported.clear();
    wanted.implementations = std::move(requested);
    std::vector<contender> all;
    for (char const* const name : {"memcpy", "chained-scan", "production", "cub"}) {
      all.push_back({name, [] {}, {}});
    }
    now.run({"cuda", "algorithms", "i32", 1, 8, std::move(all)});
    return reported;
  };
  CHECK(run({"libscan", "memcpy"}) == std::set<std::string>{"memcpy", "production"});
  CHECK(run({"production"}) == std::set<std::string>{"production"});
  CHECK(run({"chained-scan"}) == std::set<std::string>{"chained-scan"});
}

TEST_CASE("what an engine has no workload for is left out, and said once; failures are noticed") {
  options const wanted;
  session const now{wanted, {}, {}};
  int calls = 0;
  for (int k = 0; k < 2; ++k) {
    now.where_known([&] {
      ++calls;
      throw invalid_argument("no such type (a test of messages)");
    });
  }
  CHECK(calls == 2);
  CHECK(now.said->size() == 1);
  CHECK_THROWS_AS(now.where_known([] { throw error("no memory"); }), error);
}

TEST_CASE("changes count beyond the noise of both, and beyond 2 %") {
  struct {
    double before, after, noise;
    bool slower, faster;
  } const cases[] = {{100, 101.9, 0, false, false},  {100, 102.1, 0, true, false},
                     {102.1, 100, 0, false, true},   {101.9, 100, 0, false, false},
                     {100, 109, 0.05, false, false}, {100, 111, 0.05, true, false},
                     {111, 100, 0.05, false, true}};
  for (auto const& each : cases) {
    auto const found = changes({timed("a", each.before, each.noise)},
                               {timed("new", 1, 0), timed("a", each.after, each.noise)});
    REQUIRE(found.size() == 1);
    CHECK(found[0].slower() == each.slower);
    CHECK(found[0].faster() == each.faster);
  }
}

TEST_CASE("strategies are ours, competitors and ceilings are not") {
  for (auto const* name : {"libscan", "scan-then-fan", "production", "split-sort"})
    CHECK(is_ours(name));
  for (auto const* name :
       {"memcpy", "cub int", "cub-newest by key", "cub int reversed", "std stable", "std par_unseq",
        "tbb", "thrust", "cpu-sequential", "memset"}) {
    CHECK_FALSE(is_ours(name));
  }
}

}  // namespace
}  // namespace libscan::bench
