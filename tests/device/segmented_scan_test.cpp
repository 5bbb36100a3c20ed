// SPDX-License-Identifier: Apache-2.0
// Segmented scans and reductions against sequential loops: sizes, shapes of segments, descriptors,
// operators, schedules, places.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/device/segmented_reduce.cuh>
#include <libscan/device/segmented_scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// Several warps, several rows of several items.
struct small_tuning {
  static constexpr int block_threads = 96;
  [[maybe_unused]] static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 8;
};

/// No tuning of one's own: the library chooses.
using automatic = void;

enum class descriptor { flags, bits, offsets, narrow_offsets, keys };

constexpr descriptor all_descriptors[] = {descriptor::flags, descriptor::bits, descriptor::offsets,
                                          descriptor::narrow_offsets, descriptor::keys};
constexpr scan_kind both_kinds[] = {scan_kind::exclusive, scan_kind::inclusive};

/// The segments of one case, in every form, in device memory between canaries.
struct segments_on_device {
  explicit segments_on_device(std::vector<index_t> const& ends, int offset = 0)
      : host_flags(flags_of(ends)),
        flags(host_flags, offset),
        bits(bits_of(host_flags), offset),
        offsets(ends, offset),
        narrow(std::vector<std::int32_t>(ends.begin(), ends.end()), offset),
        keys(keys_of<std::uint16_t>(host_flags), offset),
        segments(static_cast<index_t>(ends.size()) - 1) {}

  /// Calls body(descriptor) with the form asked for.
  template <class Body>
  void as(descriptor which, Body body) const {
    switch (which) {
      case descriptor::flags:
        return body(head_flags{flags.data()});
      case descriptor::bits:
        return body(head_bits{bits.data()});
      case descriptor::offsets:
        return body(segment_offsets{offsets.data(), segments});
      case descriptor::narrow_offsets:
        return body(segment_offsets{narrow.data(), segments});
      case descriptor::keys:
        return body(segment_keys{keys.data()});
    }
  }

  std::vector<std::uint8_t> host_flags;
  device_image<std::uint8_t> flags;
  device_image<std::uint32_t> bits;
  device_image<index_t> offsets;
  device_image<std::int32_t> narrow;
  device_image<std::uint16_t> keys;
  index_t segments;
};

struct place {
  int in_offset = 0;
  int out_offset = 0;
  bool in_place = false;
};

template <class Tuning, class Heads, class Op, class Item>
std::vector<typename Op::value_type> scan_on_device(scan_kind kind, std::vector<Item> const& items,
                                                    Heads heads, Op op,
                                                    typename Op::value_type init,
                                                    place where = {}) {
  using T = typename Op::value_type;
  auto const n = static_cast<index_t>(items.size());
  workspace ws;
  device_image<Item> in(items, where.in_offset);
  device_image<T> apart(where.in_place ? 0 : n, where.out_offset);
  T* out = apart.data();
  if constexpr (std::is_same_v<T, Item>) out = where.in_place ? in.data() : apart.data();
  if (kind == scan_kind::exclusive) {
    exclusive_segmented_scan<Tuning>(ws, in.data(), out, heads, n, op, init);
  } else {
    inclusive_segmented_scan<Tuning>(ws, in.data(), out, heads, n, op, init);
  }
  auto const input_after = in.read();
  auto result = apart.read();
  if constexpr (std::is_same_v<T, Item>) {
    if (where.in_place) result = input_after;
  }
  REQUIRE(in.damage() == "");
  REQUIRE(apart.damage() == "");
  if (!where.in_place) REQUIRE(bit_difference(items, input_after) == "");
  return result;
}

/// All kinds and the descriptors given, for one shape and size.
template <class Tuning, class Item, class Op>
void require_scans(segment_shape shape, index_t n, Op op, typename Op::value_type init,
                   std::initializer_list<descriptor> which, place where = {}) {
  auto const items = make_items<Item>(n);
  segments_on_device const segments(make_offsets(shape, n), where.in_offset);
  for (scan_kind const kind : both_kinds) {
    auto const expected = segmented_oracle(kind, items, segments.host_flags, op, init);
    for (descriptor const form : which) {
      INFO("n = " << n << ", " << to_string(shape) << ", descriptor " << static_cast<int>(form)
                  << (kind == scan_kind::inclusive ? ", inclusive" : ", exclusive"));
      segments.as(form, [&](auto heads) {
        auto const got = scan_on_device<Tuning>(kind, items, heads, op, init, where);
        REQUIRE(difference(expected, got) == "");
      });
    }
  }
}

