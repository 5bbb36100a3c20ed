// SPDX-License-Identifier: Apache-2.0
// Sorts of device memory within segments in every form, and with values of any size, against the
// same calls on host memory: in the executor, and on a GPU if there is one.
#include <libscan/sort_device_calls.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include <libscan/c_api.h>
#include <libscan/core/half.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/segmented.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/split_by_key.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

/// Values of 12 bytes, and of 3, which consist of no words.
using triple = std::array<std::int32_t, 3>;
using three_bytes = std::array<std::uint8_t, 3>;

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class Key>
std::vector<Key> few_keys(index_t n) {
  std::vector<Key> keys;
  for (std::int8_t const key : make_input<std::int8_t>(pattern::random, n)) {
    keys.push_back(static_cast<Key>(key));
  }
  return keys;
}

/// Values that tell where they come from.
template <class Value>
std::vector<Value> numbered(index_t n) {
  std::vector<Value> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&values[i], &i, std::min(sizeof i, sizeof(Value)));
  return values;
}

template <class T>
std::span<T const> view(device_memory<T> const& memory, std::vector<T> const& items) {
  return {memory.data(), items.size()};
}

/// Segments of n items on the host, and the same in device memory.
struct described {
  std::vector<std::uint8_t> flags;
  std::vector<std::uint32_t> bits, unmarked;
  std::vector<float> keys;
  std::vector<std::int32_t> short_offsets, short_begins, short_ends;
  std::vector<std::uint64_t> long_offsets;
  std::vector<index_t> begins, ends;

  explicit described(index_t n) : flags(flags_of(make_offsets(segment_shape::power_law, n))) {
    keys = keys_of<float>(flags);
    bits = bits_of(flags);
    unmarked = bits;  // item 0 begins a segment all the same
    if (n > 0) unmarked[0] &= ~1U;
    for (index_t at = 2; at < n; at = 2 * at + 1)
      long_offsets.push_back(static_cast<std::uint64_t>(at));
    if (long_offsets.empty()) long_offsets.push_back(0);
    short_offsets.assign(long_offsets.begin(), long_offsets.end());
    for (index_t at = n - 3; at > 40; at -= at / 3 + 5) {
      begins.push_back(at - at / 4);
      ends.push_back(at);
    }
    begins.push_back(n / 2);  // an empty one
    ends.push_back(n / 2);
    short_begins.assign(begins.begin(), begins.end());
    short_ends.assign(ends.begin(), ends.end());
  }
};

struct described_there {
  device_memory<std::uint8_t> flags;
  device_memory<std::uint32_t> bits, unmarked;
  device_memory<float> keys;
  device_memory<std::int32_t> short_offsets, short_begins, short_ends;
  device_memory<std::uint64_t> long_offsets;
  device_memory<index_t> begins, ends;

  described_there(engine const& on, described const& of)
      : flags(on, of.flags),
        bits(on, of.bits),
        unmarked(on, of.unmarked),
        keys(on, of.keys),
        short_offsets(on, of.short_offsets),
        short_begins(on, of.short_begins),
        short_ends(on, of.short_ends),
        long_offsets(on, of.long_offsets),
        begins(on, of.begins),
        ends(on, of.ends) {}
};

struct form_pair {
  segmentation here, there;
};

std::vector<form_pair> forms_of(described const& here, described_there const& there, index_t n) {
  using s = segmentation;
  return {{s::of_flags(here.flags), s::of_flags(view(there.flags, here.flags))},
          {s::of_bits(here.bits, n), s::of_bits(view(there.bits, here.bits), n)},
          {s::of_bits(here.unmarked, n), s::of_bits(view(there.unmarked, here.unmarked), n)},
          {s::of_keys(here.keys), s::of_keys(view(there.keys, here.keys))},
          {s::of_length(13), s::of_length(13)},
          {s::of_offsets(here.short_offsets),
           s::of_offsets(view(there.short_offsets, here.short_offsets))},
          {s::of_offsets(here.long_offsets),
           s::of_offsets(view(there.long_offsets, here.long_offsets))},
          {s::of_ranges(here.begins, here.ends),
           s::of_ranges(view(there.begins, here.begins), view(there.ends, here.ends))},
          {s::of_ranges(here.short_begins, here.short_ends),
           s::of_ranges(view(there.short_begins, here.short_begins),
                        view(there.short_ends, here.short_ends))}};
}

