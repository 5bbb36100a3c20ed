// SPDX-License-Identifier: Apache-2.0
// Filters, sorts, histograms and sparse products of the host API: every engine gives what one
// thread of the CPU gives, which other tests compare with plain loops.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <libscan/buffer.hpp>
#include <libscan/core/half.hpp>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/split_by_key.hpp>
#include <libscan/spmv.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/segments.hpp>

namespace libscan::test {
namespace {

constexpr index_t n = 3000;

/// Checks that call(engine) returns the same on every engine.
template <class Call>
void same_everywhere(char const* what, Call call) {
  auto const expected = call(engine::cpu(1));
  for (engine const& on : engines()) {
    INFO(what << ", " << on.description());
    CHECK(call(on) == expected);
  }
}

template <class T>
std::vector<T> front(std::vector<T> const& items, index_t count) {
  return {items.begin(), items.begin() + count};
}

TEST_CASE("filters, splits and runs are the same on every engine") {
  auto const values = make_input<std::int32_t>(pattern::small, n);
  auto const flags = flags_of(make_offsets(segment_shape::power_law, n));
  auto const bits = bits_of(flags);
  auto const keep = parse_predicate<std::int32_t>(">= -2 and < 5");
  std::vector<std::int32_t> out(n), rest(n);
  std::vector<index_t> places(n);
  same_everywhere("filter", [&](engine const& on) {
    return front(out, filter<std::int32_t>(on, values, out, keep));
  });
  same_everywhere("filter_indices", [&](engine const& on) {
    return front(places, filter_indices<std::int32_t>(on, values, places, keep));
  });
  same_everywhere("filter_with_indices", [&](engine const& on) {
    index_t const kept =
        filter_with_indices<std::int32_t>(on, values, out, places, item_mask::of_flags(flags));
    return std::pair(front(out, kept), front(places, kept));
  });
  same_everywhere("count_if",
                  [&](engine const& on) { return count_if<std::int32_t>(on, values, keep); });
  for (item_mask const& mask : {item_mask::of_flags(flags), item_mask::of_bits(bits, n)}) {
    same_everywhere("filter by a mask", [&](engine const& on) {
      return front(out, filter<std::int32_t>(on, values, out, mask));
    });
    same_everywhere("mask_indices", [&](engine const& on) {
      return front(places, mask_indices(on, mask, places));
    });
    same_everywhere("count_marked", [&](engine const& on) { return count_marked(on, mask); });
  }
  same_everywhere("split", [&](engine const& on) {
    index_t const kept = split<std::int32_t>(on, values, out, rest, keep);
    return std::pair(front(out, kept), front(rest, n - kept));
  });
  same_everywhere("split_by_bit", [&](engine const& on) {
    return std::pair(split_by_bit<std::int32_t>(on, values, out, 1), out);
  });
  same_everywhere("unique", [&](engine const& on) {
    return front(out, unique<std::int32_t>(on, values, out));
  });
  same_everywhere("run_length_encode", [&](engine const& on) {
    index_t const runs = run_length_encode<std::int32_t>(on, values, out, places);
    return std::pair(front(out, runs), front(places, runs));
  });
  same_everywhere("run_length_encode of long runs", [&](engine const& on) {
    std::vector<index_t> offsets(n);
    index_t const runs = run_length_encode<std::int32_t>(on, values, out, places, offsets, 2);
    return std::tuple(front(out, runs), front(places, runs), front(offsets, runs));
  });
}

/// The items of a result.
template <class T>
std::vector<T> all(buffer<T> const& items) {
  return {items.begin(), items.end()};
}

TEST_CASE("filters, unique and run lengths give memory of their own, on every engine") {
  auto const flags = flags_of(make_offsets(segment_shape::power_law, n));
  auto const keep = parse_predicate<std::int32_t>(">= -2 and < 5");
  for (index_t const count : {index_t{0}, index_t{1}, index_t{n}}) {
    auto const values = make_input<std::int32_t>(pattern::small, count);
    auto const mask = item_mask::of_flags(std::span(flags).first(values.size()));
    std::vector<std::int32_t> kept, marked, firsts, repeated;
    std::vector<index_t> lengths, at;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (keep(values[i])) kept.push_back(values[i]);
      if (flags[i] != 0) marked.push_back(values[i]);
      if (i == 0 || values[i] != values[i - 1]) {
        firsts.push_back(values[i]);
        std::size_t end = i;
        while (end < values.size() && values[end] == values[i]) ++end;
        if (end - i < 2) continue;
        repeated.push_back(values[i]);
        lengths.push_back(static_cast<index_t>(end - i));
        at.push_back(static_cast<index_t>(i));
      }
    }
    for (engine const& on : engines()) {
      INFO(on.description() << ", " << count << " items");
      CHECK(all(filter(on, values, keep)) == kept);
      CHECK(all(filter<std::int32_t>(on, values, mask)) == marked);
      CHECK(all(unique<std::int32_t>(on, values)) == firsts);
      CHECK(all(run_length_encode<std::int32_t>(on, values).values) == firsts);
      auto const [runs, run_lengths, offsets] = run_length_encode<std::int32_t>(on, values, 2);
      CHECK(all(runs) == repeated);
      CHECK(all(run_lengths) == lengths);
      CHECK(all(offsets) == at);
    }
  }
}

TEST_CASE("sorts are the same on every engine") {
  auto const keys = make_input<float>(pattern::random, n);
  auto const offsets = make_offsets(segment_shape::power_law, n);
  std::vector<std::uint32_t> rows(n), sorted_rows(n);
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<float> sorted(n);
  std::vector<index_t> places(n);
  std::vector<std::uint8_t> const experts = [] {
    auto drawn = make_input<std::uint8_t>(pattern::random, n);
    for (std::uint8_t& expert : drawn) expert = static_cast<std::uint8_t>(expert % 9);
    return drawn;
  }();
  std::vector<std::uint8_t> grouped(n);
  std::vector<index_t> begins(10);
  same_everywhere("sort_keys", [&](engine const& on) {
    sort_keys(on, keys, sorted, {.direction = sort_direction::descending});
    return sorted;
  });
  same_everywhere("sort_pairs", [&](engine const& on) {
    sort_pairs(on, keys, sorted, rows, sorted_rows);
    return std::pair(sorted, sorted_rows);
  });
  same_everywhere("argsort", [&](engine const& on) {
    argsort(on, keys, places);
    return places;
  });
  std::vector<index_t> const expected = places;
  same_everywhere("argsort to 32 bits", [&](engine const& on) {
    argsort(on, keys, sorted_rows);
    return sorted_rows;
  });
  CHECK(std::vector<index_t>(sorted_rows.begin(), sorted_rows.end()) == expected);
  std::vector<std::int32_t> short_places(n);
  same_everywhere("segmented_argsort", [&](engine const& on) {
    segmented_argsort(on, keys, places, offsets);
    segmented_argsort(on, keys, short_places, offsets);
    CHECK(std::vector<index_t>(short_places.begin(), short_places.end()) == places);
    return places;
  });
  same_everywhere("segmented_sort_pairs", [&](engine const& on) {
    segmented_sort_pairs(on, keys, sorted, rows, sorted_rows, offsets);
    return std::pair(sorted, sorted_rows);
  });
  same_everywhere("split_by_key", [&](engine const& on) {
    split_by_key(on, experts, grouped, rows, sorted_rows, begins);
    return std::tuple(grouped, sorted_rows, begins);
  });
}

TEST_CASE("histograms are the same on every engine") {
  auto const samples = make_input<float>(pattern::random, n);
  std::vector<double> const edges{-1, -0.5, 0, 0.1, 1};
  std::vector<std::uint32_t> counts(20);
  std::vector<double> sums(20);
  std::vector<float> const weights(n, 0.5F);
  same_everywhere("even bins", [&](engine const& on) {
    histogram(on, samples, counts, even_bins<float>(-0.9F, 0.9F, 20));
    return counts;
  });
  same_everywhere("edges", [&](engine const& on) {
    return std::pair(
        histogram(on, samples, counts, edge_bins<float, double>(edges.data(), 4)).inside, counts);
  });
  same_everywhere("weights", [&](engine const& on) {
    weighted_histogram(on, samples, weights, sums, even_bins<float>(-0.9F, 0.9F, 20));
    return sums;
  });
}

TEST_CASE("matrices and products are the same on every engine") {
  constexpr index_t rows = 200;
  std::vector<std::int32_t> row, column;
  random_words words(1);
  for (index_t entry = 0; entry < n; ++entry) {
    row.push_back(static_cast<std::int32_t>(words.below(rows)));
    column.push_back(static_cast<std::int32_t>(words.below(rows)));
  }
  auto const value = make_input<double>(pattern::small, n);
  coo_matrix<double> const list{rows, rows, n, row.data(), column.data(), value.data()};
  auto const x = make_input<double>(pattern::small, rows);
  std::vector<double> y(rows);
  same_everywhere("to_rows and spmv", [&](engine const& on) {
    auto const matrix = to_rows<double>(on, list);
    spmv<double>(on, matrix, x, y);
    return std::tuple(matrix.offsets, matrix.indices, matrix.values, y);
  });
  coo_matrix<double> places = list;
  places.values = nullptr;
  same_everywhere("to_rows and spmv without values", [&](engine const& on) {
    auto const matrix = to_rows<double>(on, places);
    spmv<double>(on, matrix, x, y);
    std::vector<double> smallest(rows);
    spmv<double>(on, matrix, x, smallest, {.semiring = semiring_kind::min_plus});
    return std::tuple(matrix.offsets, matrix.indices, matrix.values, y, smallest);
  });
}

TEST_CASE("segments of sorts are described in every form, on every engine") {
  auto const keys = make_input<std::int16_t>(pattern::random, n);
  auto const offsets = make_offsets(segment_shape::power_law, n);
  std::vector<std::int32_t> const narrow(offsets.begin(), offsets.end());
  auto const flags = flags_of(offsets);
  auto const bits = bits_of(flags);
  auto const marks = keys_of<double>(flags);
  std::vector<std::int16_t> expected = keys, rows = keys;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1]);
  }
  for (index_t i = 0; i < n; i += 70) {
    std::sort(rows.begin() + i, rows.begin() + std::min(i + 70, n));
  }
  auto const near = [](double a, double b) { return a == b; };
  for (engine const& on : engines()) {
    for (segmentation const& how :
         {segmentation::of_offsets(narrow), segmentation::of_offsets(offsets),
          segmentation::of_flags(flags), segmentation::of_bits(bits, n),
          segmentation::of_keys(marks), segmentation::of_keys(marks, near),
          segmentation::of_ranges(std::span(narrow).first(narrow.size() - 1),
                                  std::span(narrow).subspan(1))}) {
      INFO(on.description() << ", form " << static_cast<int>(how.how()));
      std::vector<std::int16_t> out(n), moved(n);
      std::vector<std::uint32_t> at(n);
      segmented_sort_keys(on, keys, out, how);
      CHECK(difference(expected, out) == "");
      segmented_sort_pairs(on, keys, out, keys, moved, how);
      CHECK(difference(expected, moved) == "");
      segmented_argsort(on, keys, at, how);
      for (std::size_t i = 0; i < at.size(); ++i) out[i] = keys[at[i]];
      CHECK(difference(expected, out) == "");
    }
    std::vector<std::int16_t> out(n, 7), all = keys;
    segmented_sort_keys(on, keys, out, narrow);
    CHECK(difference(expected, out) == "");
    segmented_sort_keys(on, keys, out, segmentation::of_length(70));
    CHECK(difference(rows, out) == "");
    std::sort(all.begin(), all.end());
    segmented_sort_keys(on, keys, out, segmentation());
    CHECK(difference(all, out) == "");
    CHECK_THROWS_WITH(
        segmented_sort_keys(on, keys, out, segmentation::of_flags(std::span(flags).first(9))),
        Catch::Matchers::Contains("described for 9 items, but there are 3000"));
    CHECK(out == all);
  }
}