/// Totals by every descriptor, with the number of segments.
template <class Tuning, class Item, class Op>
void require_totals(segment_shape shape, index_t n, Op op, typename Op::value_type init) {
  using T = typename Op::value_type;
  auto const items = make_items<Item>(n);
  auto const ends = make_offsets(shape, n);
  segments_on_device const segments(ends);
  device_image<Item> in(items);
  for (descriptor const form : all_descriptors) {
    bool const empties = form == descriptor::offsets || form == descriptor::narrow_offsets;
    auto const expected =
        segment_totals_oracle(items, empties ? ends : without_empty(ends), op, init);
    INFO("n = " << n << ", " << to_string(shape) << ", descriptor " << static_cast<int>(form));
    device_image<T> totals(static_cast<index_t>(expected.size()), 3);
    device_image<index_t> number(std::vector<index_t>{-1});
    workspace ws;
    segments.as(form, [&](auto heads) {
      segmented_reduce<Tuning>(ws, in.data(), totals.data(), heads, n, op, number.data(), init);
    });
    REQUIRE(difference(expected, totals.read()) == "");
    REQUIRE(totals.damage() == "");
    REQUIRE(number.read()[0] == (empties ? -1 : static_cast<index_t>(expected.size())));
  }
}

}  // namespace

TEST_CASE("with the smallest tiles, every n from 0 to 200 agrees with a loop, in every shape") {
  auto const all = {descriptor::flags, descriptor::bits, descriptor::offsets,
                    descriptor::narrow_offsets, descriptor::keys};
  each_schedule(scaled(2, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t n = 0; n <= 200; n += n < 18 || !reduced() ? 1 : 13) {
        require_scans<tiny_tuning, interval>(shape, n, tripwire{}, tripwire::identity(),
                                             {descriptor::flags, descriptor::offsets});
      }
      for (index_t n = 0; n <= 200; n += scaled(1, 19)) {
        require_scans<tiny_tuning, std::int32_t>(shape, n, plus<std::int32_t>{}, 7, all);
      }
    }
  });
}

TEMPLATE_TEST_CASE("several warps and rows agree with a loop, whatever the operator", "", compose,
                   keep_last, tripwire) {
  using T = typename TestType::value_type;
  T init = TestType::identity();
  if constexpr (std::is_same_v<TestType, compose>) init = {3, 5};
  if constexpr (std::is_same_v<TestType, keep_last>) init = {42, 1};
  each_schedule(scaled(4, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t const n : {1, 2, 95, 255, 767, 768, 769, 1537, 5000}) {
        require_scans<small_tuning, T>(shape, n, TestType{}, init,
                                       {descriptor::flags, descriptor::offsets, descriptor::keys});
      }
      require_scans<small_tuning, T>(shape, scaled(26000, 4000), TestType{}, init,
                                     {descriptor::bits});
    }
  });
}

TEMPLATE_TEST_CASE("the size ladder agrees with a loop, in every type", "", plus<std::uint8_t>,
                   plus<std::int32_t>, maximum<std::int16_t>, plus<std::uint64_t>, tripwire) {
  using T = typename TestType::value_type;
  using tuning = device::segmented_tuning<T>;
  index_t const tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  each_schedule(scaled(1, 0), [&](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : size_ladder(tile, 256, on_gpu ? 2000000 : scaled(140000, 5000))) {
      for (segment_shape const shape : all_segment_shapes()) {
        if (n > 20000 && !on_gpu && shape == segment_shape::single) continue;
        require_scans<automatic, T>(shape, n, TestType{}, TestType::identity(),
                                    {descriptor::flags, descriptor::bits});
      }
    }
  });
}

TEST_CASE("items are converted to the accumulator before the first addition") {
  for (segment_shape const shape : all_segment_shapes()) {
    require_scans<automatic, std::uint8_t>(shape, 30000, plus<std::uint64_t>{}, 5,
                                           {descriptor::keys});
  }
}

TEST_CASE("rows of a matrix begin at multiples of their length") {
  index_t const n = 9001;
  auto const items = make_items<std::int32_t>(n);
  for (index_t const length :
       {index_t{1}, index_t{2}, index_t{3}, index_t{5}, index_t{31}, index_t{33}, index_t{100},
        index_t{4096}, index_t{4097}, index_t{9000}, index_t{9001}, index_t{1} << 40}) {
    INFO("length " << length);
    std::vector<std::uint8_t> heads(n, 0);
    std::vector<index_t> ends;
    for (index_t i = 0; i < n; i += length) {
      heads[static_cast<std::size_t>(i)] = 1;
      ends.push_back(i);
    }
    ends.push_back(n);
    for (scan_kind const kind : both_kinds) {
      auto const got =
          scan_on_device<automatic>(kind, items, equal_segments{length}, plus<std::int32_t>{}, 1);
      REQUIRE(difference(segmented_oracle(kind, items, heads, plus<std::int32_t>{}, 1), got) == "");
    }
    auto const expected = segment_totals_oracle(items, ends, plus<std::int32_t>{}, 1);
    device_image<std::int32_t> in(items), totals(static_cast<index_t>(expected.size()));
    workspace ws;
    segmented_reduce(ws, in.data(), totals.data(), equal_segments{length}, n, plus<std::int32_t>{},
                     nullptr, 1);
    REQUIRE(difference(expected, totals.read()) == "");
    REQUIRE(totals.damage() == "");
  }
}