template <class Key, class Value>
struct pair_of {
  using key = Key;
  using value = Value;
};

TEMPLATE_TEST_CASE("sorts of device memory take segments in every form, as on host memory", "",
                   (pair_of<std::int16_t, std::uint32_t>), (pair_of<float16, three_bytes>),
                   (pair_of<double, std::uint64_t>), (pair_of<std::uint8_t, triple>)) {
  using key = typename TestType::key;
  using value = typename TestType::value;
  engine const here = engine::cpu(1);
  sort_options const down{.direction = sort_direction::descending};
  auto turn = sizeof(value);
  for (index_t const n : sized_list<index_t>({0, 1, 33, 5000}, {0, 33, 2500})) {
    auto const keys = few_keys<key>(n);
    auto const values = numbered<value>(n);
    described const segments(n);
    for (engine const& on : machines()) {
      described_there const there(on, segments);
      device_memory<key> const in(on, keys);
      device_memory<value> const with(on, values);
      device_span<key const> const from{in.data(), n};
      for (auto const& [how, d_how] : forms_of(segments, there, n)) {
        if (quick_types && n > 33 && turn++ % 2 != 0) continue;  // large ones in turn
        INFO(on.description() << ", " << n << " keys, form " << static_cast<int>(how.how()));
        // What is in no segment stays as it was.
        std::vector<key> expected(keys.size(), key(99));
        device_memory<key> const out(on, expected);
        segmented_sort_keys(here, keys, expected, how, down);
        queue_with const only(on, device_segmented_sort_workspace_bytes<key>(on, n, d_how));
        segmented_sort_keys(only.queue, from, out.data(), d_how, down);
        CHECK(same_bits(out.copy(), expected));
        std::vector<value> moved(values.size(), value{});
        device_memory<value> const d_moved(on, moved);
        segmented_sort_pairs(here, keys, expected, values, moved, how);
        queue_with const pairs(on, device_segmented_sort_workspace_bytes<key, value>(on, n, d_how));
        segmented_sort_pairs(pairs.queue, from, out.data(), with.data(), d_moved.data(), d_how);
        CHECK(same_bits(out.copy(), expected));
        CHECK(same_bits(d_moved.copy(), moved));
        std::vector<std::uint32_t> positions(keys.size(), 7);
        device_memory<std::uint32_t> const places(on, positions);
        segmented_argsort(here, keys, positions, how, down);
        queue_with const short_ones(
            on, device_segmented_argsort_workspace_bytes<key, std::uint32_t>(on, n, d_how));
        segmented_argsort(short_ones.queue, from, places.data(), d_how, down);
        CHECK(places.copy() == positions);
        std::vector<index_t> long_positions(keys.size(), 7);
        device_memory<index_t> const long_places(on, long_positions);
        segmented_argsort(here, keys, long_positions, how);
        segmented_argsort(device_queue{on}, from, long_places.data(), d_how);
        CHECK(long_places.copy() == long_positions);
      }
      // Offsets as they are.
      std::vector<key> expected(keys);
      device_memory<key> const out(on, expected);
      segmented_sort_keys(here, keys, expected, segments.short_offsets);
      segmented_sort_keys(device_queue{on}, from, out.data(),
                          view(there.short_offsets, segments.short_offsets));
      CHECK(same_bits(out.copy(), expected));
    }
  }
}

