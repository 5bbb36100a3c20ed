// SPDX-License-Identifier: Apache-2.0
// Calls on device memory whose items, results or offsets are of another type than the kernels',
// against the same calls on host memory: in the executor, and on a GPU if there is one.
#include <libscan/device_calls.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include <libscan/c_api.h>
#include <libscan/core/half.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/histogram.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/segmented.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

/// A byte as which a bool is kept: std::vector<bool> is no range.
template <class Item>
using kept_as = std::conditional_t<std::is_same_v<Item, bool>, std::uint8_t, Item>;

/// Small items of any input type: their sums are exact in every accumulator.
template <class Item>
std::vector<kept_as<Item>> small_items(index_t n) {
  std::vector<kept_as<Item>> items;
  for (std::int8_t const item : make_input<std::int8_t>(pattern::small, n)) {
    items.push_back(static_cast<kept_as<Item>>(std::is_same_v<Item, bool> ? item & 1 : item));
  }
  return items;
}

template <class Item, class Kept>
std::span<Item const> view(std::vector<Kept> const& items) {
  return {reinterpret_cast<Item const*>(items.data()), items.size()};
}

/// The bits of items, which 16-bit floats and NaN are compared by.
template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Items, an operator, and results of scans.
template <class Item, class Op, class Result = typename Op::value_type>
struct operation {
  using item = Item;
  using op = Op;
  using value = typename Op::value_type;
  using result = Result;
};

using wide_bytes = operation<std::int8_t, plus<std::int64_t>>;
using wide_words = operation<std::int32_t, plus<std::int64_t>>;
using wide_floats = operation<float, plus<double>>;
using bools = operation<bool, plus<index_t>>;
using halves = operation<float16, plus<float>>;
using rounded_halves = operation<float16, plus<float>, float16>;
using rounded_floats = operation<float, maximum<float>, bfloat16>;
using narrowed = operation<std::int64_t, bit_xor<std::uint16_t>>;

/// Segments of n items that leave items out, in device memory and on the host.
struct some_ranges {
  std::vector<index_t> begins, ends;
  std::vector<std::int32_t> short_offsets;
  std::vector<std::uint32_t> short_begins, short_ends;

  explicit some_ranges(index_t n) {
    index_t const first = std::min<index_t>(n, 3);
    for (index_t at = first; at < n - 5; at += 11) {
      short_offsets.push_back(static_cast<std::int32_t>(at));
      begins.push_back(at);
      ends.push_back(at + 7);
    }
    short_offsets.push_back(static_cast<std::int32_t>(std::max(first, n - 5)));
    std::reverse(begins.begin(), begins.end());
    std::reverse(ends.begin(), ends.end());
    short_begins.assign(begins.begin(), begins.end());
    short_ends.assign(ends.begin(), ends.end());
  }
};

/// A queue with exactly the workspace that a call of these types announces.
template <class Types>
struct announced {
  std::size_t bytes;
  device_memory<std::byte> memory;
  device_queue queue;

  announced(engine const& on, index_t n, segmentation const& segments = {})
      : bytes(device_workspace_bytes<typename Types::item, typename Types::value,
                                     typename Types::result>(on, n, segments)),
        memory(on, static_cast<index_t>(bytes)),
        queue{.on = on, .workspace = memory.data(), .workspace_bytes = bytes} {}
};

