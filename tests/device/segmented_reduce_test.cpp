// SPDX-License-Identifier: Apache-2.0
// Segmented reductions and reduction by key against sequential loops: sizes, shapes of segments,
// descriptors, operators, schedules.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <libscan/segmented_reduce.cuh>
#include <tests/device/segmented_cases.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// No tuning: the library chooses.
using automatic = void;

/// Small tiles, for which head flags are marked before, as of many segments.
struct marking_tuning : small_tuning {
  [[maybe_unused]] static constexpr bool marks_heads = true;
};

/// A pipeline as the library's: its tiles are dealt.
struct static_pipeline : tiny_pipeline_tuning {
  static constexpr bool static_schedule = true;
};

using every_form = descriptors<descriptor::flags, descriptor::bits, descriptor::offsets,
                               descriptor::narrow_offsets, descriptor::keys>;

/// Some descriptors in builds of few types, in others all.
template <descriptor... Which>
using some_forms = std::conditional_t<few_types, descriptors<Which...>, every_form>;

/// Totals by the descriptors given, with the number of segments; `offset`: items by which all begin
/// after an aligned address.
template <class Tuning, class Item, class Op, descriptor... Which>
void require_totals(segment_shape shape, index_t n, Op op, typename Op::value_type init,
                    descriptors<Which...>, int offset = 0) {
  using T = typename Op::value_type;
  auto const items = make_items<Item>(n);
  auto const ends = make_offsets(shape, n);
  segments_on_device const segments(ends, offset);
  device_image<Item> in(items, offset);
  using reduction = std::function<void(workspace&, T * totals, index_t * number)>;
  auto const require = [&](descriptor form, reduction const& reduce) {
    bool const empties = form == descriptor::offsets || form == descriptor::narrow_offsets;
    auto const expected =
        segment_totals_oracle(items, empties ? ends : without_empty(ends), op, init);
    INFO("n = " << n << ", " << to_string(shape) << ", descriptor " << static_cast<int>(form));
    device_image<T> totals(static_cast<index_t>(expected.size()), 3);
    device_image<index_t> number(std::vector<index_t>{-1});
    workspace ws;
    reduce(ws, totals.data(), number.data());
    REQUIRE(difference(expected, totals.read()) == "");
    REQUIRE(totals.damage() == "");
    REQUIRE(number.read()[0] == (empties ? -1 : static_cast<index_t>(expected.size())));
  };
  (require(Which,
           [&](workspace& ws, T* totals, index_t* number) {
             segmented_reduce<Tuning>(ws, in.data(), totals, segments.template as<Which>(), n, op,
                                      number, init);
           }),
   ...);
}

/// One key and one total for each run, and their number.
template <class Tuning, class Key = std::uint32_t, class Item = std::int32_t>
void require_runs(segment_shape shape, index_t n, int offset = 0) {
  auto const ends = without_empty(make_offsets(shape, n));
  auto const keys = keys_of<Key>(flags_of(ends));
  auto const items = make_items<Item>(n);
  auto const runs = static_cast<index_t>(ends.size()) - 1;
  std::vector<Key> firsts;
  for (index_t s = 0; s < runs; ++s) {
    firsts.push_back(keys[static_cast<std::size_t>(ends[static_cast<std::size_t>(s)])]);
  }
  INFO("n = " << n << ", " << to_string(shape) << ", offset " << offset);
  device_image<Key> d_keys(keys, offset), unique(n);
  device_image<Item> in(items, offset), totals(n);
  device_image<index_t> number(1);
  workspace ws;
  reduce_by_key<Tuning>(ws, d_keys.data(), in.data(), unique.data(), totals.data(), n, plus<Item>{},
                        number.data());
  auto got_keys = unique.read();
  auto got = totals.read();
  REQUIRE(number.read()[0] == runs);
  REQUIRE(unique.written_from(runs) == "");
  REQUIRE(totals.written_from(runs) == "");
  REQUIRE(d_keys.read() == keys);
  got_keys.resize(static_cast<std::size_t>(runs));
  got.resize(static_cast<std::size_t>(runs));
  REQUIRE(difference(firsts, got_keys) == "");
  REQUIRE(difference(segment_totals_oracle(items, ends, plus<Item>{}, Item{0}), got) == "");
}

}  // namespace

