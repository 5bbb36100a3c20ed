// SPDX-License-Identifier: Apache-2.0
// Device splits against plain loops: sizes, selectivities, types, alignments, schedules, counts on
// the device; and outputs of filters and splits that are refused.
#include <libscan/scan.cuh>
#include <libscan/split.cuh>
#include <tests/apps/filter/selection_cases.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning: the library chooses.
using automatic = void;

/// Splits into two buffers and into one.
template <class Tuning, class T, class Keep>
void require_split(masked_input<T> const& input, Keep keep, int offset) {
  auto const& expected = input.expected;
  index_t const n = input.size();
  dirty_workspace ws(n * 16 + 100000);
  outputs<T> out(expected, offset);
  split<Tuning>(ws, input.in.data(), out.kept.data(), out.rejected.data(), n, keep,
                out.count.data());
  require_same(expected.kept, out.kept);
  require_same(expected.rejected, out.rejected);
  out.require_count(expected.count());

  device_image<T> both(n, offset);
  device_image<index_t> count(1);
  split<Tuning>(ws, input.in.data(), both.data(), n, keep, count.data());
  auto one = expected.kept;
  one.insert(one.end(), expected.rejected.begin(), expected.rejected.end());
  require_same(one, both);
  REQUIRE(count.read()[0] == expected.count());
}

/// By both masks; in builds of few types by bytes, large items by bits.
template <class Tuning, class T>
void require_splits(index_t n, int per_mille, int offset = 0) {
  INFO("n = " << n << ", " << per_mille << " per mille, offset " << offset);
  masked_input<T> const input(n, per_mille, offset);
  if constexpr (!few_types || sizeof(T) <= 4) {
    require_split<Tuning>(input, byte_mask{input.flags.data()}, offset);
  }
  if constexpr (!few_types || sizeof(T) > 4) {
    require_split<Tuning>(input, bit_mask{input.bits.data()}, offset);
  }
}

/// Keeps numbers that are not multiples of 3.
struct not_by_three {
  template <class T>
  LIBSCAN_HOST_DEVICE bool operator()(T x) const {
    return static_cast<std::uint64_t>(x) % 3 != 0;
  }
};

template <class T>
masked_input<T> by_three(index_t n, int offset) {
  auto const items = numbered_items<T>(n);
  std::vector<std::uint8_t> chosen;
  for (T const x : items) chosen.push_back(not_by_three{}(x) ? 1 : 0);
  return {items, chosen, offset};
}

}  // namespace

using smallest_ways =
    types_to_test<std::tuple<tiny_tuning, tiny_resident_filter_tuning, tiny_pipeline_tuning>,
                  std::tuple<odd_pipeline>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("with the smallest tiles, every n from 0 to 200 is split as by a loop", "",
                        smallest_ways) {
  constexpr bool by_bits = !few_types || std::is_same_v<TestType, tiny_pipeline_tuning>;
  constexpr bool by_bytes = !few_types || !by_bits;
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      masked_input<std::uint32_t> const input(n, n % 3 == 0 ? 500 : n % 3 == 1 ? 0 : -1, 0);
      if constexpr (by_bits) {
        if (n / 3 % 2 == 0 || !by_bytes) {
          require_split<TestType>(input, bit_mask{input.bits.data()}, 0);
        }
      }
      if constexpr (by_bytes) {
        if (n / 3 % 2 == 1 || !by_bits) {
          require_split<TestType>(input, byte_mask{input.flags.data()}, 0);
        }
      }
    }
  });
}

using ways_of_many_tiles =
    types_to_test<std::tuple<tiny_tuning>, std::tuple<odd_pipeline>,
                  std::tuple<tiny_pipeline_tuning, short_pipeline<std::uint32_t>>>;
TEMPLATE_LIST_TEST_CASE("many small tiles are split as by a loop", "", ways_of_many_tiles) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const per_mille : selectivities) {
      require_splits<TestType, std::uint32_t>(scaled(2999, 1111), per_mille);
    }
  });
}

namespace {

template <class T>
using tiles = tried<filter_tuning<T>, T>;
template <class T>
using pipelined = tried<short_pipeline<T>, T>;

}  // namespace

// No bulk copy moves a triple.
using ladder_types =
    types_to_test<std::tuple<pipelined<std::uint8_t>, tiles<triple>>,
                  std::tuple<tiles<std::uint8_t>, pipelined<pair_of_words>>,
                  std::tuple<tiles<std::uint32_t>, pipelined<std::uint32_t>, tiles<pair_of_words>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder of splits at every selectivity, in several types", "",
                        ladder_types) {
  using T = typename TestType::with;
  using tuning = filter_tuning<T>;
  constexpr index_t tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  index_t const limit = on_gpu ? 300000 : scaled(13000, 5000);
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : size_ladder(tile, tuning::block_threads, limit)) {
      for (int const per_mille : selectivities) {
        if (is_tried(n, per_mille)) require_splits<typename TestType::way, T>(n, per_mille);
      }
    }
  });
}

