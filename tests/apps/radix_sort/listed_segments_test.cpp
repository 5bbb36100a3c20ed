// SPDX-License-Identifier: Apache-2.0
// The sort within segments that the host knows, against stable sorts of each: by staged passes over
// tiny tiles, and by plain sorts.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/device/listed_segments.cuh>
#include <tests/apps/radix_sort/sort_cases.hpp>
#include <tests/support/device_buffer.hpp>

using namespace libscan;
using namespace libscan::test;
using libscan::detail::listed_piece;

namespace {

/// Staged passes over tiles of 256 items, however few items there are; of segments of up to eleven
/// tiles.
template <rank_order Ranks>
struct tiny_listed {
  using histogram = tiny_digit_histogram;
  template <tile_witness>
  struct staged : tiny_staged_passes<Ranks>::pass {
    static constexpr index_t min_items = 0;
    static constexpr index_t portion_tiles = 11;
  };
};
using listed = tiny_listed<rank_order::hardware>;
using disordered_listed = tiny_listed<rank_order::reversed>;

/// Offsets of segments of these lengths, from `first` on.
std::vector<index_t> offsets_of(std::vector<index_t> const& lengths, index_t first) {
  std::vector<index_t> offsets{first};
  for (index_t const length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// Keys that agree in bits [shift, 32) within a segment.
std::vector<std::uint32_t> keys_for(std::vector<index_t> const& offsets, int shift, variety how) {
  auto keys = make_keys<std::uint32_t>(how, offsets.back() + 3);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      auto& key = keys[static_cast<std::size_t>(i)];
      key = static_cast<std::uint32_t>(key & ((std::uint64_t{1} << shift) - 1)) |
            static_cast<std::uint32_t>(std::uint64_t{s * 37} << shift);
    }
  }
  return keys;
}

/// Where the items of segments are before a sort: in place, or in pieces of up to `longest` items,
/// some of them in the second place, in reverse.
struct layout {
  std::vector<listed_piece> pieces, segments;
  std::vector<index_t> from, more;  // which item is there; -1: none

  /// Segments have numbers from `first_segment` on.
  layout(std::vector<index_t> const& offsets, index_t n, index_t longest, int first_segment)
      : from(static_cast<std::size_t>(n), -1), more(static_cast<std::size_t>(n), -1) {
    random_words words(static_cast<std::uint64_t>(n + longest));
    index_t next[2] = {offsets.front(), n};
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      int const segment = first_segment + static_cast<int>(s);
      segments.push_back({offsets[s], offsets[s + 1] - offsets[s], segment, 0});
      for (index_t item = offsets[s]; item < offsets[s + 1];) {
        index_t size = offsets[s + 1] - item;
        bool const second = longest > 0 && words.below(2) == 0;
        if (longest > 0) size = std::min(size, static_cast<index_t>(words.below(longest)) + 1);
        if (second) next[1] -= size;
        index_t const begin = longest == 0 ? item : next[second ? 1 : 0];
        for (index_t i = 0; i < size; ++i) {
          (second ? more : from)[static_cast<std::size_t>(begin + i)] = item + i;
        }
        pieces.push_back({begin, size, segment, second ? 1 : 0});
        if (!second) next[0] += size;
        item += size;
      }
    }
    // Outside of the segments nothing moves.
    for (index_t i = 0; i < n; ++i) {
      if (i < offsets.front() || i >= offsets.back()) from[static_cast<std::size_t>(i)] = i;
    }
  }

  /// items, laid out; what has no item holds `none`.
  template <class T>
  static std::vector<T> laid_out(std::vector<T> const& items, std::vector<index_t> const& which,
                                 T none) {
    std::vector<T> result;
    for (index_t const i : which)
      result.push_back(i < 0 ? none : items[static_cast<std::size_t>(i)]);
    return result;
  }
};

