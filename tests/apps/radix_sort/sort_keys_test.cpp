// SPDX-License-Identifier: Apache-2.0
// The device sort of keys against std::stable_sort: sizes, orders, buffers, schedules. Types of
// keys have a test of their own.
#include <algorithm>

#include <tests/apps/radix_sort/sort_cases.hpp>

using namespace libscan;
using namespace libscan::test;

using all_kinds =
    types_to_test<std::tuple<tiny_passes, staged, clustered, resident>,
                  std::tuple<disordered, disordered_cluster, disordered_resident>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("all kinds of sort sort all kinds of input under all schedules", "",
                        all_kinds) {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sized_list({2, 31, 257, scaled(2100, 600)}, {31, 600})) {
      for (variety const how : all_varieties()) {
        require_sorted_both_ways<TestType>(make_keys<std::uint32_t>(how, n));
      }
      if constexpr (!few_types) {
        require_sorted_both_ways<TestType>(make_keys<float>(variety::any, n));
      }
    }
  });
}

using clusters = types_to_test<std::tuple<clustered>, std::tuple<disordered_cluster>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("keys pass from block to block of a cluster", "", clusters) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {1025, 2048, 4096}) {
      require_sorted_both_ways<TestType>(make_keys<std::uint32_t>(variety::any, n));
      if (few_types && n > 1025) break;
      require_sorted_both_ways<TestType>(make_keys<std::uint32_t>(variety::few, n));
      if constexpr (!few_types) {
        require_sorted_both_ways<TestType>(make_keys<std::uint8_t>(variety::any, n), 3);
      }
    }
  });
}

TEST_CASE("a cluster has space for all items, in as many blocks as the device permits") {
  using tuning = cluster_sort_tuning<std::uint32_t, void>;
  index_t const rows = tuning::block_threads;
  for (index_t const most : {1, 8, 16}) {
    for (index_t n = 0; n < 80000; n += 1 + n / 50) {
      auto const shape = device::shape_cluster<tuning>(n, most);
      INFO("n = " << n << ", at most " << most << " blocks: " << shape.blocks << " of "
                  << shape.rows << " rows");
      if (n <= std::max<index_t>(most, 1) * tuning::items_per_thread * rows) {
        REQUIRE(shape.rows > 0);
        REQUIRE(static_cast<index_t>(shape.blocks) * shape.rows * rows >= n);
        REQUIRE((static_cast<index_t>(shape.blocks) - 1) * shape.rows * rows <= n);
      } else {
        REQUIRE(shape.rows == 0);
        continue;
      }
      REQUIRE(static_cast<index_t>(shape.blocks) <= most);
      REQUIRE(shape.rows <= tuning::items_per_thread);
      if (shape.blocks > 1) REQUIRE((shape.rows & (shape.rows - 1)) == 0);
    }
  }
}

#ifndef __CUDACC__
TEST_CASE("few keys take one launch, in which blocks of a cluster meet") {
  for (index_t const n : {1000, 9000}) {
    simt::executor::counts counts;
    simt::executor::settings how = simt::executor::current_settings();
    how.count = &counts;
    simt::executor::scoped_settings const scope(how);
    require_sorted<automatic_sort>(make_keys<std::uint32_t>(variety::any, n),
                                   sort_order<std::uint32_t>{}, std::less<>{});
    CHECK(counts.launches == 1);
    std::uint64_t waits = 0;
    for (auto const& [line, count] : counts.by_line) {
      bool const in_cluster = std::string(line.file).ends_with("cluster_sort.cuh");
      if (in_cluster) waits += count.barriers;
    }
    CHECK((waits > 0) == (n > 4096));
  }
}

