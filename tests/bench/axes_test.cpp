// SPDX-License-Identifier: Apache-2.0
// Tests of what scan-bench measures on: the data of its axes, their names, and their oracles.
#include <bench/measure.hpp>
#include <bench/oracles.hpp>
#include <bench/segments.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tests/support/catch.hpp>

namespace libscan::bench {
namespace {

TEST_CASE("segments of every length distribution cover all items, in all four forms") {
  for (auto const& name : length_axis) {
    CHECK(std::count(sort_length_axis.begin(), sort_length_axis.end(), name) == 1);
  }
  for (auto const& lengths : names_of(all_length_axis)) {
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
