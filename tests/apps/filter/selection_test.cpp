// SPDX-License-Identifier: Apache-2.0
// Masks, splits and runs on the CPU against plain loops: all types, sizes around chunks and words,
// any number of threads, canaries, and what is refused.
#include <algorithm>

#include <apps/filter/filter_cpu.hpp>
#include <apps/filter/predicate_parser.hpp>
#include <apps/filter/selection.hpp>
#include <tests/apps/filter/item_types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int thread_counts[] = {1, 2, 3, 16};

/// A choice among n items in both forms; flags of any nonzero value, bits behind the last item set.
struct choice {
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> words;

  choice(index_t n, int per_mille)
      : words(static_cast<std::size_t>(ceil_div(n, index_t{32})), ~0u) {
    random_words random(static_cast<std::uint64_t>(n + per_mille));
    for (index_t i = 0; i < n; ++i) {
      bool const chosen = static_cast<int>(random.below(1000)) < per_mille;
      flags.push_back(static_cast<std::uint8_t>(chosen ? 1 + random.below(255) : 0));
      if (!chosen) words[static_cast<std::size_t>(i / 32)] &= ~(1u << i % 32);
    }
  }
  index_t size() const { return static_cast<index_t>(flags.size()); }
  item_mask as_flags() const { return item_mask::of_flags(flags); }
  item_mask as_bits() const { return item_mask::of_bits(words, size()); }
};

/// What a choice divides items into.
template <class T>
struct division {
  std::vector<T> kept, rejected;
  std::vector<index_t> positions;

  template <class Chosen>
  division(std::vector<T> const& items, Chosen chosen) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      (chosen(i) ? kept : rejected).push_back(items[i]);
      if (chosen(i)) positions.push_back(static_cast<index_t>(i));
    }
  }
  index_t count() const { return static_cast<index_t>(kept.size()); }
};

/// Empty if the first items of `out` are `expected`, and nothing else was written.
template <class T>
std::string wrong(guarded_buffer<T>& out, std::vector<T> const& expected) {
  auto got = out.copy();
  got.resize(expected.size());
  if (auto const found = bit_difference(expected, got); !found.empty()) return found;
  auto const count = static_cast<index_t>(expected.size());
  if (auto const found = out.written_from(count); !found.empty()) return found;
  return out.damage();
}

/// Runs all functions of the facade that take a mask; empty if all is well.
template <class T>
std::string mask_error(engine const& on, std::vector<T> const& in, item_mask const& mask,
                       division<T> const& expected, int offset) {
  auto const n = static_cast<index_t>(in.size());
  guarded_buffer<T> out(n, offset), kept(n, offset), rejected(n, offset), both(in, offset);
  guarded_buffer<index_t> at(n, offset);
  if (filter<T>(on, in, out.items(), mask) != expected.count()) return "filter: wrong count";
  if (auto const found = wrong(out, expected.kept); !found.empty()) return "filter: " + found;
  if (mask_indices(on, mask, at.items()) != expected.count()) return "indices: wrong count";
  if (auto const found = wrong(at, expected.positions); !found.empty()) return "indices: " + found;
  if (count_marked(on, mask) != expected.count()) return "wrong count";
  if (split<T>(on, in, kept.items(), rejected.items(), mask) != expected.count()) {
    return "split: wrong count";
  }
  if (auto const found = wrong(kept, expected.kept); !found.empty()) return "split: " + found;
  if (auto const found = wrong(rejected, expected.rejected); !found.empty()) {
    return "rejected: " + found;
  }
  filter<T>(on, both.items(), both.items(), mask);
  auto in_place = both.copy();
  in_place.resize(expected.kept.size());
  return bit_difference(expected.kept, in_place) + both.damage();
}

}  // namespace

TEST_CASE("masks choose as loops do, for every type, size, selectivity and number of threads") {
  for_each_item_type([]<class T>() {
    std::size_t turn = 0;
    for (index_t const n : size_ladder(cpu::filter_chunk_items, 512, 40000)) {
      auto const in = make_input<T>(pattern::special, n);
      for (int const per_mille : {0, 1, 500, 999, 1000}) {
        choice const chosen(n, per_mille);
        division<T> const expected(in, [&](std::size_t i) { return chosen.flags[i] != 0; });
        engine const on = engine::cpu(thread_counts[turn++ % 4]);
        INFO(item_type_name<T>() << " n " << n << " per mille " << per_mille);
        int const offset = static_cast<int>(turn % 17);
        REQUIRE(mask_error(on, in, chosen.as_flags(), expected, offset) == "");
        REQUIRE(mask_error(on, in, chosen.as_bits(), expected, offset) == "");
      }
    }
  });
}

