// SPDX-License-Identifier: Apache-2.0
// Sums and scans block by block, as ranks on GPUs use them, against a loop per block. The last
// block is after the others, or elsewhere.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/host/device_blocks.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr index_t block_items = libscan::detail::device_block_items;

/// An iterator over n items from their beginning or their end.
template <bool Reversed, class Item>
auto over(Item* items, index_t n) {
  if constexpr (Reversed) {
    return reverse_iterator<Item*>{items + n};
  } else {
    return items;
  }
}

/// `n` items in place, the last block elsewhere if `apart`; in the order of the scan.
template <scan_kind Kind, class T, bool Reversed>
void require_blocks(index_t n, int offset, bool apart) {
  INFO("n = " << n << ", offset " << offset << ", apart " << apart);
  using op = plus<T>;
  auto const blocks = ceil_div(n, block_items);
  index_t const own = apart ? (blocks - 1) * block_items : n;
  auto items = make_items<T>(n);
  auto const carries = make_items<T>(blocks, 3);
  std::vector<T> expected_sums, expected;
  for (index_t b = 0; b < blocks; ++b) {
    T sum = 0, before = carries[static_cast<std::size_t>(b)];
    for (index_t i = b * block_items; i < std::min(n, (b + 1) * block_items); ++i) {
      T const item = items[static_cast<std::size_t>(i)];
      if (Kind == scan_kind::exclusive) expected.push_back(before);
      before = static_cast<T>(before + item);
      if (Kind == scan_kind::inclusive) expected.push_back(before);
      sum = static_cast<T>(sum + item);
    }
    expected_sums.push_back(sum);
  }
  auto const cut = items.begin() + own;
  std::vector<T> first(items.begin(), cut), last(cut, items.end());
  if (Reversed) {
    std::ranges::reverse(first);
    std::ranges::reverse(last);
  }
  device_image<T> d_first(first, offset), d_last(last), d_carries(carries), d_sums(blocks);
  auto const blocks_at = [&]<class Item>(Item* first_items, Item* last_items) {
    using iterator = decltype(over<Reversed>(first_items, own));
    return device::blocks_of_items<iterator>{over<Reversed>(first_items, own),
                                             over<Reversed>(last_items, n - own), n, apart};
  };
  auto const out = blocks_at(d_first.data(), d_last.data());
  auto const source =
      blocks_at(static_cast<T const*>(d_first.data()), static_cast<T const*>(d_last.data()));
  using iterator = std::remove_cv_t<decltype(source.first)>;
  using target = std::remove_cv_t<decltype(out.first)>;
  using sums = device::block_sums_kernel<iterator, op>;
  using scans = device::block_scans_kernel<Kind, iterator, target, op>;
  auto const grid = static_cast<unsigned>(blocks);
  simt::launch<sums>({.blocks = grid, .threads = sums::block_threads}, source, d_sums.data(), op{});
  simt::launch<scans>({.blocks = grid, .threads = scans::block_threads}, source, out,
                      static_cast<T const*>(d_carries.data()), op{});
  REQUIRE(d_sums.read() == expected_sums);
  auto scanned = d_first.read();
  auto rest = d_last.read();
  if (Reversed) {
    std::ranges::reverse(scanned);
    std::ranges::reverse(rest);
  }
  scanned.insert(scanned.end(), rest.begin(), rest.end());
  REQUIRE(scanned == expected);
  REQUIRE(d_first.damage() + d_last.damage() + d_sums.damage() == "");
}

}  // namespace

TEST_CASE("blocks are summed and scanned by themselves") {
  for (index_t const n : {index_t{1}, index_t{513}, index_t{4097}, block_items + 700}) {
    bool const apart = n > block_items;
    require_blocks<scan_kind::inclusive, std::uint32_t, false>(n, 0, false);
    require_blocks<scan_kind::exclusive, std::uint32_t, false>(n, 1, apart);
    require_blocks<scan_kind::inclusive, std::uint64_t, true>(n, 1, apart);
    require_blocks<scan_kind::exclusive, std::uint8_t, true>(n, 0, apart);
  }
}
