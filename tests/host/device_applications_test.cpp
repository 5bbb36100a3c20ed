// SPDX-License-Identifier: Apache-2.0
// Sorts and histograms of device memory from plain C++, against plain loops: in the
// executor, and on a GPU if there is one.
#include <libscan/filter_device_calls.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <libscan/core/half.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/sort_device_calls.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

/// The positions of keys in stable order.
template <class Key, class Before>
std::vector<std::uint32_t> order_of(std::vector<Key> const& keys, Before before) {
  std::vector<std::uint32_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), 0u);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](auto a, auto b) { return before(keys[a], keys[b]); });
  return positions;
}

TEMPLATE_TEST_CASE("sorts of device memory are std::stable_sort", "", std::uint8_t, std::int32_t,
                   double) {
  using T = TestType;
  sort_options const down{.direction = sort_direction::descending};
  for (index_t const n : {0, 1, 300, 2500}) {
    auto const keys = make_input<T>(pattern::small, n);
    auto const order = order_of(keys, std::greater<>{});
    std::vector<T> expected;
    std::vector<std::uint64_t> moved;
    for (std::uint32_t const at : order) {
      expected.push_back(keys[at]);
      moved.push_back(at * std::uint64_t{3});
    }
    std::vector<std::uint64_t> values;
    for (index_t i = 0; i < n; ++i) values.push_back(static_cast<std::uint64_t>(i) * 3);
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " keys");
      device_memory<T> const in(on, keys), out(on, n);
      device_memory<std::uint64_t> const values_in(on, values), values_out(on, n);
      device_memory<std::uint32_t> const positions(on, n);
      device_queue const queue{on};
      device_span<T> const from{in.data(), n};
      argsort(queue, from, positions.data(), down);
      CHECK(positions.copy() == order);
      sort_pairs(queue, from, out.data(), values_in.data(), values_out.data(), down);
      CHECK(out.copy() == expected);
      CHECK(values_out.copy() == moved);
      sort_keys(queue, from, in.data(), down);
      CHECK(in.copy() == expected);
    }
  }
}

TEMPLATE_TEST_CASE("keys in device memory are grouped by bucket", "", std::int8_t, std::int32_t,
                   std::uint64_t) {
  using T = TestType;
  constexpr int buckets = 5;
  for (index_t const n : {0, 1, 300, 6000}) {
    std::vector<T> keys;
    std::vector<std::uint32_t> values;
    for (index_t i = 0; i < n; ++i) {
      keys.push_back(static_cast<T>(i * i % 7 % buckets));
      values.push_back(static_cast<std::uint32_t>(i) * 3);
    }
    auto const order = order_of(keys, std::less<>{});
    std::vector<T> grouped;
    std::vector<std::uint32_t> moved;
    std::vector<index_t> begins(buckets + 1);
    for (std::uint32_t const at : order) {
      grouped.push_back(keys[at]);
      moved.push_back(values[at]);
      for (auto b = static_cast<std::size_t>(keys[at]) + 1; b <= buckets; ++b) ++begins[b];
    }
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " keys");
      device_memory<T> const in(on, keys), out(on, n);
      device_memory<std::uint32_t> const values_in(on, values), values_out(on, n);
      device_memory<index_t> const offsets(on, buckets + 1);
      auto const bytes = device_split_by_key_workspace_bytes<T, std::uint32_t>(on, n);
      device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
      device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
      device_span<T> const from{in.data(), n};
      std::span<index_t> const bounds{offsets.data(), buckets + 1};
      split_by_key(queue, from, out.data(), values_in.data(), values_out.data(), bounds);
      CHECK(out.copy() == grouped);
      CHECK(values_out.copy() == moved);
      CHECK(offsets.copy() == begins);
      split_by_key(device_queue{on}, from, out.data(), bounds);
      CHECK(out.copy() == grouped);
      CHECK_THROWS_WITH(split_by_key(queue, from, out.data(), bounds.first(1)),
                        Contains("split_by_key: 1 offsets"));
    }
  }
}

