// SPDX-License-Identifier: Apache-2.0
// Filters and splits on the CPU of iterators that are no pointers, and what they refuse to write
// over.
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <iterator>
#include <vector>

#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {

/// The squares of 0, 1, 2, ..., made as they are read.
struct squares {
  using value_type = index_t;
  using difference_type = index_t;

  index_t at = 0;

  index_t operator[](index_t i) const { return (at + i) * (at + i); }
  index_t operator*() const { return at * at; }
  squares& operator+=(index_t distance) {
    at += distance;
    return *this;
  }
  squares& operator-=(index_t distance) { return *this += -distance; }
  squares& operator++() { return *this += 1; }
  squares& operator--() { return *this -= 1; }
  squares operator++(int) { return {at++}; }
  squares operator--(int) { return {at--}; }
  friend squares operator+(squares it, index_t distance) { return it += distance; }
  friend squares operator+(index_t distance, squares it) { return it += distance; }
  friend squares operator-(squares it, index_t distance) { return it -= distance; }
  friend index_t operator-(squares a, squares b) { return a.at - b.at; }
  friend auto operator<=>(squares const&, squares const&) = default;
};
static_assert(std::random_access_iterator<squares>);

}  // namespace libscan::test

using namespace libscan;
using namespace libscan::test;

namespace {

/// Items too long for the code that packs in vector registers.
struct triple {
  std::array<int, 3> numbers;
  bool operator==(triple const&) const = default;
};

constexpr index_t sizes[] = {0, 1, 31, 511, 512, 513, 5000, sized(40000, 17000)};
static_assert(sizes[7] > cpu::filter_chunk_items);

/// All filters and splits of `in` to deques, against plain loops.
template <class In, class Keep>
void require_filtered(In in, index_t n, Keep keep, index_t chunk_items) {
  using T = std::iter_value_t<In>;
  std::vector<T> kept, rejected;
  std::vector<index_t> at;
  for (index_t i = 0; i < n; ++i) {
    T const item = in[i];
    (keep(item) ? kept : rejected).push_back(item);
    if (keep(item)) at.push_back(i);
  }
  auto const count = static_cast<index_t>(kept.size()), others = n - count;
  for (int const threads : thread_counts) {
    INFO("n " << n << " threads " << threads << " chunks of " << chunk_items);
    std::deque<T> out(kept.size()), beside(rejected.size());
    REQUIRE(cpu::filter(threads, in, out.begin(), n, keep, count, chunk_items) == count);
    REQUIRE(std::equal(kept.begin(), kept.end(), out.begin()));
    std::deque<std::int32_t> positions(kept.size());
    REQUIRE(cpu::filter_indices(threads, in, positions.begin(), n, keep, count, chunk_items) ==
            count);
    REQUIRE(std::equal(at.begin(), at.end(), positions.begin()));
    REQUIRE(cpu::count_if(threads, in, n, keep, chunk_items) == count);
    std::fill(out.begin(), out.end(), T{});
    using place = typename std::deque<T>::iterator;
    cpu::split_outputs<place> const both{out.begin(), count, beside.begin(), others};
    REQUIRE(cpu::split(threads, in, both, n, keep, chunk_items) == count);
    REQUIRE(std::equal(kept.begin(), kept.end(), out.begin()));
    REQUIRE(std::equal(rejected.begin(), rejected.end(), beside.begin()));
    std::deque<T> ends(static_cast<std::size_t>(n));
    cpu::split_outputs<place, std::reverse_iterator<place>> const from_both_ends{
        ends.begin(), count, ends.rbegin(), others};
    REQUIRE(cpu::split(threads, in, from_both_ends, n, keep, chunk_items) == count);
    REQUIRE(std::equal(kept.begin(), kept.end(), ends.begin()));
    REQUIRE(std::equal(rejected.begin(), rejected.end(), ends.rbegin()));
    cpu::indexed_outputs<place, int*> with{out.begin(), count, nullptr, 0};
    std::vector<int> indices(kept.size());
    with.indices = indices.data();
    with.indices_capacity = count;
    std::fill(out.begin(), out.end(), T{});
    cpu::keep_where<In, Keep> const rule{in, keep};
    REQUIRE(cpu::filter_with_indices_by(threads, in, with, n, rule, chunk_items) == count);
    REQUIRE(std::equal(kept.begin(), kept.end(), out.begin()));
    REQUIRE(std::equal(at.begin(), at.end(), indices.begin()));
  }
}

}  // namespace

TEST_CASE("what iterators give is filtered and split like items in memory") {
  with_threads(16, [] {
    for (index_t const n : sizes) {
      for (index_t const chunk_items : {index_t{700}, cpu::filter_chunk_items}) {
        require_filtered(
            squares{}, n, [](index_t x) { return x % 3 == 1; }, chunk_items);
        auto const items = make_input<int>(pattern::random, n);
        std::deque<int> const scattered(items.begin(), items.end());
        require_filtered(
            scattered.begin(), n, [](int x) { return x > 0; }, chunk_items);
        require_filtered(
            items.begin(), n, [](int x) { return x % 2 == 0; }, chunk_items);
        std::deque<triple> long_items;
        for (int const x : items) long_items.push_back({{x, 1, x}});
        require_filtered(
            long_items.begin(), n, [](triple const& x) { return x.numbers[2] > 5; }, chunk_items);
        std::vector<bool> bits;
        for (int const x : items) bits.push_back(x % 5 == 0);
        require_filtered(
            bits.begin(), n, [](bool bit) { return bit; }, chunk_items);
      }
    }
  });
}