TEST_CASE("every segment has its total, the empty ones init") {
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t const n : {0, 1, 2, 31, 32, 33, 95, 767, 768, 769, scaled(5000, 1600)}) {
        require_totals<tiny_tuning, std::int32_t>(shape, n < 200 ? n : n / 8, plus<std::int32_t>{},
                                                  9);
        require_totals<small_tuning, affine>(shape, n, compose{}, affine{3, 5});
        require_totals<small_tuning, interval>(shape, n, tripwire{}, tripwire::identity());
      }
    }
  });
  for (segment_shape const shape : all_segment_shapes()) {
    require_totals<automatic, std::uint8_t>(shape, scaled(30000, 4000), plus<std::uint32_t>{}, 0);
  }
}

TEST_CASE("reduce by key leaves one key and one total for each run, and their number") {
  each_schedule(scaled(3, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t const n : {0, 1, 33, 769, 6000}) {
        auto const ends = without_empty(make_offsets(shape, n));
        auto const keys = keys_of<std::uint32_t>(flags_of(ends));
        auto const items = make_items<std::int32_t>(n);
        auto const runs = static_cast<index_t>(ends.size()) - 1;
        std::vector<std::uint32_t> firsts;
        for (index_t s = 0; s < runs; ++s) {
          firsts.push_back(keys[static_cast<std::size_t>(ends[static_cast<std::size_t>(s)])]);
        }
        device_image<std::uint32_t> d_keys(keys), unique(n);
        device_image<std::int32_t> in(items), totals(n);
        device_image<index_t> number(1);
        workspace ws;
        reduce_by_key<small_tuning>(ws, d_keys.data(), in.data(), unique.data(), totals.data(), n,
                                    plus<std::int32_t>{}, number.data());
        auto got_keys = unique.read();
        auto got = totals.read();
        REQUIRE(number.read()[0] == runs);
        REQUIRE(unique.written_from(runs) == "");
        REQUIRE(totals.written_from(runs) == "");
        got_keys.resize(static_cast<std::size_t>(runs));
        got.resize(static_cast<std::size_t>(runs));
        REQUIRE(difference(firsts, got_keys) == "");
        REQUIRE(difference(segment_totals_oracle(items, ends, plus<std::int32_t>{}, 0), got) == "");
      }
    }
  });
}

TEST_CASE("no pointer needs alignment beyond its type's, and nothing outside is touched") {
  for (int offset = 0; offset <= 16; ++offset) {
    INFO("offset " << offset);
    place const where{offset, 16 - offset, false};
    require_scans<automatic, std::int32_t>(
        segment_shape::power_law, 4700, plus<std::int32_t>{}, 0,
        {descriptor::flags, descriptor::bits, descriptor::offsets, descriptor::keys}, where);
    require_scans<automatic, std::uint8_t>(segment_shape::some_empty, 4700, plus<std::uint8_t>{}, 0,
                                           {descriptor::flags, descriptor::bits}, where);
  }
}

TEST_CASE("the output may be the input") {
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {1, 33, 1000, 9000}) {
      place const where{3, 0, true};
      require_scans<automatic, std::int32_t>(segment_shape::power_law, n, plus<std::int32_t>{}, 5,
                                             {descriptor::flags}, where);
      require_scans<small_tuning, affine>(segment_shape::huge_among_tiny, n, compose{},
                                          affine{1, 1}, {descriptor::keys}, where);
    }
  });
}

TEST_CASE("floating sums repeat bit for bit, and -0.0 stays") {
  auto const items = make_input<float>(pattern::random, scaled(70000, 8000));
  segments_on_device const segments(
      make_offsets(segment_shape::power_law, static_cast<index_t>(items.size())));
  head_flags const heads{segments.flags.data()};
  auto const first =
      scan_on_device<automatic>(scan_kind::inclusive, items, heads, plus<float>{}, 0.5f);
  int const repeats = on_gpu ? 20 : 1;
  each_schedule(scaled(8, 3), [&](std::string const& schedule) {
    INFO(schedule);
    for (int k = 0; k < repeats; ++k) {
      auto const again =
          scan_on_device<automatic>(scan_kind::inclusive, items, heads, plus<float>{}, 0.5f);
      REQUIRE(bit_difference(first, again) == "");
    }
  });
  auto const small = make_input<float>(pattern::small, static_cast<index_t>(items.size()));
  auto const exact =
      segmented_oracle(scan_kind::inclusive, small, segments.host_flags, plus<float>{}, -0.0f);
  REQUIRE(difference(exact, scan_on_device<automatic>(scan_kind::inclusive, small, heads,
                                                      plus<float>{}, -0.0f)) == "");
  std::vector<float> const zeros(items.size(), -0.0f);
  REQUIRE(bit_difference(zeros, scan_on_device<automatic>(scan_kind::inclusive, zeros, heads,
                                                          plus<float>{}, -0.0f)) == "");
}

