// SPDX-License-Identifier: Apache-2.0
// Tests of scan-bench's measuring stick: samples and their summary, what counts as changed, and the
// data of its axes.
#include <bench/changes.hpp>
#include <bench/measure.hpp>
#include <bench/oracles.hpp>
#include <bench/segments.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

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
  CHECK(r.least_us == 1);
  CHECK(r.most_us == 9);
  CHECK(r.noise == Approx((7.0 - 3.0) / 5.0));
  CHECK(r.samples == 9);
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
  CHECK(results[1].most_us == 1);
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

  std::vector<result> measured(int rounds, double least_us = 0) {
    stopwatch const time = [this](std::function<void()> const& run) {
      double const start = now;
      run();
      return now - start;
    };
    return measure({"cpu", "work", "i32", 1, 8, contenders}, rounds, time, least_us);
  }
};

TEST_CASE("a ratio is the median of those of the rounds, by what libscan took in each") {
  // Verified, two rounds of warm-up, five rounds: in each the rival takes 3 or 1/2 times as long,
  // which the medians, 10 and 20, do not tell.
  for (auto const* ours : {"libscan", "production"}) {
    clocked work;
    work.add(ours, {7, 7, 7, 10, 40, 10, 40, 10});
    work.add("rival", {7, 7, 7, 30, 20, 30, 20, 5});
    auto const results = work.measured(5);
    CHECK(results[0].ratio == 0);
    CHECK(results[0].median_us == 10);
    CHECK(results[1].median_us == 20);
    CHECK(results[1].ratio == Approx(0.5));
  }
  clocked work;
  work.add("rival", {1});
  CHECK(work.measured(3)[0].ratio == 0);
}