TEST_CASE("results of filters are converted to what an output holds, up to its size") {
  auto const items = make_input<int>(pattern::sorted, 3000);
  std::vector<double> out(101, -1);
  auto const odd = [](int x) { return x % 2 != 0; };
  CHECK(cpu::filter(3, items.data(), out.data(), 3000, odd, 100, 64) == 1500);
  std::vector<double> expected;
  for (int k = 0; k < 100; ++k) expected.push_back(2 * k + 1);
  expected.push_back(-1);
  CHECK(difference(expected, out) == "");
}

TEST_CASE("values with indices go over the input, whoever is late") {
  index_t const n = 40000;
  auto const items = make_input<int>(pattern::random, n);
  auto const odd = [](int x) { return x % 2 != 0; };
  auto const all = [](int) { return true; };
  auto const require = [&](int threads, auto const& rule_for, std::vector<index_t> const& at) {
    auto values = items;
    std::vector<std::int32_t> indices(items.size());
    cpu::indexed_outputs<int*, std::int32_t*> const to{values.data(), n, indices.data(), n};
    auto const count = static_cast<index_t>(at.size());
    REQUIRE(cpu::filter_with_indices_by(threads, values.data(), to, n, rule_for(values.data()),
                                        700) == count);
    REQUIRE(std::equal(at.begin(), at.end(), indices.begin()));
    REQUIRE(std::equal(at.begin(), at.end(), values.begin(), [&](index_t place, int value) {
      return value == items[static_cast<std::size_t>(place)];
    }));
  };
  std::vector<index_t> odd_ones, every, heads;
  for (index_t i = 0; i < n; ++i) {
    auto const k = static_cast<std::size_t>(i);
    every.push_back(i);
    if (odd(items[k])) odd_ones.push_back(i);
    if (i == 0 || items[k] != items[k - 1]) heads.push_back(i);
  }
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      INFO(threads << " threads");
      auto const keeps = [](auto keep) {
        return [=](int const* in) { return cpu::keep_where<int const*, decltype(keep)>{in, keep}; };
      };
      require(threads, keeps(odd), odd_ones);
      require(threads, keeps(all), every);
      require(
          threads, [](int const* in) { return cpu::keep_heads{in}; }, heads);
    }
  });
}

TEST_CASE("filters and splits refuse outputs that share memory with what they may not") {
  std::vector<int> items(40, 1), apart(40);
  std::vector<std::uint8_t> flags(40, 1);
  int *const in = items.data(), *const out = apart.data();
  auto const all = [](int) { return true; };
  cpu::keep_flagged const flagged{flags.data()};
  CHECK(cpu::filter(2, in, in, 10, all) == 10);
  CHECK(cpu::filter(2, in, in, 10, all, 5) == 10);
  CHECK(cpu::filter(2, in, in + 10, 10, all, 20) == 10);
  CHECK(cpu::filter_by(2, in, in, 10, flagged) == 10);
  CHECK_THROWS_AS(cpu::filter(2, in, in + 1, 10, all), invalid_argument);
  CHECK_THROWS_AS(cpu::filter(2, in + 4, in, 10, all), invalid_argument);
  CHECK(cpu::filter(2, in + 4, in, 10, all, 4) == 10);
  CHECK_THROWS_AS(cpu::filter(2, in, reinterpret_cast<float*>(in), 10, all), invalid_argument);
  CHECK(cpu::filter_by(2, in, in, 10, cpu::keep_heads{in}) == 1);
  CHECK_THROWS_AS(cpu::filter_by(2, in, in + 20, 10, cpu::keep_heads{in + 15}), invalid_argument);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(in);
  CHECK_THROWS_AS(cpu::filter_by(2, in, in, 10, cpu::keep_flagged{bytes + 30}), invalid_argument);
  CHECK_THROWS_AS(cpu::filter_by(2, in, out, 10,
                                 cpu::keep_masked{reinterpret_cast<std::uint32_t const*>(out + 9)}),
                  invalid_argument);
  auto const split = [&](int* kept, int* rejected) {
    return cpu::split_by(2, in, {kept, 10, rejected, 10}, 10, flagged);
  };
  CHECK(split(out, out + 10) == 10);
  for (auto const& [kept, rejected] : {std::pair{out, out + 9}, {in, out}, {out, in + 9}}) {
    CHECK_THROWS_AS(split(kept, rejected), invalid_argument);
  }
  index_t at[10];
  CHECK(cpu::filter_indices(2, in, at, 10, all) == 10);
  CHECK_THROWS_AS(cpu::filter_indices(2, in, in + 9, 10, all), invalid_argument);
  auto const with_indices = [&](int* values, index_t* indices) {
    return cpu::filter_with_indices_by(2, in, {values, 10, indices, 10}, 10, flagged);
  };
  CHECK(with_indices(out, at) == 10);
  CHECK(with_indices(in, at) == 10);
  CHECK_THROWS_AS(with_indices(in + 1, at), invalid_argument);
  CHECK_THROWS_AS(with_indices(reinterpret_cast<int*>(at), at), invalid_argument);
  CHECK_THROWS_AS(cpu::gather(in, at, 2, reinterpret_cast<int*>(at)), invalid_argument);
}