namespace {

/// Items of a type, an operator and descriptors.
template <class Item, class Op, class Forms>
struct reduced_by {
  using item = Item;
  using operation = Op;
  using forms = Forms;
};

using sum = plus<std::int32_t>;
using wide_sum = plus<std::uint32_t>;
template <descriptor... Which>
using sums = reduced_by<std::int32_t, sum, descriptors<Which...>>;
template <descriptor... Which>
using maps = reduced_by<affine, compose, descriptors<Which...>>;
template <descriptor... Which>
using watched = reduced_by<interval, tripwire, descriptors<Which...>>;
template <descriptor... Which>
using bytes = reduced_by<std::uint8_t, wide_sum, descriptors<Which...>>;

constexpr auto flags = descriptor::flags, bits = descriptor::bits, offsets = descriptor::offsets,
               narrow = descriptor::narrow_offsets, keys = descriptor::keys;

/// An init that results show.
template <class Op>
typename Op::value_type some_init() {
  if constexpr (std::is_same_v<Op, compose>) {
    return {3, 5};
  } else if constexpr (std::is_same_v<Op, tripwire>) {
    return tripwire::identity();
  } else {
    return 9;
  }
}

}  // namespace

// Builds of few types have each way, operator and descriptor, but few pairs of them.
using small_cases = types_to_test<
    std::tuple<tried<small_tuning, maps<flags>>, tried<marking_tuning, maps<narrow>>,
               tried<tiny_resident_segments, watched<offsets>>,
               tried<tiny_pipeline_tuning, bytes<keys>>, tried<static_pipeline, maps<bits>>>,
    std::tuple<tried<tiny_tuning, sums<flags, keys>>, tried<small_tuning, watched<bits, offsets>>,
               tried<tiny_resident_segments, sums<flags, keys>>,
               tried<tiny_pipeline_tuning, watched<narrow>>>,
    std::tuple<tried<tiny_tuning, sums<bits, offsets, narrow>>,
               tried<small_tuning, maps<bits, offsets, narrow, keys>>,
               tried<marking_tuning, maps<flags, bits, offsets, keys>>,
               tried<small_tuning, watched<flags, narrow, keys>>,
               tried<tiny_resident_segments, sums<bits, offsets, narrow>>,
               tried<tiny_resident_segments, watched<flags, bits, narrow, keys>>,
               tried<tiny_pipeline_tuning, sums<flags, bits, offsets, narrow, keys>>,
               tried<static_pipeline, maps<flags, offsets, narrow, keys>>,
               tried<tiny_pipeline_tuning, watched<flags, bits, offsets, keys>>,
               tried<tiny_pipeline_tuning, bytes<flags, bits, offsets, narrow>>>>;
TEMPLATE_LIST_TEST_CASE("every segment has its total, the empty ones init", "", small_cases) {
  using way = typename TestType::way;
  using with = typename TestType::with;
  using op = typename with::operation;
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t n : {0, 1, 2, 31, 32, 33, 95, 767, 768, 769, scaled(5000, 1600)}) {
        if (std::is_same_v<way, tiny_tuning> && n >= 200) n /= 8;
        require_totals<way, typename with::item>(shape, n, op{}, some_init<op>(),
                                                 typename with::forms{});
      }
    }
  });
}

TEST_CASE("items are converted to what they are summed in, the way the library chooses") {
  using tuning = std::conditional_t<quick_types, small_tuning, automatic>;
  for (segment_shape const shape : all_segment_shapes()) {
    require_totals<tuning, std::uint8_t>(shape, scaled(30000, 4000), wide_sum{}, 0,
                                         some_forms<offsets>{});
  }
}

