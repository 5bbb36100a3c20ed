// SPDX-License-Identifier: Apache-2.0
// Device filters by masks, with positions, and splits, against plain loops: sizes, selectivities,
// types, alignments, schedules, counts on the device.
#include <apps/filter/split.cuh>
#include <libscan/device/reversed.cuh>
#include <tests/apps/filter/device_inputs.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning of one's own: the library chooses.
using automatic = void;

/// The items of a test, both masks of a choice among them, and what it divides them into.
template <class T>
struct masked_input {
  std::vector<T> items;
  division<T> expected;
  device_image<T> in;
  device_image<std::uint8_t> flags;
  device_image<std::uint32_t> bits;

  masked_input(index_t n, int per_mille, int offset)
      : masked_input(numbered_items<T>(n), choices(n, per_mille), offset) {}
  masked_input(std::vector<T> const& all, std::vector<std::uint8_t> const& chosen, int offset)
      : items(all),
        expected(all, chosen),
        in(all, offset),
        flags(as_flags(chosen), 16 - offset),
        bits(as_bits(chosen), offset % 4) {}

  index_t size() const { return static_cast<index_t>(items.size()); }
};

/// Outputs of exactly the size that is needed.
template <class T>
struct outputs {
  device_image<T> kept, rejected;
  device_image<index_t> positions, count;

  outputs(division<T> const& expected, int offset)
      : kept(expected.count(), offset),
        rejected(static_cast<index_t>(expected.rejected.size()), 16 - offset),
        positions(expected.count(), offset % 8),
        count(1) {}

  void require_count(index_t expected) {
    REQUIRE(count.read()[0] == expected);
    REQUIRE(count.damage() == "");
  }
};

template <class Item>
void require_same(std::vector<Item> const& expected, device_image<Item>& got) {
  REQUIRE(bit_difference(expected, got.read()) == "");
  REQUIRE(got.damage() == "");
}

/// Filters by a mask, in every way there is.
template <class Tuning, class T, class Mask>
void require_mask(masked_input<T> const& input, Mask mask, int offset) {
  auto const& expected = input.expected;
  index_t const n = input.size();
  dirty_workspace ws(n * 16 + 100000);
  T const* const in = input.in.data();
  {
    outputs<T> out(expected, offset);
    filter<Tuning>(ws, in, out.kept.data(), n, mask, out.count.data());
    require_same(expected.kept, out.kept);
    out.require_count(expected.count());
  }
  {
    outputs<T> out(expected, offset);
    filter_with_indices<Tuning>(ws, in, out.kept.data(), out.positions.data(), n, mask,
                                out.count.data());
    require_same(expected.kept, out.kept);
    require_same(expected.positions, out.positions);
    out.require_count(expected.count());
  }
  {
    outputs<T> out(expected, offset);
    mask_indices<Tuning>(ws, mask, out.positions.data(), n, out.count.data());
    require_same(expected.positions, out.positions);
    out.require_count(expected.count());
  }
  outputs<T> out(expected, offset);
  count_if<Tuning>(ws, in, n, mask, out.count.data());
  out.require_count(expected.count());
}

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

template <class Tuning, class T>
void require_all(index_t n, int per_mille, int offset = 0) {
  INFO("n = " << n << ", " << per_mille << " per mille, offset " << offset);
  masked_input<T> const input(n, per_mille, offset);
  require_mask<Tuning>(input, byte_mask{input.flags.data()}, offset);
  require_mask<Tuning>(input, bit_mask{input.bits.data()}, offset);
  if constexpr (!device::tunes_pipeline<Tuning> || device::suits_bulk_copy<T*>) {
    require_split<Tuning>(input, byte_mask{input.flags.data()}, offset);
    require_split<Tuning>(input, bit_mask{input.bits.data()}, offset);
  }
}

constexpr int selectivities[] = {0, -1, 10, 500, 990, 1000};

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

TEMPLATE_TEST_CASE("with the smallest tiles, every n from 0 to 200 is divided as by a loop", "",
                   tiny_tuning, tiny_resident_filter_tuning, tiny_pipeline_tuning, odd_pipeline) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : tiny_sizes()) {
      masked_input<std::uint32_t> const input(n, n % 3 == 0 ? 500 : n % 3 == 1 ? 0 : -1, 0);
      if (n / 3 % 2 == 0) {
        require_mask<TestType>(input, byte_mask{input.flags.data()}, 0);
        require_split<TestType>(input, bit_mask{input.bits.data()}, 0);
      } else {
        require_mask<TestType>(input, bit_mask{input.bits.data()}, 0);
        require_split<TestType>(input, byte_mask{input.flags.data()}, 0);
      }
    }
  });
}

TEMPLATE_TEST_CASE("many small tiles are divided as by a loop", "", tiny_tuning,
                   tiny_pipeline_tuning, odd_pipeline, short_pipeline<std::uint32_t>) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (int const per_mille : selectivities) {
      require_all<TestType, std::uint32_t>(scaled(2999, 1111), per_mille);
    }
  });
}