TEST_CASE("segments of device memory are sorted one by one") {
  index_t const n = 5000;
  auto const keys = make_input<std::int16_t>(pattern::random, n);
  std::vector<index_t> const offsets{10, 10, 40, 4500, 4501, 4990};
  auto expected = keys;
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  auto moved = numbers;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1]);
    std::stable_sort(moved.begin() + offsets[s], moved.begin() + offsets[s + 1],
                     [&](auto a, auto b) { return keys[a] < keys[b]; });
  }
  for (engine const& on : machines()) {
    auto const bytes = device_segmented_sort_workspace_bytes<std::int16_t, std::uint32_t>(on, n);
    device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
    device_memory<std::int16_t> const in(on, keys), out(on, keys);
    device_memory<std::uint32_t> const values(on, numbers), values_out(on, numbers);
    device_memory<index_t> const bounds(on, offsets);
    std::span<index_t const> const segments{bounds.data(), offsets.size()};
    device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
    device_span<std::int16_t> const from{in.data(), n};
    segmented_sort_pairs(queue, from, out.data(), values.data(), values_out.data(), segments);
    CHECK(out.copy() == expected);
    CHECK(values_out.copy() == moved);
    device_memory<std::int16_t> const again(on, keys);
    segmented_sort_keys(queue, from, again.data(), segments);
    CHECK(again.copy() == expected);
    auto const for_places =
        device_segmented_argsort_workspace_bytes<std::int16_t, std::uint32_t>(on, n);
    device_memory<std::byte> const larger(on, static_cast<index_t>(for_places));
    device_queue const to_places{
        .on = on, .workspace = larger.data(), .workspace_bytes = for_places};
    device_memory<std::uint32_t> const places(on, numbers);
    segmented_argsort(to_places, from, places.data(), segments);
    CHECK(places.copy() == moved);
    device_memory<index_t> const long_places(on, n);
    segmented_argsort(device_queue{on}, from, long_places.data(), segments);
    auto const got = long_places.copy();
    CHECK(std::equal(got.begin() + 10, got.begin() + 4990, moved.begin() + 10));
    device_span<std::int16_t> const counted{in.data(), n, bounds.data()};
    CHECK_THROWS_WITH(segmented_sort_keys(queue, counted, out.data(), segments),
                      Contains("expected one on the host"));
    CHECK_THROWS_WITH(segmented_sort_keys(queue, from, out.data(), {}), Contains("no offsets"));
  }
}

TEST_CASE("histograms of device memory count and sum") {
  index_t const n = 3000;
  auto const samples = make_input<float>(pattern::small, n);
  std::vector<double> const edges{-2, 0, 1, 5};
  std::vector<std::uint64_t> counts(3);
  std::vector<double> sums(3), weights;
  index_t below = 0;
  for (index_t i = 0; i < n; ++i) {
    weights.push_back(static_cast<double>(i % 16));
    auto const x = samples[static_cast<std::size_t>(i)];
    below += x < -2 ? 1 : 0;
    if (x < -2 || x > 5) continue;
    std::size_t const bin = x < 0 ? 0 : x < 1 ? 1 : 2;
    ++counts[bin];
    sums[bin] += weights.back();
  }
  for (engine const& on : machines()) {
    device_memory<float> const in(on, samples);
    device_memory<double> const bounds(on, edges), with(on, weights), d_sums(on, 3);
    device_memory<std::uint64_t> const d_counts(on, 3);
    device_memory<sample_totals> const totals(on, 1);
    auto const bytes = std::max(device_histogram_workspace_bytes<float>(on, n, 3),
                                device_weighted_histogram_workspace_bytes<float>(on, n, 3));
    device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
    device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
    device_span<float> const from{in.data(), n};
    edge_bins<float, double> const rule(bounds.data(), 3);
    histogram(queue, from, d_counts.data(), rule, totals.data());
    CHECK(d_counts.copy() == counts);
    CHECK(totals.copy()[0].below == below);
    weighted_histogram(queue, from, with.data(), d_sums.data(), rule, totals.data());
    CHECK(d_sums.copy() == sums);
    // Bins of even width in which most are empty.
    even_bins<float> const fine(-2, 4, 1000);
    std::vector<index_t> full;
    std::vector<std::uint64_t> of_full;
    for (int b = 0; b < fine.bins(); ++b) {
      double const begin = -2 + b * 6.0 / fine.bins(), end = -2 + (b + 1) * 6.0 / fine.bins();
      auto const in_bin = std::count_if(samples.begin(), samples.end(), [&](double x) {
        return x >= begin && (x < end || (b + 1 == fine.bins() && x <= 4));
      });
      if (in_bin == 0) continue;
      full.push_back(b);
      of_full.push_back(static_cast<std::uint64_t>(in_bin));
    }
    auto const needed = device_sparse_histogram_workspace_bytes<float>(on, n, fine.bins());
    device_memory<std::byte> const for_sparse(on, static_cast<index_t>(needed));
    device_queue const sparse{.on = on, .workspace = for_sparse.data(), .workspace_bytes = needed};
    device_memory<index_t> const d_full(on, n), filled(on, 1);
    device_memory<std::uint64_t> const d_few(on, n);
    sparse_histogram(sparse, from, d_full.data(), d_few.data(), fine, filled.data(), totals.data());
    REQUIRE(filled.copy()[0] == static_cast<index_t>(full.size()));
    CHECK(front(d_full, filled.copy()[0]) == full);
    CHECK(front(d_few, filled.copy()[0]) == of_full);
    CHECK(totals.copy()[0].below == below);
    histogram(queue, from, d_counts.data(), even_bins<float>(-2, 4, 3), totals.data());
    CHECK(std::accumulate(samples.begin(), samples.end(), index_t{0}, [](index_t k, float x) {
            return k + (x >= -2 && x <= 4 ? 1 : 0);
          }) == totals.copy()[0].inside);
  }
}

