// SPDX-License-Identifier: Apache-2.0
// Device scans and totals of segments with items between them, in any order, against loops.
#include <cstdint>
#include <string>
#include <vector>

#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/device/segmented_cases.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/ranges.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// An operator that does not commute, and a sum.
template <class Op>
typename Op::value_type first_of_all() {
  if constexpr (std::is_same_v<Op, compose>) return {3, 5};
  return {};
}

template <class Tuning, class Op>
void require_ranges(some_ranges const& ranges, int n) {
  using T = typename Op::value_type;
  INFO(ranges.count() << " ranges of " << n << " items");
  auto const items = make_items<T>(n);
  auto const before = make_items<T>(n, 1);
  T const init = first_of_all<Op>();
  device_image<T> in(items), out(before), totals(ranges.count());
  device_image<std::int32_t> begins(ranges.begins), ends(ranges.ends);
  segment_ranges const segments{begins.data(), ends.data(), ranges.count()};
  workspace ws;
  auto const forward = scan_direction::forward;
  inclusive_segmented_scan<Tuning>(ws, in.data(), out.data(), segments, n, Op{}, init);
  REQUIRE(out.read() ==
          scanned_ranges(scan_kind::inclusive, forward, items, before, ranges, Op{}, init));
  exclusive_segmented_scan<Tuning>(ws, in.data(), in.data(), segments, n, Op{}, init);
  REQUIRE(in.read() ==
          scanned_ranges(scan_kind::exclusive, forward, items, items, ranges, Op{}, init));
  segmented_reduce<Tuning>(ws, out.data(), totals.data(), segments, n, Op{}, nullptr, init);
  REQUIRE(totals.read() == totals_of_ranges(out.read(), ranges, Op{}, init));
  REQUIRE(in.damage() + out.damage() + totals.damage() == "");
}

}  // namespace

using ways = types_to_test<std::tuple<tried<tiny_tuning, compose>>,
                           std::tuple<tried<chosen, plus<std::int32_t>>>>;
TEMPLATE_LIST_TEST_CASE("segments may leave items out, and come in any order", "", ways) {
  using op = typename TestType::with;
  using way = way_of<typename TestType::way>;
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (int const most : {4, 90, 1500}) {
      auto const ranges = some_ranges::apart(2000, most);
      require_ranges<way, op>(ranges, 2000);
      require_ranges<way, op>(ranges.shuffled(), 2000);
    }
    require_ranges<way, op>({}, 100);
    require_ranges<way, op>({{0}, {20000}}, 20000);
  });
}

namespace {

/// Lists the pieces of ranges of `lengths` items, and says which of them fit.
struct list_kernel {
  struct shared_storage {
    index_t first;
  };
  __device__ void operator()(shared_storage& shared, device::range_pieces<int> pieces,
                             index_t const* lengths, int ranges, int* fits,
                             index_t* segments) const {
    for (int r = 0; r < ranges; ++r) {
      bool const fit = pieces.list(shared.first, r, lengths[r]);
      if (threadIdx.x == 0) fits[r] = fit ? 1 : 0;
    }
    for (index_t p = threadIdx.x; p < pieces.count(); p += blockDim.x) {
      segments[p] = pieces.at(p).segment;
    }
  }
};

}  // namespace

TEST_CASE("a range whose pieces do not all fit has none that are worked on") {
  using pieces = device::range_pieces<int>;
  constexpr index_t n = 1 << 20;
  index_t const piece = pieces::items_of(n, 1);
  constexpr index_t most = pieces::max_pieces;
  std::vector<index_t> const lengths{(most - 20) * piece, 21 * piece, 5};
  device::buffer<std::byte> const memory(static_cast<index_t>(pieces::bytes(n, 1)));
  simt::fill_async(memory.data(), 0, pieces::cleared_bytes);
  device_image<index_t> const in(lengths);
  device_image<index_t> segments(most);
  device_image<int> fits(3);
  simt::launch<list_kernel>({.blocks = 1, .threads = 64}, pieces(memory.data(), n, 1), in.data(), 3,
                            fits.data(), segments.data());
  REQUIRE(fits.read() == std::vector<int>{1, 0, 0});
  std::vector<index_t> expected(static_cast<std::size_t>(most), -1);
  std::fill_n(expected.begin(), most - 20, 0);
  REQUIRE(difference(expected, segments.read()) == "");
}

