// SPDX-License-Identifier: Apache-2.0
// Sums and scans block by block, as ranks on GPUs use them, against a loop per block. The last
// block is after the others, or elsewhere. What enters the blocks of the fixed tree, against
// recursions from its root.
#include <algorithm>
#include <cmath>
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

constexpr index_t block_items = libscan::detail::tree_block_items;

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

/// The sum of a node, which begins with values[0]: half by half.
float sum_of(float const* values, index_t size) {
  if (size == 1) return values[0];
  return sum_of(values, size / 2) + sum_of(values + size / 2, size / 2);
}

/// What enters block b of a node: what enters the node, and the left halves on the way to b.
float entering(float const* values, index_t size, float before, index_t b) {
  if (size == 1) return before;
  index_t const half = size / 2;
  if (b < half) return entering(values, half, before, b);
  return entering(values + half, half, before + sum_of(values, half), b - half);
}

/// The sizes of the largest aligned nodes that cover blocks [begin, end).
std::vector<index_t> node_sizes(index_t begin, index_t end) {
  std::vector<index_t> sizes;
  while (begin < end) {
    index_t size = 1;
    while (size < 1024 && begin % (2 * size) == 0 && begin + 2 * size <= end) size *= 2;
    sizes.push_back(size);
    begin += size;
  }
  return sizes;
}

/// Floats whose sum depends on the order of additions.
std::vector<float> wild_floats(index_t n) {
  std::vector<float> found;
  for (std::uint32_t const word : make_items<std::uint32_t>(n)) {
    found.push_back(std::ldexp(static_cast<float>(word % 2001) - 1000.0f, word / 2001 % 30));
  }
  return found;
}

void require_nodes(index_t first, index_t blocks) {
  INFO("blocks " << first << " to " << first + blocks);
  auto const sizes = node_sizes(first, first + blocks);
  auto const values = wild_floats(blocks), carries = wild_floats(std::ssize(sizes));
  std::vector<float> expected_sums, expected;
  float const* node = values.data();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    expected_sums.push_back(sum_of(node, sizes[i]));
    for (index_t b = 0; b < sizes[i]; ++b) {
      expected.push_back(entering(node, sizes[i], carries[i], b));
    }
    node += sizes[i];
  }
  REQUIRE(libscan::detail::local_nodes(first, first + blocks) == std::ssize(sizes));
  device_image<float> d_values(values), d_nodes(std::ssize(sizes)), d_carries(carries);
  using op = plus<float>;
  using sums = device::node_kernel<false, op>;
  using entries = device::node_kernel<true, op>;
  auto const grid = static_cast<unsigned>(sizes.size());
  simt::launch<sums>({.blocks = grid, .threads = sums::block_threads}, d_values.data(), first,
                     blocks, d_nodes.data(), op{});
  simt::launch<entries>({.blocks = grid, .threads = entries::block_threads}, d_values.data(), first,
                        blocks, d_carries.data(), op{});
  REQUIRE(d_nodes.read() == expected_sums);
  REQUIRE(d_values.read() == expected);
  REQUIRE(d_values.damage() + d_nodes.damage() + d_carries.damage() == "");
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

TEST_CASE("sums go up in the fixed tree, and what enters its blocks comes down") {
  for (index_t const first : {0, 5, 1023, 3 * 1024, 1 << 20}) {
    for (index_t const blocks : {1, 2, 7, 1024, 2500}) require_nodes(first, blocks);
  }
  require_nodes(1, 3 * 1024);
}