TEMPLATE_TEST_CASE("digits that all keys share cost no pass in one launch", "", clustered,
                   resident) {
  for (index_t const n : {60, 700}) {  // one block, and more
    auto const barriers = [&](std::uint32_t differing) {
      auto keys = make_keys<std::uint32_t>(variety::any, n);
      for (std::uint32_t& key : keys) key = (key & differing) | (0x5a5a5a5a & ~differing);
      simt::executor::counts counts;
      simt::executor::settings how = simt::executor::current_settings();
      how.count = &counts;
      simt::executor::scoped_settings const scope(how);
      require_sorted<TestType>(keys, sort_order<std::uint32_t>{}, std::less<>{});
      return counts.total().barriers;
    };
    auto const of_four = barriers(0xffffffff);
    CHECK(3 * barriers(0) < of_four);
    CHECK(3 * barriers(0xff) < of_four);
    CHECK(3 * barriers(0xff0000) < 2 * of_four);  // pass 0 finds that only pass 2 is needed
    CHECK(barriers(0xff00ff00) < of_four);
  }
}

namespace {

/// How often warps and blocks met in what sorts tiles and checks them, in a sort of `keys`.
template <class Tuning>
std::int64_t meetings(std::vector<std::uint16_t> const& keys) {
  simt::executor::counts counts;
  simt::executor::settings how;
  how.count = &counts;
  simt::executor::scoped_settings const scope(how);
  require_sorted<Tuning>(keys, sort_order<std::uint16_t>{}, std::less<>{});
  std::int64_t met = 0;
  for (auto const& [line, count] : counts.by_line) {
    for (char const* const file :
         {"/staged_shape.cuh", "/register_tile.cuh", "/cluster_sort.cuh"}) {
      if (line.file.ends_with(file)) met += count.barriers + count.warp_calls;
    }
  }
  return met;
}

/// A kind of sort whose ranks come in the right order, and one whose ranks do not. In the executor
/// those of the hardware may be either: a lane takes the ranks of some rows before others take any.
template <template <rank_order> class Tuning>
struct in_both_orders {
  using ordered = Tuning<rank_order::ascending>;
  using disordered = Tuning<rank_order::reversed>;
};

}  // namespace

using kinds_of_ranks = types_to_test<std::tuple<in_both_orders<tiny_staged_passes>>,
                                     std::tuple<in_both_orders<tiny_cluster_sort>>,
                                     std::tuple<in_both_orders<tiny_resident_sort>>>;
TEMPLATE_LIST_TEST_CASE("tiles are repaired if ranks come in the wrong order, and only then", "",
                        kinds_of_ranks) {
  using ordered = typename TestType::ordered;
  using disordered = typename TestType::disordered;
  for (index_t const copies : {1, 3}) {  // a tile, and more
    // In either pass no two of 256 keys in a row have the same digit: their order does not matter.
    std::vector<std::uint16_t> unlike;
    for (index_t copy = 0; copy < copies; ++copy) {
      for (index_t low = 0; low < 256; ++low) {
        unlike.push_back(static_cast<std::uint16_t>((low * copies + copy) % 256 * 256 + low));
      }
    }
    INFO(unlike.size() << " keys");
    auto const alike = make_keys<std::uint16_t>(variety::any, 256 * copies);
    auto const without_repair = meetings<ordered>(unlike);
    CHECK(meetings<ordered>(alike) == without_repair);
    CHECK(meetings<disordered>(unlike) == without_repair);
    CHECK(meetings<disordered>(alike) > without_repair);
    if constexpr (std::is_same_v<ordered, tiny_staged_passes<rank_order::ascending>>) {
      // In the last pass many lanes of a warp have the same digit, and are ranked together.
      std::vector<std::uint16_t> crowded;
      for (index_t copy = 0; copy < copies; ++copy) {
        for (index_t low = 0; low < 256; ++low) {
          crowded.push_back(static_cast<std::uint16_t>((low * copies + copy) % 5 * 256 + low));
        }
      }
      CHECK(meetings<ordered>(crowded) == without_repair);
    }
  }
}
#endif

/// Builds of few types have no more of them than other tests need.
using short_key = std::conditional_t<few_types, std::uint32_t, std::uint16_t>;
using signed_key = std::conditional_t<few_types, std::uint32_t, std::int32_t>;
using wide_key = std::conditional_t<few_types, std::uint32_t, std::uint64_t>;