TEMPLATE_TEST_CASE("segments of device memory are sorted in place", "",
                   (pair_of<std::int16_t, std::uint32_t>), (pair_of<double, std::uint64_t>),
                   (pair_of<float, three_bytes>)) {
  using key = typename TestType::key;
  using value = typename TestType::value;
  engine const here = engine::cpu(1);
  index_t const n = sized(5000, 2500);
  auto const keys = few_keys<key>(n);
  auto const values = numbered<value>(n);
  described const segments(n);
  for (engine const& on : machines()) {
    described_there const there(on, segments);
    device_memory<key> const all(on, n), out(on, keys);
    device_memory<value> const with(on, n), moved(on, values);
    device_span<key const> const from{all.data(), n};
    for (auto const& [how, d_how] : forms_of(segments, there, n)) {
      INFO(on.description() << ", form " << static_cast<int>(how.how()));
      auto expected = keys;
      auto expected_values = values;
      segmented_sort_pairs(here, keys, expected, values, expected_values, how);
      queue_with const only(on, device_segmented_sort_workspace_bytes<key>(on, n, d_how, true));
      all.write(keys);
      segmented_sort_keys(only.queue, from, all.data(), d_how);
      CHECK(same_bits(all.copy(), expected));
      // Keys and values, then one of them.
      queue_with const pairs(on,
                             device_segmented_sort_workspace_bytes<key, value>(on, n, d_how, true));
      all.write(keys);
      with.write(values);
      segmented_sort_pairs(pairs.queue, from, all.data(), with.data(), with.data(), d_how);
      CHECK(same_bits(all.copy(), expected));
      CHECK(same_bits(with.copy(), expected_values));
      all.write(keys);
      with.write(values);
      moved.write(values);
      segmented_sort_pairs(pairs.queue, from, all.data(), with.data(), moved.data(), d_how);
      CHECK(same_bits(all.copy(), expected));
      CHECK(same_bits(moved.copy(), expected_values));
      all.write(keys);
      out.write(keys);
      segmented_sort_pairs(pairs.queue, from, out.data(), with.data(), with.data(), d_how);
      CHECK(same_bits(out.copy(), expected));
      CHECK(same_bits(with.copy(), expected_values));
    }
  }
}

TEMPLATE_TEST_CASE("values of any size move with keys in device memory", "", std::uint8_t,
                   three_bytes, triple) {
  using value = TestType;
  engine const here = engine::cpu(1);
  for (index_t const n : sized_list<index_t>({0, 1, 33, 5000}, {0, 33, 3000})) {
    auto const keys = few_keys<std::int32_t>(n);
    auto const values = numbered<value>(n);
    std::vector<std::int32_t> expected(keys.size());
    std::vector<value> moved(values.size());
    sort_pairs(here, keys, expected, values, moved);
    std::vector<std::uint8_t> buckets;
    for (auto const key : keys) buckets.push_back(static_cast<std::uint8_t>(key & 7));
    std::vector<std::uint8_t> grouped(keys.size());
    std::vector<value> by_bucket(values.size());
    std::vector<index_t> offsets(9);
    split_by_key(here, buckets, grouped, values, by_bucket, offsets);
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " keys of values of " << sizeof(value) << " bytes");
      device_memory<std::int32_t> const in(on, keys), out(on, n);
      device_memory<value> const with(on, values), d_moved(on, values);
      queue_with const pairs(on, device_sort_workspace_bytes<std::int32_t, value>(on, n));
      device_span<std::int32_t> const from{in.data(), n};
      sort_pairs(pairs.queue, from, out.data(), with.data(), d_moved.data());
      CHECK(out.copy() == expected);
      CHECK(d_moved.copy() == moved);
      device_memory<std::uint8_t> const in_bucket(on, buckets), together(on, n);
      device_memory<value> const d_by_bucket(on, values);
      device_memory<index_t> const begins(on, 9);
      queue_with const groups(on, device_split_by_key_workspace_bytes<std::uint8_t, value>(on, n));
      split_by_key(groups.queue, device_span<std::uint8_t const>{in_bucket.data(), n},
                   together.data(), with.data(), d_by_bucket.data(),
                   std::span<index_t>(begins.data(), 9));
      CHECK(together.copy() == grouped);
      CHECK(d_by_bucket.copy() == by_bucket);
      CHECK(begins.copy() == offsets);
      // In place, of half of the keys, whose number is in device memory.
      index_t const half = n / 2;
      std::vector<std::int32_t> const first(keys.begin(), keys.begin() + half);
      std::vector<std::int32_t> first_expected(first);
      std::vector<value> first_moved(values);
      sort_pairs(here, first, first_expected, values, first_moved);
      device_memory<index_t> const count(on, std::vector<index_t>{half});
      sort_pairs(pairs.queue, device_span<std::int32_t>{in.data(), n, count.data()}, in.data(),
                 with.data(), with.data());
      auto got = in.copy();
      CHECK(std::equal(first_expected.begin(), first_expected.end(), got.begin()));
      CHECK(with.copy() == first_moved);
    }
  }
}