TEST_CASE("the number of items may lie in device memory") {
  auto const items = make_items<std::int32_t>(1000);
  for (index_t const n : {-3, 0, 1, 32, 999, 1000, 5000}) {
    INFO("n on the device = " << n);
    index_t const taken = n < 0 ? 0 : n > 1000 ? 1000 : n;
    auto const ends = make_offsets(segment_shape::power_law, taken);
    segments_on_device const segments(ends);
    std::vector<std::int32_t> const part(items.begin(), items.begin() + taken);
    device_image<index_t> length(std::vector<index_t>{n});
    auto const count = item_count::on_device(length.data(), 1000);
    for (descriptor const form : all_descriptors) {
      device_image<std::int32_t> in(items), out(1000), totals(1000);
      device_image<index_t> number(std::vector<index_t>{-1});
      workspace ws;
      segments.as(form, [&](auto heads) {
        exclusive_segmented_scan<small_tuning>(ws, in.data(), out.data(), heads, count,
                                               plus<std::int32_t>{}, 9);
        segmented_reduce<small_tuning>(ws, in.data(), totals.data(), heads, count,
                                       plus<std::int32_t>{}, number.data(), 9);
      });
      auto got = out.read();
      auto got_totals = totals.read();
      REQUIRE(out.written_from(taken) == "");
      got.resize(static_cast<std::size_t>(taken));
      auto const expected = segmented_oracle(scan_kind::exclusive, part, segments.host_flags,
                                             plus<std::int32_t>{}, 9);
      REQUIRE(difference(expected, got) == "");
      auto const expected_totals = segment_totals_oracle(part, ends, plus<std::int32_t>{}, 9);
      got_totals.resize(expected_totals.size());
      REQUIRE(difference(expected_totals, got_totals) == "");
    }
  }
}

TEST_CASE("a dirty workspace, a reused one and the caller's own memory are all the same") {
  index_t const n = 20000;
  auto const ends = make_offsets(segment_shape::some_empty, n);
  segments_on_device const segments(ends);
  auto const items = make_items<std::int32_t>(n);
  segment_offsets const heads{segments.offsets.data(), segments.segments};
  std::size_t const for_scan = segmented_scan_workspace_bytes<std::int32_t>(n, heads);
  std::size_t const for_reduce = segmented_reduce_workspace_bytes<std::int32_t>(n, heads);
  device_image<std::int32_t> in(items), out(n), totals(segments.segments);
  for (int k = 0; k < 3; ++k) {
    std::size_t const bytes = k == 0 ? for_scan : for_reduce;
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    simt::fill_async(memory.data(), 0xff, bytes);
    workspace ws(memory.data(), bytes);
    if (k == 0) {
      inclusive_segmented_scan(ws, in.data(), out.data(), heads, n, plus<std::int32_t>{}, 3);
    } else {
      segmented_reduce(ws, in.data(), totals.data(), heads, n, plus<std::int32_t>{}, nullptr, 3);
    }
    simt::synchronize();
  }
  REQUIRE(difference(segmented_oracle(scan_kind::inclusive, items, segments.host_flags,
                                      plus<std::int32_t>{}, 3),
                     out.read()) == "");
  REQUIRE(difference(segment_totals_oracle(items, ends, plus<std::int32_t>{}, 3), totals.read()) ==
          "");
}

TEST_CASE("what cannot work is refused before anything runs") {
  device_image<int> items(100000);
  workspace small(items.data(), 8);
  REQUIRE_THROWS_WITH(inclusive_segmented_scan(small, items.data(), items.data(), equal_segments{3},
                                               100000, plus<int>{}),
                      Catch::Contains("workspace of 8 bytes, but the call needs"));
  workspace ws;
  REQUIRE_THROWS_WITH(
      inclusive_segmented_scan(ws, items.data(), items.data(), equal_segments{0}, 1, plus<int>{}),
      Catch::Contains("length of segments is 0; expected > 0"));
  index_t const* const no_offsets = nullptr;
  REQUIRE_THROWS_AS(segmented_reduce(ws, items.data(), items.data(),
                                     segment_offsets{no_offsets, -1}, 1, plus<int>{}),
                    invalid_argument);
}
