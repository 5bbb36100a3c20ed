// SPDX-License-Identifier: Apache-2.0
// What the host decides in a sort of more keys than a device holds: the length of chunks, and where
// sorted chunks are cut into ranges, against a stable sort.
#include <apps/radix_sort/host/sort_pieces.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {
namespace {

/// Sorted chunks, and their samples.
template <class Key>
struct sorted_chunks {
  using word = typename sort_order<Key>::word_type;

  libscan::detail::chunk_plan plan;
  sort_order<Key> by;
  std::vector<std::vector<Key>> keys;
  std::vector<std::vector<word>> samples;

  sorted_chunks(std::vector<Key> const& items, index_t length, sort_order<Key> const& order)
      : plan{static_cast<index_t>(items.size()), length}, by(order) {
    for (index_t c = 0; c < plan.chunks(); ++c) {
      auto& chunk =
          keys.emplace_back(items.begin() + plan.begin(c), items.begin() + plan.begin(c + 1));
      std::stable_sort(chunk.begin(), chunk.end(), by);
      auto& of_chunk = samples.emplace_back();
      index_t const count = plan.samples(c);
      for (index_t i = 0; i < count; ++i) {
        of_chunk.push_back(word_of(chunk[static_cast<std::size_t>(i * plan.size(c) / count)]));
      }
    }
  }

  word word_of(Key const& key) const { return static_cast<word>(by.word(key) & by.counting(0)); }

  /// How many keys of each chunk come before range r.
  std::vector<index_t> cut(index_t r) const {
    std::vector<std::span<word const>> const views(samples.begin(), samples.end());
    index_t const rank = plan.range_begin(r);
    word const at = libscan::detail::word_of_rank(views, ceil_div(rank, plan.distance()));
    std::vector<index_t> below, not_above;
    for (auto const& chunk : keys) {
      below.push_back(std::ranges::count_if(chunk, [&](Key k) { return word_of(k) < at; }));
      not_above.push_back(std::ranges::count_if(chunk, [&](Key k) { return word_of(k) <= at; }));
    }
    return libscan::detail::cut_chunks(below, not_above, rank);
  }

  std::vector<index_t> sizes() const {
    std::vector<index_t> all;
    for (auto const& chunk : keys) all.push_back(static_cast<index_t>(chunk.size()));
    return all;
  }
};

using key_types = std::tuple<std::uint8_t, std::int16_t, std::uint64_t, float, double>;
TEMPLATE_LIST_TEST_CASE("ranges of sorted chunks are no longer than chunks, and sort all", "",
                        key_types) {
  using Key = TestType;
  auto turn = sizeof(Key);
  for (pattern const p : {pattern::random, pattern::constant, pattern::alternating, pattern::sorted,
                          pattern::reversed, pattern::special}) {
    for (sort_order<Key> const& by :
         {sort_order<Key>{}, sort_order<Key>{.direction = sort_direction::descending},
          sort_order<Key>{.first_bit = 1, .end_bit = 6}}) {
      // All keys are samples; one in 5; one in 17, of chunks whose last is short.
      for (auto const& [n, length] :
           {std::pair<index_t, index_t>{203, 50}, {5000, 1000}, {20001, 5000}}) {
        if (quick_types && n > 5000 && turn++ % 4 != 0) continue;  // large ones in turn
        auto const items = make_input<Key>(p, n);
        sorted_chunks<Key> const all(items, length, by);
        std::vector<Key> expected(items), got;
        std::stable_sort(expected.begin(), expected.end(), by);
        std::vector<index_t> from(all.keys.size());
        for (index_t r = 1; r <= all.plan.ranges(); ++r) {
          auto const to = r == all.plan.ranges() ? all.sizes() : all.cut(r);
          std::vector<Key> range;
          for (std::size_t c = 0; c < to.size(); ++c) {
            REQUIRE(from[c] <= to[c]);
            range.insert(range.end(), all.keys[c].begin() + from[c], all.keys[c].begin() + to[c]);
          }
          INFO("pattern " << static_cast<int>(p) << ", " << n << " keys, range " << r);
          REQUIRE(static_cast<index_t>(range.size()) <= length);
          std::stable_sort(range.begin(), range.end(), by);
          got.insert(got.end(), range.begin(), range.end());
          from = to;
        }
        // Bit for bit: equal keys are in the order of the items.
        REQUIRE(bit_difference(expected, got) == "");
      }
    }
  }
}

TEST_CASE("all keys are samples where chunks are short, few where they are long") {
  using plan = libscan::detail::chunk_plan;
  CHECK(plan{203, 50}.distance() == 1);
  CHECK(plan{203, 50}.range_length() == 50);
  CHECK(plan{20001, 5000}.distance() == 14);
  plan const large{index_t{1} << 34, index_t{1} << 28};
  CHECK(large.all_samples() < 300000);
  CHECK(large.range_length() > large.length / 32 * 31);
  CHECK(large.ranges() <= 67);
}

TEST_CASE("chunks stay where memory is left") {
  libscan::detail::chunk_plan const seven{700, 100};
  auto const stay = [&](std::size_t usable, std::size_t fixed) {
    return libscan::detail::with_residents(seven, usable, fixed, 400).resident;
  };
  CHECK(stay(1000, 1000) == 0);
  CHECK(stay(900, 1000) == 0);
  CHECK(stay(1399, 1000) == 0);
  CHECK(stay(1400, 1000) == 1);
  CHECK(stay(3000, 1000) == 5);
  CHECK(stay(100000, 1000) == 7);
}

TEST_CASE("spilled chunks are spread among those that stay") {
  using plan = libscan::detail::chunk_plan;
  for (index_t const chunks : {1, 2, 7, 64}) {
    for (index_t resident = 0; resident <= chunks; ++resident) {
      plan const some{100 * chunks - 3, 100, resident};
      REQUIRE(some.chunks() == chunks);
      index_t stay = 0, spilled = 0;
      for (index_t c = 0; c < chunks; ++c) {
        CHECK(some.resident_before(c) == stay);
        CHECK(some.spilled_begin(c) == 100 * spilled);
        ++(some.stays(c) ? stay : spilled);
      }
      CHECK(stay == resident);
      bool const both = resident > 0 && resident < chunks;
      if (both) CHECK((!some.stays(0) && some.stays(chunks - 1)));
      if (2 * resident == chunks) CHECK(some.stays(1));
    }
  }
}

TEST_CASE("chunks fit in the device's memory, and are as many as keep copies busy") {
  auto const bytes = [](index_t items) { return static_cast<std::size_t>(items) * 40 + 1000; };
  std::size_t const all = std::numeric_limits<std::size_t>::max();
  CHECK(libscan::detail::sort_chunk_items(1 << 20, 100, all, bytes) == (1 << 20) / 64);
  CHECK(libscan::detail::sort_chunk_items(1 << 20, 1 << 17, all, bytes) == 1 << 17);
  for (std::size_t const limit : {20'000u, 100'000u, 1'000'000u}) {
    index_t const items = libscan::detail::sort_chunk_items(1 << 20, 1 << 17, limit, bytes);
    CHECK(bytes(items) <= limit);
    CHECK(items % 32 == 0);
    CHECK(items >= 160);
  }
  // A device with too little memory for any chunk refuses memory, not the sort.
  CHECK(libscan::detail::sort_chunk_items(1 << 20, 1 << 17, 0, bytes) == 256);
}

}  // namespace
}  // namespace libscan::test
