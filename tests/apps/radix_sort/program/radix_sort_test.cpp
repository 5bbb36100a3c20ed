// SPDX-License-Identifier: Apache-2.0
// The radix sort on CPU threads against std::stable_sort on the untouched input: every type,
// pattern, size and number of threads, with tuning that makes every part of it work on few items.
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <apps/radix_sort/cpu/sorter.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <tests/apps/radix_sort/program/sort_oracle.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;
using cpu::detail::sort_tuning;

namespace {

/// Keys of 8 bytes that are too many for a leaf.
constexpr index_t many = sized(200003, 70001);

/// Leaves of few bytes: a thousand items are split several times.
sort_tuning const tiny{96, 8, 2, 3};

/// Empty if pairs with values of type Value are sorted to `expected`, and nothing else is written.
template <class Value, class T>
std::string pairs_error(int threads, guarded_buffer<T> const& in,
                        std::vector<index_t> const& expected, sort_order<T> const& order,
                        sort_tuning const& tuning, int offset, int value_offset) {
  auto const n = static_cast<index_t>(expected.size());
  std::vector<Value> numbers(expected.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Value>(i * 7);
  guarded_buffer<T> keys(n, offset);
  guarded_buffer<Value> values(n, value_offset);
  cpu::sort_pairs(threads, in.data(), keys.data(), numbers.data(), values.data(), n, order, tuning);
  std::string const wrong = bit_difference(items_at(in.copy(), expected), keys.copy()) +
                            keys.damage() + values.damage() +
                            difference(items_at(numbers, expected), values.copy());
  return wrong.empty() ? "" : "pairs, values at " + std::to_string(value_offset) + ": " + wrong;
}

/// Whether a build tests all ways to call a sort of this type; builds of the quick set do for one.
template <class T>
inline constexpr bool every_call = !quick_types || std::is_same_v<T, std::uint32_t>;

using byte_key = quick_or<std::int8_t, std::uint8_t>;
using short_key = quick_or<std::uint32_t, std::uint16_t>;
using float_key = quick_or<double, float>;

/// Empty if keys, pairs and positions are sorted as std::stable_sort would, and nothing else is
/// written.
template <class T>
std::string sort_error(int threads, std::vector<T> const& keys, sort_tuning const& tuning = {},
                       sort_direction direction = sort_direction::ascending, int offset = 0) {
  bool const down = direction == sort_direction::descending;
  auto const expected = sorted_positions(keys, down, comes_before<T>);
  auto const expected_keys = items_at(keys, expected);
  auto const n = static_cast<index_t>(keys.size());
  sort_order<T> order;
  order.direction = direction;

  guarded_buffer<T> const in(keys, offset);
  guarded_buffer<T> out(n, offset);
  cpu::sort_keys(threads, in.data(), out.data(), n, order, tuning);
  if (bit_difference(expected_keys, out.copy()) + out.damage() != "") return "keys";

  guarded_buffer<T> both(keys, offset);
  cpu::sort_keys(threads, both.data(), both.data(), n, order, tuning);
  if (bit_difference(expected_keys, both.copy()) + both.damage() != "") return "keys in place";

  guarded_buffer<index_t> positions(n, offset);
  cpu::argsort(threads, in.data(), positions.data(), n, order, tuning);
  if (difference(expected, positions.copy()) + positions.damage() != "") return "positions";
  if constexpr (every_call<T>) {
    guarded_buffer<std::uint32_t> narrow(n, offset);
    cpu::argsort(threads, in.data(), narrow.data(), n, order, tuning);
    std::vector<std::uint32_t> const expected_narrow(expected.begin(), expected.end());
    if (difference(expected_narrow, narrow.copy()) + narrow.damage() != "") {
      return "32-bit positions";
    }
  }

  // Where keys and values have the same places in their cache lines, and where they have not.
  for (int const value_offset : {offset, offset == 16 ? 15 : offset + 1}) {
    auto wrong =
        pairs_error<std::uint64_t>(threads, in, expected, order, tuning, offset, value_offset);
    if constexpr (every_call<T>) {
      wrong +=
          pairs_error<std::uint32_t>(threads, in, expected, order, tuning, offset, value_offset);
    }
    if (!wrong.empty()) return wrong;
  }
  return bit_difference(keys, in.copy());
}

/// Keys that mostly share their high bits, some groups more than others.
std::vector<std::uint64_t> skewed_keys(index_t n) {
  random_words words(5);
  std::vector<std::uint64_t> keys;
  for (index_t i = 0; i < n; ++i) {
    switch (words.below(4)) {
      case 0:
        keys.push_back(words());
        break;
      case 1:
        keys.push_back((std::uint64_t{5} << 40) + words.below(1000));
        break;
      default:
        keys.push_back(words.below(64));
    }
  }
  return keys;
}

/// A key of your own.
struct version {
  std::uint16_t major;
  std::uint64_t build;
  char name[3];
};
struct version_words {
  std::array<std::uint32_t, 3> operator()(version const& v) const {
    return {v.major, static_cast<std::uint32_t>(v.build >> 32),
            static_cast<std::uint32_t>(v.build)};
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("keys, pairs and positions are sorted as std::stable_sort sorts", "",
                        number_keys) {
  int round = 0;
  for (pattern const p : all_patterns()) {
    for (index_t const n : sized_list<index_t>({0, 1, 2, 31, 33, 64, 257, 1000, 5003},
                                               {0, 1, 2, 31, 33, 64, 257, 2003})) {
      int const threads = thread_counts[round % 4];
      auto const direction =
          round++ % 3 == 0 ? sort_direction::descending : sort_direction::ascending;
      INFO("pattern " << static_cast<int>(p) << " n " << n << " threads " << threads);
      auto const keys = make_keys<TestType>(p, n);
      with_threads(threads, [&] {
        CHECK(sort_error(threads, keys, {}, direction) == "");
        CHECK(sort_error(threads, keys, tiny, direction) == "");
      });
    }
  }
}

TEST_CASE("every small size is sorted with tiny leaves") {
  for (index_t const n : tiny_sizes()) {
    INFO("n " << n);
    REQUIRE(sort_error(2, make_keys<std::uint32_t>(pattern::random, n), tiny) == "");
    REQUIRE(sort_error(1, make_keys<double>(pattern::special, n), tiny) == "");
  }
}

TEST_CASE("large inputs are sorted alike by any number of threads") {
  for (int const threads : thread_counts) {
    INFO("threads " << threads);
    with_threads(threads, [&] {
      for (pattern const p : all_patterns()) {
        if (quick_types && (static_cast<int>(p) + threads) % 4 != 0) continue;  // each once
        INFO("pattern " << static_cast<int>(p));
        CHECK(sort_error(threads, make_keys<float_key>(p, sized(300007, many))) == "");
      }
      for (bool const wide : {false, true}) {
        if (quick_types && threads != (wide ? 3 : 2)) continue;
        sort_tuning tuning;
        tuning.wide_digits = wide;
        CHECK(sort_error(threads, make_keys<std::uint64_t>(pattern::random, many), tuning) == "");
        CHECK(sort_error(threads, make_keys<byte_key>(pattern::random, 8 * many), tuning) == "");
        // Leaves that threads share all the same.
        CHECK(sort_error(threads, make_keys<std::uint32_t>(pattern::random, 50003), tuning) == "");
        CHECK(sort_error(threads, make_keys<byte_key>(pattern::random, 50003), tuning) == "");
      }
    });
  }
}

TEST_CASE("skewed keys are split again") {
  auto const keys = skewed_keys(many);
  for (int const threads : thread_counts) {
    INFO("threads " << threads);
    with_threads(threads, [&] {
      // The last splits by more bits than there are, which count as all of them.
      int turn = threads;
      for (sort_tuning const& tuning :
           {sort_tuning{}, sort_tuning{1 << 12, 256, 4, 6}, sort_tuning{1 << 12, 1, 14, 14}}) {
        if (quick_types && turn++ % 2 == 0) continue;
        CHECK(sort_error(threads, keys, tuning) == "");
      }
    });
  }
}

TEST_CASE("buckets follow the sample and keep the order of words") {
  using cpu::detail::bucket_map;
  using cpu::detail::digit;
  for (std::uint32_t const spread : {1U, 1000U, 1U << 20, ~0U}) {
    random_words words(spread);
    std::vector<std::uint32_t> sample(1000);
    for (auto& word : sample) word = static_cast<std::uint32_t>(words.below(spread));
    for (digit const by : {digit{21, 11}, digit{31, 1}, digit{0, 8}, digit{12, 8}}) {
      bucket_map<std::uint32_t> const map(by, sample);
      std::uint32_t before = 0;
      bool ascending = true;
      std::vector<std::uint32_t> const edges{0, 1, 5, 999, 1000, 1U << 19, (1U << 20) - 1};
      for (std::uint32_t const word : edges) {
        if (static_cast<int>(std::bit_width(word)) > map.end_bit()) break;
        ascending = ascending && map.of(word) >= before;
        before = map.of(word);
      }
      INFO("spread " << spread << " digit " << by.shift << " " << by.bits);
      CHECK(ascending);
      CHECK(static_cast<int>(before) < map.buckets());
      CHECK(map.buckets() <= (1 << by.bits) + (1 << 11));
    }
  }
}

TEST_CASE("a high bit that samples do not show is found") {
  auto keys = make_keys<std::uint64_t>(pattern::small, many);
  for (auto& key : keys) key &= 7;
  keys[keys.size() / 2 + 1] = std::uint64_t{1} << 63;
  CHECK(sort_error(2, keys) == "");
  for (auto& key : keys) key = key < 7 ? key * key << 30 : key;
  CHECK(sort_error(3, keys, {1 << 12, 256, 4, 6}) == "");
  // Sorted except the one item between two samples.
  std::vector<std::uint32_t> almost(200000);
  for (std::size_t i = 0; i < almost.size(); ++i) almost[i] = static_cast<std::uint32_t>(i);
  almost[77777] = 3;
  CHECK(sort_error(2, almost) == "");
}

using nan_keys = types_to_test<std::tuple<double>, std::tuple<float>, no_types>;
TEMPLATE_LIST_TEST_CASE("NaNs come last, zeros are equal, and equal keys stay in order", "",
                        nan_keys) {
  for (index_t const n : {index_t{20}, index_t{3000}, many}) {
    auto const keys = odd_floats<TestType>(n);
    for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
      INFO("n " << n << " descending " << (direction == sort_direction::descending));
      CHECK(sort_error(2, keys, {}, direction) == "");
      CHECK(sort_error(1, keys, tiny, direction) == "");
    }
  }
}

using half_keys = types_to_test<std::tuple<float16>, std::tuple<bfloat16>, no_types>;
TEMPLATE_LIST_TEST_CASE("all floats of 16 bits are in the order of their values", "", half_keys) {
  std::vector<TestType> keys;
  for (std::uint32_t i = 0; i < 1 << 16; ++i) {
    keys.push_back(TestType::of_bits(static_cast<std::uint16_t>(i * 40503)));
  }
  CHECK(sort_error(2, keys, {1 << 12, 1 << 10, 8, 11}) == "");
}

using float_keys =
    types_to_test<std::tuple<double, float16>, std::tuple<float, bfloat16>, no_types>;
TEMPLATE_LIST_TEST_CASE("words determine all floats but -0 and NaN", "", float_keys) {
  using words = cpu::detail::number_words<TestType>;
  using word = typename words::word;
  constexpr auto sign = static_cast<word>(word{1} << (8 * sizeof(word) - 1));
  constexpr auto fraction =
      static_cast<word>((word{1} << libscan::detail::fraction_bits<TestType>)-1);
  constexpr auto infinity = static_cast<word>(sign - 1 - fraction);
  for (word const near : {word{0}, fraction, infinity, static_cast<word>(sign - 1)}) {
    for (int const step : {-1, 0, 1}) {
      for (word const of_sign : {word{0}, sign}) {
        auto const bits = static_cast<word>((near + static_cast<word>(step)) ^ of_sign);
        INFO("bits " << std::hex << std::uint64_t{bits});
        TestType key;
        std::memcpy(static_cast<void*>(&key), &bits, sizeof key);
        bool const odd = bits == sign || static_cast<word>(bits & (sign - 1)) > infinity;
        REQUIRE(words::any_lost(words::lost(key)) == odd);
        if (odd) continue;
        word const up = number_order<TestType>{}(key);
        for (auto const direction : {sort_direction::ascending, sort_direction::descending}) {
          words const by(direction);
          bool const turned = direction == sort_direction::descending;
          REQUIRE(by.from(key) == static_cast<word>(turned ? ~up : up));
          TestType back;
          by.to(by.from(key), &back);
          REQUIRE(std::memcmp(&back, &key, sizeof key) == 0);
        }
      }
    }
  }
}

TEST_CASE("only the bits requested count") {
  auto const keys = make_keys<std::uint32_t>(pattern::random, 5000);
  for (auto const [first, end] : {std::array{0, 32}, {4, 11}, {0, 1}, {31, 32}, {7, 7}, {16, -1}}) {
    INFO("bits " << first << " to " << end);
    int const width = (end < 0 ? 32 : end) - first;
    auto const part = [first = first, width](std::uint32_t key) {
      return std::uint64_t{key} >> first & ((std::uint64_t{1} << width) - 1);
    };
    auto const expected = items_at(
        keys, sorted_positions(
                  keys, true, [&](std::uint32_t a, std::uint32_t b) { return part(a) < part(b); }));
    sort_order<std::uint32_t> order;
    order.direction = sort_direction::descending;
    order.first_bit = first;
    order.end_bit = end;
    for (sort_tuning const& tuning : {sort_tuning{}, tiny}) {
      std::vector<std::uint32_t> out(keys.size());
      cpu::sort_keys(2, keys.data(), out.data(), 5000, order, tuning);
      CHECK(difference(expected, out) == "");
      std::vector<std::uint32_t> values(keys.size());
      cpu::sort_pairs(2, keys.data(), out.data(), keys.data(), values.data(), 5000, order, tuning);
      CHECK(difference(expected, out) + difference(expected, values) == "");
    }
  }
  sort_order<std::uint32_t> order;
  for (auto const [first, end] : {std::array{-1, 3}, {5, 4}, {0, 33}}) {
    order.first_bit = first;
    order.end_bit = end;
    std::vector<std::uint32_t> out(keys.size());
    CHECK_THROWS_AS(cpu::sort_keys(1, keys.data(), out.data(), 5000, order), invalid_argument);
  }
}

TEST_CASE("pointers of any alignment are sorted, and nothing is written beside") {
  auto const keys = make_keys<short_key>(pattern::random, 5000);
  auto const words = make_keys<std::uint64_t>(pattern::random, 5000);
  auto const floats = make_keys<float_key>(pattern::random, 5000);
  for (int offset = 0; offset <= 16; ++offset) {
    INFO("offset " << offset);
    CHECK(sort_error(2, keys, {512, 64, 5, 8}, sort_direction::ascending, offset) == "");
    CHECK(sort_error(2, words, {512, 64, 5, 8}, sort_direction::ascending, offset) == "");
    CHECK(sort_error(2, floats, {512, 64, 5, 8}, sort_direction::ascending, offset) == "");
  }
}

TEST_CASE("keys of a type of your own are sorted by their words") {
  random_words words(3);
  std::vector<version> keys(4000);
  for (auto& key : keys) {
    key = {static_cast<std::uint16_t>(words.below(3)), words() & words() & words() >> 20, {'a'}};
    key.name[1] = static_cast<char>(words.below(26) + 'a');
  }
  auto const before = [](version const& a, version const& b) {
    return a.major != b.major ? a.major < b.major : a.build < b.build;
  };
  sort_order<version, version_words> order;
  for (bool const down : {false, true}) {
    order.direction = down ? sort_direction::descending : sort_direction::ascending;
    auto const positions = sorted_positions(keys, down, before);
    auto const expected = items_at(keys, positions);
    std::vector<version> out(keys.size());
    std::vector<index_t> at(keys.size());
    cpu::sort_keys(2, keys.data(), out.data(), 4000, order);
    cpu::argsort(3, keys.data(), at.data(), 4000, order, tiny);
    CHECK(difference(positions, at) == "");
    bool same = true;
    for (std::size_t j = 0; j < out.size(); ++j) {
      same = same && out[j].build == expected[j].build && out[j].name[1] == expected[j].name[1];
    }
    CHECK(same);
  }
}

TEST_CASE("each segment is sorted on its own") {
  struct lengths {
    char const* name;
    index_t least, most;
    std::size_t segments;
    bool in_turn = false;  // the least and the most, or anything between
  };
  for (auto const& how : {lengths{"none", 0, 0, 0},
                          {"empty", 0, 0, 50},
                          {"of one", 1, 1, 5000},
                          {"empty or of two", 0, 2, 5000, true},
                          {"tiny", 0, 3, 20000},
                          {"short", 0, 40, 3000},
                          {"mixed", 0, 3000, 60},
                          {"huge", 60000, 90000, 4}}) {
    random_words words(9);
    std::vector<index_t> offsets{0};
    for (std::size_t s = 0; s < how.segments; ++s) {
      auto const spread = static_cast<std::uint64_t>(how.most - how.least + 1);
      auto const more = how.in_turn ? s % 2 * (spread - 1) : words.below(spread);
      offsets.push_back(offsets.back() + how.least + static_cast<index_t>(more));
    }
    index_t const n = offsets.back();
    auto const keys = make_keys<float>(pattern::special, n);
    std::vector<std::uint32_t> numbers(keys.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
    auto expected = numbers;
    for (std::size_t s = 0; s < how.segments; ++s) {
      std::stable_sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
                       [&](auto a, auto b) { return comes_before(keys[a], keys[b]); });
    }
    std::vector<float> expected_keys;
    for (auto const at : expected) expected_keys.push_back(keys[at]);
    auto const segments = static_cast<index_t>(how.segments);
    int turn = 0;
    for (int const threads : thread_counts) {
      ++turn;
      for (sort_tuning const& tuning : {sort_tuning{}, sort_tuning{1 << 12, 64, 2, 6}}) {
        if (quick_types && turn++ % 2 == 0) continue;  // each number of threads by one tuning
        INFO(how.name << " threads " << threads << " leaf " << tuning.leaf_bytes);
        auto both = keys;
        guarded_buffer<float> out(n);
        guarded_buffer<float> out_keys(n);
        guarded_buffer<std::uint32_t> out_values(n);
        with_threads(threads, [&] {
          cpu::sort_keys_in_segments(threads, keys.data(), out.data(), n, offsets.data(), segments,
                                     {}, tuning);
          cpu::sort_keys_in_segments(threads, both.data(), both.data(), n, offsets.data(), segments,
                                     {}, tuning);
          cpu::sort_pairs_in_segments(threads, keys.data(), out_keys.data(), numbers.data(),
                                      out_values.data(), n, offsets.data(), segments, {}, tuning);
        });
        CHECK(bit_difference(expected_keys, out.copy()) + out.damage() == "");
        CHECK(bit_difference(expected_keys, both) == "");
        CHECK(bit_difference(expected_keys, out_keys.copy()) + out_keys.damage() == "");
        CHECK(difference(expected, out_values.copy()) + out_values.damage() == "");
      }
    }
  }
  float keys[3] = {};
  index_t const wrong[][3] = {{-1, 2, 3}, {0, 4, 3}, {0, 2, 4}, {2, 1, 3}};
  for (auto const& offsets : wrong) {
    CHECK_THROWS_AS(cpu::sort_keys_in_segments(1, keys, keys, 3, offsets, 2), invalid_argument);
  }
}

TEST_CASE("wrong numbers are refused") {
  int keys[1] = {};
  CHECK_THROWS_AS(cpu::sort_keys(0, keys, keys, 1), invalid_argument);
  CHECK_THROWS_AS(cpu::sort_keys(1, keys, keys, -1), invalid_argument);
  index_t positions[1];
  CHECK_THROWS_AS(cpu::argsort(1, keys, positions, -1), invalid_argument);
  int narrow[1];  // refused before anything is read
  CHECK_THROWS_AS(cpu::argsort(1, keys, narrow, (index_t{1} << 31) + 1), invalid_argument);
}