TEST_CASE("such sorts refuse what they cannot do") {
  for (engine const& on : machines()) {
    device_queue const queue{on};
    device_memory<std::int32_t> const memory(on, std::vector<std::int32_t>(64));
    device_memory<triple> const values(on, 8);
    auto* const at = memory.data();
    device_span<std::int32_t const> const keys{at, 8};
    auto const ranges = segmentation::of_ranges(std::span(at + 16, 2), std::span(at + 18, 2));
    CHECK_THROWS_WITH(segmented_sort_keys(queue, keys, at + 1, ranges),
                      Contains("the output overlaps the input otherwise than exactly"));
    CHECK_THROWS_WITH(segmented_sort_keys(queue, keys, at + 10, ranges),
                      Contains("the output and the description of segments"));
    CHECK_THROWS_WITH(segmented_sort_keys(queue, keys, at + 19, ranges),
                      Contains("the output and the ends of segments"));
    CHECK_THROWS_WITH(
        segmented_sort_keys(queue, keys, at + 32, segmentation::of_flags(std::span("123456"))),
        Contains("segments of 7 items for 8 items"));
    auto const near = [](int a, int b) { return b - a < 2; };
    CHECK_THROWS_WITH(
        segmented_sort_keys(queue, keys, at + 32, segmentation::of_keys(std::span(at, 8), near)),
        Contains("keys in device memory: expected numbers that are compared by =="));
    CHECK_THROWS_WITH(sort_pairs(queue, keys, at + 8, reinterpret_cast<triple*>(at + 16),
                                 reinterpret_cast<triple*>(at + 19)),
                      Contains("the output overlaps the input otherwise than exactly"));
    CHECK_THROWS_WITH(
        sort_pairs(queue, keys, at + 8, values.data(), reinterpret_cast<triple*>(at + 12)),
        Contains("out and values_out"));
    triple const* const none = nullptr;
    CHECK_THROWS_WITH(sort_pairs(queue, keys, at + 8, none, values.data()), Contains("no values"));
    device_queue const small{.on = on, .workspace = at, .workspace_bytes = 100};
    CHECK_THROWS_WITH(segmented_sort_keys(small, keys, at + 32, ranges),
                      Contains("workspace of 100 bytes, but the call needs"));
  }
}

TEST_CASE("sorts within segments of device memory refuse offsets that are missing") {
  for (engine const& on : machines()) {
    INFO(on.description());
    device_queue const queue{on};
    device_memory<std::int32_t> const in(on, std::vector<std::int32_t>{3, 1, 2}), out(on, 3);
    device_memory<triple> const values(on, 3), moved(on, 3);
    device_memory<index_t> const places(on, 3);
    device_span<std::int32_t const> const keys{in.data(), 3};
    auto const refuse = [&](segmentation const& how) {
      CHECK_THROWS_WITH(segmented_sort_keys(queue, keys, out.data(), how), Contains("no offsets"));
      CHECK_THROWS_WITH(
          segmented_sort_pairs(queue, keys, out.data(), values.data(), moved.data(), how),
          Contains("no offsets"));
      CHECK_THROWS_WITH(segmented_argsort(queue, keys, places.data(), how), Contains("no offsets"));
    };
    refuse(segmentation::of_offsets(std::span<index_t const>()));
    refuse(segmentation::of_offsets(std::span<std::int32_t const>()));
    // A size needs no offsets.
    libscan_queue const from_c = queue_of(on);
    libscan_segments const four{LIBSCAN_OFFSETS, nullptr, nullptr, 4, LIBSCAN_I64};
    std::size_t bytes = 0;
    CHECK(libscan_sort_workspace_bytes(&from_c, {LIBSCAN_I32, nullptr, 5000, nullptr}, nullptr,
                                       &four, &bytes) == LIBSCAN_OK);
    CHECK(bytes >= device_segmented_sort_workspace_bytes<std::int32_t>(
                       on, 5000, segmentation::of_offsets(std::span(places.data(), 3))));
  }
}