TEMPLATE_TEST_CASE("every n from 0 to 200 is sorted", "", tiny_passes, clustered, resident,
                   staged) {
  constexpr bool long_passes = std::is_same_v<TestType, staged>;
  for (index_t const n : tiny_sizes()) {
    if (reduced() && long_passes && n % 3 != 0 && n != 1) continue;
    require_sorted_both_ways<TestType>(make_keys<short_key>(variety::any, n));
  }
}

TEST_CASE("a portion of several tiles begins where the one before it ended") {
  using pass = staged::pass;
  constexpr index_t portion = pass::portion_tiles * pass::rank_warps * pass::items_per_thread * 32;
  for (index_t const n : sized_list({portion + 1, 2 * portion + 600}, {2 * portion + 600})) {
    auto const keys = make_keys<short_key>(variety::any, n);
    if (quick_types) {
      require_sorted<staged>(keys, sort_order<short_key>{}, plain_order{});
    } else {
      require_sorted_both_ways<staged>(keys);
    }
  }
}

TEST_CASE("many keys are sorted the way the library chooses") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : sized_list({scaled(100000, 9000), on_gpu ? 5000000 : 3001}, {6001})) {
      require_sorted_both_ways<automatic_sort>(make_keys<std::uint32_t>(variety::any, n));
      using large_tiles = device::pass_sort_tuning<std::uint32_t, void, std::uint32_t>;
      require_sorted_both_ways<large_tiles>(make_keys<std::uint32_t>(variety::any, n));
    }
  });
}

using kinds_for_bits =
    types_to_test<std::tuple<tiny_passes, staged, clustered, resident>, std::tuple<disordered>>;
TEMPLATE_LIST_TEST_CASE("only the bits requested count", "", kinds_for_bits) {
  auto const keys = make_keys<std::uint32_t>(variety::any, sized(1500, 700));
  for (auto const& [first, end] : std::vector<std::pair<int, int>>{
           {0, 0}, {0, 1}, {0, 8}, {3, 12}, {7, 32}, {16, 24}, {31, 32}, {32, 32}}) {
    INFO("bits " << first << " to " << end);
    auto const before = [first = first, end = end](std::uint32_t a, std::uint32_t b) {
      return bits_of(a, first, end) < bits_of(b, first, end);
    };
    sort_order<std::uint32_t> order{.first_bit = first, .end_bit = end};
    require_sorted<TestType>(keys, order, before);
    order.direction = sort_direction::descending;
    require_sorted<TestType>(keys, order,
                             [&](std::uint32_t a, std::uint32_t b) { return before(b, a); });
  }
}

using kinds_in_place = types_to_test<std::tuple<tiny_passes>, std::tuple<clustered, staged>,
                                     std::tuple<disordered, resident, chosen>>;
TEMPLATE_LIST_TEST_CASE("one pass in place takes a second, which keeps the order", "",
                        kinds_in_place) {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {2, 33, 700}) {
      auto const keys = make_keys<std::uint8_t>(variety::any, n);
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      workspace ws;
      device_image<std::uint8_t> both(keys);
      sort_keys<way_of<TestType>>(ws, static_cast<std::uint8_t const*>(both.data()), both.data(),
                                  n);
      REQUIRE(difference(expected, both.read()) == "");
    }
  });
}

TEMPLATE_TEST_CASE("a sort in place, and one between two buffers", "", tiny_passes, staged,
                   clustered, resident, automatic_sort) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (variety const how : all_varieties()) {
      for (int const end : sized_list({8, 16, 24, 32}, {16, 24})) {
        if (slow_here<TestType> && (how != variety::few || end < 24)) continue;
        if (reduced() && how != variety::any && how != variety::few) continue;
        auto const keys = make_keys<std::uint32_t>(how, 1234);
        auto const expected = taken(keys, sorted_positions(keys, [&](auto a, auto b) {
                                      return bits_of(a, 0, end) < bits_of(b, 0, end);
                                    }));
        workspace ws;
        device_image<std::uint32_t> in(keys, 3), other(1234, 1), first(keys);
        double_buffer<std::uint32_t> both{first.data(), other.data()};
        sort_keys<TestType>(ws, both, 1234, {.end_bit = end});
        REQUIRE(both.current == (end % 16 == 0 ? first.data() : other.data()));
        REQUIRE(bit_difference(expected, end % 16 == 0 ? first.read() : other.read()) == "");
        sort_keys<TestType>(ws, static_cast<std::uint32_t const*>(in.data()), in.data(), 1234,
                            {.end_bit = end});
        REQUIRE(bit_difference(expected, in.read()) == "");
        REQUIRE(first.damage() + other.damage() + in.damage() == "");
      }
    }
  });
}

