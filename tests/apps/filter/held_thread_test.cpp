// SPDX-License-Identifier: Apache-2.0
// Filters, splits and runs end except one thread's own chunks while that thread is held in one of
// them, and their results are right.
#include <algorithm>
#include <numeric>
#include <vector>

#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/runs.hpp>
#include <tests/cpu/held_thread.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

constexpr index_t chunks = 300, chunk_items = 64, n = chunks * chunk_items;

bool kept(index_t x) { return x % 3 == 0; }

/// 0, 1, 2, ...: the value of an item shows its chunk.
std::vector<index_t> some_items() {
  std::vector<index_t> items(n);
  std::iota(items.begin(), items.end(), index_t{0});
  return items;
}

TEST_CASE("filters go on while a thread is held") {
  auto const in = some_items();
  std::vector<index_t> expected;
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), kept);
  auto const count = static_cast<index_t>(expected.size());
  auto const keep = [](held_thread& thread) {
    return [&thread](index_t x) {
      thread.come(x / chunk_items);
      return kept(x);
    };
  };
  std::vector<index_t> const none(in.size(), -1);
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(expected.size());
          CHECK(cpu::filter(threads, in.data(), out.data(), n, keep(thread), count, chunk_items) ==
                count);
          CHECK(out == expected);
        }) == "");
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(expected.size());
          cpu::filter_indices(threads, in.data(), out.data(), n, keep(thread), count, chunk_items);
          CHECK(out == expected);
        }) == "");
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(expected.size()), at(expected.size());
          cpu::indexed_outputs<index_t*> const to{out.data(), count, at.data(), count};
          auto const rule = cpu::keep_where{in.data(), keep(thread)};
          cpu::filter_with_indices_by(threads, in.data(), to, n, rule, chunk_items);
          CHECK(out == expected);
          CHECK(at == expected);
        }) == "");
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(expected.size()), rest(in.size());
          cpu::split_outputs<index_t*> const to{out.data(), count, rest.data(), n - count};
          cpu::split(threads, in.data(), to, n, keep(thread), chunk_items);
          CHECK(out == expected);
          CHECK(rest[0] == 1);
          CHECK(rest[static_cast<std::size_t>(n - count - 1)] == n - 1);
        }) == "");
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          CHECK(cpu::count_if(threads, in.data(), n, keep(thread), chunk_items) == count);
        }) == "");
}

TEST_CASE("runs are found while a thread is held") {
  auto const in = some_items();
  // Pairs of neighbors are one run each.
  auto const equal = [](held_thread& thread) {
    return [&thread](index_t earlier, index_t later) {
      thread.come(later / chunk_items);
      return earlier / 2 == later / 2;
    };
  };
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(in.size());
          CHECK(cpu::unique(threads, in.data(), out.data(), n, equal(thread), n, chunk_items) ==
                n / 2);
          CHECK(out[n / 2 - 1] == n - 2);
        }) == "");
  CHECK(waited_for_held_thread(chunks, [&](held_thread& thread, int threads) {
          std::vector<index_t> out(in.size()), lengths(in.size());
          cpu::run_outputs const to{out.data(), n, lengths.data(), n};
          CHECK(cpu::run_length_encode(threads, in.data(), to, n, equal(thread), chunk_items) ==
                n / 2);
          CHECK(std::all_of(lengths.begin(), lengths.begin() + n / 2,
                            [](index_t length) { return length == 2; }));
          CHECK(out[n / 2 - 1] == n - 2);
        }) == "");
}

}  // namespace
}  // namespace libscan::test
