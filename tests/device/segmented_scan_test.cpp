// SPDX-License-Identifier: Apache-2.0
// Segmented scans against a sequential loop: small tiles, shapes of segments, descriptors,
// operators, schedules, workspaces. Pipelines and the library's own tiles have tests of their own.
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <tests/device/segmented_scan_cases.hpp>
#include <tests/support/sizes.hpp>
#include <tests/support/transformed.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using forms_for_tripwire = std::conditional_t<quick_types, descriptors<descriptor::flags>,
                                              descriptors<descriptor::flags, descriptor::offsets>>;
using forms_for_sums = std::conditional_t<
    quick_types, descriptors<descriptor::offsets, descriptor::keys>,
    std::conditional_t<few_types,
                       descriptors<descriptor::bits, descriptor::narrow_offsets, descriptor::keys>,
                       every_form>>;

}  // namespace

TEST_CASE("with the smallest tiles, every n from 0 to 200 agrees with a loop, in every shape") {
  each_schedule(1, [&](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t n = 0; n <= 200; n += n < 18 || !reduced() ? 1 : 13) {
        require_scans<tiny_tuning, interval>(shape, n, tripwire{}, tripwire::identity(),
                                             forms_for_tripwire{});
      }
      for (index_t n = 0; n <= 200; n += scaled(1, 19)) {
        require_scans<tiny_tuning, std::int32_t>(shape, n, plus<std::int32_t>{}, 7,
                                                 forms_for_sums{});
      }
    }
  });
}

// Builds of few types have each operator and each descriptor, but few pairs of them.
using small_cases = types_to_test<
    std::tuple<tried<small_tuning, tested<compose, descriptors<descriptor::flags>>>,
               tried<tiny_resident_segments, tested<keep_last, descriptors<descriptor::keys>>>>,
    std::tuple<tried<small_tuning, tested<tripwire, descriptors<descriptor::keys>>>,
               tried<tiny_resident_segments, tested<tripwire, descriptors<descriptor::offsets>>>>,
    std::tuple<
        tried<small_tuning, tested<compose, offsets_and_keys>>,
        tried<small_tuning, tested<keep_last, descriptors<descriptor::flags, descriptor::offsets,
                                                          descriptor::keys>>>,
        tried<small_tuning, tested<tripwire, descriptors<descriptor::flags, descriptor::offsets>>>,
        tried<
            tiny_resident_segments,
            tested<compose, descriptors<descriptor::flags, descriptor::offsets, descriptor::keys>>>,
        tried<tiny_resident_segments,
              tested<keep_last, descriptors<descriptor::flags, descriptor::offsets>>>,
        tried<tiny_resident_segments,
              tested<tripwire, descriptors<descriptor::flags, descriptor::keys>>>>>;
TEMPLATE_LIST_TEST_CASE("several warps and rows agree with a loop, whatever the operator", "",
                        small_cases) {
  using given = typename TestType::with;
  each_schedule(scaled(3, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t const n : {1, 2, 95, 255, 767, 768, 769, 1537, 5000}) {
        require_scans<typename TestType::way, typename given::type>(
            shape, n, typename given::operation{}, given::init(), typename given::forms{});
      }
    }
  });
}

using many_tiles_operators = types_to_test<std::tuple<compose>, std::tuple<keep_last, tripwire>>;
TEMPLATE_LIST_TEST_CASE("many tiles of several warps agree with a loop", "", many_tiles_operators) {
  using given = tested<TestType, descriptors<descriptor::bits>>;
  each_schedule(scaled(3, 1), [&](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      require_scans<small_tuning, typename given::type>(shape, scaled(26000, 4000), TestType{},
                                                        given::init(), typename given::forms{});
    }
  });
}

TEST_CASE("items are converted to the accumulator before the first addition") {
  for (segment_shape const shape : all_segment_shapes()) {
    using tuning = automatic_or<device::segmented_tuning<std::uint64_t>>;
    require_scans<tuning, std::uint8_t>(shape, 30000, plus<std::uint64_t>{}, 5,
                                        descriptors<descriptor::keys>{});
  }
}

using ways_of_rows = types_to_test<
    std::tuple<tiny_pipeline_tuning>, std::tuple<small_tuning, tiny_resident_segments>,
    std::tuple<chosen, segmented_pipeline_tuning<std::int32_t, std::int32_t, std::int32_t, 0>>>;