TEST_CASE("sorts within ranges, in any order and with items between them, on every engine") {
  auto const keys = make_input<float>(pattern::random, n);
  auto const values = make_input<std::int16_t>(pattern::random, n);
  std::vector<index_t> const begins{2000, 0, 5, 40, 1000, 1000, 2990},
      ends{2900, 5, 40, 40, 1000, 1600, 3000};
  REQUIRE(n == 3000);
  auto const ranges = segmentation::of_ranges(begins, ends);
  std::vector<index_t> positions(n, -7);
  std::vector<float> sorted(n, 7);
  std::vector<std::int16_t> moved(n, 8);
  for (std::size_t s = 0; s < begins.size(); ++s) {
    auto const at = positions.begin();
    std::iota(at + begins[s], at + ends[s], begins[s]);
    std::stable_sort(at + begins[s], at + ends[s], [&](index_t a, index_t b) {
      return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0) continue;
    sorted[i] = keys[static_cast<std::size_t>(positions[i])];
    moved[i] = values[static_cast<std::size_t>(positions[i])];
  }
  std::vector<std::uint32_t> const narrow(positions.begin(), positions.end());
  for (engine const& on : engines()) {
    INFO(on.description());
    std::vector<float> out(n, 7);
    std::vector<std::int16_t> values_out(n, 8);
    std::vector<index_t> places(n, -7);
    std::vector<std::uint32_t> narrow_places(n, static_cast<std::uint32_t>(-7));
    segmented_sort_keys(on, keys, out, ranges);
    CHECK(difference(sorted, out) == "");
    std::fill(out.begin(), out.end(), 7.0F);
    segmented_sort_pairs(on, keys, out, values, values_out, ranges);
    CHECK(difference(sorted, out) == "");
    CHECK(difference(moved, values_out) == "");
    segmented_argsort(on, keys, places, ranges);
    CHECK(difference(positions, places) == "");
    segmented_argsort(on, keys, narrow_places, ranges);
    CHECK(difference(narrow, narrow_places) == "");
    // In place; items in no range stay.
    std::vector<float> all = keys;
    segmented_sort_keys(on, all, all, ranges, {.direction = sort_direction::descending});
    CHECK(std::is_sorted(all.begin() + 2000, all.begin() + 2900, std::greater<>()));
    CHECK(std::equal(all.begin() + 1600, all.begin() + 2000, keys.begin() + 1600));
    // Nothing is written by calls that are refused.
    std::vector<float> const before = all;
    std::vector<index_t> const beyond{3, 3001};
    CHECK_THROWS_WITH(segmented_sort_keys(on, keys, all,
                                          segmentation::of_ranges(std::span(beyond).first(1),
                                                                  std::span(beyond).subspan(1))),
                      Catch::Matchers::Contains("segmented_sort_keys: ") &&
                          Catch::Matchers::Contains("expected"));
    CHECK_THROWS_AS(segmented_sort_keys(on, keys, all, ranges, {.first_bit = 40}),
                    invalid_argument);
    std::vector<index_t> bounds{0, 2, 4, 5, 5, 6, 7};
    std::vector<index_t> const bounds_before = bounds;
    CHECK_THROWS_WITH(
        segmented_argsort(
            on, std::span(keys).first(7), bounds,
            segmentation::of_ranges(std::span(bounds).first(3), std::span(bounds).first(3))),
        Catch::Matchers::Contains("the output and the description of segments share memory"));
    CHECK(difference(before, all) == "");
    CHECK(bounds == bounds_before);
  }
}

/// A type of the caller's.
enum class grade : std::uint32_t { low, high };
struct place {
  alignas(8) std::int32_t row;
  std::int32_t column;
  bool operator==(place const&) const = default;
};

/// Items of T that differ from their neighbors.
template <class T>
T marked_item(std::size_t i) {
  if constexpr (std::is_same_v<T, place>) {
    return {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i / 3)};
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(i % 2);
  } else {
    return static_cast<T>(static_cast<float>(i % 5));
  }
}