TEMPLATE_TEST_CASE("no pointer needs alignment beyond its type's", "", tiny_passes, staged,
                   clustered, resident) {
  for (int offset = 0; offset <= 16; offset += scaled(1, quick_types ? 7 : 5)) {
    if constexpr (!few_types) {
      require_sorted_both_ways<TestType>(make_keys<std::uint16_t>(variety::any, 900), offset);
    } else if constexpr (std::is_same_v<TestType, tiny_passes> ||
                         (!quick_types && std::is_same_v<TestType, clustered>)) {
      require_sorted_both_ways<TestType>(make_keys<std::uint8_t>(variety::any, sized(900, 450)),
                                         offset);
    }
    if constexpr (!few_types || std::is_same_v<TestType, staged> ||
                  (!quick_types && std::is_same_v<TestType, resident>)) {
      require_sorted_both_ways<TestType>(make_keys<double>(variety::any, sized(600, 300)), offset);
    }
  }
}

TEMPLATE_TEST_CASE("keys that are equal in some bits may come in any order", "", tiny_passes,
                   staged) {
  using order = sort_order<std::uint32_t>;
  for (index_t const n : {1, 31, 2100}) {
    for (auto const& [first, end] : {std::pair{24, 32}, std::pair{20, 31}, std::pair{3, 9}}) {
      INFO("n = " << n << ", bits " << first << " to " << end);
      auto keys = make_keys<std::uint32_t>(variety::any, n);
      workspace ws;
      device_image<std::uint32_t> in(keys), out(n);
      order const by{sort_direction::ascending, first, end, {}};
      std::uint32_t const* const from = in.data();
      device::sort<TestType, order, void>(ws, {from, out.data()}, {}, n, by,
                                          device::sort_stability::any_order);
      auto got = out.read();
      REQUIRE(std::ranges::is_sorted(got, by));
      std::ranges::sort(got);
      std::ranges::sort(keys);
      REQUIRE(difference(keys, got) == "");
    }
  }
}

TEMPLATE_TEST_CASE("n may be known on the device only", "", tiny_passes, staged, clustered,
                   resident) {
  auto const keys = make_keys<signed_key>(variety::any, 2000);
  for (index_t const n : {-1, 0, 1, 700, 2000, 3000}) {
    device_image<index_t> count(std::vector<index_t>{n});
    auto const sorted = std::clamp<index_t>(n, 0, 2000);
    auto expected = keys;
    expected.resize(static_cast<std::size_t>(sorted));
    std::stable_sort(expected.begin(), expected.end());
    workspace ws;
    device_image<signed_key> in(keys), out(2000);
    sort_keys<TestType>(ws, static_cast<signed_key const*>(in.data()), out.data(),
                        item_count::on_device(count.data(), 2000));
    auto got = out.read();
    REQUIRE(out.written_from(sorted) == "");
    got.resize(expected.size());
    REQUIRE(difference(expected, got) == "");
  }
}