TEST_CASE("bits after the last item begin no segment of device memory") {
  engine const here = engine::cpu(1);
  for (index_t const n : {index_t{1}, index_t{33}, index_t{1000}}) {
    auto const keys = few_keys<std::int32_t>(n);
    auto const values = numbered<triple>(n);
    described const segments(n);
    auto bits = segments.bits;
    for (index_t i = n; i < 32 * static_cast<index_t>(bits.size()); ++i) {
      bits[static_cast<std::size_t>(i / 32)] |= 1U << i % 32;
    }
    auto const how = segmentation::of_flags(segments.flags);
    std::vector<std::int32_t> sorted(keys.size()), scanned(keys.size()), sums(keys.size());
    std::vector<triple> moved(values.size());
    segmented_sort_pairs(here, keys, sorted, values, moved, how);
    inclusive_segmented_scan(here, keys, scanned, how);
    index_t const heads = segmented_reduce(here, keys, sums, how);
    for (engine const& on : machines()) {
      INFO(on.description() << ", " << n << " keys");
      device_queue const queue{on};
      device_memory<std::uint32_t> const words(on, bits);
      auto const d_how = segmentation::of_bits(view(words, bits), n);
      device_memory<std::int32_t> const in(on, keys), out(on, n);
      device_memory<triple> const with(on, values), d_moved(on, n);
      device_memory<index_t> const count(on, 1);
      device_span<std::int32_t const> const from{in.data(), n};
      segmented_sort_pairs(queue, from, out.data(), with.data(), d_moved.data(), d_how);
      CHECK(out.copy() == sorted);
      CHECK(d_moved.copy() == moved);
      inclusive_segmented_scan(queue, from, out.data(), d_how, plus<std::int32_t>{});
      CHECK(out.copy() == scanned);
      out.write(std::vector<std::int32_t>(keys.size()));
      segmented_reduce(queue, from, out.data(), d_how, plus<std::int32_t>{}, count.data());
      CHECK(count.copy()[0] == heads);
      CHECK(out.copy() == sums);
    }
  }
}

/// A value of 8 bytes that lies at multiples of 4.
struct point {
  float x, y;
  bool operator==(point const&) const = default;
};

