// SPDX-License-Identifier: Apache-2.0
// The CPU engine's scan, filter, histogram and sort of more bytes than 32 bits count, one after
// the other and each in the place of its input where it can be: 4 GiB, and 4 GiB more for the sort.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/workers.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/formula.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using byte = std::uint8_t;

/// n bytes, one for each formula(i).
template <class Formula>
void fill(byte* items, index_t n, Formula formula) {
  for (index_t i = 0; i < n; ++i) items[i] = static_cast<byte>(formula(i));
}

/// How many of n bytes are not formula(i).
template <class Formula>
index_t count_wrong(byte const* items, index_t n, Formula formula) {
  index_t wrong = 0;
  for (index_t i = 0; i < n; ++i) wrong += items[i] != static_cast<byte>(formula(i)) ? 1 : 0;
  return wrong;
}

/// Counts the bytes of each value in a loop.
std::vector<std::uint64_t> counts_of(byte const* items, index_t n) {
  std::vector<std::uint64_t> counts(256);
  for (index_t i = 0; i < n; ++i) ++counts[items[i]];
  return counts;
}

}  // namespace

TEST_CASE("scans, filters, counts and sorts of more than 2^32 bytes on the CPU") {
  index_t const n = (index_t{1} << 32) + 65;
  int const threads = cpu::default_threads();
  auto const memory = std::make_unique_for_overwrite<byte[]>(static_cast<std::size_t>(n));
  byte* const items = memory.get();
  random_steps<byte> const steps;

  fill(items, n, steps);
  CHECK(cpu::inclusive_scan(threads, items, items, n, plus<byte>{}, steps.before(0)) ==
        steps.before(n));
  CHECK(count_wrong(items, n, [&](index_t i) { return steps.before(i + 1); }) == 0);

  std::vector<std::uint64_t> const expected = counts_of(items, n);
  std::vector<std::uint64_t> counts(256);
  integer_bins<byte> const every_value(0, 256);
  CHECK(cpu::histogram(threads, items, counts.data(), every_value, n).inside == n);
  CHECK(counts == expected);

  // The last ones lie beyond 2^32; what is kept is known by what it is.
  std::vector<index_t> places(1 << 16);
  auto const capacity = static_cast<index_t>(places.size());
  auto const is_chosen = [](index_t i) { return i % 1000003 == 7 || i % (index_t{1} << 32) == 64; };
  std::fill_n(items, n, byte{0});
  index_t chosen = 0;
  for (index_t i = 0; i < n; ++i) {
    if (is_chosen(i)) items[i] = static_cast<byte>(1 + chosen++ % 255);
  }
  auto const nonzero = [](byte x) { return x != 0; };
  REQUIRE(chosen < capacity);
  REQUIRE(cpu::filter_indices(threads, items, places.data(), n, nonzero, capacity) == chosen);
  CHECK(places[static_cast<std::size_t>(chosen - 1)] == n - 1);
  index_t misplaced = 0;
  for (index_t k = 0; k < chosen; ++k) {
    misplaced += is_chosen(places[static_cast<std::size_t>(k)]) ? 0 : 1;
  }
  CHECK(misplaced == 0);
  CHECK(std::is_sorted(places.begin(), places.begin() + chosen));
  REQUIRE(cpu::filter(threads, items, items, n, nonzero) == chosen);
  CHECK(count_wrong(items, chosen, [](index_t k) { return 1 + k % 255; }) == 0);

  fill(items, n, scrambled);
  std::vector<std::uint64_t> ends = counts_of(items, n);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  cpu::sort_keys(threads, items, items, n);
  index_t wrong = 0;
  std::uint64_t begin = 0;
  for (std::size_t value = 0; value < 256; ++value) {
    for (std::uint64_t i = begin; i < ends[value]; ++i) wrong += items[i] != value ? 1 : 0;
    begin = ends[value];
  }
  CHECK(wrong == 0);
}