TEST_CASE("a sort finds space in the workspace it requests, whatever is in it") {
  for (index_t const n : {0, 1, on_gpu ? 100000 : scaled(9000, 3000)}) {
    auto const bytes = sort_workspace_bytes<wide_key>(n);
    // A buffer of keys, and counts as documented: 4 bytes an item up to 1 MiB.
    auto const counts = std::min<std::size_t>(static_cast<std::size_t>(n) * 4, 1 << 20);
    REQUIRE(bytes <= static_cast<std::size_t>(n) * sizeof(wide_key) + counts + 70000);
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    workspace ws(memory.data(), bytes);
    for (int time = 0; time < 2; ++time) {
      simt::fill_async(memory.data(), 0xff, time == 0 ? bytes : 0);
      auto const keys = make_keys<wide_key>(variety::any, n);
      auto const expected = taken(keys, sorted_positions(keys, std::less<>{}));
      device_image<wide_key> in(keys), out(n);
      sort_keys<resident>(ws, static_cast<wide_key const*>(in.data()), out.data(),
                          std::min<index_t>(n, 2000));
      auto some = keys;
      some.resize(static_cast<std::size_t>(std::min<index_t>(n, 2000)));
      std::sort(some.begin(), some.end());
      auto got = out.read();
      got.resize(some.size());
      REQUIRE(difference(some, got) == "");
      using passes = device::pass_sort_tuning<wide_key, void, wide_key>;
      sort_keys(ws, static_cast<wide_key const*>(in.data()), out.data(), n);
      REQUIRE(difference(expected, out.read()) == "");
      sort_keys<passes>(ws, static_cast<wide_key const*>(in.data()), out.data(), n);
      REQUIRE(difference(expected, out.read()) == "");
    }
  }
}

TEST_CASE("what a sort cannot do it says") {
  workspace ws;
  std::uint32_t keys[8] = {};
  std::uint32_t const* const in = keys;
  REQUIRE_THROWS_AS(sort_keys(ws, in, keys + 1, 4), invalid_argument);
  REQUIRE_THROWS_AS(sort_keys(ws, in, keys + 4, 4, {.first_bit = -1}), invalid_argument);
  REQUIRE_THROWS_AS(sort_keys(ws, in, keys + 4, 4, {.end_bit = 33}), invalid_argument);
  REQUIRE_THROWS_AS(sort_keys(ws, in, keys + 4, 4, {.first_bit = 9, .end_bit = 8}),
                    invalid_argument);
  alignas(256) std::byte little[256];
  workspace small(little, sizeof(little));
  REQUIRE_THROWS_AS(sort_keys(small, in, keys + 4, 4), invalid_argument);
}

TEST_CASE("buffers that share memory are refused, and nothing is written") {
  auto const keys = make_keys<std::uint32_t>(variety::any, 400);
  device_image<std::uint32_t> memory(keys);
  std::uint32_t *const a = memory.data(), *const b = a + 100, *const c = b + 100,
                       *const d = c + 100;
  std::uint32_t const *const in = a, *const values = b;
  using tuning = tiny_passes;  // All kinds of sort begin alike.
  workspace ws;
  REQUIRE_THROWS_WITH(sort_keys<tuning>(ws, in, a + 99, 100),
                      "sort: input and output keys share memory; expected separate buffers");
  REQUIRE_THROWS_AS(sort_pairs<tuning>(ws, in, c, values, b + 1, 100), invalid_argument);
  REQUIRE_THROWS_AS(sort_pairs<tuning>(ws, in, c, values, c, 100), invalid_argument);
  REQUIRE_THROWS_AS(sort_pairs<tuning>(ws, in, c, values, c + 99, 100), invalid_argument);
  REQUIRE_THROWS_AS(sort_pairs<tuning>(ws, in, c, values, a + 99, 100), invalid_argument);
  REQUIRE_THROWS_AS(sort_pairs<tuning>(ws, in, b, values, d, 100), invalid_argument);
  REQUIRE_THROWS_AS(argsort<tuning>(ws, in, a, 100), invalid_argument);
  double_buffer<std::uint32_t> same{a, a}, near{a, a + 50}, both{a, b}, crossed{b, c}, apart{c, d};
  REQUIRE_THROWS_AS(sort_keys<tuning>(ws, same, 100), invalid_argument);
  REQUIRE_THROWS_AS(sort_keys<tuning>(ws, near, 100), invalid_argument);
  REQUIRE_THROWS_AS(sort_pairs<tuning>(ws, both, crossed, 100), invalid_argument);
  REQUIRE_THROWS_AS(sort_pairs<tuning>(ws, both, near, 100), invalid_argument);
  REQUIRE(both.current == a);
  REQUIRE(difference(keys, memory.read()) == "");
  sort_pairs<tuning>(ws, both, apart, 100);  // neighbors do not overlap
}
