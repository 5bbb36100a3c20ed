// SPDX-License-Identifier: Apache-2.0
// Masks, splits and runs on the CPU against plain loops: all types, sizes around chunks and words,
// any number of threads, canaries, and what is refused.
#include <algorithm>
#include <deque>
#include <numeric>

#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/predicate_parser.hpp>
#include <tests/apps/filter/item_types.hpp>
#include <tests/apps/filter/selection_host_api_cases.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("masks choose as loops do, for every type, size, selectivity and number of threads") {
  with_threads(16, [&] {
    for_each_item_type([]<class T>() {
      std::size_t turn = 0;
      for (index_t const n : size_ladder(cpu::filter_chunk_items, 512, sized(40000, 20000))) {
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
  });
}

TEST_CASE("every small size is divided with tiny chunks") {
  with_threads(16, [&] {
    for (index_t const n : tiny_sizes()) {
      auto const in = make_input<int>(pattern::random, n);
      choice const chosen(n, 400);
      division<int> const expected(in, [&](std::size_t i) { return chosen.flags[i] != 0; });
      for (index_t const chunk_items : {1, 3, 32, 33}) {
        for (int const threads : thread_counts) {
          INFO("n " << n << " chunk " << chunk_items << " threads " << threads);
          guarded_buffer<int> kept(n), rejected(n);
          cpu::split_outputs<int*> const to{kept.data(), n, rejected.data(), n};
          cpu::keep_masked const rule{chosen.words.data()};
          index_t const count = cpu::split_by(threads, in.data(), to, n, rule, chunk_items);
          REQUIRE(count == expected.count());
          REQUIRE(wrong(kept, expected.kept) == "");
          REQUIRE(wrong(rejected, expected.rejected) == "");
          REQUIRE(cpu::count_by(threads, n, rule, chunk_items) == count);
          auto firsts = make_input<int>(pattern::low_entropy, n);
          guarded_buffer<int> out(n);
          index_t const runs =
              cpu::unique(threads, firsts.data(), out.data(), n, {}, n, chunk_items);
          firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
          REQUIRE(runs == static_cast<index_t>(firsts.size()));
          REQUIRE(wrong(out, firsts) == "");
        }
      }
    }
  });
}

TEST_CASE("every small input's runs are encoded with tiny chunks, up to its size") {
  with_threads(16, [&] {
    for (index_t const n : tiny_sizes()) {
      auto const in = runs_of<int>(n, 1 + n % 7 * (n % 7));
      expected_runs<int> const expected(in);
      index_t const runs = expected.count();
      for (index_t const chunk_items : {1, 3, 32, 33}) {
        for (int const threads : thread_counts) {
          INFO("n " << n << " chunk " << chunk_items << " threads " << threads);
          for (index_t const short_by : {index_t{0}, index_t{1}, runs / 2, runs}) {
            index_t const some = std::max<index_t>(0, runs - short_by);
            index_t const others = runs - some;
            guarded_buffer<int> values(some);
            guarded_buffer<index_t> lengths(others);
            guarded_buffer<index_t> offsets(some);
            cpu::run_outputs const to{values.data(), some,           lengths.data(),
                                      others,        offsets.data(), some};
            REQUIRE(cpu::run_length_encode(threads, in.data(), to, n, {}, chunk_items) == runs);
            REQUIRE(wrong(values, {expected.firsts.begin(), expected.firsts.begin() + some}) == "");
            REQUIRE(wrong(lengths, {expected.lengths.begin(), expected.lengths.begin() + others}) ==
                    "");
            REQUIRE(wrong(offsets, {expected.offsets.begin(), expected.offsets.begin() + some}) ==
                    "");
          }
        }
      }
    }
    cpu::run_outputs<int*> const nowhere{};
    int const one = 1;
    CHECK(cpu::run_length_encode(1, &one, nowhere, 1) == 1);
    CHECK_THROWS_AS(cpu::run_length_encode(1, &one, nowhere, 1, {}, 0), invalid_argument);
    CHECK_THROWS_AS(cpu::run_length_encode(1, &one, nowhere, 1, {}, (index_t{1} << 32) + 1),
                    invalid_argument);
  });
}

/// Equal except the last decimal, by which neighbors in their order follow one another.
struct same_tens {
  bool operator()(int earlier, int later) const {
    return (earlier + 1) % 10 == later % 10 && earlier / 10 == later / 10;
  }
};

TEST_CASE("runs and firsts of runs by a relation of your own, from and to iterators") {
  with_threads(16, [&] {
    for (index_t const n : {0, 1, 31, 33, 1000, 40000}) {
      // Last decimals count on, so that only neighbors in their order pass for equal.
      std::vector<int> in = runs_of<int>(n, 9);
      std::vector<int> firsts;
      std::vector<index_t> offsets;
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = in[i] * 10 + static_cast<int>(i % 10);
        if (i > 0 && in[i] / 10 == in[i - 1] / 10) continue;
        firsts.push_back(in[i]);
        offsets.push_back(static_cast<index_t>(i));
      }
      auto const runs = static_cast<index_t>(firsts.size());
      std::deque<int> const items(in.begin(), in.end());
      for (index_t const chunk_items : {index_t{33}, cpu::filter_chunk_items}) {
        for (int const threads : thread_counts) {
          INFO("n " << n << " chunk " << chunk_items << " threads " << threads);
          guarded_buffer<int> out(n), encoded(n);
          guarded_buffer<index_t> places(n);
          REQUIRE(cpu::unique(threads, in.data(), out.data(), n, same_tens{}, n, chunk_items) ==
                  runs);
          REQUIRE(wrong(out, firsts) == "");
          cpu::run_outputs<int*> to{.values = encoded.data(), .values_capacity = n};
          to.offsets = places.data();
          to.offsets_capacity = n;
          REQUIRE(cpu::run_length_encode(threads, items.begin(), to, n, same_tens{}, chunk_items) ==
                  runs);
          REQUIRE(wrong(encoded, firsts) == "");
          REQUIRE(wrong(places, offsets) == "");
        }
      }
    }
  });
}

TEST_CASE("the first of each run goes over the input, with any number of threads") {
  with_threads(16, [] {
    random_words words(11);
    for (index_t const longest : {1, 2, 30, 3000}) {
      // All are different except the first two, so that each chunk goes over the end of the one
      // before it; or all run lengths up to the longest come. So many that threads meet.
      auto items = runs_of<int>(30011, longest);
      if (longest == 1) std::iota(items.begin(), items.end(), 0);
      for (bool const drops : {false, true}) {
        if (drops) items[1] = items[0];
        expected_runs<int> const expected(items);
        for (int const threads : thread_counts) {
          for (index_t const chunk_items : {7, 256, 4096}) {
            auto in_place = items;
            REQUIRE(cpu::unique(threads, in_place.data(), in_place.data(), index_t(items.size()),
                                equal_values{}, cpu::unlimited, chunk_items) == expected.count());
            std::vector<int> left = expected.firsts;
            left.insert(left.end(), items.begin() + expected.count(), items.end());
            REQUIRE(difference(left, in_place) == "");
          }
        }
      }
    }
    std::vector<int> numbers{3, 3, 5, 5, 5, 3};
    CHECK(unique<int>(engine::cpu(2), numbers, numbers) == 3);
    CHECK(numbers == std::vector<int>{3, 5, 3, 5, 5, 3});
  });
}

TEST_CASE("runs refuse outputs that share memory with the items or each other") {
  std::vector<std::int64_t> items(30, 1);
  std::int64_t* const at = items.data();
  using outputs = cpu::run_outputs<std::int64_t*>;
  CHECK(cpu::unique(1, at, at, 10) == 1);
  CHECK_THROWS_AS(cpu::unique(1, at + 1, at, 10), invalid_argument);
  CHECK_THROWS_AS(cpu::unique(1, at, at + 9, 10), invalid_argument);
  CHECK_THROWS_AS(cpu::run_length_encode(1, at, outputs{at + 9, 10}, 10), invalid_argument);
  for (outputs const& together :
       {outputs{at + 10, 2, at + 11, 2}, outputs{at + 10, 2, at + 20, 2, at},
        outputs{at + 10, 2, at + 20, 2, at + 21, 1}}) {
    CHECK_THROWS_AS(
        cpu::run_length_encode(1, at,
                               outputs{together.values, together.values_capacity, together.lengths,
                                       together.lengths_capacity, together.offsets, 2},
                               10),
        invalid_argument);
  }
  CHECK(items == std::vector<std::int64_t>(30, 1));
  CHECK(cpu::run_length_encode(1, at, outputs{at + 10, 1, at + 11, 1, at + 12, 1}, 10) == 1);
  CHECK(items[11] == 10);
}

TEST_CASE("predicates of both forms split every type, into two buffers and into one") {
  with_threads(16, [&] {
    for_each_item_type([]<class T>() {
      for (index_t const n : {0, 1, 40000}) {
        auto const in = make_input<T>(pattern::special, n);
        for (char const* const text : {"> 0", "nan", "== 0 or == 2 or > 9"}) {
          auto const keep = parse_predicate<T>(text);
          division<T> const expected(in, [&](std::size_t i) { return keep(in[i]); });
          for (int const threads : thread_counts) {
            INFO(item_type_name<T>() << " n " << n << " " << text << " threads " << threads);
            REQUIRE(split_error(engine::cpu(threads), in, keep, expected, threads) == "");
          }
          guarded_buffer<T> kept(expected.count()), rejected(n - expected.count()), joined(n);
          REQUIRE(split(engine::cpu(2), in, kept.items(), rejected.items(), keep) ==
                  expected.count());
          REQUIRE(wrong(kept, expected.kept) + wrong(rejected, expected.rejected) == "");
          REQUIRE(split(engine::cpu(2), in, joined.items(), keep) == expected.count());
          REQUIRE(wrong(joined, expected.joined) == "");
        }
      }
    });
  });
}

TEST_CASE("a split into one buffer is std::stable_partition of a copy") {
  with_threads(16, [&] {
    auto const in = make_input<double>(pattern::random, 100003);
    auto const keep = parse_predicate<double>("> 0.5");
    auto expected = in;
    auto const middle = std::stable_partition(expected.begin(), expected.end(), keep);
    std::vector<double> out(in.size());
    CHECK(split(engine::cpu(3), in, out, keep) == middle - expected.begin());
    CHECK(difference(expected, out) == "");
  });
}

TEST_CASE("the runs of every type and pattern are found and encoded") {
  with_threads(16, [&] {
    for_each_item_type([]<class T>() {
      for (pattern const p : all_patterns()) {
        auto const in = make_input<T>(p, sized(50001, 20001));
        expected_runs<T> const expected(in);
        for (int const threads : thread_counts) {
          INFO(item_type_name<T>() << " pattern " << static_cast<int>(p) << " threads " << threads);
          REQUIRE(runs_error(engine::cpu(threads), in, expected) == "");
        }
      }
      for (index_t const n : size_ladder(cpu::filter_chunk_items, 512, sized(40000, 20000))) {
        for (index_t const longest : {3, 100, 20000}) {
          auto const in = runs_of<T>(n, longest);
          expected_runs<T> const expected(in), long_ones = expected.of_at_least(1 + n % 3);
          int const offset = static_cast<int>(n % 17);
          for (int const threads : thread_counts) {
            engine const on = engine::cpu(threads);
            INFO(item_type_name<T>()
                 << " n " << n << " runs of up to " << longest << " threads " << threads);
            REQUIRE(runs_error(on, in, expected, offset) == "");
            REQUIRE(long_runs_error(on, in, 1 + n % 3, long_ones, offset) == "");
          }
        }
      }
    });
  });
}

TEST_CASE(
    "what cannot be selected is refused, and nothing is written in the background an output") {
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

  guarded_buffer<int> short_by_one(999);
  CHECK_THROWS_WITH(split<int>(on, in, short_by_one.items(), all),
                    "split: 1000 items are split, but out holds only 999");
  CHECK_THROWS_WITH(split(on, in, short_by_one.items(), none),
                    "split: 1000 items are split, but out holds only 999");
  CHECK(short_by_one.written_from(0) + short_by_one.damage() == "");
  auto const runs = runs_of<int>(1000, 1);
  std::vector<index_t> lengths(1000);
  CHECK_THROWS_WITH(run_length_encode<int>(on, runs, narrow.items(), lengths),
                    "run_length_encode: 1000 items are first of a run, but out holds only 10");
  CHECK_THROWS_WITH(run_length_encode<int>(on, runs, out, narrow_at.items()),
                    "run_length_encode: 1000 items are first of a run, but lengths holds only 10");
  CHECK_THROWS_WITH(run_length_encode<int>(on, runs, out, lengths, narrow_at.items()),
                    "run_length_encode: 1000 items are first of a run, but offsets holds only 10");
  CHECK_THROWS_WITH(run_length_encode<int>(on, runs, out, lengths, lengths, 2),
                    Catch::Matchers::Contains("an output overlaps lengths"));
  CHECK_THROWS_WITH(run_length_encode<int>(on, runs, out, lengths, narrow_at.items(), 0),
                    "run_length_encode: min_length is 0; expected >= 1");
  CHECK(run_length_encode<int>(on, runs, out, lengths, narrow_at.items(), 2) == 0);
  CHECK(narrow.damage() + narrow_at.damage() == "");

  std::span<int> const whole(out);
  CHECK_THROWS_AS(split<int>(on, in, whole, whole.first(1), none), invalid_argument);
  CHECK_THROWS_AS(split<int>(on, whole, whole, rejected, none), invalid_argument);
  CHECK_THROWS_AS(unique<int>(on, whole.first(900), whole.subspan(1)), invalid_argument);
  CHECK_THROWS_AS(split<int>(on, whole, whole, none), invalid_argument);
  CHECK_THROWS_AS(split<int>(on, whole, whole, all), invalid_argument);
  CHECK_THROWS_AS(run_length_encode<int>(on, whole, whole, lengths), invalid_argument);
  std::span<index_t> const numbers(lengths);
  std::vector<index_t> others(1000);
  CHECK_THROWS_AS(run_length_encode<index_t>(on, numbers, others, numbers), invalid_argument);
  CHECK_THROWS_AS(run_length_encode<index_t>(on, others, numbers, numbers), invalid_argument);
  CHECK_THROWS_AS(filter<int>(on, whole.first(900), whole.subspan(1),
                              item_mask::of_flags(std::span(flags).first(900))),
                  invalid_argument);
  std::vector<std::uint8_t> bytes(8, std::uint8_t{1});
  CHECK_THROWS_AS(
      filter<std::uint8_t>(on, std::span(flags).first(8), bytes, item_mask::of_flags(bytes)),
      invalid_argument);
  CHECK_THROWS_AS(
      split<std::uint8_t>(on, std::span(flags).first(8), bytes, item_mask::of_flags(bytes)),
      invalid_argument);
}

TEST_CASE("positions do not overwrite the mask that they are found by") {
  std::vector<index_t> memory(100);
  auto* const flags = reinterpret_cast<std::uint8_t*>(memory.data());
  item_mask const mask = item_mask::of_flags(std::span<std::uint8_t const>(flags, 10));
  std::span<index_t> const all(memory);
  CHECK_THROWS_WITH(mask_indices(engine::cpu(1), mask, all.first(10)),
                    "mask_indices: an output overlaps the mask; expected memory separate from it");
  CHECK_THROWS_AS(mask_indices(engine::cpu(1), mask, all.subspan(1)), invalid_argument);
  CHECK(memory == std::vector<index_t>(100));
  CHECK(mask_indices(engine::cpu(1), mask, all.subspan(2)) == 0);
}

TEST_CASE("values with indices need space for both, apart from each other and from what is read") {
  engine const on = engine::cpu(2);
  std::vector<int> in(1000, 1), out(1000);
  std::vector<std::uint8_t> const flags(1000, std::uint8_t{1});
  item_mask const all = item_mask::of_flags(flags);
  guarded_buffer<int> narrow(10);
  guarded_buffer<index_t> narrow_at(10);
  std::vector<index_t> numbers(1000), at(1000);
  CHECK_THROWS_WITH(
      filter_with_indices<int>(on, std::span(in).first(5), out, at, all),
      "filter_with_indices: a mask of 1000 items for 5 values; expected one for each");
  CHECK_THROWS_WITH(filter_with_indices<int>(on, in, narrow.items(), at, all),
                    "filter_with_indices: 1000 items are kept, but out holds only 10");
  CHECK_THROWS_WITH(filter_with_indices<int>(on, in, out, narrow_at.items(), all),
                    "filter_with_indices: 1000 items are kept, but indices holds only 10");
  CHECK(narrow.damage() + narrow_at.damage() == "");
  CHECK_THROWS_AS(filter_with_indices<int>(on, std::span(in).first(900), std::span(in).subspan(1),
                                           at, item_mask::of_flags(std::span(flags).first(900))),
                  invalid_argument);
  CHECK(filter_with_indices<int>(on, in, in, at, all) == 1000);
  CHECK_THROWS_AS(filter_with_indices<index_t>(on, numbers, at, at, all), invalid_argument);
  CHECK_THROWS_AS(filter_with_indices<index_t>(on, numbers, at, numbers, all), invalid_argument);
  std::vector<std::uint8_t> marks(1000, std::uint8_t{1});
  CHECK_THROWS_AS(
      filter_with_indices<std::uint8_t>(on, flags, marks, at, item_mask::of_flags(marks)),
      invalid_argument);
}

TEST_CASE("keys are split by a bit, for every type of integer") {
  with_threads(16, [&] {
    for_each_item_type([]<class T>() {
      if constexpr (std::is_integral_v<T>) {
        for (index_t const n : size_ladder(cpu::filter_chunk_items, 512, sized(40000, 20000))) {
          engine const on = engine::cpu(thread_counts[static_cast<std::size_t>(n) % 4]);
          INFO(item_type_name<T>() << " n " << n);
          REQUIRE(bit_split_error(on, make_input<T>(pattern::random, n),
                                  static_cast<int>(n % 17)) == "");
        }
      }
    });
  });
  engine const on = engine::cpu(1);
  std::vector<std::int16_t> const keys(10);
  std::vector<std::int16_t> out(10, std::int16_t{7});
  for (int const bit : {-1, 16}) {
    CHECK_THROWS_WITH(
        split_by_bit<std::int16_t>(on, keys, out, bit),
        "split_by_bit: bit " + std::to_string(bit) + " of keys of 16 bits; expected 0 to 15");
  }
  CHECK_THROWS_AS(split_by_bit<std::int16_t>(on, keys, std::span(out).first(9), 3),
                  invalid_argument);
  CHECK(out == std::vector<std::int16_t>(10, std::int16_t{7}));
  CHECK_THROWS_AS(split_by_bit<std::int16_t>(on, out, out, 3), invalid_argument);
}