TEST_CASE("sorts and splits of device memory refuse keys and values of words that are misaligned") {
  for (engine const& on : machines()) {
    INFO(on.description());
    device_queue const queue{on};
    device_memory<std::int32_t> const in(on, std::vector<std::int32_t>{3, 1, 2}), out(on, 3);
    device_memory<std::uint8_t> const buckets(on, std::vector<std::uint8_t>{1, 0, 1}),
        grouped(on, 3);
    device_memory<index_t> const offsets(on, std::vector<index_t>{0, 3, 3});
    std::span<index_t> const bounds(offsets.data(), 3);
    device_memory<float> const memory(on, std::vector<float>(32));
    device_span<std::int32_t const> const keys{in.data(), 3};
    auto* const good = reinterpret_cast<point*>(memory.data() + 16);
    auto* const odd = reinterpret_cast<point*>(memory.data() + 1);
    auto const eight = Contains("address that is no multiple of 8");
    CHECK_THROWS_WITH(sort_pairs(queue, keys, out.data(), odd, good), eight);
    CHECK_THROWS_WITH(sort_pairs(queue, keys, out.data(), good, odd), eight);
    CHECK_THROWS_WITH(segmented_sort_pairs(queue, keys, out.data(), odd, good, bounds), eight);
    CHECK_THROWS_WITH(
        segmented_sort_pairs(queue, keys, out.data(), good, odd, segmentation::of_length(2)),
        eight);
    device_span<std::uint8_t const> const in_bucket{buckets.data(), 3};
    CHECK_THROWS_WITH(split_by_key(queue, in_bucket, grouped.data(), odd, good, bounds), eight);
    CHECK_THROWS_WITH(split_by_key(queue, in_bucket, grouped.data(), good, odd, bounds), eight);
    auto const* const doubles = reinterpret_cast<double const*>(memory.data() + 1);
    auto* const sorted = reinterpret_cast<double*>(memory.data() + 16);
    CHECK_THROWS_WITH(segmented_sort_keys(queue, device_span<double const>{doubles, 3}, sorted,
                                          segmentation::of_ranges(bounds.first(1), bounds.last(1))),
                      eight);
    device_memory<index_t> const from(on, std::vector<index_t>{0}),
        until(on, std::vector<index_t>{3});
    auto const three =
        segmentation::of_ranges(std::span(from.data(), 1), std::span(until.data(), 1));
    CHECK_THROWS_WITH(segmented_sort_pairs(queue, keys, out.data(), odd, good, three), eight);
    CHECK_THROWS_WITH(segmented_sort_pairs(queue, keys, out.data(), good, odd, three), eight);
    auto const* const halves = reinterpret_cast<std::uint16_t const*>(buckets.data() + 1);
    CHECK_THROWS_WITH(split_by_key(queue, device_span<std::uint16_t const>{halves, 1},
                                   reinterpret_cast<std::uint16_t*>(grouped.data()), bounds),
                      Contains("address that is no multiple of 2"));
    // Values of other sizes may lie anywhere.
    device_memory<std::uint8_t> const bytes(
        on, std::vector<std::uint8_t>{0, 7, 7, 7, 8, 8, 8, 9, 9, 9}),
        to(on, 10);
    sort_pairs(queue, keys, out.data(), reinterpret_cast<three_bytes const*>(bytes.data() + 1),
               reinterpret_cast<three_bytes*>(to.data() + 1));
    auto const moved = to.copy();
    CHECK((moved[1] == 8 && moved[4] == 9 && moved[7] == 7));
  }
}

TEST_CASE("one segment of device memory needs no more workspace than is said") {
  for (engine const& on : machines()) {
    for (index_t const n : {0, 1, 100, 5000, 100000, 1 << 24}) {
      INFO(on.description() << ", " << n << " keys");
      CHECK(device_segmented_sort_workspace_bytes<float>(on, n) >=
            device_sort_workspace_bytes<float>(on, n));
      CHECK(device_segmented_sort_workspace_bytes<std::uint8_t, std::uint64_t>(on, n) >=
            device_sort_workspace_bytes<std::uint8_t, std::uint64_t>(on, n));
      CHECK(device_segmented_sort_workspace_bytes<double, triple>(on, n) >=
            device_sort_workspace_bytes<double, triple>(on, n));
      CHECK(device_segmented_argsort_workspace_bytes<double, std::uint32_t>(on, n) >=
            device_sort_workspace_bytes<double, std::uint32_t>(on, n));
    }
    auto keys = few_keys<float>(500);
    device_memory<float> const in(on, keys), out(on, 500);
    queue_with const only(on, device_segmented_sort_workspace_bytes<float>(on, 500, {}));
    segmented_sort_keys(only.queue, device_span<float const>{in.data(), 500}, out.data(),
                        segmentation{});
    std::sort(keys.begin(), keys.end());
    CHECK(out.copy() == keys);
  }
}