TEMPLATE_LIST_TEST_CASE("rows of a matrix begin at multiples of their length", "", ways_of_rows) {
  index_t const n = 9001;
  auto const items = make_items<std::int32_t>(n);
  for (index_t const length : row_lengths(n)) {
    INFO("length " << length);
    auto const heads = flags_of(row_offsets(n, length));
    for (scan_kind const kind : both_kinds) {
      auto const got = scan_on_device<way_of<TestType>>(kind, items, equal_segments{length},
                                                        plus<std::int32_t>{}, 1);
      REQUIRE(difference(segmented_oracle(kind, items, heads, plus<std::int32_t>{}, 1), got) == "");
    }
  }
}

TEST_CASE("the output may be the input") {
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {1, 33, 1000, 9000}) {
      place const where{3, 0, true};
      require_scans<automatic, std::int32_t>(segment_shape::power_law, n, plus<std::int32_t>{}, 5,
                                             descriptors<descriptor::flags>{}, where);
      require_scans<tiny_pipeline_tuning, std::int32_t>(segment_shape::power_law, n,
                                                        plus<std::int32_t>{}, 5,
                                                        descriptors<descriptor::keys>{}, where);
      if constexpr (!few_types) {
        require_scans<tiny_pipeline_tuning, std::int32_t>(segment_shape::power_law, n,
                                                          plus<std::int32_t>{}, 5,
                                                          descriptors<descriptor::flags>{}, where);
      }
      if constexpr (!quick_types) {
        require_scans<small_tuning, affine>(segment_shape::huge_among_tiny, n, compose{},
                                            affine{1, 1}, descriptors<descriptor::keys>{}, where);
        require_scans<tiny_resident_segments, affine>(segment_shape::huge_among_tiny, n, compose{},
                                                      affine{1, 1}, descriptors<descriptor::keys>{},
                                                      where);
      }
    }
  });
}

using ways_of_floats =
    types_to_test<std::tuple<small_tuning>, std::tuple<tiny_pipeline_tuning>, std::tuple<chosen>>;
TEMPLATE_LIST_TEST_CASE("floating sums repeat bit for bit, and -0.0 stays", "", ways_of_floats) {
  using way = way_of<TestType>;
  auto const items = make_input<float>(pattern::random, scaled(70000, 8000));
  segments_on_device const segments(
      make_offsets(segment_shape::power_law, static_cast<index_t>(items.size())));
  head_flags const heads{segments.flags.data()};
  // Machines of another size may associate otherwise: those of 64 have all items resident.
  int const repeats = on_gpu ? 20 : 1;
  for (int const multiprocessors : {2, 64}) {
    std::vector<float> first;
    each_schedule(
        scaled(8, 3),
        [&](std::string const& schedule) {
          INFO(schedule << ", " << multiprocessors << " multiprocessors");
          for (int k = 0; k < repeats; ++k) {
            auto const again =
                scan_on_device<way>(scan_kind::inclusive, items, heads, plus<float>{}, 0.5f);
            if (first.empty()) first = again;
            REQUIRE(bit_difference(first, again) == "");
          }
        },
        multiprocessors);
  }
  auto const small = make_input<float>(pattern::small, static_cast<index_t>(items.size()));
  auto const exact =
      segmented_oracle(scan_kind::inclusive, small, segments.host_flags, plus<float>{}, -0.0f);
  REQUIRE(difference(exact, scan_on_device<way>(scan_kind::inclusive, small, heads, plus<float>{},
                                                -0.0f)) == "");
  std::vector<float> const zeros(items.size(), -0.0f);
  REQUIRE(bit_difference(zeros, scan_on_device<way>(scan_kind::inclusive, zeros, heads,
                                                    plus<float>{}, -0.0f)) == "");
}

using ways_of_counts =
    types_to_test<std::tuple<small_tuning>,
                  std::tuple<tiny_pipeline_tuning, tiny_resident_segments>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("the number of items may lie in device memory", "", ways_of_counts) {
  auto const items = make_items<std::int32_t>(1000);
  for (index_t const n : {-3, 0, 1, 32, 999, 1000, 5000}) {
    INFO("n on the device = " << n);
    index_t const taken = n < 0 ? 0 : n > 1000 ? 1000 : n;
    segments_on_device const segments(make_offsets(segment_shape::power_law, taken));
    std::vector<std::int32_t> const part(items.begin(), items.begin() + taken);
    device_image<index_t> length(std::vector<index_t>{n});
    auto const count = item_count::on_device(length.data(), 1000);
    for (descriptor const form : all_descriptors) {
      device_image<std::int32_t> in(items), out(1000);
      workspace ws;
      segments.as(form, [&](auto heads) {
        exclusive_segmented_scan<TestType>(ws, in.data(), out.data(), heads, count,
                                           plus<std::int32_t>{}, 9);
      });
      auto got = out.read();
      REQUIRE(out.written_from(taken) == "");
      got.resize(static_cast<std::size_t>(taken));
      auto const expected = segmented_oracle(scan_kind::exclusive, part, segments.host_flags,
                                             plus<std::int32_t>{}, 9);
      REQUIRE(difference(expected, got) == "");
    }
  }
}