TEST_CASE("every small size is divided with tiny chunks") {
  for (index_t const n : tiny_sizes()) {
    auto const in = make_input<int>(pattern::random, n);
    choice const chosen(n, 400);
    division<int> const expected(in, [&](std::size_t i) { return chosen.flags[i] != 0; });
    for (index_t const chunk_items : {1, 3, 32, 33}) {
      for (int const threads : thread_counts) {
        INFO("n " << n << " chunk " << chunk_items << " threads " << threads);
        guarded_buffer<int> kept(n), rejected(n);
        cpu::split_outputs<int> const to{kept.data(), n, rejected.data(), n};
        cpu::keep_masked const rule{chosen.words.data()};
        index_t const count = cpu::split_by(threads, in.data(), n, to, rule, chunk_items);
        REQUIRE(count == expected.count());
        REQUIRE(wrong(kept, expected.kept) == "");
        REQUIRE(wrong(rejected, expected.rejected) == "");
        REQUIRE(cpu::count_by(threads, n, rule, chunk_items) == count);
        auto firsts = make_input<int>(pattern::low_entropy, n);
        guarded_buffer<int> out(n);
        index_t const runs = cpu::filter_by(threads, firsts.data(), n, out.data(), n,
                                            cpu::keep_heads<int>{firsts.data()}, chunk_items);
        firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
        REQUIRE(runs == static_cast<index_t>(firsts.size()));
        REQUIRE(wrong(out, firsts) == "");
      }
    }
  }
}

TEST_CASE("predicates of both forms split every type") {
  for_each_item_type([]<class T>() {
    auto const in = make_input<T>(pattern::special, 40000);
    for (char const* const text : {"> 0", "nan", "== 0 or == 2 or > 9"}) {
      auto const keep = parse_predicate<T>(text);
      division<T> const expected(in, [&](std::size_t i) { return keep(in[i]); });
      for (int const threads : thread_counts) {
        guarded_buffer<T> kept(expected.count());
        guarded_buffer<T> rejected(static_cast<index_t>(expected.rejected.size()));
        REQUIRE(split(engine::cpu(threads), in, kept.items(), rejected.items(), keep) ==
                expected.count());
        REQUIRE(wrong(kept, expected.kept) == "");
        REQUIRE(wrong(rejected, expected.rejected) == "");
      }
    }
  });
}

TEST_CASE("the first items of runs are kept, for every type and pattern") {
  for_each_item_type([]<class T>() {
    for (pattern const p : all_patterns()) {
      auto const in = make_input<T>(p, 50001);
      division<T> const expected(in,
                                 [&](std::size_t i) { return i == 0 || !(in[i - 1] == in[i]); });
      for (int const threads : thread_counts) {
        INFO(item_type_name<T>() << " pattern " << static_cast<int>(p));
        guarded_buffer<T> out(expected.count());
        REQUIRE(unique<T>(engine::cpu(threads), in, out.items()) == expected.count());
        REQUIRE(wrong(out, expected.kept) == "");
      }
    }
  });
}

TEST_CASE("what cannot be selected is refused, and nothing is written behind an output") {
  engine const on = engine::cpu(2);
  std::vector<int> const in(1000, 1);
  std::vector<int> out(1000), rejected(1000);
  std::vector<std::uint8_t> const flags(1000, std::uint8_t{1});
  item_mask const all = item_mask::of_flags(flags);
  CHECK_THROWS_WITH(filter<int>(on, std::span(in).first(999), out, all),
                    "filter: a mask of 1000 items for 999 values; expected one for each");
  CHECK_THROWS_WITH(split<int>(on, std::span(in).first(5), out, rejected, all),
                    "split: a mask of 1000 items for 5 values; expected one for each");
  std::vector<std::uint32_t> const words(3);
  CHECK_THROWS_WITH(item_mask::of_bits(words, 97),
                    "item_mask: 3 words for 97 items; expected one for every 32");
  CHECK(count_marked(on, item_mask::of_bits(words, 96)) == 0);

  auto const none = parse_predicate<int>("> 1");
  guarded_buffer<int> narrow(10);
  CHECK_THROWS_WITH(filter<int>(on, in, narrow.items(), all),
                    "filter: 1000 items are kept, but out holds only 10");
  CHECK_THROWS_WITH(split<int>(on, in, out, narrow.items(), none),
                    "split: 1000 items are rejected, but rejected holds only 10");
  CHECK_THROWS_WITH(split<int>(on, in, narrow.items(), rejected, all),
                    "split: 1000 items are kept, but out holds only 10");
  CHECK(narrow.damage() == "");
  guarded_buffer<index_t> narrow_at(10);
  CHECK_THROWS_AS(mask_indices(on, all, narrow_at.items()), invalid_argument);
  CHECK(narrow_at.damage() == "");

  std::span<int> const whole(out);
  CHECK_THROWS_AS(split<int>(on, in, whole, whole.first(1), none), invalid_argument);
  CHECK_THROWS_AS(split<int>(on, whole, whole, rejected, none), invalid_argument);
  CHECK_THROWS_AS(unique<int>(on, whole, whole), invalid_argument);
  CHECK_THROWS_AS(filter<int>(on, whole.first(900), whole.subspan(1),
                              item_mask::of_flags(std::span(flags).first(900))),
                  invalid_argument);
  std::vector<std::uint8_t> bytes(8, std::uint8_t{1});
  CHECK_THROWS_AS(
      filter<std::uint8_t>(on, std::span(flags).first(8), bytes, item_mask::of_flags(bytes)),
      invalid_argument);
}