using ladder_types =
    types_to_test<std::tuple<std::uint32_t, triple>, std::tuple<std::uint8_t, pair_of_words>>;
TEMPLATE_LIST_TEST_CASE("the size ladder of masks at every selectivity, in several types", "",
                        ladder_types) {
  using tuning = filter_tuning<TestType>;
  constexpr index_t tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  index_t const limit = on_gpu ? 300000 : scaled(13000, 5000);
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : size_ladder(tile, tuning::block_threads, limit)) {
      for (int const per_mille : selectivities) {
        if (n > 300 && per_mille != 500 && per_mille != selectivities[n % 6] && !on_gpu) continue;
        require_all<tuning, TestType>(n, per_mille);
        if constexpr (device::suits_bulk_copy<TestType*>) {
          require_all<short_pipeline<TestType>, TestType>(n, per_mille);
        }
        if (n > 1 && n < 4000 && !on_gpu) continue;  // the largest tiles, by the most threads
        masked_input<TestType> const input(n, per_mille, 0);
        require_mask<pipelined_mask_filter_tuning<1>>(input, bit_mask{input.bits.data()}, 0);
      }
    }
  });
}

TEST_CASE("no pointer of a mask or split needs alignment beyond its type's") {
  for (int offset = 0; offset <= 16; ++offset) {
    int const per_mille = offset % 2 == 0 ? 300 : 990;
    require_all<tiny_tuning, std::uint32_t>(500, per_mille, offset);
    require_all<tiny_pipeline_tuning, std::uint32_t>(700, per_mille, offset);
    require_all<short_pipeline<std::uint32_t>, std::uint32_t>(2500, per_mille, offset);
    require_all<filter_tuning<std::uint8_t>, std::uint8_t>(5000, per_mille, offset);
    require_all<short_pipeline<std::uint8_t>, std::uint8_t>(5000, per_mille, offset);
  }
}

TEMPLATE_TEST_CASE("a predicate splits, into two buffers and into one", "", std::uint16_t, double) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {0, 1, 31, 33, 700, 5003}) {
      for (int const offset : {0, 3}) {
        INFO("n = " << n << ", offset " << offset);
        auto const input = by_three<TestType>(n, offset);
        require_split<tiny_tuning>(input, not_by_three{}, offset);
        require_split<tiny_pipeline_tuning>(input, not_by_three{}, offset);
        require_split<short_pipeline<TestType>>(input, not_by_three{}, offset);
        require_split<automatic>(input, not_by_three{}, offset);
      }
    }
  });
}

TEST_CASE("named filters of flags and words keep what their masks do") {
  masked_input<std::uint32_t> const input(3000, 300, 1);
  dirty_workspace ws(static_cast<index_t>(filter_workspace_bytes<std::uint32_t>(3000)));
  outputs<std::uint32_t> flagged(input.expected, 0), masked(input.expected, 0);
  filter_flagged(ws, input.in.data(), input.flags.data(), flagged.kept.data(), 3000,
                 flagged.count.data());
  filter_masked(ws, input.in.data(), input.bits.data(), masked.kept.data(), 3000, nullptr);
  require_same(input.expected.kept, flagged.kept);
  require_same(input.expected.kept, masked.kept);
  flagged.require_count(input.expected.count());
}

TEMPLATE_TEST_CASE("keys are split by a bit, zeros first", "", tiny_tuning, tiny_pipeline_tuning,
                   automatic) {
  constexpr index_t n = 3000;
  random_words words(7);
  std::vector<std::int32_t> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<std::int32_t>(words()));
  for (int const bit : {0, 7, 31}) {
    INFO("bit " << bit);
    device_image<std::int32_t> in(keys), out(n);
    device_image<index_t> zeros(1);
    workspace ws;
    split_by_bit<TestType>(ws, in.data(), out.data(), n, bit, zeros.data());
    auto expected = keys;
    auto const middle = std::stable_partition(
        expected.begin(), expected.end(),
        [=](std::int32_t key) { return (static_cast<std::uint32_t>(key) >> bit & 1u) == 0; });
    REQUIRE(zeros.read()[0] == middle - expected.begin());
    REQUIRE(difference(expected, out.read()) == "");
  }
}

TEMPLATE_TEST_CASE("one buffer is filled from both ends in one pass", "", tiny_tuning,
                   tiny_pipeline_tuning, short_pipeline<std::uint32_t>) {
  auto const input = by_three<std::uint32_t>(2500, 1);
  device_image<std::uint32_t> out(2500, 1);
  workspace ws;
  split<TestType>(ws, input.in.data(), out.data(), reversed<std::uint32_t*>{out.data() + 2500},
                  2500, not_by_three{}, nullptr);
  auto expected = input.expected.kept;
  expected.insert(expected.end(), input.expected.rejected.rbegin(), input.expected.rejected.rend());
  require_same(expected, out);
}

