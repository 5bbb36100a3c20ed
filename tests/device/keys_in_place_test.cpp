// SPDX-License-Identifier: Apache-2.0
// Scans by key that write their results over the keys, against a sequential loop. A tile that finds
// its neighbor's key overwritten gives a wrong result under some schedule, and is a race under
// racecheck.
#include <tests/device/segmented_scan_cases.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

using number = std::int32_t;

/// A key for each item, another in each segment.
std::vector<number> keys_of(std::vector<index_t> const& offsets) {
  std::vector<number> keys;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    keys.insert(keys.end(), static_cast<std::size_t>(offsets[s + 1] - offsets[s]), number(s));
  }
  return keys;
}

template <class Tuning>
void scan_over(scan_kind kind, workspace& ws, number const* in, number* keys, item_count n) {
  segment_keys const heads{static_cast<number const*>(keys)};
  if (kind == scan_kind::inclusive) {
    inclusive_segmented_scan<Tuning>(ws, in, keys, heads, n, plus<number>{}, 3);
  } else {
    exclusive_segmented_scan<Tuning>(ws, in, keys, heads, n, plus<number>{}, 3);
  }
}

/// Items that are others than the keys, then the keys themselves.
template <class Tuning>
void require_over_keys(segment_shape shape, index_t n, int offset = 0) {
  auto const offsets = make_offsets(shape, n);
  auto const keys = keys_of(offsets);
  auto const items = make_items<number>(n);
  auto const heads = flags_of(offsets);
  INFO("n = " << n << ", " << to_string(shape) << ", offset " << offset);
  for (scan_kind const kind : both_kinds) {
    if (quick_types && kind == scan_kind::exclusive) continue;
    workspace ws;
    device_image<number> in(items, offset), out(keys, offset);
    scan_over<Tuning>(kind, ws, in.data(), out.data(), n);
    REQUIRE(difference(segmented_oracle(kind, items, heads, plus<number>{}, 3), out.read()) == "");
    REQUIRE(in.damage() + out.damage() == "");
    device_image<number> both(keys, offset);
    scan_over<Tuning>(kind, ws, both.data(), both.data(), n);
    REQUIRE(difference(segmented_oracle(kind, keys, heads, plus<number>{}, 3), both.read()) == "");
  }
}

}  // namespace

using ways = types_to_test<std::tuple<small_tuning, tiny_resident_segments, tiny_pipeline_tuning>,
                           std::tuple<tiny_tuning>, std::tuple<>>;
TEMPLATE_LIST_TEST_CASE("a scan by key writes its results over the keys", "", ways) {
  each_schedule(scaled(4, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (segment_shape const shape : all_segment_shapes()) {
      for (index_t const n : {0, 1, 33, 767, 768, 769, 1025, 5000}) {
        require_over_keys<TestType>(shape, n, static_cast<int>(n % 4));
      }
    }
  });
}

TEST_CASE("over keys the library chooses, and finds space in the workspace it requests") {
  if (quick_types || reduced()) return;
  if constexpr (!quick_types) {
    index_t const n = on_gpu ? 10000000 : 300001;
    for (segment_shape const shape : all_segment_shapes()) require_over_keys<automatic>(shape, n);
    std::vector<number> const keys(static_cast<std::size_t>(n), 1);
    device_image<number> out(keys);
    segment_keys const heads{static_cast<number const*>(out.data())};
    std::size_t const bytes = segmented_scan_workspace_bytes<number>(n, heads);
    device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
    workspace ws(memory.data(), bytes);
    inclusive_segmented_scan(ws, out.data(), out.data(), heads, n, plus<number>{});
    REQUIRE(out.read().back() == static_cast<number>(n));
  }
}

TEST_CASE("a count in device memory says how many keys are overwritten") {
  auto const keys = keys_of(make_offsets(segment_shape::power_law, 3000));
  device_image<number> out(keys);
  device_image<index_t> count(std::vector<index_t>{2000});
  workspace ws;
  scan_over<small_tuning>(scan_kind::inclusive, ws, out.data(), out.data(),
                          item_count::on_device(count.data(), 3000));
  auto expected =
      segmented_oracle(scan_kind::inclusive, keys,
                       flags_of(make_offsets(segment_shape::power_law, 3000)), plus<number>{}, 3);
  std::copy(keys.begin() + 2000, keys.end(), expected.begin() + 2000);
  REQUIRE(difference(expected, out.read()) == "");
}