TEMPLATE_TEST_CASE("scans of device memory accumulate in other types than the items'", "",
                   wide_bytes, wide_words, wide_floats, bools, halves, rounded_halves,
                   rounded_floats, narrowed) {
  using item = typename TestType::item;
  using value = typename TestType::value;
  using result = typename TestType::result;
  typename TestType::op const op;
  engine const here = engine::cpu(1);
  for (index_t const n : sized_list<index_t>({0, 1, 33, 5000}, {0, 1, 33, 3000})) {
    auto const items = small_items<item>(n);
    auto const in = view<item>(items);
    std::vector<result> expected(items.size());
    value const init(3);
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " items");
      device_memory<kept_as<item>> const there(on, items);
      device_memory<result> const out(on, n);
      device_memory<value> const total(on, 1), first(on, std::vector<value>{init});
      announced<TestType> const with(on, n);
      auto const& queue = with.queue;
      device_span<item const> const from{reinterpret_cast<item const*>(there.data()), n};
      value const all = exclusive_scan(here, in, expected, op, init);
      exclusive_scan(queue, from, out.data(), op, total.data(), init);
      CHECK(same_bits(out.copy(), expected));
      CHECK(total.copy()[0] == all);
      inclusive_scan(here, in, expected, op);
      inclusive_scan(queue, from, out.data(), op);
      CHECK(same_bits(out.copy(), expected));
      reverse_exclusive_scan(here, in, expected, op, init);
      reverse_exclusive_scan(queue, from, out.data(), op, total.data(),
                             device_init<value>{first.data()});
      CHECK(same_bits(out.copy(), expected));
      reverse_inclusive_scan(here, in, expected, op);
      reverse_inclusive_scan(queue, from, out.data(), op);
      CHECK(same_bits(out.copy(), expected));
      value const sum = reduce(here, in, op, init);
      reduce(queue, from, total.data(), op, init);
      CHECK(total.copy()[0] == sum);
    }
  }
}

TEMPLATE_TEST_CASE("so do those within segments", "", wide_bytes, bools, rounded_halves,
                   rounded_floats) {
  using item = typename TestType::item;
  using value = typename TestType::value;
  using result = typename TestType::result;
  typename TestType::op const op;
  engine const here = engine::cpu(1);
  index_t const n = 3000;
  auto const items = small_items<item>(n);
  auto const in = view<item>(items);
  auto const flags = flags_of(make_offsets(segment_shape::power_law, n));
  auto const bits = bits_of(flags);
  auto const keys = keys_of<std::int16_t>(flags);
  some_ranges const some(n);
  value const init(2);
  for (engine const& on : machines()) {
    device_memory<kept_as<item>> const there(on, items);
    device_memory<std::uint8_t> const d_flags(on, flags);
    device_memory<std::uint32_t> const d_bits(on, bits);
    device_memory<std::int16_t> const d_keys(on, keys);
    device_memory<std::int32_t> const d_offsets(on, some.short_offsets);
    device_memory<std::uint32_t> const d_begins(on, some.short_begins), d_ends(on, some.short_ends);
    device_memory<index_t> const d_long_begins(on, some.begins), d_long_ends(on, some.ends);
    device_memory<index_t> const count(on, 1);
    auto const of = [](auto const& memory, std::size_t size) {
      return std::span(static_cast<decltype(memory.data())>(memory.data()), size);
    };
    std::size_t const ranges = some.begins.size();
    struct described {
      segmentation here, there;
    };
    described const forms[] = {
        {segmentation::of_flags(flags), segmentation::of_flags(of(d_flags, flags.size()))},
        {segmentation::of_bits(bits, n), segmentation::of_bits(of(d_bits, bits.size()), n)},
        {segmentation::of_keys(keys), segmentation::of_keys(of(d_keys, keys.size()))},
        {segmentation::of_length(9), segmentation::of_length(9)},
        {segmentation::of_offsets(some.short_offsets),
         segmentation::of_offsets(of(d_offsets, some.short_offsets.size()))},
        {segmentation::of_ranges(some.short_begins, some.short_ends),
         segmentation::of_ranges(of(d_begins, ranges), of(d_ends, ranges))},
        {segmentation::of_ranges(some.begins, some.ends),
         segmentation::of_ranges(of(d_long_begins, ranges), of(d_long_ends, ranges))}};
    device_span<item const> const from{reinterpret_cast<item const*>(there.data()), n};
    for (auto const& [how, described] : forms) {
      INFO(on.description() << ", form " << static_cast<int>(how.how()));
      announced<TestType> const with(on, n, described);
      // What is in no segment stays as it was.
      std::vector<result> expected(items.size(), result(77));
      device_memory<result> const out(on, expected);
      inclusive_segmented_scan(here, in, expected, how, op, init);
      inclusive_segmented_scan(with.queue, from, out.data(), described, op, init);
      CHECK(same_bits(out.copy(), expected));
      exclusive_segmented_scan(here, in, expected, how, op);
      exclusive_segmented_scan(with.queue, from, out.data(), described, op);
      CHECK(same_bits(out.copy(), expected));
      std::vector<value> totals(items.size());
      device_memory<value> const sums(on, totals);
      index_t const segments = segmented_reduce(here, in, totals, how, op, init);
      segmented_reduce(with.queue, from, sums.data(), described, op, count.data(), init);
      if (!how.counts_segments()) CHECK(count.copy()[0] == segments);
      auto got = sums.copy();
      got.resize(static_cast<std::size_t>(segments));
      totals.resize(static_cast<std::size_t>(segments));
      CHECK(same_bits(got, totals));
    }
    // Sums by key, with keys of 16-bit floats.
    auto const half_keys = [&] {
      std::vector<float16> halves;
      for (auto const key : keys) halves.push_back(float16(key % 100));
      return halves;
    }();
    device_memory<float16> const d_half_keys(on, half_keys), unique(on, half_keys);
    std::vector<float16> firsts(half_keys);
    std::vector<value> totals(items.size());
    device_memory<value> const sums(on, totals);
    index_t const runs = reduce_by_key(here, half_keys, in, firsts, totals, op, init);
    announced<TestType> const with(on, n, segmentation::of_keys(of(d_half_keys, half_keys.size())));
    reduce_by_key(with.queue, d_half_keys.data(), from, unique.data(), sums.data(), op,
                  count.data(), init);
    REQUIRE(count.copy()[0] == runs);
    auto got = sums.copy();
    got.resize(static_cast<std::size_t>(runs));
    totals.resize(got.size());
    CHECK(same_bits(got, totals));
    CHECK(same_bits(unique.copy(), firsts));
  }
}