TEMPLATE_TEST_CASE("splits take n and leave their count on the device", "", tiny_tuning,
                   tiny_pipeline_tuning, automatic) {
  masked_input<std::uint32_t> const input(3000, 400, 0);
  device_image<std::uint32_t> kept(3000), split_out(3000);
  device_image<index_t> count(1), count_of_split(1);
  workspace ws;
  filter<TestType>(ws, input.in.data(), kept.data(), 3000, bit_mask{input.bits.data()},
                   count.data());
  split<TestType>(ws, kept.data(), split_out.data(), item_count::on_device(count.data(), 3000),
                  not_by_three{}, count_of_split.data());
  auto expected = input.expected.kept;
  auto const middle = std::stable_partition(expected.begin(), expected.end(), not_by_three{});
  REQUIRE(count_of_split.read()[0] == middle - expected.begin());
  auto got = split_out.read();
  REQUIRE(split_out.written_from(input.expected.count()) == "");
  got.resize(expected.size());
  REQUIRE(difference(expected, got) == "");
}

TEST_CASE("many items are divided the way the library chooses") {
  if (reduced()) return;
  // Beyond where the pipeline takes over.
  require_all<automatic, pair_of_words>(on_gpu ? 4500001 : 270001, 500);
#ifdef __CUDACC__
  require_all<automatic, std::uint32_t>(4500001, 10);
#endif
}

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
    REQUIRE_THROWS_AS(filter<tuning>(ws, in, out, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(filter_indices<tuning>(ws, in, out, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(filter_with_indices<tuning>(ws, in, out, apart, n, even, d_count),
                      invalid_argument);
    REQUIRE_THROWS_AS(filter_with_indices<tuning>(ws, in, apart, out, n, even, d_count),
                      invalid_argument);
    REQUIRE_THROWS_AS(split<tuning>(ws, in, out, apart, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(split<tuning>(ws, in, apart, out, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(
        split<tuning>(ws, in, apart, reversed<std::uint32_t*>{out + 1}, n, even, d_count),
        invalid_argument);
    REQUIRE_THROWS_AS(split<tuning>(ws, in, out, n, even, d_count), invalid_argument);
    REQUIRE_THROWS_AS(split_by_bit<tuning>(ws, in, out, n, 3, d_count), invalid_argument);
  }
  REQUIRE_THROWS_AS(filter_masked<tuning>(ws, in, words, in + n + 3, n, d_count), invalid_argument);
  REQUIRE_THROWS_AS(mask_indices<tuning>(ws, bit_mask{words}, in + n + 3, n, d_count),
                    invalid_argument);
  REQUIRE_THROWS_AS(filter_flagged<tuning>(ws, in, bytes, bytes + n - 1, n, d_count),
                    invalid_argument);
  // One buffer of n items is written whole.
  REQUIRE_THROWS_AS(split<tuning>(ws, in + 1, in, n, even, d_count), invalid_argument);
  REQUIRE_THROWS_AS(split<tuning>(ws, in, in + n - 1, n, bit_mask{words}, d_count),
                    invalid_argument);
  REQUIRE_THROWS_AS(split<tuning>(ws, apart, in + 1, n, bit_mask{words}, d_count),
                    invalid_argument);
  REQUIRE_THROWS_WITH(split<tuning>(ws, in, apart, apart, n, even, d_count),
                      "filter: two outputs begin at one place; expected each in memory of its own");
  REQUIRE_THROWS_WITH(filter<tuning>(ws, in, in, n, even, d_count),
                      "filter: an output begins within the input; expected memory apart from it");
  REQUIRE(difference(numbers, memory.read()) == "");
  REQUIRE(count.read()[0] == 7);
  // Neighbours do not overlap, and where nothing is read nothing is overlapped.
  filter<tuning>(ws, in, in + n, n, even, d_count);
  filter<tuning>(ws, in, in, 0, even, d_count);
}

#ifndef __CUDACC__
namespace {

/// An iterator over no item: counts who reads.
struct counting_reads {
  using value_type = std::uint32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = std::uint32_t const*;
  using reference = std::uint32_t;
  using iterator_category = std::random_access_iterator_tag;
  std::uint32_t* reads;

  std::uint32_t operator[](index_t i) const {
    simt::atomic_ref<std::uint32_t>(*reads).fetch_add(1, simt::memory_order_relaxed);
    return static_cast<std::uint32_t>(i);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("a bit mask has no item read but those kept", "", tiny_tuning,
                   tiny_pipeline_tuning, pipelined_mask_filter_tuning<1>) {
  constexpr index_t n = 40000;
  auto const chosen = choices(n, 10);
  division<std::uint32_t> const expected(numbered_items<std::uint32_t>(n), chosen);
  device_image<std::uint32_t> bits(as_bits(chosen)), out(expected.count());
  device_image<std::uint32_t> reads(std::vector<std::uint32_t>{0});
  workspace ws;
  filter_masked<TestType>(ws, counting_reads{reads.data()}, bits.data(), out.data(), n, nullptr);
  require_same(expected.kept, out);
  REQUIRE(reads.read()[0] == static_cast<std::uint32_t>(expected.count()));
}
#endif