TEST_CASE("head flags of a block of segments fit its window, or are one word too many") {
  constexpr int segments = device::mark_heads_kernel<std::int32_t>::block_segments;
  constexpr int words = device::mark_heads_kernel<std::int32_t>::window_words;
  for (int const last : {32 * words - 1, 32 * words, 32 * words + 31}) {
    INFO("the last of " << segments << " segments begins at item " << last);
    std::vector<std::int32_t> offsets;
    for (int s = 0; s + 1 < segments; ++s) offsets.push_back(s);
    offsets.insert(offsets.end(), {last, last + 1});
    index_t const n = last + 1;
    device_image<std::int32_t> const in(offsets);
    segment_offsets<std::int32_t> const heads{in.data(), segments};
    device_image<std::uint32_t> bits(static_cast<index_t>(device::head_bytes(heads, n) / 4));
    device::prepare_heads(heads, reinterpret_cast<std::byte*>(bits.data()), n, simt::stream{});
    std::vector<std::uint32_t> expected(device::head_bytes(heads, n) / 4);
    for (std::size_t s = 0; s < segments; ++s) {
      auto const at = static_cast<std::uint32_t>(offsets[s]);
      expected[at / 32] |= 1u << at % 32;
    }
    REQUIRE(difference(expected, bits.read()) == "");
  }
}

namespace {

/// A tile of a warp, with head flags that are marked at once.
struct marked_tuning : tiny_tuning {
  [[maybe_unused]] static constexpr bool marks_heads = true;
};

/// Scans between offsets that leave items out at either end, apart and in place.
template <class Tuning>
void require_scans(std::vector<std::int32_t> const& offsets) {
  constexpr int n = 900;
  INFO("offsets from " << offsets.front() << " to " << offsets.back());
  some_ranges const same{{offsets.begin(), offsets.end() - 1},
                         {offsets.begin() + 1, offsets.end()}};
  auto const items = make_items<affine>(n), before = make_items<affine>(n, 1);
  affine const init{3, 5};
  device_image<affine> in(items), out(before);
  device_image<std::int32_t> on_device(offsets);
  segment_offsets const segments{on_device.data(), same.count()};
  workspace ws;
  inclusive_segmented_scan<Tuning>(ws, in.data(), out.data(), segments, n, compose{}, init);
  REQUIRE(out.read() == scanned_ranges(scan_kind::inclusive, scan_direction::forward, items, before,
                                       same, compose{}, init));
  exclusive_segmented_scan<Tuning>(ws, in.data(), in.data(), segments, n, compose{}, init);
  REQUIRE(in.read() == scanned_ranges(scan_kind::exclusive, scan_direction::forward, items, items,
                                      same, compose{}, init));
  REQUIRE(in.damage() + out.damage() == "");
}

/// Totals between offsets that leave items out at either end, some of them of empty segments.
template <class Tuning>
void require_totals(std::vector<std::int32_t> const& offsets) {
  constexpr int n = 900;
  INFO("offsets from " << offsets.front() << " to " << offsets.back());
  some_ranges const same{{offsets.begin(), offsets.end() - 1},
                         {offsets.begin() + 1, offsets.end()}};
  auto const items = make_items<affine>(n);
  device_image<affine> in(items), totals(same.count());
  device_image<std::int32_t> on_device(offsets);
  workspace ws;
  segmented_reduce<Tuning>(ws, in.data(), totals.data(),
                           segment_offsets{on_device.data(), same.count()}, n, compose{}, nullptr,
                           {3, 5});
  REQUIRE(totals.read() == totals_of_ranges(items, same, compose{}, affine{3, 5}));
  REQUIRE(totals.damage() == "");
}

}  // namespace

namespace {

/// Offsets within 0 ... 900 that mostly leave items out.
std::vector<std::vector<std::int32_t>> offsets_of_900() {
  std::vector<std::int32_t> many, all;
  for (int at = 5; at < 880; at += at % 5 + 1) many.push_back(at);
  for (int at = 0; at <= 900; ++at) all.push_back(at);
  return {{7, 20, 900}, {0, 20, 899}, {1, 1, 20, 20, 500},
          {0, 0, 900},  {900, 900},   {0, 0},
          many,         all,          {all.begin() + 1, all.end() - 1}};
}

}  // namespace