TEST_CASE("no pointer of a split needs alignment beyond its type's") {
  for (int offset = 0; offset <= 16; ++offset) {
    int const per_mille = offset % 2 == 0 ? 300 : 990;
    require_splits<tiny_tuning, std::uint32_t>(500, per_mille, offset);
    require_splits<short_pipeline<std::uint8_t>, std::uint8_t>(5000, per_mille, offset);
    if constexpr (!quick_types) {
      require_splits<filter_tuning<std::uint8_t>, std::uint8_t>(5000, per_mille, offset);
    }
    if constexpr (!few_types) {
      require_splits<tiny_pipeline_tuning, std::uint32_t>(700, per_mille, offset);
      require_splits<short_pipeline<std::uint32_t>, std::uint32_t>(2500, per_mille, offset);
    }
  }
}

using splitting_ways = types_to_test<
    std::tuple<tried<tiny_pipeline_tuning, std::uint16_t>>,
    std::tuple<tried<short_pipeline<double>, double>, tried<tiny_tuning, double>>,
    std::tuple<tried<tiny_tuning, std::uint16_t>,
               tried<short_pipeline<std::uint16_t>, std::uint16_t>, tried<chosen, std::uint16_t>,
               tried<tiny_pipeline_tuning, double>, tried<chosen, double>>>;
TEMPLATE_LIST_TEST_CASE("a predicate splits, into two buffers and into one", "", splitting_ways) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {0, 1, 31, 33, 700, 5003}) {
      for (int const offset : {0, 3}) {
        INFO("n = " << n << ", offset " << offset);
        auto const input = by_three<typename TestType::with>(n, offset);
        require_split<way_of<typename TestType::way>>(input, not_by_three{}, offset);
      }
    }
  });
}

using ways_of_bits =
    types_to_test<std::tuple<tiny_pipeline_tuning>, std::tuple<tiny_tuning>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE("keys are split by a bit, zeros first", "", ways_of_bits) {
  constexpr index_t n = 3000;
  random_words words(7);
  std::vector<std::int32_t> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<std::int32_t>(words()));
  for (int const bit : {0, 7, 31}) {
    INFO("bit " << bit);
    device_image<std::int32_t> in(keys), out(n);
    device_image<index_t> zeros(1);
    workspace ws;
    split_by_bit<way_of<TestType>>(ws, in.data(), out.data(), n, bit, zeros.data());
    auto expected = keys;
    auto const middle = std::stable_partition(
        expected.begin(), expected.end(),
        [=](std::int32_t key) { return (static_cast<std::uint32_t>(key) >> bit & 1u) == 0; });
    REQUIRE(zeros.read()[0] == middle - expected.begin());
    REQUIRE(difference(expected, out.read()) == "");
  }
}

using ways_from_both_ends = types_to_test<std::tuple<tiny_tuning>, std::tuple<tiny_pipeline_tuning>,
                                          std::tuple<short_pipeline<std::uint32_t>>>;
TEMPLATE_LIST_TEST_CASE("one buffer is filled from both ends in one pass", "",
                        ways_from_both_ends) {
  auto const input = by_three<std::uint32_t>(2500, 1);
  device_image<std::uint32_t> out(2500, 1);
  workspace ws;
  split<TestType>(ws, input.in.data(), out.data(),
                  reverse_iterator<std::uint32_t*>{out.data() + 2500}, 2500, not_by_three{},
                  nullptr);
  auto expected = input.expected.kept;
  expected.insert(expected.end(), input.expected.rejected.rbegin(), input.expected.rejected.rend());
  require_same(expected, out);
}

using ways_of_counts =
    types_to_test<std::tuple<tiny_pipeline_tuning>, std::tuple<tiny_tuning>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE("splits take n and leave their count on the device", "", ways_of_counts) {
  masked_input<std::uint32_t> const input(3000, 400, 0);
  device_image<std::uint32_t> kept(3000), split_out(3000);
  device_image<index_t> count(1), count_of_split(1);
  workspace ws;
  filter<way_of<TestType>>(ws, input.in.data(), kept.data(), 3000, bit_mask{input.bits.data()},
                           count.data());
  split<way_of<TestType>>(ws, kept.data(), split_out.data(),
                          item_count::on_device(count.data(), 3000), not_by_three{},
                          count_of_split.data());
  auto expected = input.expected.kept;
  auto const middle = std::stable_partition(expected.begin(), expected.end(), not_by_three{});
  REQUIRE(count_of_split.read()[0] == middle - expected.begin());
  auto got = split_out.read();
  REQUIRE(split_out.written_from(input.expected.count()) == "");
  got.resize(expected.size());
  REQUIRE(difference(expected, got) == "");
}