using ways_of_workspaces =
    types_to_test<std::tuple<tiny_pipeline_tuning>, std::tuple<chosen>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE(
    "a dirty workspace, a reused one and the caller's own memory are all the same", "",
    ways_of_workspaces) {
  // Up to so many segments each tile searches for its own; head flags of more are marked for all.
  for (index_t const many : {device::max_searched_segments, device::max_searched_segments + 1}) {
    index_t const n = 20000;
    std::vector<index_t> ends;
    for (index_t s = 0; s <= many; ++s) ends.push_back(s * n / many);
    segments_on_device const segments(ends);
    auto const items = make_items<std::int32_t>(n);
    segment_offsets const heads{segments.offsets.data(), segments.segments};
    std::size_t const bytes = segmented_scan_workspace_bytes<std::int32_t>(n, heads);
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    simt::fill_async(memory.data(), 0xff, bytes);
    workspace ws(memory.data(), bytes);
    device_image<std::int32_t> in(items), out(n);
    auto const expected =
        segmented_oracle(scan_kind::inclusive, items, segments.host_flags, plus<std::int32_t>{}, 3);
    INFO(many << " segments");
    for (int k = 0; k < 2; ++k) {
      inclusive_segmented_scan<way_of<TestType>>(ws, in.data(), out.data(), heads, n,
                                                 plus<std::int32_t>{}, 3);
      REQUIRE(difference(expected, out.read()) == "");
    }
  }
}

TEST_CASE("items are transformed as they are loaded, results as they are stored") {
  for (index_t const n : {1, 700, on_gpu ? 3000001 : 9001}) {
    INFO("n = " << n);
    auto const items = make_items<std::int16_t>(n);
    segments_on_device const segments(make_offsets(segment_shape::power_law, n));
    auto const expected = segmented_oracle(scan_kind::inclusive, transform_all(items, squared{}),
                                           segments.host_flags, plus<std::int64_t>{}, 5);
    device_image<std::int16_t> in(items);
    device_image<std::uint64_t> out(n);
    workspace ws;
    using tuning =
        std::conditional_t<quick_types, device::segmented_tuning<std::int64_t>, automatic>;
    inclusive_segmented_scan<tuning>(
        ws, transformed{static_cast<std::int16_t const*>(in.data()), squared{}},
        transforming{out.data(), inverted{}}, segments.as<descriptor::flags>(), n,
        plus<std::int64_t>{}, 5);
    REQUIRE(difference(transform_all(expected, inverted{}), out.read()) == "");
    REQUIRE(out.damage() == "");
  }
}

namespace {

/// All ways begin alike.
using refusing = automatic_or<small_tuning>;

}  // namespace

TEST_CASE("what cannot work is refused before anything runs") {
  device_image<int> items(100000);
  workspace small(items.data(), 8);
  REQUIRE_THROWS_WITH(inclusive_segmented_scan<refusing>(small, items.data(), items.data(),
                                                         equal_segments{3}, 100000, plus<int>{}),
                      Catch::Contains("workspace of 8 bytes, but the call needs"));
  workspace ws;
  REQUIRE_THROWS_WITH(inclusive_segmented_scan<refusing>(ws, items.data(), items.data(),
                                                         equal_segments{0}, 1, plus<int>{}),
                      Catch::Contains("length of segments is 0; expected > 0"));
}

TEST_CASE("outputs that share memory with what a scan within segments reads are refused") {
  workspace ws;
  std::uint32_t items[100] = {};
  std::uint32_t other[100] = {};
  auto const in = static_cast<std::uint32_t const*>(items);
  auto const refused = [&](std::uint32_t* out, auto descriptor) {
    REQUIRE_THROWS_AS(
        inclusive_segmented_scan<refusing>(ws, in, out, descriptor, 50, plus<std::uint32_t>{}),
        invalid_argument);
  };
  refused(items + 49, equal_segments{5});
  refused(items, segment_keys{items + 20});
  refused(other, head_bits{other + 1});
  refused(other, head_flags{reinterpret_cast<std::uint8_t*>(other + 49)});
  refused(other, segment_offsets{other + 40, 5});
}