TEST_CASE("who stops early is compared in the rounds that it took part in") {
  clocked work;
  work.add("libscan", {1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1e3});
  work.add("rival", {2e6});
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

TEST_CASE("implementations are asked for by the first word of a contender's name") {
  options wanted;
  wanted.implementations = {"cub"};
  std::set<std::string> told;
  session const now{wanted, [](auto const&) { return 1.0; },
                    [&](std::vector<result> const& results) {
                      for (result const& r : results) told.insert(r.name);
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
  CHECK(told == std::set<std::string>{"cub", "cub int"});
}

TEST_CASE("who asks for libscan gets its production scan among strategies, and no other of them") {
  options wanted;
  std::set<std::string> told;
  session const now{wanted, [](auto const&) { return 1.0; },
                    [&](std::vector<result> const& results) {
                      for (result const& r : results) told.insert(r.name);
                    }};
  auto const run = [&](std::vector<std::string> asked) {
    told.clear();
    wanted.implementations = std::move(asked);
    std::vector<contender> all;
    for (char const* const name : {"memcpy", "chained-scan", "production", "cub"}) {
      all.push_back({name, [] {}, {}});
    }
    now.run({"cuda", "algorithms", "i32", 1, 8, std::move(all)});
    return told;
  };
  CHECK(run({"libscan", "memcpy"}) == std::set<std::string>{"memcpy", "production"});
  CHECK(run({"production"}) == std::set<std::string>{"production"});
  CHECK(run({"chained-scan"}) == std::set<std::string>{"chained-scan"});
}

TEST_CASE("what an engine has no workload for is left out, and said once; failures are heard") {
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

TEST_CASE("strategies are ours, rivals and ceilings are not") {
  for (auto const* name : {"libscan", "scan-then-fan", "production", "split-sort"})
    CHECK(is_ours(name));
  for (auto const* name :
       {"memcpy", "cub int", "cub-newest by key", "cub int reversed", "std stable", "std par_unseq",
        "tbb", "thrust", "cpu-sequential", "memset"}) {
    CHECK_FALSE(is_ours(name));
  }
}

TEST_CASE("segments of every length distribution cover all items, in all four forms") {
  for (auto const& name : length_axis) {
    CHECK(std::count(sort_length_axis.begin(), sort_length_axis.end(), name) == 1);
  }
  for (auto const& lengths : names_of(sort_length_axis)) {
    for (index_t const n : {1, 2, 31, 32, 33, 1000, 100000}) {
      CAPTURE(lengths, n);
      segment_forms const forms(lengths, n);
      REQUIRE(forms.offsets.front() == 0);
      REQUIRE(forms.offsets.back() == n);
      REQUIRE(std::is_sorted(forms.offsets.begin(), forms.offsets.end()));
      std::set<index_t> const begins(forms.offsets.begin(), forms.offsets.end() - 1);
      if (lengths == "half-empty") {
        REQUIRE(2 * begins.size() == forms.offsets.size());
      } else {
        REQUIRE(begins.size() + 1 == forms.offsets.size());
      }
      bool same = true;
      for (index_t i = 0; i < n; ++i) {
        bool const head = begins.count(i) > 0;
        bool const new_key = i == 0 || forms.keys[i] != forms.keys[i - 1];
        bool const bit = (forms.bits[i / 32] >> i % 32 & 1) != 0;
        same = same && (forms.flags[i] != 0) == head && bit == head && new_key == head;
      }
      CHECK(same);
    }
  }
  CHECK(offsets_of("one", 1000).size() == 2);
  CHECK(offsets_of("ones", 1000).size() == 1001);
  auto const medium = offsets_of("medium", 100000);
  for (std::size_t s = 0; s + 2 < medium.size(); ++s) {
    REQUIRE(medium[s + 1] - medium[s] >= 20);
    REQUIRE(medium[s + 1] - medium[s] <= 60);
  }
  CHECK(offsets_of("rows-16", 40) == std::vector<std::int32_t>{0, 16, 32, 40});
  CHECK(offsets_of("rows-1024", 2049) == std::vector<std::int32_t>{0, 1024, 2048, 2049});
  CHECK(offsets_of("few-huge", 100000).size() == 9);
  auto const huge = offsets_of("huge", 100000);
  std::int32_t longest = 0;
  for (std::size_t s = 0; s + 1 < huge.size(); ++s) {
    longest = std::max(longest, huge[s + 1] - huge[s]);
  }
  CHECK(longest == 50000);
  CHECK_THROWS_AS(offsets_of("long", 10), invalid_argument);
}

TEST_CASE("segments are sorted each on its own, equal items in their order") {
  using item = std::pair<int, char>;
  auto const by_first = [](item const& a, item const& b) { return a.first < b.first; };
  std::vector<item> const in{{3, 'a'}, {1, 'b'}, {3, 'c'}, {1, 'd'}, {2, 'e'}, {0, 'f'}};
  host_array<item> const items(static_cast<index_t>(in.size()));
  std::copy(in.begin(), in.end(), items.begin());
  sort_in_segments(items, {0, 4, 4, 5, 6}, by_first);
  CHECK(std::vector<item>(items.begin(), items.end()) ==
        std::vector<item>{{1, 'b'}, {1, 'd'}, {3, 'a'}, {3, 'c'}, {2, 'e'}, {0, 'f'}});
}

TEST_CASE("a sort within segments has a name, and bytes") {
  CHECK(segmented_sort_name("keys", "short", "uniform") == "sort keys within segments, short");
  CHECK(segmented_sort_name("pairs", "huge", "sorted") ==
        "sort pairs within segments, huge, sorted");
  CHECK(segmented_sort_bytes(100, 8, 44) == 1644);
}

TEST_CASE("a split has a name") {
  CHECK(split_name("two", false, 500) == "split two outputs 50 %");
  CHECK(split_name("one", true, 10) == "split one buffer by bytes 1 %");
  CHECK(split_name("reversed", false, 990) == "split reversed 99 %");
}

TEST_CASE("floating-point items have exact sums in any order") {
  index_t const n = 1 << 20;
  auto const in = items_of<float>("random", n);
  auto const forwards = scanned<float>(in, scan_kind::inclusive, plus<float>{});
  float most = 0, backwards = 0;
  for (float const x : forwards) most = std::max(most, std::abs(x));
  for (index_t i = n; i-- > 0;) backwards += in[i];
  CHECK(most < 16777216.0f / 16);  // 2^28 items go 16 times as far
  CHECK(backwards == forwards[n - 1]);
}

TEST_CASE("items do not depend on who makes them") {
  auto const some = items_of<std::uint32_t>("random", 1000);
  auto const more = items_of<std::uint32_t>("random", 100001);
  CHECK(std::equal(some.begin(), some.end(), more.begin()));
  CHECK(reduced(items_of<std::int8_t>("ones", 100), plus<std::int32_t>{}) == 100);
}

TEST_CASE("keys are what their axis says") {
  index_t const n = 100000;
  auto const made = [&](std::string_view values, auto zero, index_t items) {
    using key = decltype(zero);
    auto const keys = generated<key>(items, key_at<key>(values, items));
    return std::vector<key>(keys.begin(), keys.end());
  };
  auto const distinct = [](auto const& keys) {
    return std::set<std::uint64_t>(keys.begin(), keys.end()).size();
  };
  CHECK(distinct(made("uniform", std::uint32_t{}, n)) > 99900);
  CHECK(distinct(made("256-distinct", std::uint32_t{}, n)) == 256);
  CHECK(distinct(made("256-distinct", std::uint64_t{}, n)) == 256);
  CHECK(distinct(made("constant", std::uint32_t{}, n)) == 1);
  auto const ascending = [](auto const& keys) { return std::is_sorted(keys.begin(), keys.end()); };
  for (index_t const items : {index_t{1}, index_t{7}, index_t{65535}, index_t{65536}, n}) {
    CAPTURE(items);
    CHECK(ascending(made("sorted", std::uint16_t{}, items)));
    CHECK(ascending(made("sorted", std::uint32_t{}, items)));
    CHECK(ascending(made("sorted", std::uint64_t{}, items)));
  }
  auto const sorted = made("sorted", std::uint32_t{}, n);
  CHECK(sorted.back() > 0xfff00000u);
  CHECK(distinct(sorted) > 99900);
  CHECK(distinct(made("sorted", std::uint16_t{}, n)) > 30000);
  CHECK_THROWS_AS(key_at<std::uint32_t>("random", 10), invalid_argument);
}

TEST_CASE("runs are as long as their axis says, in the mean") {
  index_t const n = 1 << 18;
  for (int const mean : run_axis) {
    run_item_at const at{mean};
    index_t runs = 1;
    for (index_t i = 1; i < n; ++i) runs += at(i) != at(i - 1);
    CHECK(std::abs(static_cast<double>(n) / static_cast<double>(runs) - mean) <= 0.01 * mean);
  }
}

TEST_CASE("a mask in bits says what it says in bytes") {
  for (int const per_mille : keep_axis) {
    flag_at const flag{static_cast<std::uint32_t>(per_mille)};
    flags_at const bits{flag};
    int marked = 0;
    bool same = true;
    for (index_t i = 0; i < 1 << 16; ++i) {
      marked += flag(i);
      same = same && (bits(i / 32) >> i % 32 & 1) == flag(i);
    }
    CHECK(same);
    CHECK(std::abs(marked / 65.536 - per_mille) < 10);
  }
}

TEST_CASE("values that travel with keys are all different") {
  std::set<std::uint32_t> values;
  for (index_t i = 0; i < 100000; ++i) values.insert(value_at{}(i));
  CHECK(values.size() == 100000);
  for (index_t i = 0; i < 1000; ++i) CHECK(bucket_at{8}(i) < 8);
}

}  // namespace
}  // namespace libscan::bench
