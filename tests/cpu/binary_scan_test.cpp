// SPDX-License-Identifier: Apache-2.0
// Tests of the CPU's binary scans against a loop that counts: both masks, ranks of both widths,
// sizes, threads, places and policies.
#include <libscan/cpu/binary_scan.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

constexpr scan_kind both_kinds[] = {scan_kind::inclusive, scan_kind::exclusive};

/// n bytes; about so many of every 64 are not 0.
std::vector<std::uint8_t> flags_with(std::uint64_t of_64, index_t n) {
  random_words words(of_64 * 31 + static_cast<std::uint64_t>(n));
  std::vector<std::uint8_t> flags;
  for (index_t i = 0; i < n; ++i) {
    flags.push_back(words.below(64) < of_64 ? static_cast<std::uint8_t>(1 << i % 8) : 0);
  }
  return flags;
}

/// What is wrong with ranks by `mask`; "" if nothing.
template <class Rank, class Mask>
std::string faults(int threads, scan_kind kind, Mask const& mask, scan_result<Rank> const& expected,
                   index_t chunk_items, int offset) {
  auto const n = static_cast<index_t>(expected.out.size());
  guarded_buffer<Rank> ranks(n, offset);
  index_t const total =
      kind == scan_kind::inclusive
          ? cpu::inclusive_binary_scan(threads, mask, ranks.data(), n, chunk_items)
          : cpu::exclusive_binary_scan(threads, mask, ranks.data(), n, chunk_items);
  std::string const found = ranks.damage() + difference(expected.out, ranks.copy());
  if (found.empty() && total == static_cast<index_t>(expected.total)) return "";
  return std::to_string(threads) + " threads, n = " + std::to_string(n) + ", chunks of " +
         std::to_string(chunk_items) + ", total " + std::to_string(total) + ": " + found;
}

template <class Rank>
std::string all_faults(int threads, index_t n, index_t chunk_items) {
  for (std::uint64_t const of_64 : {0, 1, 32, 64}) {
    auto const flags = flags_with(of_64, n);
    auto const words = bits_of(flags);  // those after the last item are set
    std::vector<std::uint8_t> ones;
    for (std::uint8_t const flag : flags) ones.push_back(flag != 0 ? 1 : 0);
    for (scan_kind const kind : both_kinds) {
      auto const expected = scan_oracle(kind, ones, plus<Rank>{}, Rank{0});
      int const offset = static_cast<int>(n % 17);
      auto found = faults(threads, kind, byte_mask{flags.data()}, expected, chunk_items, offset);
      if (!found.empty()) return "bytes, " + found;
      found = faults(threads, kind, bit_mask{words.data()}, expected, chunk_items, 16 - offset);
      if (!found.empty()) return "bits, " + found;
    }
  }
  return "";
}

using rank_types =
    types_to_test<std::tuple<std::int32_t, std::uint64_t>, std::tuple<std::uint32_t, std::int64_t>>;
TEMPLATE_LIST_TEST_CASE("ranks are those that a loop counts", "", rank_types) {
  for (index_t const n : tiny_sizes()) {
    for (index_t const chunk_items : {1, 3, 32, 64, 70}) {
      CHECK(all_faults<TestType>(1 + static_cast<int>(n % 2), n, chunk_items) == "");
    }
  }
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      for (index_t const n : size_ladder(500, 256, 20000)) {
        CHECK(all_faults<TestType>(threads, n, 500) == "");
      }
    }
  });
  CHECK(all_faults<TestType>(2, 300007, index_t{1} << 40) == "");
}

TEST_CASE("streamed ranks are all there, wherever they begin") {
  constexpr index_t n = 9 << 20;  // 36 MiB of 32-bit ranks, which pass the caches by
  auto const flags = flags_with(20, n);
  for (index_t const offset : {0, 1, 15}) {
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(n + offset), -1);
    index_t const total =
        cpu::exclusive_binary_scan(2, byte_mask{flags.data()}, ranks.data() + offset, n);
    std::int32_t count = 0;
    bool right = true;
    for (index_t i = 0; i < n; ++i) {
      right = right && ranks[static_cast<std::size_t>(offset + i)] == count;
      count += flags[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
    }
    CHECK(right);
    CHECK(total == count);
  }
}

TEST_CASE("binary scans refuse what makes no sense") {
  std::uint8_t const flags[] = {1};
  int rank = 0;
  byte_mask const mask{flags};
  CHECK_THROWS_AS(cpu::exclusive_binary_scan(0, mask, &rank, 1), invalid_argument);
  CHECK_THROWS_AS(cpu::exclusive_binary_scan(1, mask, &rank, -1), invalid_argument);
  CHECK_THROWS_AS(cpu::inclusive_binary_scan(1, mask, &rank, 1, 0), invalid_argument);
}

TEST_CASE("ranks refuse the memory of their mask") {
  std::vector<std::uint32_t> words(40);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(words.data());
  auto* const ranks = words.data() + 10;
  CHECK_NOTHROW(cpu::exclusive_binary_scan(2, byte_mask{bytes}, ranks, 30));
  CHECK_THROWS_AS(cpu::exclusive_binary_scan(2, byte_mask{bytes + 11}, ranks, 30),
                  invalid_argument);
  CHECK_NOTHROW(cpu::inclusive_binary_scan(2, bit_mask{ranks - 1}, ranks, 30));
  CHECK_THROWS_AS(cpu::inclusive_binary_scan(2, bit_mask{ranks + 29}, ranks, 30), invalid_argument);
}

}  // namespace
}  // namespace libscan::test
