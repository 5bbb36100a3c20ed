// SPDX-License-Identifier: Apache-2.0
// The host API of segments, masks, wider accumulators and scans from the end, against plain loops.
#include <libscan/segmented.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

/// Small items of any input type: their sums are exact in every accumulator.
template <class Item>
std::vector<Item> small_items(index_t n) {
  std::vector<Item> items;
  for (std::int8_t const item : make_input<std::int8_t>(pattern::small, n)) {
    items.push_back(static_cast<Item>(std::is_same_v<Item, bool> ? item & 1 : item));
  }
  return items;
}

/// std::vector<bool> is no range of bools.
template <class Item>
struct owned_items {
  explicit owned_items(std::vector<Item> const& from)
      : size(from.size()), items(new Item[from.size() + 1]) {
    for (std::size_t i = 0; i < size; ++i) items[i] = from[i];
  }
  std::span<Item const> view() const { return {items.get(), size}; }

  std::size_t size;
  std::unique_ptr<Item[]> items;
};

template <class Item, class Op>
struct operation {
  using item = Item;
  using op = Op;
};

using operations = types_to_test<
    std::tuple<operation<std::int8_t, plus<std::int64_t>>, operation<double, maximum<double>>,
               operation<bool, plus<index_t>>>,
    std::tuple<operation<std::int32_t, plus<std::int32_t>>, operation<float16, plus<float>>,
               operation<std::uint16_t, bit_xor<std::uint16_t>>>>;

/// Segments in every form.
struct described {
  std::vector<index_t> offsets, begins, ends;
  std::vector<std::int32_t> short_offsets;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> bits;
  std::vector<std::int16_t> keys;
  std::vector<float> float_keys;

  explicit described(std::vector<index_t> const& from) : offsets(from) {
    short_offsets.assign(from.begin(), from.end());
    flags = flags_of(offsets);
    bits = bits_of(flags);
    keys = keys_of<std::int16_t>(flags);
    float_keys = keys_of<float>(flags);
    begins.assign(offsets.begin(), offsets.end() - 1);
    ends.assign(offsets.begin() + 1, offsets.end());
  }

  /// Without empty segments, then with them.
  std::vector<segmentation> of_heads() const {
    return {segmentation::of_flags(flags), segmentation::of_bits(bits, offsets.back()),
            segmentation::of_keys(keys), segmentation::of_keys(float_keys)};
  }
  std::vector<segmentation> of_bounds() const {
    return {segmentation::of_offsets(offsets), segmentation::of_offsets(short_offsets),
            segmentation::of_ranges(begins, ends)};
  }
};

/// Of the executor's two schedules, one runs several tiles.
bool takes_long(engine const& on, index_t n) {
  return on.is_executor() && n > (on.seed() == 0 ? 1000 : 5000);
}

template <class T>
std::vector<T> copy_of(guarded_buffer<T> const& from) {
  CHECK(from.damage() == "");
  return from.copy();
}