TEMPLATE_TEST_CASE("masks choose from items of any type that a word holds, on every engine", "",
                   bool, float16, bfloat16, grade, place, long long) {
  using item = TestType;
  std::size_t const size = 700;
  buffer<item> const items = [&] {
    buffer<item> made(size);
    for (std::size_t i = 0; i < size; ++i) made[i] = marked_item<item>(i);
    return made;
  }();
  std::vector<std::uint8_t> flags;
  std::vector<index_t> at;
  for (std::size_t i = 0; i < size; ++i) {
    flags.push_back(i * i % 7 == 1 ? 3 : 0);
    if (flags[i] != 0) at.push_back(static_cast<index_t>(i));
  }
  auto const mask = item_mask::of_flags(flags);
  auto const same = [](item const& a, item const& b) {
    return std::memcmp(&a, &b, sizeof(item)) == 0;
  };
  auto const kept_in = [&](auto const& out) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (!same(out[k], items[static_cast<std::size_t>(at[k])])) return false;
    }
    return true;
  };
  auto const kept = static_cast<index_t>(at.size());
  for (engine const& on : engines()) {
    INFO(on.description());
    buffer<item> out(size), rest(size);
    std::vector<index_t> positions(size);
    CHECK(filter(on, items, out, mask) == kept);
    CHECK(kept_in(out));
    auto const own = filter(on, items, mask);
    CHECK((own.size() == at.size() && kept_in(own)));
    CHECK(filter_with_indices(on, items, out, positions, mask) == kept);
    CHECK((kept_in(out) && std::equal(at.begin(), at.end(), positions.begin())));
    CHECK(split(on, items, out, rest, mask) == kept);
    CHECK((kept_in(out) && same(rest[0], items[0])));
    CHECK(split(on, items, out, mask) == kept);
    CHECK((kept_in(out) && same(out[at.size()], items[0])));
  }
}

}  // namespace
}  // namespace libscan::test