TEST_CASE("the default operator and those of the standard library are as on host memory") {
  std::vector<std::uint8_t> const flags{1, 0, 1, 1};
  for (engine const& on : machines()) {
    device_queue const queue{on};
    device_memory<std::uint8_t> const there(on, flags);
    device_memory<index_t> const places(on, 4), total(on, 1);
    device_memory<float> const sums(on, 4), sum(on, 1);
    device_span<bool const> const bools{reinterpret_cast<bool const*>(there.data()), 4};
    exclusive_scan(queue, bools, places.data());
    CHECK(places.copy() == std::vector<index_t>{0, 1, 1, 2});
    reduce(queue, bools, total.data());
    CHECK(total.copy()[0] == 3);
    device_memory<bfloat16> const halves(
        on, std::vector<bfloat16>{bfloat16(1), bfloat16(2), bfloat16(4), bfloat16(0.5)});
    inclusive_scan(queue, device_span<bfloat16>{halves.data(), 4}, sums.data());
    CHECK(sums.copy() == std::vector<float>{1, 3, 7, 7.5});
    // In place: rounded when they are written.
    inclusive_scan(queue, device_span<bfloat16>{halves.data(), 4}, halves.data(), plus<float>{},
                   sum.data(), 1000);
    CHECK(sum.copy()[0] == 1007.5F);
    CHECK(static_cast<float>(halves.copy()[3]) == static_cast<float>(bfloat16(1007.5F)));
    device_span<std::uint8_t const> const bytes{there.data(), 4};
    device_memory<int> const ints(on, 4);
    inclusive_scan(queue, bytes, ints.data(), std::plus<>{});  // in int, as 1 + 1 is one
    CHECK(ints.copy() == std::vector<int>{1, 1, 2, 3});
    device_memory<std::uint8_t> const out(on, 4);
    inclusive_scan(queue, bytes, out.data(), std::bit_or<std::uint8_t>{}, nullptr, std::uint8_t{4});
    CHECK(out.copy() == std::vector<std::uint8_t>{5, 5, 5, 5});
    device_memory<double> const doubles(on, 4);
    exclusive_scan(queue, bytes, doubles.data(), std::plus<>{}, nullptr, 0.25);
    CHECK(doubles.copy() == std::vector<double>{0.25, 1.25, 1.25, 2.25});
  }
}