TEMPLATE_TEST_CASE("totals are taken between offsets that leave items out", "", tiny_tuning,
                   marked_tuning) {
  each_schedule(2, [](std::string const& schedule) {
    INFO(schedule);
    for (auto const& offsets : offsets_of_900()) require_totals<TestType>(offsets);
  });
}

TEMPLATE_TEST_CASE("scans leave items out that are in no segment between offsets", "", tiny_tuning,
                   marked_tuning, tiny_pipeline_tuning, tiny_resident_segments) {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (auto const& offsets : offsets_of_900()) require_scans<TestType>(offsets);
  });
}

TEST_CASE("no offsets have no items to scan") {
  std::vector<std::int32_t> const items(10, 1), offsets{0};
  device_image<std::int32_t> in(items), on_device(offsets);
  workspace ws;
  inclusive_segmented_scan<tiny_tuning>(
      ws, in.data(), in.data(), segment_offsets{on_device.data(), 0}, 10, plus<std::int32_t>{});
  REQUIRE(in.read() == items);
}

TEST_CASE("no offsets have no totals") {
  device_image<std::int32_t> in(index_t{10}), totals(index_t{0});
  std::vector<std::int32_t> const offsets{0};
  device_image<std::int32_t> on_device(offsets);
  workspace ws;
  segmented_reduce<marked_tuning>(ws, in.data(), totals.data(),
                                  segment_offsets{on_device.data(), 0}, 10, plus<std::int32_t>{});
  totals.read();
  REQUIRE(totals.damage() == "");
}

TEST_CASE("ranges whose totals are wanted may overlap, and are cut off at the end") {
  std::vector<std::uint32_t> const items(100, 1);
  std::vector<std::int32_t> const offsets{90, 95, 120, 97}, expected{5, 5, 0};
  device_image<std::uint32_t> in(items);
  device_image<std::int32_t> on_device(offsets), totals(index_t{3});
  workspace ws;
  auto const between = segment_ranges<std::int32_t>::between(on_device.data(), 3);
  segmented_reduce<tiny_tuning>(ws, in.data(), totals.data(), between, 100, plus<std::int32_t>{});
  REQUIRE(totals.read() == expected);
}

TEST_CASE("long ranges have the same total bit for bit, whether one block sums them or all") {
  constexpr int n = 2000, ranges = 200;
  std::vector<float> items(n);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    items[static_cast<std::size_t>(i)] = 1.0f / static_cast<float>(i + 1);
    if (i >= 3) sum += items[static_cast<std::size_t>(i)];
  }
  device_image<float> in(items), totals(index_t{ranges});
  device_image<std::int32_t> begins(std::vector<std::int32_t>(ranges, 3));
  device_image<std::int32_t> ends(std::vector<std::int32_t>(ranges, n));
  // Of these, there are too many pieces for all to be recorded.
  index_t const pieces = ceil_div(index_t{n - 3}, device::range_pieces<float>::items_of(n, 32));
  REQUIRE((pieces > 1 && ranges * pieces > device::range_pieces<float>::max_pieces));
  workspace ws;
  segmented_reduce<tiny_tuning>(ws, in.data(), totals.data(),
                                segment_ranges{begins.data(), ends.data(), ranges}, n,
                                plus<float>{});
  auto const all = totals.read();
  CHECK(all == std::vector<float>(ranges, all[0]));
  CHECK(all[0] == Approx(sum));
}

TEST_CASE("ranges are refused where results would overwrite them") {
  device_image<std::int32_t> in(index_t{8}), ranges(index_t{8});
  workspace ws;
  segment_ranges const segments{ranges.data(), ranges.data() + 4, 4};
  CHECK_THROWS_AS(segmented_reduce<tiny_tuning>(ws, in.data(), ranges.data() + 7, segments, 8,
                                                plus<std::int32_t>{}),
                  invalid_argument);
  segment_ranges const none{ranges.data(), ranges.data(), -1};
  CHECK_THROWS_AS(
      segmented_reduce<tiny_tuning>(ws, in.data(), in.data(), none, 8, plus<std::int32_t>{}),
      invalid_argument);
}
