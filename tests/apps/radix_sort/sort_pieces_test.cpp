// SPDX-License-Identifier: Apache-2.0
// What the host decides in a sort of more keys than a device holds: the length of chunks, and where
// sorted chunks are cut, against a stable sort.
#include <apps/radix_sort/host/sort_pieces.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {
namespace {

/// Keys in sorted chunks, and the positions of all of them in stable order.
template <class Key>
struct chunked {
  std::vector<Key> keys;
  std::vector<index_t> order;

  chunked(std::vector<Key> items, index_t length, sort_order<Key> const& by)
      : keys(std::move(items)), order(keys.size()) {
    auto const n = static_cast<index_t>(keys.size());
    for (index_t begin = 0; begin < n; begin += length) {
      std::stable_sort(keys.begin() + begin, keys.begin() + std::min(n, begin + length), by);
    }
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
      return by(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
    });
  }
};

using key_types = std::tuple<std::uint8_t, std::int16_t, std::uint64_t, float, double>;
TEMPLATE_LIST_TEST_CASE("sorted chunks are cut at the exact rank, ties in order", "", key_types) {
  using Key = TestType;
  for (pattern const p : {pattern::random, pattern::constant, pattern::alternating, pattern::sorted,
                          pattern::reversed, pattern::special}) {
    for (sort_order<Key> const& by :
         {sort_order<Key>{}, sort_order<Key>{.direction = sort_direction::descending},
          sort_order<Key>{.first_bit = 1, .end_bit = 6}}) {
      index_t const n = 203, length = 50;
      chunked<Key> const all(make_input<Key>(p, n), length, by);
      libscan::detail::sorted_chunks<Key> const chunks{all.keys.data(), n, length, by};
      REQUIRE(chunks.count() == 5);
      for (index_t rank = 0; rank <= n; ++rank) {
        std::vector<index_t> expected;
        for (index_t c = 0; c < 5; ++c) expected.push_back(chunks.begin(c));
        for (index_t k = 0; k < rank; ++k) {
          ++expected[static_cast<std::size_t>(all.order[static_cast<std::size_t>(k)] / length)];
        }
        INFO("pattern " << static_cast<int>(p) << ", rank " << rank);
        REQUIRE(chunks.cuts(rank) == expected);
      }
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