TEMPLATE_LIST_TEST_CASE("scans and sums of segments are those of a plain loop, on every engine", "",
                        operations) {
  using Item = typename TestType::item;
  using Op = typename TestType::op;
  using T = typename Op::value_type;
  T const init = static_cast<T>(3);
  for (index_t const n :
       {index_t{0}, index_t{1}, index_t{33}, sized(1000, 300), sized(5000, 2500)}) {
    auto const items = small_items<Item>(n);
    owned_items<Item> const in(items);
    for (segment_shape const shape : {segment_shape::some_empty, segment_shape::huge_among_tiny}) {
      described const how(make_offsets(shape, n));
      auto const inclusive = segmented_oracle(scan_kind::inclusive, items, how.flags, Op{}, init);
      auto const exclusive = segmented_oracle(scan_kind::exclusive, items, how.flags, Op{}, init);
      auto const some = segment_totals_oracle(items, without_empty(how.offsets), Op{}, init);
      auto const all = segment_totals_oracle(items, how.offsets, Op{}, init);
      for (engine const& on : engines()) {
        if (takes_long(on, n)) continue;
        // Several tiles in the executor: in the quick set with segments of one shape.
        bool const many = on.is_executor() && n > 1000;
        if (quick_types && many && shape == segment_shape::some_empty) continue;
        auto const check = [&](segmentation const& segments, std::vector<T> const& totals) {
          INFO(on.description() << ", " << n << " items, " << to_string(shape) << ", form "
                                << static_cast<int>(segments.how()));
          guarded_buffer<T> out(n);
          inclusive_segmented_scan(on, in.view(), out.items(), segments, Op{}, init);
          CHECK(difference(inclusive, copy_of(out)) == "");
          exclusive_segmented_scan(on, in.view(), out.items(), segments, Op{}, init);
          CHECK(difference(exclusive, copy_of(out)) == "");
          guarded_buffer<T> sums(static_cast<index_t>(totals.size()));
          CHECK(segmented_reduce(on, in.view(), sums.items(), segments, Op{}, init) ==
                static_cast<index_t>(totals.size()));
          CHECK(difference(totals, copy_of(sums)) == "");
        };
        for (segmentation const& segments : how.of_heads()) check(segments, some);
        for (segmentation const& segments : how.of_bounds()) check(segments, all);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("plain scans widen, and run from the end", "", operations) {
  using Item = typename TestType::item;
  using Op = typename TestType::op;
  using T = typename Op::value_type;
  T const init = static_cast<T>(3);
  for (index_t const n :
       {index_t{0}, index_t{1}, index_t{100}, sized(5000, 2500), index_t{40000}}) {
    auto const items = small_items<Item>(n);
    std::vector<Item> const turned(items.rbegin(), items.rend());
    owned_items<Item> const in(items);
    for (scan_kind const kind : {scan_kind::inclusive, scan_kind::exclusive}) {
      auto const forward = scan_oracle(kind, items, Op{}, init);
      auto reverse = scan_oracle(kind, turned, Op{}, init);
      std::reverse(reverse.out.begin(), reverse.out.end());
      for (engine const& on : engines()) {
        if (takes_long(on, n)) continue;
        INFO(on.description() << ", " << n << " items");
        bool const inclusive = kind == scan_kind::inclusive;
        guarded_buffer<T> out(n);
        T const total = inclusive ? inclusive_scan(on, in.view(), out.items(), Op{}, init)
                                  : exclusive_scan(on, in.view(), out.items(), Op{}, init);
        CHECK(difference(forward, {copy_of(out), total}) == "");
        T const from_end = inclusive
                               ? reverse_inclusive_scan(on, in.view(), out.items(), Op{}, init)
                               : reverse_exclusive_scan(on, in.view(), out.items(), Op{}, init);
        CHECK(difference(reverse, {copy_of(out), from_end}) == "");
        CHECK(difference({forward.total}, std::vector<T>{reduce(on, in.view(), Op{}, init)}) == "");
      }
    }
  }
}

TEST_CASE("sums by key return the first key and the sum of each run") {
  for (engine const& on : engines()) {
    index_t const n = on.is_executor() ? 3000 : 70000;  // several chunks of keys
    auto const offsets = make_offsets(segment_shape::power_law, n);
    auto const items = small_items<std::int8_t>(n);
    auto const keys = keys_of<double>(flags_of(offsets));
    auto const totals = segment_totals_oracle(items, offsets, plus<int>{}, 0);
    std::vector<double> firsts;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      firsts.push_back(keys[static_cast<std::size_t>(offsets[s])]);
    }
    guarded_buffer<double> unique(static_cast<index_t>(firsts.size()));
    guarded_buffer<int> sums(static_cast<index_t>(totals.size()));
    CHECK(reduce_by_key(on, keys, items, unique.items(), sums.items(), plus<int>{}) ==
          static_cast<index_t>(totals.size()));
    CHECK(difference(firsts, copy_of(unique)) == "");
    CHECK(difference(totals, copy_of(sums)) == "");
    std::vector<double> few(firsts.size() - 1);
    CHECK_THROWS_WITH(reduce_by_key(on, keys, items, few, sums.items(), plus<int>{}),
                      Contains("unique holds"));
  }
}

/// A key that is no number: cells of a grid, compared by ==.
struct cell {
  std::int16_t x, y, level;
  bool operator==(cell const&) const = default;
};

TEST_CASE("segments of keys of your own, and by your own equality, on every engine") {
  for (engine const& on : engines()) {
    for (index_t const n : {0, 1, 64, on.is_executor() ? 3000 : 70000}) {
      INFO(on.description() << ", " << n << " items");
      auto const offsets = make_offsets(segment_shape::power_law, n);
      auto const items = small_items<std::int8_t>(n);
      auto const flags = flags_of(offsets);
      auto const totals = segment_totals_oracle(items, offsets, plus<int>{}, 2);
      auto const scanned = segmented_oracle(scan_kind::exclusive, items, flags, plus<int>{}, 2);
      // Neighbors of one segment are close to each other, those of two are not.
      std::vector<cell> cells;
      std::vector<double> close;
      double at = 0;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (flags[i] != 0) at += 10;
        close.push_back(at + 0.01 * static_cast<double>(i % 3));
        cells.push_back({static_cast<std::int16_t>(at), 0, static_cast<std::int16_t>(at / 1e5)});
      }
      double const tolerance = 1;
      auto const near = [&tolerance](double a, double b) { return b - a < tolerance; };
      std::vector<cell> first_cells(totals.size());
      std::vector<double> first_close(totals.size());
      std::vector<cell> expected_cells;
      std::vector<double> expected_close;
      for (std::size_t s = 0; s < totals.size(); ++s) {
        expected_cells.push_back(cells[static_cast<std::size_t>(offsets[s])]);
        expected_close.push_back(close[static_cast<std::size_t>(offsets[s])]);
      }
      auto const runs = static_cast<index_t>(totals.size());
      guarded_buffer<int> sums(runs);
      CHECK(reduce_by_key(on, cells, items, first_cells, sums.items(), plus<int>{}, 2) == runs);
      CHECK(first_cells == expected_cells);
      CHECK(difference(totals, copy_of(sums)) == "");
      CHECK(reduce_by_key(on, close, items, first_close, sums.items(), plus<int>{}, near, 2) ==
            runs);
      CHECK(first_close == expected_close);
      CHECK(difference(totals, copy_of(sums)) == "");
      guarded_buffer<int> out(n);
      for (segmentation const& how :
           {segmentation::of_keys(cells), segmentation::of_keys(close, near)}) {
        exclusive_segmented_scan(on, items, out.items(), how, plus<int>{}, 2);
        CHECK(difference(scanned, copy_of(out)) == "");
      }
    }
  }
}

TEST_CASE("an equality that throws, and outputs over keys of your own") {
  std::vector<cell> keys(9);
  std::vector<int> const in(9, 1);
  std::vector<int> out(9);
  auto const fails = [](cell, cell) -> bool { throw std::runtime_error("no equality"); };
  for (engine const& on : engines()) {
    CHECK_THROWS_WITH(inclusive_segmented_scan(on, in, out, segmentation::of_keys(keys, fails)),
                      "no equality");
    CHECK_THROWS_WITH(reduce_by_key(on, keys, in, keys, out, plus<int>{}),
                      Contains("the output and the description of segments share memory"));
    std::span const few = std::span(keys).first(8);
    CHECK_THROWS_WITH(inclusive_segmented_scan(on, in, out, segmentation::of_keys(few)),
                      Contains("described for 8 items, but there are 9"));
  }
}

TEST_CASE("rows of one length are segments") {
  int const in[] = {1, 2, 3, 4, 5};
  for (engine const& on : engines()) {
    std::vector<int> out(5), totals(3);
    std::array<int, 3> sums{};
    CHECK(segmented_reduce(on, in, sums, segmentation::of_length(2)) == 3);
    CHECK(sums == std::array<int, 3>{3, 7, 5});
    inclusive_segmented_scan(on, in, out, segmentation::of_length(2));
    CHECK(out == std::vector<int>{1, 3, 3, 7, 5});
    CHECK(segmented_reduce(on, in, totals, segmentation::of_length(2)) == 3);
    CHECK(totals == std::vector<int>{3, 7, 5});
  }
}

TEST_CASE("rows of one length, and offsets of the same rows, have the results of a plain loop") {
  index_t const n = sized(40'001, 5'003);
  auto const in = small_items<std::int32_t>(n);
  for (index_t const length : {1, 4, 7, 33, 300}) {
    std::vector<index_t> offsets{0};
    while (offsets.back() < n) offsets.push_back(std::min(offsets.back() + length, n));
    auto const totals = segment_totals_oracle(in, offsets, plus<std::int32_t>{}, 3);
    auto const sums =
        segmented_oracle(scan_kind::inclusive, in, flags_of(offsets), plus<std::int32_t>{}, 3);
    for (segmentation const& rows :
         {segmentation::of_length(length), segmentation::of_offsets(offsets)}) {
      for (engine const& on : engines()) {
        if (takes_long(on, n)) continue;
        INFO("rows of " << length << ", " << on.description());
        std::vector<std::int32_t> out(in.size()), found(totals.size());
        inclusive_segmented_scan(on, in, out, rows, plus<std::int32_t>{}, 3);
        CHECK(difference(sums, out) == "");
        CHECK(segmented_reduce(on, in, found, rows, plus<std::int32_t>{}, 3) == std::ssize(totals));
        CHECK(difference(totals, found) == "");
      }
    }
  }
}

TEST_CASE("items in no segment keep their results, and ranges may overlap in sums") {
  std::vector<int> const in{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint32_t> const offsets{2, 4, 4, 6};
  std::vector<index_t> const begins{5, 0}, ends{8, 2}, wide_ends{8, 7};
  for (engine const& on : engines()) {
    std::vector<int> out(8, -1);
    inclusive_segmented_scan(on, in, out, segmentation::of_offsets(offsets));
    CHECK(out == std::vector<int>{-1, -1, 3, 7, 5, 11, -1, -1});
    out.assign(8, -1);
    exclusive_segmented_scan(on, in, out, segmentation::of_ranges(begins, ends), plus<int>{}, 10);
    CHECK(out == std::vector<int>{10, 11, -1, -1, -1, 10, 16, 23});
    std::vector<int> totals(3, -1);
    CHECK(segmented_reduce(on, in, totals, segmentation::of_offsets(offsets)) == 3);
    CHECK(totals == std::vector<int>{7, 0, 11});
    CHECK(segmented_reduce(on, in, totals, segmentation::of_ranges(begins, wide_ends)) == 2);
    CHECK((totals[0] == 21 && totals[1] == 28));
  }
}

TEST_CASE("offsets at equal distances leave items out, and end with an empty segment") {
  std::vector<int> const in{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::int32_t> const shorter{0, 3, 6}, empty_end{0, 4, 8, 8}, all{0, 3, 6, 8};
  for (engine const& on : engines()) {
    auto const scanned = [&](auto const& offsets) {
      std::vector<int> out(8, -1);
      inclusive_segmented_scan(on, in, out, segmentation::of_offsets(offsets));
      return out;
    };
    auto const totals = [&](auto const& offsets) {
      std::vector<int> sums(4, -1);
      auto const segments = static_cast<index_t>(offsets.size()) - 1;
      CHECK(segmented_reduce(on, in, sums, segmentation::of_offsets(offsets)) == segments);
      return sums;
    };
    CHECK(scanned(shorter) == std::vector<int>{1, 3, 6, 4, 9, 15, -1, -1});
    CHECK(scanned(empty_end) == std::vector<int>{1, 3, 6, 10, 5, 11, 18, 26});
    CHECK(scanned(all) == std::vector<int>{1, 3, 6, 4, 9, 15, 7, 15});
    CHECK(totals(shorter) == std::vector<int>{6, 15, -1, -1});
    CHECK(totals(empty_end) == std::vector<int>{10, 26, 0, -1});
    CHECK(totals(all) == std::vector<int>{6, 15, 15, -1});
  }
}

TEST_CASE("results of float sums may be 16-bit floats, rounded when written") {
  std::vector<float16> const in(300, float16(7.0F));
  for (engine const& on : engines()) {
    std::vector<bfloat16> out(300);
    // The carry is not rounded, though 2093 and 2100 are no bfloat16.
    CHECK(inclusive_scan(on, in, out) == 2100);
    CHECK(static_cast<float>(out[298]) == static_cast<float>(bfloat16(2093.0F)));
    std::vector<float16> halves(300);
    inclusive_segmented_scan(on, in, halves, segmentation::of_length(300));
    CHECK(static_cast<float>(halves[299]) == static_cast<float>(float16(2100.0F)));
  }
}

TEST_CASE("ranks of flags, of bools and of bits") {
  for (index_t const n : {0, 1, 31, 70, 5000}) {
    auto const flags = flags_of(make_offsets(segment_shape::power_law, n));
    auto const bits = bits_of(flags);
    std::vector<std::uint32_t> before, upto;
    std::uint32_t count = 0;
    for (std::uint8_t const flag : flags) {
      before.push_back(count);
      count += flag != 0 ? 1 : 0;
      upto.push_back(count);
    }
    for (engine const& on : engines()) {
      for (item_mask const& mask : {item_mask::of_flags(flags), item_mask::of_bits(bits, n)}) {
        guarded_buffer<std::uint32_t> ranks(n);
        CHECK(exclusive_binary_scan(on, mask, ranks.items()) == count);
        CHECK(difference(before, copy_of(ranks)) == "");
        guarded_buffer<index_t> wide(n);
        CHECK(inclusive_binary_scan(on, mask, wide.items()) == count);
        auto const written = copy_of(wide);
        CHECK(std::vector<std::uint32_t>(written.begin(), written.end()) == upto);
      }
    }
  }
  bool const few[] = {true, false, true};
  std::vector<int> ranks(3);
  CHECK(exclusive_binary_scan(engine::cpu(), item_mask::of_flags(few), ranks) == 2);
  CHECK(ranks == std::vector<int>{0, 1, 1});
}

TEST_CASE("descriptions of other items, short outputs and overlaps are refused, before a write") {
  std::vector<int> in{1, 2, 3, 4};
  std::vector<int> out(4, -1);
  std::vector<std::uint8_t> const flags(3);
  std::vector<int> const falling{0, 3, 2, 4}, beyond{0, 5};
  for (engine const& on : engines()) {
    CHECK_THROWS_WITH(inclusive_segmented_scan(on, in, out, segmentation::of_flags(flags)),
                      Contains("described for 3 items, but there are 4"));
    CHECK_THROWS_WITH(inclusive_segmented_scan(on, in, out, segmentation::of_offsets(falling)),
                      Contains("offset 2 is 2; expected offsets that ascend"));
    CHECK_THROWS_WITH(segmented_reduce(on, in, out, segmentation::of_offsets(beyond)),
                      Contains("offset 1 is 5"));
    CHECK_THROWS_WITH(inclusive_segmented_scan(on, in, out, segmentation::of_keys(out)),
                      Contains("the output and the description of segments share memory"));
    CHECK_THROWS_WITH(segmented_reduce(on, in, std::span(out).first(1), segmentation::of_length(2)),
                      Contains("totals holds 1 items; expected at least 2"));
    CHECK_THROWS_WITH(reverse_inclusive_scan(on, std::span(in).first(3), std::span(in).subspan(1)),
                      Contains("in and out share memory"));
    CHECK_THROWS_WITH(
        exclusive_binary_scan(on, item_mask::of_flags(flags), std::span(out).first(2)),
        Contains("ranks holds 2 items"));
    CHECK(out == std::vector<int>(4, -1));
    CHECK(in == std::vector<int>{1, 2, 3, 4});
  }
}

TEST_CASE("the executor is an engine by name, with a description and a limit") {
  engine on = engine::cpu();
  try {
    on = engine::named("executor");
  } catch (engine_unavailable const&) {
    return;  // a build without it
  }
  CHECK(on.is_executor());
  CHECK(on.description() == "executor, fixed order");
  CHECK(engine::executor(7).description() == "executor, seed 7");
  CHECK(engine::executor(7).seed() == 7);
  std::vector<std::uint8_t> const many(executor_limit + 1);
  CHECK_THROWS_WITH(reduce(on, many), Contains("takes up to 16777216 items"));
}

}  // namespace
}  // namespace libscan::test