TEST_CASE("many items are reduced in the large tiles of their tunings") {
  using wide_heads = segmented_reduce_pipeline_tuning<std::int32_t, std::int32_t, 32>;
  using narrow_items = segmented_reduce_pipeline_tuning<std::uint8_t, std::uint32_t, 16>;
  for (segment_shape const shape : all_segment_shapes()) {
    if constexpr (!few_types) {
      require_totals<wide_heads, std::int32_t>(shape, scaled(20000, 6000), sum{}, 9,
                                               some_forms<keys>{});
    }
    if constexpr (!few_types) require_runs<wide_heads>(shape, scaled(20000, 6000), 1);
    if constexpr (!quick_types) {
      require_totals<narrow_items, std::uint8_t>(shape, scaled(20000, 7000), wide_sum{}, 0,
                                                 some_forms<flags>{});
    }
  }
  index_t const many = scaled(300001, 1601);
  require_totals<automatic, std::int32_t>(segment_shape::power_law, many, sum{}, 9,
                                          some_forms<bits>{});
  if constexpr (!few_types) require_runs<automatic>(segment_shape::power_law, many);
}

using rings =
    types_to_test<std::tuple<tiny_pipeline_tuning>, std::tuple<>, std::tuple<static_pipeline>>;
TEMPLATE_LIST_TEST_CASE("more tiles than a ring has stages, claimed or dealt", "", rings) {
  index_t const n = on_gpu ? 1500000 : 7 * 2 * 768 + 5;  // seven tiles for each multiprocessor
  each_schedule(
      scaled(3, 1),
      [&](std::string const& schedule) {
        INFO(schedule);
        require_totals<TestType, std::int32_t>(segment_shape::power_law, n, sum{}, 9,
                                               some_forms<flags>{});
      },
      2);
}

TEST_CASE("totals of many segments, some of them empty, are spread in order") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    index_t const n = on_gpu ? 3000001 : scaled(20001, 9001);  // 1.5 items in a segment, about
    require_totals<marking_tuning, std::int32_t>(segment_shape::some_empty, n, sum{}, 9,
                                                 some_forms<offsets>{});
    if constexpr (!quick_types) {
      require_totals<marking_tuning, interval>(segment_shape::some_empty, n / 2, tripwire{},
                                               tripwire::identity(), some_forms<narrow>{});
      require_totals<marking_tuning, matrix>(segment_shape::some_empty, n / 8, multiply{},
                                             multiply::identity(), some_forms<offsets>{});
    }
  });
}

TEST_CASE("totals do not depend on where items and head flags lie in memory") {
  for (int const offset : {1, 2, 3, 5}) {
    for (segment_shape const shape : {segment_shape::power_law, segment_shape::some_empty}) {
      INFO("offset " << offset);
      require_totals<tiny_pipeline_tuning, std::uint8_t>(shape, 1900, wide_sum{}, 0,
                                                         some_forms<keys>{}, offset);
      if constexpr (!quick_types) {
        require_totals<tiny_pipeline_tuning, std::int32_t>(shape, 1900, sum{}, 9,
                                                           some_forms<flags>{}, offset);
      }
    }
  }
}

using ways_of_runs =
    types_to_test<std::tuple<small_tuning, static_pipeline, tiny_resident_segments>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("reduce by key leaves one key and one total for each run, and their number",
                        "", ways_of_runs) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t const n : {0, 1, 33, 769, 6000}) {
        require_runs<TestType>(shape, n);
      }
    }
  });
  require_runs<TestType>(segment_shape::power_law, 3000, 3);
}

#ifndef LIBSCAN_TEST_QUICK
TEST_CASE("keys of any size wait in the stages of their items, batch after batch") {
  using of_bytes = segmented_reduce_pipeline_tuning<std::uint8_t, std::uint8_t, 8>;
  using of_words = segmented_reduce_pipeline_tuning<std::int32_t, std::int32_t, 8>;
  static_assert(of_bytes::batches > 1 && of_bytes::lane_vectors * of_bytes::vector_items > 8);
  for (segment_shape const shape : all_segment_shapes()) {
    for (int const offset : {0, 3}) {
      require_runs<of_bytes, std::uint8_t, std::uint8_t>(shape, scaled(40000, 22000), offset);
      if constexpr (!few_types) {
        require_runs<tiny_pipeline_tuning, std::int64_t>(shape, 1900, offset);
        require_runs<of_words, std::uint8_t>(shape, scaled(20000, 9000), offset);
        require_runs<tiny_pipeline_tuning, std::uint16_t>(shape, 1900, offset);
      }
    }
  }
}
#endif