#ifndef LIBSCAN_TEST_ALWAYS_REDUCED
TEST_CASE("many items are split the way the library chooses") {
  if (reduced()) return;
  // Beyond where the pipeline takes over.
  require_splits<automatic, pair_of_words>(on_gpu ? 4500001 : 270001, 500);
#ifdef __CUDACC__
  require_splits<automatic, std::uint32_t>(4500001, 10);
#endif
}
#endif

TEST_CASE("outputs that begin among what is read are refused, and nothing is written") {
  constexpr index_t n = 100;
  auto const numbers = numbered_items<std::uint32_t>(4 * n);
  device_image<std::uint32_t> memory(numbers);
  device_image<index_t> count(std::vector<index_t>{7});
  std::uint32_t* const in = memory.data();
  std::uint32_t const* const words = in + n;  // 4 of them
  index_t* const d_count = count.data();
  has_bit_clear<std::uint32_t> const even{0};
  using tuning = tiny_tuning;  // All ways to filter begin alike.
  auto* const bytes = reinterpret_cast<std::uint8_t*>(in + 2 * n);
  std::uint32_t* const apart = in + 3 * n;
  workspace ws;
  for (std::uint32_t* const out : {in, in + 1, in + n - 1}) {
    if (out != in) {  // what a filter keeps may go over its input, exactly
      REQUIRE_THROWS_AS(filter<tuning>(ws, in, out, n, even, d_count), invalid_argument);
      REQUIRE_THROWS_AS(filter_with_indices<tuning>(ws, in, out, apart, n, even, d_count),
                        invalid_argument);
    }
    REQUIRE_THROWS_AS(filter_indices<tuning>(ws, in, out, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(filter_with_indices<tuning>(ws, in, apart, out, n, even, d_count),
                      invalid_argument);
    REQUIRE_THROWS_AS(split<tuning>(ws, in, out, apart, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(split<tuning>(ws, in, apart, out, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(
        split<tuning>(ws, in, apart, reverse_iterator<std::uint32_t*>{out + 1}, n, even, d_count),
        invalid_argument);
    REQUIRE_THROWS_AS(split<tuning>(ws, in, out, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(split_by_bit<tuning>(ws, in, out, n, 3, d_count), invalid_argument);
  }
  REQUIRE_THROWS_AS(filter<tuning>(ws, in, in + n + 3, n, bit_mask{words}, d_count),
                    invalid_argument);
  REQUIRE_THROWS_AS(mask_indices<tuning>(ws, bit_mask{words}, in + n + 3, n, d_count),
                    invalid_argument);
  REQUIRE_THROWS_AS(filter<tuning>(ws, in, bytes + n - 1, n, byte_mask{bytes}, d_count),
                    invalid_argument);
  // One buffer of n items is written whole.
  REQUIRE_THROWS_AS(split<tuning>(ws, in + 1, in, n, even, d_count), invalid_argument);
  REQUIRE_THROWS_AS(split<tuning>(ws, in, in + n - 1, n, bit_mask{words}, d_count),
                    invalid_argument);
  REQUIRE_THROWS_AS(split<tuning>(ws, apart, in + 1, n, bit_mask{words}, d_count),
                    invalid_argument);
  REQUIRE_THROWS_WITH(split<tuning>(ws, in, apart, apart, n, even, d_count),
                      "filter: two outputs begin at one place; expected each in memory of its own");
  REQUIRE_THROWS_WITH(
      filter<tuning>(ws, in, in + 1, n, even, d_count),
      "filter: an output begins within the input; expected memory separate from it, "
      "or exactly at its start");
  REQUIRE_THROWS_WITH(
      filter_indices<tuning>(ws, in, in, n, even, d_count),
      "filter: an output begins within the input; expected memory separate from it");
  REQUIRE(difference(numbers, memory.read()) == "");
  REQUIRE(count.read()[0] == 7);
  // Neighbors do not overlap, and where nothing is read nothing is overlapped.
  filter<tuning>(ws, in, in + n, n, even, d_count);
  filter<tuning>(ws, in, in, 0, even, d_count);
}