TEST_CASE("a number of items in device memory holds for conversions, too") {
  for (engine const& on : machines()) {
    device_queue const queue{on};
    device_memory<std::int16_t> const in(on, std::vector<std::int16_t>(100, 3));
    device_memory<index_t> const count(on, std::vector<index_t>{40});
    device_memory<std::int64_t> const out(on, std::vector<std::int64_t>(100, -1)), total(on, 1);
    device_span<std::int16_t> const some{in.data(), 100, count.data()};
    inclusive_scan(queue, some, out.data(), plus<std::int64_t>{}, total.data());
    auto const sums = out.copy();
    CHECK((sums[39] == 120 && sums[40] == -1 && sums[99] == -1 && total.copy()[0] == 120));
    reduce(queue, some, total.data(), plus<std::int64_t>{});
    CHECK(total.copy()[0] == 120);
    device_memory<float> const floats(on, std::vector<float>(100, 1));
    device_memory<float16> const halves(on, std::vector<float16>(100, float16(-1)));
    inclusive_scan(queue, device_span<float>{floats.data(), 100, count.data()}, halves.data(),
                   plus<float>{});
    CHECK(static_cast<float>(halves.copy()[39]) == 40);
    CHECK(static_cast<float>(halves.copy()[40]) == -1);
    CHECK(floats.copy() == std::vector<float>(100, 1));
  }
}

TEST_CASE("conversions refuse memory that is shared, misaligned or too small") {
  for (engine const& on : machines()) {
    device_queue const queue{on};
    device_memory<std::int64_t> const memory(on, 32);
    auto* const bytes = reinterpret_cast<std::int8_t*>(memory.data());
    auto* const words = memory.data();
    plus<std::int64_t> const op;
    CHECK_THROWS_WITH(inclusive_scan(queue, device_span<std::int8_t>{bytes, 8}, words, op),
                      Contains("items and results share memory"));
    CHECK_THROWS_WITH(reduce(queue, device_span<std::int8_t>{bytes, 8}, words, op),
                      Contains("items and results share memory"));
    CHECK_THROWS_WITH(
        inclusive_scan(queue,
                       device_span<std::int16_t>{reinterpret_cast<std::int16_t*>(bytes + 65), 2},
                       words, op),
        Contains("no multiple of 2"));
    CHECK_THROWS_WITH(inclusive_scan(queue, device_span<std::int8_t>{bytes + 64, 8},
                                     reinterpret_cast<std::int64_t*>(bytes + 4), op),
                      Contains("no multiple of 8"));
    device_queue const small{.on = on, .workspace = memory.data(), .workspace_bytes = 16};
    CHECK_THROWS_WITH(reduce(small, device_span<std::int8_t>{bytes + 64, 8}, words, op),
                      Contains("workspace of 16 bytes, but the call needs"));
    // The description of segments is read after items were converted into the results.
    auto const described =
        segmentation::of_bits({reinterpret_cast<std::uint32_t*>(words + 1), 1}, 8);
    CHECK_THROWS_WITH(inclusive_segmented_scan(queue, device_span<std::int8_t>{bytes + 128, 8},
                                               words, described, op),
                      Contains("the output and the description of segments share memory"));
    auto const offsets =
        segmentation::of_offsets(std::span(reinterpret_cast<std::int32_t*>(words), 3));
    CHECK_THROWS_WITH(
        inclusive_segmented_scan(queue, device_span<std::int64_t>{words + 16, 8}, words, offsets),
        Contains("the output and the description of segments share memory"));
  }
  CHECK_THROWS_WITH(reduce(device_queue{engine::cpu()}, device_span<bool>{nullptr, 1},
                           static_cast<index_t*>(nullptr)),
                    Contains("run on the engines cuda and executor"));
}

TEST_CASE("results may overlap flags and keys, though items are converted") {
  std::vector<std::uint8_t> const flags{1, 0, 0, 1, 0, 0, 0, 0};
  std::vector<std::int32_t> const expected{1, 2, 3, 1, 2, 3, 4, 5};
  for (engine const& on : machines()) {
    device_memory<std::int8_t> const in(on, std::vector<std::int8_t>(8, 1));
    device_memory<std::int32_t> const out(on, 8);
    auto* const bytes = reinterpret_cast<std::uint8_t*>(out.data());
    device_memory<std::uint8_t> const source(on, flags);
    std::vector<std::int32_t> both(8);
    std::memcpy(both.data(), flags.data(), flags.size());
    out.write(both);
    inclusive_segmented_scan(device_queue{on}, device_span<std::int8_t>{in.data(), 8}, out.data(),
                             segmentation::of_flags(std::span(bytes, 8)), plus<std::int32_t>{});
    CHECK(out.copy() == expected);
  }
}