TEST_CASE("calls of applications on device memory that cannot run say why") {
  int item = 0;
  index_t count = 0;
  device_span<int> const one{&item, 1};
  device_queue const on_cpu{engine::cpu()};
  CHECK_THROWS_WITH(unique(on_cpu, one, &item, &count), Contains("engines cuda and executor"));
  CHECK_THROWS_WITH(sort_keys(on_cpu, one, &item), Contains("engines cuda and executor"));
  sample_totals totals;
  std::uint64_t counts = 0;
  CHECK_THROWS_WITH(histogram(on_cpu, one, &counts, integer_bins<int>(0, 1), &totals),
                    Contains("engines cuda and executor"));
  for (engine const& on : machines()) {
    std::vector<std::uint8_t> const flags{1, 1};
    CHECK_THROWS_WITH(filter(device_queue{on}, one, &item, item_mask::of_flags(flags), &count),
                      Contains("a mask of 2 items for 1 values"));
    CHECK_THROWS_WITH(sort_keys(device_queue{on}, one, &item, {.end_bit = 33}),
                      Contains("expected a range within [0, 32]"));
    device_queue const small{.on = on, .workspace = nullptr};
    CHECK_THROWS_WITH(unique(small, device_span<int>{&item, -1}, &item, &count),
                      Contains("number of items is -1"));
  }
}