/// Sorts keys, with their positions unless Value is void, and compares what is in the segments.
/// Nothing else may be written.
template <class Tuning, class Value>
void check(std::vector<std::uint32_t> const& keys, std::vector<index_t> const& offsets,
           sort_order<std::uint32_t> order, bool agree_above, index_t longest = 0) {
  INFO(offsets.size() - 1 << " segments, bits " << order.first_bit << " to " << order.end()
                          << ", pieces of " << longest);
  auto const n = static_cast<index_t>(keys.size());
  auto const places = sorted_positions(keys, offsets, [&](std::uint32_t a, std::uint32_t b) {
    if (order.direction == sort_direction::descending) std::swap(a, b);
    return bits_of(a, order.first_bit, order.end()) < bits_of(b, order.first_bit, order.end());
  });
  layout const how(offsets, n, longest, static_cast<int>(longest) * 70000);
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  auto const image_of = [&](auto const& items, auto const& which, int offset) {
    return device_image<std::uint32_t>(layout::laid_out(items, which, 77u), offset);
  };
  auto from = image_of(keys, how.from, 0), more = image_of(keys, how.more, 5);
  auto values_from = image_of(numbers, how.from, 1), values_more = image_of(numbers, how.more, 7);
  device_image<std::uint32_t> to(keys, 3), values_to(numbers, 2);
  auto const was_more = more.read(), were_values_more = values_more.read();

  device_buffer<listed_piece> const d_pieces(how.pieces), d_segments(how.segments);
  workspace ws;
  device::listed_buffers<Value> values;
  if constexpr (!std::is_void_v<Value>) {
    values = {values_from.data(), values_to.data(), values_more.data()};
  }
  device::sort_listed_segments<Tuning, sort_order<std::uint32_t>, Value>(
      ws, {from.data(), to.data(), more.data()}, values, {how.pieces, d_pieces.data()},
      {how.segments, d_segments.data()}, order, agree_above);

  bool const odd = ceil_div(order.end() - order.first_bit, 8) % 2 != 0;
  auto const found = (odd ? to : from).read(),
             found_values = (odd ? values_to : values_from).read();
  for (index_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    auto const place = static_cast<std::size_t>(places[at]);
    REQUIRE(found[at] == keys[place]);
    if (!std::is_void_v<Value>) REQUIRE(found_values[at] == numbers[place]);
  }
  REQUIRE(more.read() == was_more);
  REQUIRE(values_more.read() == were_values_more);
  for (auto const* image : {&from, &to, &more, &values_from, &values_to, &values_more}) {
    REQUIRE(image->damage() == "");
  }
}

}  // namespace

TEMPLATE_TEST_CASE("segments that the host knows are sorted each by itself", "", listed,
                   disordered_listed, void) {
  constexpr bool is_first = std::is_same_v<TestType, listed>;
  sort_order<std::uint32_t> low, lower, all, some;
  low.end_bit = 24;
  lower.end_bit = 16;
  some.first_bit = 5;
  some.end_bit = 20;
  some.direction = sort_direction::descending;
  for (auto const& lengths : sized_list<std::vector<index_t>>(
           {{0}, {1}, {700}, {0, 1, 256, 257, 0, 0, 900, 2, 512, 0}, {2600, 40, 1, 1, 1, 3000}},
           {{0, 257, 0, 0, 300, 2, 0}})) {
    auto const offsets = offsets_of(lengths, 5);
    auto const near = [&](variety how) { return keys_for(offsets, 24, how); };
    auto const any = keys_for(offsets, 32, variety::any);
    check<TestType, std::uint32_t>(near(variety::few), offsets, low, true, 400);
    check<TestType, void>(any, offsets, lower, false);
    if (!is_first && quick_types) continue;
    check<TestType, void>(near(variety::any), offsets, low, true, 200);
    check<TestType, std::uint32_t>(any, offsets, some, false, 3);
    if (quick_types) continue;
    check<TestType, void>(near(variety::few), offsets, low, true, 400);
    check<TestType, void>(near(variety::equal), offsets, low, true);
    check<TestType, void>(any, offsets, all, true);
    check<TestType, void>(any, offsets, some, false, 3);
  }
}

TEST_CASE("hundreds of listed segments, and more than are sorted together") {
  for (std::size_t const count : sized_list<std::size_t>({300, 1024, 1025}, {300})) {
    std::vector<index_t> lengths;
    random_words words(count);
    for (std::size_t s = 0; s < count; ++s) lengths.push_back(static_cast<index_t>(words.below(4)));
    lengths[count / 2] = 600;
    auto const offsets = offsets_of(lengths, 0);
    sort_order<std::uint32_t> order;
    order.end_bit = 8;
    check<listed, void>(keys_for(offsets, 8, variety::any), offsets, order, true);
    if (quick_types) continue;
    check<listed, void>(keys_for(offsets, 8, variety::any), offsets, order, true, 900);
  }
}

TEST_CASE("no segments, or no bits, leave everything as it is") {
  std::vector<std::uint32_t> const keys{3, 1, 2};
  sort_order<std::uint32_t> none;
  none.end_bit = 0;
  check<listed, void>(keys, {0, 3}, none, true);
  check<listed, void>(keys, {1}, {}, true);
  check<listed, void>(keys, {1, 1, 1}, {}, true);
}