TEST_CASE("scans of device memory in a workspace that is misaligned write nothing") {
  std::vector<std::int64_t> const before(100, 7);
  for (engine const& on : machines()) {
    INFO(on.description());
    device_memory<std::int8_t> const in(on, small_items<std::int8_t>(100));
    device_memory<std::int64_t> const out(on, before);
    device_memory<std::byte> const memory(on, 1 << 16);
    device_queue const queue{
        .on = on, .workspace = memory.data() + 8, .workspace_bytes = (1 << 16) - 8};
    CHECK_THROWS_WITH(inclusive_scan(queue, device_span<std::int8_t const>{in.data(), 100},
                                     out.data(), plus<std::int64_t>{}),
                      Contains("address that is no multiple of 256"));
    CHECK(out.copy() == before);
  }
}

TEST_CASE("C calls accumulate in other types, too") {
  std::vector<std::int8_t> const items{100, 100, -1, 100, 2};
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<std::int8_t> const in(on, items);
    device_memory<std::int64_t> const out(on, 5), total(on, 1);
    libscan_items const from{LIBSCAN_I8, in.data(), 5, nullptr};
    libscan_results const sums{LIBSCAN_I64, LIBSCAN_I64, out.data()};
    std::int64_t const init = 1000;
    CHECK(libscan_scan_as(&queue, from, sums, nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, &init,
                          nullptr, total.data()) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::int64_t>{1100, 1200, 1199, 1299, 1301});
    CHECK(libscan_scan_as(&queue, from, sums, nullptr, LIBSCAN_MINIMUM, LIBSCAN_REVERSE_INCLUSIVE,
                          nullptr, total.data(), nullptr) == LIBSCAN_OK);
    CHECK(out.copy() == std::vector<std::int64_t>{-1, -1, -1, 2, 2});
    device_memory<std::uint32_t> const offsets(on, std::vector<std::uint32_t>{0, 2, 5});
    libscan_segments const pairs{LIBSCAN_OFFSETS, offsets.data(), nullptr, 2, LIBSCAN_U32};
    CHECK(libscan_reduce_as(&queue, from, sums, &pairs, LIBSCAN_PLUS, nullptr, nullptr, nullptr) ==
          LIBSCAN_OK);
    CHECK((out.copy()[0] == 200 && out.copy()[1] == 101));
    device_memory<std::int32_t> const begins(on, std::vector<std::int32_t>{3, 0}),
        ends(on, std::vector<std::int32_t>{5, 1});
    libscan_segments const ranges{LIBSCAN_RANGES, begins.data(), ends.data(), 2, LIBSCAN_I32};
    CHECK(libscan_reduce_as(&queue, from, sums, &ranges, LIBSCAN_PLUS, nullptr, total.data(),
                            nullptr) == LIBSCAN_OK);
    CHECK((out.copy()[0] == 1301 + 102 && out.copy()[1] == 1301 + 100));
    libscan_segments other = pairs;
    other.keys = LIBSCAN_F64;
    CHECK(libscan_reduce_as(&queue, from, sums, &other, LIBSCAN_PLUS, nullptr, nullptr, nullptr) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected integers of 32 or 64 bits"));
    std::size_t bytes = 0;
    CHECK(libscan_workspace_bytes_as(&queue, from, sums, &pairs, &bytes) == LIBSCAN_OK);
    auto const by_offsets =
        segmentation::of_offsets(std::span<std::uint32_t const>(offsets.data(), 3));
    CHECK(bytes == device_workspace_bytes<std::int8_t, std::int64_t>(on, 5, by_offsets));

    device_memory<float16> const keys(
        on, std::vector<float16>{float16(1), float16(1), float16(2), float16(2), float16(2)});
    device_memory<float16> const unique(on, 5);
    device_memory<index_t> const runs(on, 1);
    CHECK(libscan_reduce_by_key_as(&queue, LIBSCAN_F16, keys.data(), from, unique.data(), sums,
                                   LIBSCAN_PLUS, nullptr, nullptr, runs.data()) == LIBSCAN_OK);
    CHECK(runs.copy()[0] == 2);
    CHECK((out.copy()[0] == 200 && out.copy()[1] == 101));
    CHECK(static_cast<float>(unique.copy()[1]) == 2);
    // 16-bit floats, also as results.
    libscan_items const halves{LIBSCAN_F16, keys.data(), 5, nullptr};
    device_memory<bfloat16> const rounded(on, 5);
    libscan_results const as_halves{LIBSCAN_F32, LIBSCAN_BF16, rounded.data()};
    CHECK(libscan_scan_as(&queue, halves, as_halves, nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                          nullptr, nullptr, nullptr) == LIBSCAN_OK);
    CHECK(static_cast<float>(rounded.copy()[4]) == 8);
    CHECK(libscan_reduce_as(&queue, halves, as_halves, nullptr, LIBSCAN_PLUS, nullptr, nullptr,
                            nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected totals of the accumulator's type"));
    libscan_results const wrong{LIBSCAN_F64, LIBSCAN_F16, out.data()};
    CHECK(libscan_scan_as(&queue, halves, wrong, nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE, nullptr,
                          nullptr, nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("16-bit floats of LIBSCAN_F32"));
    CHECK(libscan_scan(&queue, halves, rounded.data(), nullptr, LIBSCAN_PLUS, LIBSCAN_INCLUSIVE,
                       nullptr, nullptr) == LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("expected a scan or sum that ends in _as"));
  }
}

TEST_CASE("histograms of device memory take the types of those of host memory") {
  index_t const n = 3000;
  engine const here = engine::cpu(1);
  auto const samples = make_input<float>(pattern::small, n);
  std::vector<float> const edges{-2, 0, 1, 5};
  std::vector<float> weights;
  for (index_t i = 0; i < n; ++i) weights.push_back(static_cast<float>(i % 16));
  edge_bins<float> const rule(edges.data(), 3);
  std::vector<std::int32_t> counts(3);
  std::vector<double> sums(3);
  auto const where = histogram(here, samples, counts, rule);
  weighted_histogram(here, samples, weights, sums, rule);
  even_bins<float> const fine(-2, 4, 100);
  std::vector<std::uint8_t> full(100);
  std::vector<std::int16_t> few(100);
  auto const filled = sparse_histogram(here, samples, full, few, fine).filled;
  std::vector<std::int16_t> const words{1, 2, 3, 5, 8, 8, 300};
  std::vector<std::int16_t> const word_edges{1, 3, 8};
  for (engine const& on : machines()) {
    device_memory<float> const in(on, samples), bounds(on, edges), with(on, weights);
    device_memory<std::int32_t> const d_counts(on, std::vector<std::int32_t>(4, -1));
    device_memory<double> const d_sums(on, 3);
    device_memory<sample_totals> const totals(on, 1);
    edge_bins<float> const d_rule(bounds.data(), 3);
    device_span<float> const from{in.data(), n};
    auto const bytes =
        std::max(device_histogram_workspace_bytes<float, std::int32_t, float>(on, n, 3),
                 device_weighted_histogram_workspace_bytes<float, float, float>(on, n, 3));
    device_memory<std::byte> const memory(on, static_cast<index_t>(bytes));
    device_queue const queue{.on = on, .workspace = memory.data(), .workspace_bytes = bytes};
    histogram(queue, from, d_counts.data(), d_rule, totals.data());
    CHECK(front(d_counts, 3) == counts);
    CHECK(d_counts.copy()[3] == -1);
    CHECK(totals.copy()[0].below == where.below);
    CHECK(totals.copy()[0].above == where.above);
    weighted_histogram(queue, from, with.data(), d_sums.data(), d_rule, totals.data());
    CHECK(d_sums.copy() == sums);
    // Of fewer samples, whose number is in device memory.
    device_memory<index_t> const none(on, std::vector<index_t>{0}), found(on, 1);
    device_span<float> const no_samples{in.data(), n, none.data()};
    weighted_histogram(queue, no_samples, with.data(), d_sums.data(), d_rule, totals.data());
    CHECK(d_sums.copy() == std::vector<double>{0, 0, 0});
    // Bins and counts of few bits; nothing is written after them.
    device_memory<std::uint8_t> const d_full(on, std::vector<std::uint8_t>(101, 99));
    device_memory<std::int16_t> const d_few(on, std::vector<std::int16_t>(101, -1));
    auto const needed =
        device_sparse_histogram_workspace_bytes<float, std::uint8_t, std::int16_t>(on, n, 100);
    device_memory<std::byte> const for_sparse(on, static_cast<index_t>(needed));
    device_queue const sparse{.on = on, .workspace = for_sparse.data(), .workspace_bytes = needed};
    for (auto* const d_filled : {found.data(), static_cast<index_t*>(nullptr)}) {
      sparse_histogram(sparse, from, d_full.data(), d_few.data(), fine, d_filled, totals.data());
      auto const filled_bins = static_cast<std::size_t>(filled);
      CHECK(front(d_full, filled) == std::vector(full.begin(), full.begin() + filled));
      CHECK(front(d_few, filled) == std::vector(few.begin(), few.begin() + filled));
      CHECK(d_few.copy()[filled_bins] == -1);
    }
    CHECK(found.copy()[0] == filled);
    // Edges of integers.
    device_memory<std::int16_t> const d_words(on, words), d_word_edges(on, word_edges);
    device_memory<std::int64_t> const long_counts(on, 2);
    histogram(device_queue{on}, device_span<std::int16_t>{d_words.data(), 7}, long_counts.data(),
              edge_bins<std::int16_t>(d_word_edges.data(), 2), totals.data());
    CHECK(long_counts.copy() == std::vector<std::int64_t>{2, 4});
    CHECK_THROWS_WITH(
        sparse_histogram(sparse, from, d_full.data(), d_full.data(), fine, nullptr, totals.data()),
        Contains("counts of 8 bits for numbers up to 3000; expected more bits"));
    CHECK_THROWS_WITH(sparse_histogram(sparse, from, d_full.data(), d_few.data(),
                                       even_bins<float>(0, 1, 257), nullptr, totals.data()),
                      Contains("bins of 8 bits for numbers up to 256"));
    CHECK_THROWS_WITH(
        histogram(queue, from, static_cast<std::uint32_t*>(nullptr), d_rule, totals.data()),
        Contains("counts are null"));
  }
}

TEST_CASE("masks choose from 16-bit floats and bools in device memory") {
  std::vector<std::uint8_t> const flags{0, 1, 1, 0, 1};
  std::vector<float16> halves;
  for (int i = 0; i < 5; ++i) halves.emplace_back(static_cast<float>(i) + 0.5F);
  for (engine const& on : machines()) {
    INFO(on.description());
    device_memory<float16> const items(on, halves), out(on, 5), rejected(on, 5);
    device_memory<std::uint8_t> const marks(on, flags);
    device_memory<index_t> const count(on, 1), positions(on, 5);
    auto const mask = item_mask::of_flags({marks.data(), 5});
    device_span<float16 const> const in{items.data(), 5};
    std::size_t const bytes = device_filter_workspace_bytes<float16>(on, 5);
    device_memory<std::byte> const memory(on, static_cast<index_t>(bytes));
    device_queue const queue{.on = on, .workspace = memory.data(), .workspace_bytes = bytes};
    auto const holds = [](std::vector<float16> const& got, std::vector<float> const& expected) {
      return std::equal(expected.begin(), expected.end(), got.begin(),
                        [](float a, float16 b) { return a == static_cast<float>(b); });
    };
    filter(queue, in, out.data(), mask, count.data());
    CHECK(count.copy()[0] == 3);
    CHECK(holds(out.copy(), {1.5F, 2.5F, 4.5F}));
    filter_with_indices(queue, in, out.data(), positions.data(), mask, count.data());
    CHECK(holds(out.copy(), {1.5F, 2.5F, 4.5F}));
    CHECK(front(positions, 3) == std::vector<index_t>{1, 2, 4});
    split(queue, in, out.data(), rejected.data(), mask, count.data());
    CHECK(holds(out.copy(), {1.5F, 2.5F, 4.5F}));
    CHECK(holds(rejected.copy(), {0.5F, 3.5F}));
  }
}

}  // namespace
}  // namespace libscan::test