TEST_CASE("the C calls sort") {
  std::vector<double> const items{2.5, -1, 7, 0};
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<double> const in(on, items), out(on, 4);
    device_memory<std::uint32_t> const values(on, std::vector<std::uint32_t>{10, 11, 12, 13});
    device_memory<std::uint32_t> const moved(on, 4);
    device_memory<index_t> const offsets(on, std::vector<index_t>{0, 3, 4});
    libscan_items const from{LIBSCAN_F64, in.data(), 4, nullptr};
    libscan_values const with{4, values.data(), moved.data()}, places{4, nullptr, moved.data()};
    libscan_segments const segments{LIBSCAN_OFFSETS, offsets.data(), nullptr, 2, LIBSCAN_I8};
    libscan_order const down{1, 0, 0};
    REQUIRE(libscan_sort(&queue, from, out.data(), &with, nullptr, nullptr) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<double>{-1, 0, 2.5, 7});
    CHECK(moved.copy() == std::vector<std::uint32_t>{11, 13, 10, 12});
    REQUIRE(libscan_sort(&queue, from, nullptr, &places, nullptr, &down) == LIBSCAN_OK);
    CHECK(moved.copy() == std::vector<std::uint32_t>{2, 0, 3, 1});
    REQUIRE(libscan_sort(&queue, from, out.data(), nullptr, &segments, &down) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<double>{7, 2.5, -1, 0});
    std::size_t bytes = 0;
    CHECK(libscan_sort_workspace_bytes(&queue, from, &with, nullptr, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_sort_workspace_bytes<double, std::uint32_t>(on, 4));

    libscan_values const odd{3, nullptr, moved.data()};
    CHECK(libscan_sort(&queue, from, nullptr, &odd, nullptr, nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("3 bytes of positions; expected 4 or 8"));
    libscan_values const none{0, values.data(), moved.data()};
    CHECK(libscan_sort(&queue, from, out.data(), &none, nullptr, nullptr) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK(libscan_sort(&queue, from, nullptr, &places, &segments, nullptr) == LIBSCAN_OK);
    CHECK(moved.copy() == std::vector<std::uint32_t>{1, 0, 2, 3});
    device_memory<std::int32_t> const groups(on, std::vector<std::int32_t>{1, 0, 1, 0});
    device_memory<std::int32_t> const grouped(on, 4);
    device_memory<index_t> const begins(on, 3);
    libscan_items const to_group{LIBSCAN_I32, groups.data(), 4, nullptr};
    REQUIRE(libscan_split_by_key(&queue, to_group, grouped.data(), &with, 2, begins.data()) ==
            LIBSCAN_OK);
    CHECK(moved.copy() == std::vector<std::uint32_t>{11, 13, 10, 12});
    CHECK(begins.copy() == std::vector<index_t>{0, 2, 4});
    CHECK(libscan_split_by_key_workspace_bytes(&queue, to_group, &with, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_split_by_key_workspace_bytes<std::int32_t, std::uint32_t>(on, 4));
    CHECK(libscan_split_by_key(&queue, from, out.data(), nullptr, 2, begins.data()) ==
          LIBSCAN_INVALID_ARGUMENT);  // doubles are no buckets
    CHECK(libscan_sort(&queue, from, nullptr, nullptr, nullptr, nullptr) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected out for sorted keys"));
  }
}

TEST_CASE("a C call sorts segments in place") {
  for (engine const& on : machines()) {
    libscan_queue queue = queue_of(on);
    device_memory<std::int32_t> const keys(on, std::vector<std::int32_t>{3, 1, 2, 9, 8});
    device_memory<std::uint64_t> const values(on, std::vector<std::uint64_t>{0, 1, 2, 3, 4});
    libscan_items const from{LIBSCAN_I32, keys.data(), 5, nullptr};
    libscan_values const with{8, values.data(), values.data()};
    libscan_segments const three{LIBSCAN_LENGTH, nullptr, nullptr, 3, LIBSCAN_I8};
    std::size_t apart = 0, bytes = 0;
    libscan_values const elsewhere{8, values.data(), nullptr};
    REQUIRE(libscan_sort_workspace_bytes(&queue, from, &elsewhere, &three, &apart) == LIBSCAN_OK);
    REQUIRE(libscan_sort_in_place_workspace_bytes(&queue, from, &elsewhere, &three, &bytes) ==
            LIBSCAN_OK);
    CHECK(bytes == device_segmented_sort_workspace_bytes<std::int32_t, std::uint64_t>(
                       on, 5, segmentation::of_length(3), true));
    device_memory<std::byte> const memory(on, static_cast<index_t>(bytes));
    queue.workspace = memory.data();
    queue.workspace_bytes = apart;
    CHECK(libscan_sort(&queue, from, keys.data(), &with, &three, nullptr) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("but the call needs " + std::to_string(bytes)));
    queue.workspace_bytes = bytes;
    REQUIRE(libscan_sort(&queue, from, keys.data(), &with, &three, nullptr) == LIBSCAN_OK);
    CHECK(keys.copy() == std::vector<std::int32_t>{1, 2, 3, 8, 9});
    CHECK(values.copy() == std::vector<std::uint64_t>{1, 2, 0, 4, 3});
  }
}

TEST_CASE("C calls take values of any size alike where there are none") {
  for (engine const& on : machines()) {
    INFO(on.description());
    libscan_queue const queue = queue_of(on);
    device_memory<std::int32_t> const in(on, std::vector<std::int32_t>{3, 1, 2}), out(on, 3);
    device_memory<std::uint8_t> const buckets(on, std::vector<std::uint8_t>{1, 0, 1}),
        grouped(on, 3);
    device_memory<index_t> const offsets(on, 3);
    device_memory<std::int32_t> const values(on, 9);
    libscan_items const keys{LIBSCAN_I32, in.data(), 3, nullptr};
    libscan_items const in_bucket{LIBSCAN_U8, buckets.data(), 3, nullptr};
    libscan_segments const pairs{LIBSCAN_LENGTH, nullptr, nullptr, 2, LIBSCAN_I8};
    for (std::int32_t const size : {3, 4, 8, 12}) {
      INFO("values of " << size << " bytes");
      libscan_values const unwanted{size, values.data(), nullptr},
          only_size{size, nullptr, nullptr};
      out.write({0, 0, 0});
      REQUIRE(libscan_sort(&queue, keys, out.data(), &unwanted, nullptr, nullptr) == LIBSCAN_OK);
      CHECK(out.copy() == std::vector<std::int32_t>{1, 2, 3});
      REQUIRE(libscan_sort(&queue, keys, out.data(), &unwanted, &pairs, nullptr) == LIBSCAN_OK);
      CHECK(out.copy() == std::vector<std::int32_t>{1, 3, 2});
      REQUIRE(libscan_split_by_key(&queue, in_bucket, grouped.data(), &unwanted, 2,
                                   offsets.data()) == LIBSCAN_OK);
      CHECK(grouped.copy() == std::vector<std::uint8_t>{0, 1, 1});
      // Sizes of workspaces need none, nor do calls on no keys.
      std::size_t bytes = 0, with_values = 0;
      REQUIRE(libscan_sort_workspace_bytes(&queue, keys, &only_size, nullptr, &bytes) ==
              LIBSCAN_OK);
      REQUIRE(libscan_sort_workspace_bytes(&queue, keys, &unwanted, nullptr, &with_values) ==
              LIBSCAN_OK);
      CHECK(bytes == with_values);
      REQUIRE(libscan_split_by_key_workspace_bytes(&queue, in_bucket, &only_size, &bytes) ==
              LIBSCAN_OK);
      CHECK(bytes > 0);
      libscan_items const none{LIBSCAN_I32, nullptr, 0, nullptr};
      CHECK(libscan_sort(&queue, none, nullptr, &only_size, nullptr, nullptr) == LIBSCAN_OK);
    }
    libscan_values const long_positions{12, nullptr, values.data()};
    CHECK(libscan_sort(&queue, keys, nullptr, &long_positions, nullptr, nullptr) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("12 bytes of positions; expected 4 or 8"));
    libscan_values const nowhere{4, nullptr, nullptr};
    CHECK(libscan_sort(&queue, keys, nullptr, &nowhere, nullptr, nullptr) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected sorted keys or values"));
    // Values of four bytes, whose size this may be, are not limited to 2^32.
    std::size_t bytes = 0;
    libscan_items const many{LIBSCAN_I32, nullptr, index_t{1} << 33, nullptr};
    if (libscan_sort_workspace_bytes(&queue, many, &nowhere, nullptr, &bytes) != LIBSCAN_OK) {
      CHECK_THAT(libscan_last_error(), Contains("the executor takes up to"));
    }
  }
}

TEST_CASE("the C calls count") {
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<std::uint8_t> const in(on, std::vector<std::uint8_t>{1, 2, 2, 9, 40});
    device_memory<double> const edges(on, std::vector<double>{0, 2, 10}), sums(on, 2);
    device_memory<double> const weights(on, std::vector<double>{1, 2, 3, 4, 5});
    device_memory<std::uint64_t> const counts(on, 2);
    device_memory<index_t> const totals(on, 4);
    libscan_items const from{LIBSCAN_U8, in.data(), 5, nullptr};
    libscan_bins const even{2, 0, 10, nullptr}, uneven{2, 0, 0, edges.data()};
    REQUIRE(libscan_histogram(&queue, from, &even, counts.data(), nullptr, nullptr,
                              totals.data()) == LIBSCAN_OK);
    CHECK(counts.copy() == std::vector<std::uint64_t>{3, 1});
    CHECK(totals.copy() == std::vector<index_t>{0, 4, 1, 0});
    REQUIRE(libscan_histogram(&queue, from, &uneven, nullptr, weights.data(), sums.data(),
                              totals.data()) == LIBSCAN_OK);
    CHECK(sums.copy() == std::vector<double>{1, 9});
    libscan_bins const ten{10, 0, 10, nullptr};
    device_memory<index_t> const full(on, 5), filled(on, 1);
    device_memory<std::uint64_t> const few(on, 5);
    REQUIRE(libscan_sparse_histogram(&queue, from, &ten, full.data(), few.data(), filled.data(),
                                     totals.data()) == LIBSCAN_OK);
    REQUIRE(filled.copy()[0] == 3);
    CHECK(front(full, 3) == std::vector<index_t>{1, 2, 9});
    CHECK(front(few, 3) == std::vector<std::uint64_t>{1, 2, 1});
    std::size_t bytes = 1;
    CHECK(libscan_histogram_workspace_bytes(&queue, from, &even, LIBSCAN_COUNTED, &bytes) ==
          LIBSCAN_OK);
    CHECK(bytes == device_histogram_workspace_bytes<std::uint8_t>(on, 5, 2));
    CHECK(libscan_histogram(&queue, from, &even, counts.data(), weights.data(), nullptr,
                            totals.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected weights and sums, or neither"));
    CHECK(libscan_histogram(&queue, from, nullptr, counts.data(), nullptr, nullptr,
                            totals.data()) == LIBSCAN_INVALID_ARGUMENT);
  }
}

TEST_CASE("the C calls count and sum in other types") {
  for (engine const& on : machines()) {
    INFO(on.description());
    libscan_queue queue = queue_of(on);
    device_memory<float16> const in(
        on, std::vector<float16>{float16(1), float16(2), float16(9.5F), float16(2), float16(40)});
    device_memory<float> const edges(on, std::vector<float>{0, 2, 10});
    device_memory<float> const weights(on, std::vector<float>{1, 2, 3, 4, 5});
    device_memory<std::uint32_t> const counts(on, 2);
    device_memory<std::uint8_t> const few(on, 2), full(on, 2);
    device_memory<double> const sums(on, 2);
    device_memory<index_t> const totals(on, 4), filled(on, 1);
    libscan_items const from{LIBSCAN_F16, in.data(), 5, nullptr};
    libscan_bins const uneven{2, 0, 0, reinterpret_cast<double const*>(edges.data())};
    libscan_histogram_types types{LIBSCAN_U32, LIBSCAN_U8, LIBSCAN_F32, LIBSCAN_F32};
    std::size_t bytes = 0;
    REQUIRE(libscan_histogram_workspace_bytes_as(&queue, from, &uneven, LIBSCAN_COUNTED, types,
                                                 &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_histogram_workspace_bytes<float16, std::uint32_t, float>(on, 5, 2));
    device_memory<std::byte> const memory(on, static_cast<index_t>(bytes));
    queue.workspace = memory.data();
    queue.workspace_bytes = bytes;
    REQUIRE(libscan_histogram_as(&queue, from, &uneven, counts.data(), nullptr, nullptr, types,
                                 totals.data()) == LIBSCAN_OK);
    CHECK(counts.copy() == std::vector<std::uint32_t>{1, 3});
    CHECK(totals.copy() == std::vector<index_t>{0, 4, 1, 0});
    queue.workspace = nullptr;
    REQUIRE(libscan_histogram_as(&queue, from, &uneven, nullptr, weights.data(), sums.data(), types,
                                 totals.data()) == LIBSCAN_OK);
    CHECK(sums.copy() == std::vector<double>{1, 9});
    types.counts = LIBSCAN_U8;
    REQUIRE(libscan_sparse_histogram_as(&queue, from, &uneven, full.data(), few.data(), types,
                                        filled.data(), totals.data()) == LIBSCAN_OK);
    CHECK(filled.copy()[0] == 2);
    CHECK(full.copy() == std::vector<std::uint8_t>{0, 1});
    CHECK(few.copy() == std::vector<std::uint8_t>{1, 3});
    // Counts of a histogram with all bins have at least 32 bits.
    CHECK(libscan_histogram_as(&queue, from, &uneven, counts.data(), nullptr, nullptr, types,
                               totals.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected 32 or 64 bits"));
    types.counts = LIBSCAN_F32;
    CHECK(libscan_histogram_as(&queue, from, &uneven, counts.data(), nullptr, nullptr, types,
                               totals.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("counts are floating-point"));
    types = {LIBSCAN_U32, LIBSCAN_I64, LIBSCAN_I32, LIBSCAN_I32};
    CHECK(libscan_histogram_as(&queue, from, &uneven, counts.data(), nullptr, nullptr, types,
                               totals.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("edges of another type; expected LIBSCAN_F64"));
    types.edges = LIBSCAN_F32;
    CHECK(libscan_histogram_as(&queue, from, &uneven, nullptr, weights.data(), sums.data(), types,
                               totals.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("weights of another type"));
    libscan_items const many{LIBSCAN_F16, in.data(), index_t{1} << 20, nullptr};
    types.counts = LIBSCAN_U16;
    CHECK(libscan_sparse_histogram_as(&queue, many, &uneven, full.data(), few.data(), types,
                                      filled.data(), totals.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("counts of 16 bits for numbers up to 1048576"));
    // Zero is the usual type.
    device_memory<std::uint64_t> const long_counts(on, 2);
    libscan_bins const even{2, 0, 10, nullptr};
    REQUIRE(libscan_histogram_as(&queue, from, &even, long_counts.data(), nullptr, nullptr, {},
                                 totals.data()) == LIBSCAN_OK);
    CHECK(long_counts.copy() == std::vector<std::uint64_t>{3, 1});
    auto const misaligned = [](auto* at) { return reinterpret_cast<std::byte*>(at) + 1; };
    types = {LIBSCAN_U32, LIBSCAN_U32, LIBSCAN_F32, LIBSCAN_F32};
    libscan_bins const shifted{2, 0, 0, reinterpret_cast<double*>(misaligned(edges.data()))};
    for (libscan_status const status :
         {libscan_histogram_as(&queue, from, &uneven, misaligned(counts.data()), nullptr, nullptr,
                               types, totals.data()),
          libscan_histogram_as(&queue, from, &uneven, nullptr, misaligned(weights.data()),
                               sums.data(), types, totals.data()),
          libscan_histogram_as(&queue, from, &shifted, counts.data(), nullptr, nullptr, types,
                               totals.data()),
          libscan_sparse_histogram_as(&queue, from, &uneven, misaligned(counts.data()), few.data(),
                                      {LIBSCAN_U8, LIBSCAN_U32, {}, LIBSCAN_F32}, filled.data(),
                                      totals.data())}) {
      CHECK(status == LIBSCAN_INVALID_ARGUMENT);
      CHECK_THAT(libscan_last_error(), Contains("expected aligned memory"));
    }
    CHECK(libscan_sparse_histogram_as(&queue, from, &uneven, counts.data(), counts.data(), types,
                                      filled.data(), totals.data()) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("bins and counts share memory"));
    for (int64_t const wrong : {(int64_t{1} << 32) + 5, int64_t{-1}, int64_t{0}}) {
      libscan_bins const many_bins{wrong, 0, 10, nullptr};
      CHECK(libscan_histogram_workspace_bytes_as(&queue, from, &many_bins, LIBSCAN_COUNTED, {},
                                                 &bytes) == LIBSCAN_INVALID_ARGUMENT);
    }
    // Edges of 64-bit integers are compared as such.
    index_t const large = (index_t{1} << 53) + 1;
    device_memory<index_t> const at(on, std::vector<index_t>{large - 1, large, large + 1});
    device_memory<index_t> const bounds(on, std::vector<index_t>{0, large, large + 2});
    libscan_bins const exact{2, 0, 0, reinterpret_cast<double const*>(bounds.data())};
    REQUIRE(libscan_histogram_as(&queue, {LIBSCAN_I64, at.data(), 3, nullptr}, &exact,
                                 counts.data(), nullptr, nullptr,
                                 {LIBSCAN_U32, LIBSCAN_I64, LIBSCAN_F64, LIBSCAN_I64},
                                 totals.data()) == LIBSCAN_OK);
    CHECK(counts.copy() == std::vector<std::uint32_t>{1, 2});
  }
}

}  // namespace
}  // namespace libscan::test
