// SPDX-License-Identifier: Apache-2.0
// The sort of a bucket by one thread, by digits of either width.
#include <algorithm>
#include <cstdint>
#include <ios>
#include <vector>

#include <apps/radix_sort/leaf_sort_cpu.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("leaves are sorted stably by digits of either width, and by what is left behind them") {
  using item = cpu::detail::keyed_value<std::uint64_t, std::uint32_t>;
  cpu::detail::counting_bits<std::uint64_t> const order{~std::uint64_t{0}};
  for (bool const wide : {false, true}) {
    for (index_t const n : {1, 2, 7, 31, 32, 33, 511, 512, 513, 3000, 20000, 70001}) {
      // Bits in which keys differ: all; a digit's; two digits'; two far apart, with the same ones
      // above in many keys, which tie but for the lowest.
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