TEST_CASE("rows of a matrix have a total each") {
  index_t const n = 9001;
  auto const items = make_items<std::int32_t>(n);
  for (index_t const length : row_lengths(n)) {
    INFO("length " << length);
    auto const expected =
        segment_totals_oracle(items, row_offsets(n, length), plus<std::int32_t>{}, 1);
    device_image<std::int32_t> in(items), totals(static_cast<index_t>(expected.size()));
    workspace ws;
    using tuning = automatic_or<tiny_resident_segments>;
    segmented_reduce<tuning>(ws, in.data(), totals.data(), equal_segments{length}, n, sum{},
                             nullptr, 1);
    REQUIRE(difference(expected, totals.read()) == "");
    REQUIRE(totals.damage() == "");
  }
}

using ways_of_counts =
    types_to_test<std::tuple<small_tuning, marking_tuning, tiny_resident_segments>,
                  std::tuple<tiny_pipeline_tuning>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("the number of items may end a segment early", "", ways_of_counts) {
  auto const items = make_items<std::int32_t>(1000);
  auto const ends = make_offsets(segment_shape::some_empty, 1000);
  segments_on_device const segments(ends);
  device_image<std::int32_t> in(items);
  for (index_t const n : {0, 1, 333, 700, 999}) {
    INFO("n on the device = " << n);
    device_image<index_t> length(std::vector<index_t>{n});
    auto cut = ends;
    for (index_t& end : cut) end = std::min(end, n);
    std::vector<std::int32_t> const part(items.begin(), items.begin() + n);
    auto const expected = segment_totals_oracle(part, cut, plus<std::int32_t>{}, 9);
    device_image<std::int32_t> totals(segments.segments);
    workspace ws;
    segmented_reduce<TestType>(
        ws, in.data(), totals.data(), segment_offsets{segments.offsets.data(), segments.segments},
        item_count::on_device(length.data(), 1000), plus<std::int32_t>{}, nullptr, 9);
    REQUIRE(difference(expected, totals.read()) == "");
    REQUIRE(totals.damage() == "");
  }
}

#ifndef LIBSCAN_TEST_FINDS_RACES  // where two threads would mark the same head
TEST_CASE("offsets that do not ascend damage nothing") {
  random_words words(20261124);
  index_t const n = 3000, segments = 700;
  device_image<std::int32_t> in(make_items<std::int32_t>(n));
  for (int time = 0; time < scaled(30, 5); ++time) {
    std::vector<std::int32_t> offsets;
    for (index_t s = 0; s <= segments; ++s) {
      bool const far = words.below(50) == 0;
      offsets.push_back(static_cast<std::int32_t>(far ? words() : words.below(n)));
    }
    device_image<std::int32_t> d_offsets(offsets), totals(segments);
    workspace ws;
    segmented_reduce<small_tuning>(ws, in.data(), totals.data(),
                                   segment_offsets{d_offsets.data(), segments}, n,
                                   plus<std::int32_t>{});
    REQUIRE(totals.damage() == "");
  }
}
#endif

namespace {

template <class Way, descriptor... Which>
using by_forms = tried<Way, some_forms<Which...>>;

}  // namespace

using counted_forms = types_to_test<
    std::tuple<by_forms<small_tuning, flags>, by_forms<tiny_resident_segments, narrow>>,
    std::tuple<by_forms<marking_tuning, offsets>, by_forms<tiny_pipeline_tuning, bits, keys>>,
    std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("the number of items may lie in device memory", "", counted_forms) {
  auto const items = make_items<std::int32_t>(1000);
  for (index_t const n : {-3, 0, 1, 32, 999, 1000, 5000}) {
    INFO("n on the device = " << n);
    index_t const taken = n < 0 ? 0 : n > 1000 ? 1000 : n;
    auto const ends = make_offsets(segment_shape::power_law, taken);
    segments_on_device const segments(ends);
    std::vector<std::int32_t> const part(items.begin(), items.begin() + taken);
    device_image<index_t> length(std::vector<index_t>{n});
    auto const count = item_count::on_device(length.data(), 1000);
    auto const expected = segment_totals_oracle(part, ends, plus<std::int32_t>{}, 9);
    auto const require = [&](descriptor form, auto heads) {
      device_image<std::int32_t> in(items), totals(1000);
      device_image<index_t> number(std::vector<index_t>{-1});
      workspace ws;
      segmented_reduce<typename TestType::way>(ws, in.data(), totals.data(), heads, count, sum{},
                                               number.data(), 9);
      auto got = totals.read();
      got.resize(expected.size());
      REQUIRE(difference(expected, got) == "");
      REQUIRE(totals.damage() == "");
      REQUIRE(number.read()[0] == (form == descriptor::offsets || form == descriptor::narrow_offsets
                                       ? -1
                                       : static_cast<index_t>(expected.size())));
    };
    [&]<descriptor... Which>(descriptors<Which...>) {
      (require(Which, segments.template as<Which>()), ...);
    }
    (typename TestType::with{});
  }
}

