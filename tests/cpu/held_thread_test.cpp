// SPDX-License-Identifier: Apache-2.0
// Operations end except one thread's own chunks while that thread is held in one of them, and
// their results are right.
#include <algorithm>
#include <numeric>
#include <vector>

#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <tests/cpu/held_thread.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

constexpr index_t chunks = 300, chunk_items = 64, n = chunks * chunk_items;

/// A sum for which there is no vector code, so that few items have many threads, too.
struct own_sum {
  using value_type = index_t;
  static constexpr index_t identity() { return 0; }
  constexpr index_t operator()(index_t earlier, index_t later) const { return earlier + later; }
};

std::vector<index_t> some_items() {
  std::vector<index_t> items(n);
  for (index_t i = 0; i < n; ++i) items[static_cast<std::size_t>(i)] = i * i % 1009;
  return items;
}

/// Exclusive sums of each `length` items.
std::vector<index_t> sums_of(std::vector<index_t> const& in, index_t length) {
  std::vector<index_t> out(in.size());
  index_t sum = 0;
  for (index_t i = 0; i < n; ++i) {
    if (i % length == 0) sum = 0;
    out[static_cast<std::size_t>(i)] = sum;
    sum += in[static_cast<std::size_t>(i)];
  }
  return out;
}

/// Brings items of an array, and tells which chunk they are of.
struct observed_source {
  index_t const* items;
  held_thread& thread;

  void operator()(index_t begin, index_t end, index_t* to) const {
    if (begin < end) thread.come(begin / chunk_items);
    std::copy(items + begin, items + end, to);
  }
};

TEST_CASE("scans go on while a thread is held") {
  auto const in = some_items();
  auto const expected = sums_of(in, n);
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(in.size());
          observed_items const items(in.data(), chunk_items, &thread);
          cpu::exclusive_scan(threads, items, out.data(), n, own_sum{}, 0, chunk_items);
          CHECK(out == expected);
        }) == "");
}

TEST_CASE("scans in place and in reverse go on while a thread is held") {
  auto const in = some_items();
  auto const expected = sums_of(in, n);
  for (scan_direction const direction : {scan_direction::forward, scan_direction::reverse}) {
    CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
            std::vector<index_t> items(in);
            bool const reverse = direction == scan_direction::reverse;
            if (reverse) std::reverse(items.begin(), items.end());
            observed_source const source{items.data(), thread};
            cpu::staged_scan<scan_kind::exclusive>(threads, direction, source, items.data(), n,
                                                   own_sum{}, 0, chunk_items);
            if (reverse) std::reverse(items.begin(), items.end());
            CHECK(items == expected);
          }) == "");
  }
}

TEST_CASE("segmented scans and reductions go on while a thread is held") {
  auto const in = some_items();
  constexpr index_t length = 100;
  auto const expected = sums_of(in, length);
  equal_segments const heads{length};
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(in.size());
          observed_items const items(in.data(), chunk_items, &thread);
          cpu::segmented_scan<scan_kind::exclusive>(threads, scan_direction::forward, items,
                                                    out.data(), heads, n, own_sum{}, 0,
                                                    chunk_items);
          CHECK(out == expected);
        }) == "");
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> totals(n / length);
          observed_items const items(in.data(), chunk_items, &thread);
          cpu::segmented_reduce(threads, items, totals.data(), heads, n, own_sum{}, 0, chunk_items);
          bool right = true;
          for (index_t s = 0; s < n / length; ++s) {
            auto const begin = in.begin() + s * length;
            right = right && totals[static_cast<std::size_t>(s)] ==
                                 std::accumulate(begin, begin + length, index_t{0});
          }
          CHECK(right);
        }) == "");
}

/// Every third item is true.
struct observed_mask {
  index_t chunk_items;
  held_thread* thread;

  void mark(index_t begin, index_t end, cpu::head_word* to) const {
    thread->come(begin / chunk_items);
    for (index_t i = begin; i < end; i += cpu::word_heads, ++to) {
      *to = 0;
      for (index_t k = 0; k < std::min(cpu::word_heads, end - i); ++k) {
        if ((i + k) % 3 == 0) *to |= cpu::head_word{1} << k;
      }
    }
  }
};

TEST_CASE("binary scans go on while a thread is held") {
  constexpr index_t items = index_t{1} << 18, of_chunk = 4096;  // too many for one thread
  CHECK(waited_for_held_thread(items / of_chunk, [&](held_thread& thread, int threads) {
          std::vector<std::int32_t> ranks(items);
          cpu::exclusive_binary_scan(threads, observed_mask{of_chunk, &thread}, ranks.data(), items,
                                     of_chunk);
          bool right = true;
          for (index_t i = 0; i < items; ++i) {
            right = right && ranks[static_cast<std::size_t>(i)] == (i + 2) / 3;
          }
          CHECK(right);
        }) == "");
}

}  // namespace
}  // namespace libscan::test