TEST_CASE("sorts of device memory in a workspace that is misaligned write nothing") {
  for (engine const& on : machines()) {
    INFO(on.description());
    std::vector<std::byte> const zeros(1 << 16);
    device_memory<std::byte> const memory(on, zeros);
    device_queue const queue{
        .on = on, .workspace = memory.data() + 8, .workspace_bytes = zeros.size() - 8};
    std::vector<std::int32_t> const keys{3, 1, 2};
    device_memory<std::int32_t> const in(on, keys), out(on, keys);
    device_memory<three_bytes> const values(on, numbered<three_bytes>(3)), moved(on, 3);
    device_span<std::int32_t const> const from{in.data(), 3};
    auto const misaligned = Contains("address that is no multiple of 256");
    CHECK_THROWS_WITH(sort_pairs(queue, from, out.data(), values.data(), moved.data()), misaligned);
    CHECK_THROWS_WITH(segmented_sort_keys(queue, from, out.data(), segmentation::of_length(2)),
                      misaligned);
    CHECK(memory.copy() == zeros);
    CHECK(out.copy() == keys);
  }
}

TEST_CASE("C calls sort within any segments, 16-bit floats, and values of any size") {
  std::vector<float16> keys;
  for (float const key : {3.0F, 1.0F, 2.0F, 0.5F, -1.0F}) keys.push_back(float16(key));
  auto const as_floats = [](std::vector<float16> const& halves) {
    std::vector<float> floats;
    for (auto const half : halves) floats.push_back(static_cast<float>(half));
    return floats;
  };
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<float16> const in(on, keys), out(on, keys);
    libscan_items const from{LIBSCAN_F16, in.data(), 5, nullptr};
    REQUIRE(libscan_sort(&queue, from, out.data(), nullptr, nullptr, nullptr) == LIBSCAN_OK);
    CHECK(as_floats(out.copy()) == std::vector<float>{-1, 0.5, 1, 2, 3});
    device_memory<std::uint8_t> const flags(on, std::vector<std::uint8_t>{1, 0, 0, 1, 0});
    libscan_segments const by_flags{LIBSCAN_HEAD_FLAGS, flags.data(), nullptr, 0, LIBSCAN_I8};
    auto const values = numbered<three_bytes>(5);
    device_memory<three_bytes> const with(on, values), moved(on, values);
    libscan_values const of_three{3, with.data(), moved.data()};
    std::size_t bytes = 0;
    REQUIRE(libscan_sort_workspace_bytes(&queue, from, &of_three, &by_flags, &bytes) == LIBSCAN_OK);
    CHECK(bytes == device_segmented_sort_workspace_bytes<float16, three_bytes>(
                       on, 5, segmentation::of_flags(view(flags, flags.copy()))));
    queue_with const workspace(on, bytes);
    libscan_queue exactly = queue;
    exactly.workspace = workspace.memory.data();
    exactly.workspace_bytes = bytes;
    REQUIRE(libscan_sort(&exactly, from, out.data(), &of_three, &by_flags, nullptr) == LIBSCAN_OK);
    CHECK(as_floats(out.copy()) == std::vector<float>{1, 2, 3, -1, 0.5});
    CHECK(moved.copy()[2][0] == 0);
    CHECK(moved.copy()[3][0] == 4);
    device_memory<std::uint32_t> const ends(on, std::vector<std::uint32_t>{5, 2}),
        begins(on, std::vector<std::uint32_t>{2, 0});
    libscan_segments const ranges{LIBSCAN_RANGES, begins.data(), ends.data(), 2, LIBSCAN_U32};
    device_memory<std::uint32_t> const places(on, 5);
    libscan_values const to_places{4, nullptr, places.data()};
    REQUIRE(libscan_sort(&queue, from, nullptr, &to_places, &ranges, nullptr) == LIBSCAN_OK);
    CHECK(places.copy() == std::vector<std::uint32_t>{1, 0, 4, 3, 2});
  }
}

}  // namespace
}  // namespace libscan::test