using ways_of_workspaces =
    types_to_test<std::tuple<small_tuning>, std::tuple<tiny_pipeline_tuning>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE(
    "a dirty workspace, a reused one and the caller's own memory are all the same", "",
    ways_of_workspaces) {
  // Up to so many segments each tile searches for its own; head flags of more are marked for all.
  for (index_t const many : {device::max_searched_segments, device::max_searched_segments + 1}) {
    index_t const n = 20000;
    std::vector<index_t> ends;
    for (index_t s = 0; s <= many; ++s)
      ends.push_back(s < many / 2 ? 0 : (s - many / 2) * n / many * 2);
    ends.back() = n;
    segments_on_device const segments(ends);
    auto const items = make_items<std::int32_t>(n);
    segment_offsets const heads{segments.offsets.data(), segments.segments};
    std::size_t const bytes = segmented_reduce_workspace_bytes<std::int32_t>(n, heads);
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    simt::fill_async(memory.data(), 0xff, bytes);
    workspace ws(memory.data(), bytes);
    device_image<std::int32_t> in(items), totals(segments.segments);
    auto const expected = segment_totals_oracle(items, ends, plus<std::int32_t>{}, 3);
    INFO(many << " segments");
    for (int k = 0; k < 2; ++k) {
      segmented_reduce<way_of<TestType>>(ws, in.data(), totals.data(), heads, n, sum{}, nullptr, 3);
      REQUIRE(difference(expected, totals.read()) == "");
      REQUIRE(totals.damage() == "");
    }
  }
}

namespace {

/// All ways begin alike.
using refusing = automatic_or<small_tuning>;

}  // namespace

TEST_CASE("what cannot work is refused before anything runs") {
  device_image<int> items(100000), totals(100000);
  workspace small(items.data(), 8);
  REQUIRE_THROWS_WITH(segmented_reduce<refusing>(small, items.data(), totals.data(),
                                                 equal_segments{3}, 100000, plus<int>{}),
                      Catch::Contains("workspace of 8 bytes, but the call needs"));
  workspace ws;
  index_t const* const no_offsets = nullptr;
  REQUIRE_THROWS_AS(segmented_reduce<refusing>(ws, items.data(), totals.data(),
                                               segment_offsets{no_offsets, -1}, 1, plus<int>{}),
                    invalid_argument);
}

TEST_CASE("totals of segments that share memory with what is read are refused") {
  workspace ws;
  std::uint32_t items[100] = {};
  std::uint32_t other[100] = {};
  auto const in = static_cast<std::uint32_t const*>(items);
  auto const refused = [&](std::uint32_t* totals, auto descriptor) {
    REQUIRE_THROWS_AS(
        segmented_reduce<refusing>(ws, in, totals, descriptor, 50, plus<std::uint32_t>{}),
        invalid_argument);
  };
  refused(items, equal_segments{5});
  refused(items + 49, head_bits{other});
  refused(other, head_bits{other});
  refused(other, segment_offsets{other + 9, 10});
  auto const by_key = [&](std::uint32_t* unique, std::uint32_t* totals) {
    index_t runs = 0;
    REQUIRE_THROWS_AS(
        reduce_by_key<refusing>(ws, other, in, unique, totals, 50, plus<std::uint32_t>{}, &runs),
        invalid_argument);
  };
  by_key(other + 60, items);
  by_key(other, items + 60);
}
