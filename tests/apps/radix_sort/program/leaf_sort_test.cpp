// SPDX-License-Identifier: Apache-2.0
// The sort of a bucket by one thread, by digits of either width.
#include <algorithm>
#include <array>
#include <cstdint>
#include <ios>
#include <tuple>
#include <vector>

#include <apps/radix_sort/cpu/leaf_sort.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/inputs.hpp>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("leaves are sorted stably by digits of either width, and by what is left them") {
  using item = cpu::detail::keyed_value<std::uint64_t, std::uint32_t>;
  cpu::detail::counting_bits<std::uint64_t> const order{~std::uint64_t{0}};
  for (bool const wide : {false, true}) {
    for (index_t const n : {1, 2, 7, 31, 32, 33, 511, 512, 513, 3000, 20000, 70001}) {
      // Bits in which keys differ: all; a digit's; two digits'; two far apart, with the same ones
      // above in many keys, which tie except the lowest.
      for (std::uint64_t const mask :
           {~std::uint64_t{0}, std::uint64_t{0x7f0}, std::uint64_t{0x3fffff} << 20,
            std::uint64_t{0xfff} << 50 | 0xf, std::uint64_t{1} << 63 | 0xffff}) {
        INFO("wide " << wide << " n " << n << " bits " << std::hex << mask);
        random_words words(static_cast<std::uint64_t>(n) ^ mask);
        std::vector<item> items(static_cast<std::size_t>(n)), partner(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
          items[i] = {words() & mask, static_cast<std::uint32_t>(i)};
        }
        auto expected = items;
        std::stable_sort(expected.begin(), expected.end(),
                         [](item const& a, item const& b) { return a.key < b.key; });
        item const* const got =
            cpu::detail::leaf_sort(items.data(), partner.data(), n, order, wide);
        REQUIRE(std::equal(expected.begin(), expected.end(), got,
                           [](item a, item b) { return a.key == b.key && a.value == b.value; }));
      }
    }
  }
}

TEST_CASE("networks sort all that is 0 or 1, and so anything") {
  random_words words;
  auto const check = [](auto& items, auto sort) {
    auto expected = items;
    std::sort(expected.begin(), expected.end());
    sort(items.data());
    CHECK(items == expected);
  };
  for (int round = 0; round < 3000; ++round) {
    // As many ones as zeros, or few of either.
    std::uint64_t const bits = round % 3 == 0   ? words()
                               : round % 3 == 1 ? words() & words() & words()
                                                : words() | words();
    std::array<std::uint64_t, 24> some;
    std::array<std::uint64_t, 32> more;
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = bits >> i & 1;
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = bits >> i & 1;
    check(some, cpu::detail::sort_words_by_network<24>);
    check(more, cpu::detail::sort_words_by_network<32>);
  }
}

using leaf_types =
    types_to_test<std::tuple<std::uint8_t, std::uint64_t>, std::tuple<std::uint32_t>>;
TEMPLATE_LIST_TEST_CASE("few items are sorted stably by the bits that count", "", leaf_types) {
  using item = cpu::detail::keyed_value<TestType, int>;
  random_words words;
  for (TestType const counting : {TestType(~TestType{0}), TestType(6), TestType(0)}) {
    cpu::detail::counting_bits<TestType> const order{counting};
    for (index_t n = 1; n <= cpu::detail::few_items<TestType>; ++n) {
      INFO(n << " items");
      std::vector<item> items(static_cast<std::size_t>(n)), sorted(items.size());
      for (std::size_t i = 0; i < items.size(); ++i) {
        items[i] = {static_cast<TestType>(n % 2 == 0 ? words() : ~words.below(3)),
                    static_cast<int>(i)};
      }
      auto expected = items;
      std::stable_sort(expected.begin(), expected.end(),
                       [&](item const& a, item const& b) { return order(a.key) < order(b.key); });
      cpu::detail::sort_few_items(items.data(), sorted.data(), n, order);
      REQUIRE(std::equal(expected.begin(), expected.end(), sorted.begin(),
                         [](item a, item b) { return a.key == b.key && a.value == b.value; }));
    }
  }
}
