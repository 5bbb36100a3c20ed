// SPDX-License-Identifier: Apache-2.0
// Filters, histograms, exchanges, sorts and sparse products of device memory over ranks that are
// threads, against plain loops.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <libscan/bins.hpp>
#include <libscan/distributed/device_exchange.hpp>
#include <libscan/distributed/device_filter.hpp>
#include <libscan/distributed/device_histogram.hpp>
#include <libscan/distributed/device_sort.hpp>
#include <libscan/distributed/device_spmv.hpp>
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/threads.hpp>
#include <libscan/predicate_parser.hpp>
#include <tests/distributed/device_ranks.hpp>
#include <tests/distributed/lists.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using test::machines_for;
using test::on_device;
using test::part_of;
using test::spread;

namespace {

/// Kinds of keys that splitters find hard.
enum class skew : std::uint8_t { uniform, equal, two, small, descending, crowded, bytes };

/// A key with one of eight highest bytes. Few of the other bits differ, or they are all ones, as in
/// NaNs. Some keys are -0.
template <class Key>
Key key_of_bytes(std::uint64_t word) {
  using bits = typename detail::unsigned_of<sizeof(Key)>::type;
  constexpr int highest = 8 * static_cast<int>(sizeof(Key)) - 8;
  std::uint64_t const few = (word >> 8 & 0x3f) * 0x0101'0101'0101;
  std::uint64_t const others = word % 5 == 0 ? ~std::uint64_t{0} : few;
  std::uint64_t const low_mask = (std::uint64_t{1} << highest) - 1;
  auto all = static_cast<bits>((word % 8 * 32 << highest) | (others & low_mask));
  if (word % 23 == 0) all = static_cast<bits>(std::uint64_t{0x80} << highest);
  Key key;
  std::memcpy(&key, &all, sizeof(key));
  return key;
}

template <class Key>
std::vector<Key> keys_of(skew how, index_t n) {
  test::random_words words(static_cast<std::uint64_t>(n) + 17);
  std::vector<Key> keys;
  for (index_t i = 0; i < n; ++i) {
    std::uint64_t const word = words();
    switch (how) {
      case skew::uniform:
        keys.push_back(static_cast<Key>(word));
        break;
      case skew::equal:
        keys.push_back(static_cast<Key>(5));
        break;
      case skew::two:
        keys.push_back(static_cast<Key>(word % 2));
        break;
      case skew::small:
        keys.push_back(static_cast<Key>(word % 100));
        break;
      case skew::descending:
        keys.push_back(static_cast<Key>(n - i));
        break;
      case skew::crowded:  // every second key is near one of few
        keys.push_back(
            static_cast<Key>(word % 2 == 0 ? word : word % 3 * 0x3000'0000 + word / 7 % 9));
        break;
      case skew::bytes:  // in some places, at both ends of the order, with duplicates
        keys.push_back(key_of_bytes<Key>(word));
        break;
    }
  }
  return keys;
}

/// Threads that merge from each other's memory, or after an exchange.
thread_options merging(bool from_all) { return {.read_all_memory = from_all}; }

/// Sorts pairs over the parts of `in`, into the parts of `out`: keys with their global positions.
template <class Key, class Value>
std::pair<std::vector<Key>, std::vector<Value>> pairs_on(distribution const& in,
                                                         distribution const& out,
                                                         std::vector<Key> keys,
                                                         sort_options const& options,
                                                         bool from_all) {
  std::vector<Value> values(keys.size()), sorted_values(keys.size());
  std::iota(values.begin(), values.end(), Value{0});
  std::vector<Key> sorted(keys.size());
  thread_ranks(machines_for(in.ranks()), merging(from_all)).run([&](ranks const& on) {
    on_device<Key> const mine(on, part_of(keys, in, on.rank()));
    on_device<Value> const my_values(on, part_of(values, in, on.rank()));
    on_device<Key> const to(on, part_of(sorted, out, on.rank()));
    on_device<Value> const values_to(on, part_of(sorted_values, out, on.rank()));
    sort_pairs(on, test::span_of(mine), test::span_of(to), test::span_of(my_values),
               test::span_of(values_to), options);
    to.download(part_of(sorted, out, on.rank()));
    values_to.download(part_of(sorted_values, out, on.rank()));
  });
  return {sorted, sorted_values};
}

template <class Key>
std::vector<Key> keys_on(distribution const& in, distribution const& out, std::vector<Key> keys,
                         sort_options const& options, bool from_all, bool on_host) {
  std::vector<Key> sorted(keys.size());
  thread_ranks(machines_for(in.ranks()), merging(!from_all)).run([&](ranks const& on) {
    if (on_host) {
      return sort_keys(on, part_of(keys, in, on.rank()), part_of(sorted, out, on.rank()), options);
    }
    on_device<Key> const mine(on, part_of(keys, in, on.rank()));
    on_device<Key> const to(on, part_of(sorted, out, on.rank()));
    bool const in_place = mine.size() == to.size();
    Key* const place = in_place ? mine.data() : to.data();
    sort_keys(on, device_span<Key const>{mine.data(), mine.size()},
              device_span<Key>{place, to.size()}, options);
    (in_place ? mine : to).download(part_of(sorted, out, on.rank()));
  });
  return sorted;
}

/// The definition: a stable sort of keys with their positions. Of more keys than a loop sorts in
/// a second, the sort of one engine.
template <class Key, class Value>
std::pair<std::vector<Key>, std::vector<Value>> sorted_on_one(std::vector<Key> const& keys,
                                                              sort_options const& options) {
  sort_order<Key> const order{options.direction, options.first_bit, options.end_bit, {}};
  std::vector<Value> places(keys.size());
  std::iota(places.begin(), places.end(), Value{0});
  if (keys.size() > 1'000'000) {
    std::vector<Key> sorted(keys.size());
    sort_pairs(machines_for(1)[0], keys, sorted, places, places, options);
    return {sorted, places};
  }
  std::ranges::stable_sort(places, [&](Value a, Value b) {
    return order(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
  });
  std::vector<Key> sorted;
  for (Value const place : places) sorted.push_back(keys[static_cast<std::size_t>(place)]);
  return {sorted, places};
}

/// Pairs and positions in host memory, sorted on the ranks' machines.
template <class Key, class Value>
void check_host_pairs(distribution const& in, distribution const& out, std::vector<Key> keys,
                      sort_options const& options,
                      std::pair<std::vector<Key>, std::vector<Value>> const& expected) {
  std::vector<Value> values(keys.size()), sorted_values(keys.size());
  std::iota(values.begin(), values.end(), Value{0});
  std::vector<Key> sorted(keys.size());
  std::vector<index_t> positions(keys.size());
  thread_ranks(machines_for(in.ranks())).run([&](ranks const& on) {
    int const r = on.rank();
    sort_pairs(on, part_of(keys, in, r), part_of(sorted, out, r), part_of(values, in, r),
               part_of(sorted_values, out, r), options);
    argsort(on, part_of(keys, in, r), part_of(positions, out, r), options);
  });
  CHECK(test::same_bits(sorted, expected.first));
  CHECK(sorted_values == expected.second);
  CHECK(std::equal(positions.begin(), positions.end(), expected.second.begin(),
                   expected.second.end(),
                   [](index_t a, Value b) { return a == static_cast<index_t>(b); }));
}

template <class Key, class Value>
void check_sort(int p, index_t n, skew how, spread from, spread to, sort_options const& options) {
  INFO("ranks " << p << ", keys " << n << ", skew " << static_cast<int>(how) << ", from "
                << static_cast<int>(from) << ", to " << static_cast<int>(to));
  auto const in = test::spread_out(from, n, p);
  auto const out = test::spread_out(to, n, p);
  auto const keys = keys_of<Key>(how, n);
  auto const expected = sorted_on_one<Key, Value>(keys, options);
  auto const found = pairs_on<Key, Value>(in, out, keys, options, n % 2 == 0);
  CHECK(test::same_bits(found.first, expected.first));
  CHECK(found.second == expected.second);
  for (bool const on_host : {false, true}) {
    if (on_host && p % 2 == 0) continue;
    CHECK(test::same_bits(keys_on(in, out, keys, options, n % 2 == 0, on_host), expected.first));
    if (on_host) check_host_pairs<Key, Value>(in, out, keys, options, expected);
  }
}

/// A sort by buckets, however few or skewed the keys are. Keys without values are sorted in place
/// where the numbers permit.
template <class Key, class Value>
void check_buckets(int p, index_t n, skew how, spread from, spread to,
                   sort_options const& options) {
  INFO("buckets, ranks " << p << ", skew " << static_cast<int>(how) << ", from "
                         << static_cast<int>(from) << ", to " << static_cast<int>(to));
  auto const in = test::spread_out(from, n, p);
  auto const out = test::spread_out(to, n, p);
  auto keys = keys_of<Key>(how, n);
  auto const expected = sorted_on_one<Key, Value>(keys, options);
  std::vector<Value> values(keys.size()), sorted_values(keys.size());
  std::iota(values.begin(), values.end(), Value{0});
  std::vector<Key> sorted_pairs(keys.size()), sorted(keys.size());
  // Of each rank: assertions are not for several threads.
  std::vector<std::uint8_t> pairs_by_buckets(static_cast<std::size_t>(p)),
      keys_by_buckets(pairs_by_buckets);
  thread_ranks(machines_for(p)).run([&](ranks const& on) {
    auto const at = static_cast<std::size_t>(on.rank());
    on_device<Key> const mine(on, part_of(keys, in, on.rank()));
    on_device<Value> const my_values(on, part_of(values, in, on.rank()));
    on_device<Key> const result(on, part_of(sorted, out, on.rank()));
    on_device<Value> const values_result(on, part_of(sorted_values, out, on.rank()));
    detail::collective(on.comm(), "test", [&](detail::collective_call& call) {
      pairs_by_buckets[at] = detail::sort_by_buckets<Key, Value>(
          call, on, {mine.data(), my_values.data()}, {result.data(), values_result.data()},
          {in, out}, options);
    });
    result.download(part_of(sorted_pairs, out, on.rank()));
    values_result.download(part_of(sorted_values, out, on.rank()));
    auto const& place = mine.size() == result.size() ? mine : result;
    detail::collective(on.comm(), "test", [&](detail::collective_call& call) {
      keys_by_buckets[at] = detail::sort_by_buckets<Key, detail::keys_only>(
          call, on, {mine.data(), nullptr}, {place.data(), nullptr}, {in, out}, options);
    });
    place.download(part_of(sorted, out, on.rank()));
  });
  std::vector<std::uint8_t> const all(pairs_by_buckets.size(), 1);
  CHECK(pairs_by_buckets == all);
  CHECK(keys_by_buckets == all);
  CHECK(sorted_values == expected.second);
  CHECK(test::same_bits(sorted_pairs, expected.first));
  CHECK(test::same_bits(sorted, expected.first));
}

}  // namespace

TEST_CASE("sorts of device memory over ranks are exact and stable") {
  sort_options const up{}, down{.direction = sort_direction::descending};
  for (int const p : test::sized_list({2, 3, 5}, {2, 3})) {
    for (auto const how : {skew::uniform, skew::equal, skew::two, skew::small, skew::descending}) {
      check_sort<std::uint32_t, std::uint32_t>(p, 700 + p, how, spread::uneven, spread::even, up);
    }
    check_sort<std::uint64_t, std::uint64_t>(p, 702 + p, skew::two, spread::all_on_last,
                                             spread::uneven, down);
  }
  check_sort<std::uint32_t, std::uint32_t>(1, 700, skew::uniform, spread::even, spread::even, up);
  check_sort<float, std::uint32_t>(3, 9000, skew::uniform, spread::even, spread::even, up);
  check_sort<std::int16_t, std::uint64_t>(4, 9001, skew::uniform, spread::every_third, spread::even,
                                          {.first_bit = 3, .end_bit = 12});
  check_sort<double, std::uint32_t>(3, 3, skew::uniform, spread::all_on_last, spread::even, down);
  check_sort<std::int64_t, std::uint32_t>(4, 0, skew::uniform, spread::even, spread::even, up);
}

TEST_CASE("many keys over ranks are sorted by buckets") {
  bool const on_gpu = machines_for(1)[0].is_cuda();
  index_t const n = on_gpu ? 3 * (index_t{1} << 22) + 2 : 702;
  sort_options const up{}, down{.direction = sort_direction::descending};
  using word = std::uint32_t;
  check_buckets<word, word>(2, n, skew::bytes, spread::even, spread::uneven, up);
  check_buckets<double, word>(3, n, skew::bytes, spread::uneven, spread::even, down);
  for (auto const how : {skew::bytes, skew::uniform}) {
    check_buckets<std::int32_t, word>(2, n, how, spread::even, spread::all_on_last,
                                      {.first_bit = 3, .end_bit = 24});
  }
  check_buckets<std::uint64_t, word>(3, n, skew::bytes, spread::all_on_last, spread::even, up);
  if (test::quick_types && !on_gpu) return;
  check_buckets<std::int64_t, std::uint64_t>(5, n, skew::bytes, spread::every_third, spread::uneven,
                                             down);
  check_buckets<std::int32_t, word>(2, n, skew::bytes, spread::even, spread::even, {.end_bit = 29});
  check_buckets<word, word>(3, n, skew::equal, spread::uneven, spread::even, up);
  check_buckets<std::uint64_t, word>(2, n, skew::crowded, spread::uneven, spread::even, up);
  check_buckets<float, word>(2, n, skew::bytes, spread::even, spread::every_third, up);
  check_buckets<std::int64_t, word>(4, n, skew::uniform, spread::even, spread::even,
                                    {.first_bit = 40, .end_bit = 61});
  // As many keys as public calls sort so.
  auto const d = distribution::even(2 * detail::min_bucket_items(machines_for(1)[0]), 2);
  auto const keys = keys_of<word>(skew::uniform, d.total());
  CHECK(keys_on(d, d, keys, up, false, false) == sorted_on_one<word, word>(keys, up).first);
}

TEST_CASE("ranks sort by buckets if their samples are in many") {
  using word = std::uint32_t;
  engine const on = machines_for(1)[0];
  index_t const many = detail::min_bucket_items(on);
  auto const chosen = [&](distribution const& in, distribution const& out, auto const& word_at) {
    std::vector<detail::sort_numbers<word>> all;
    for (int r = 0; r < in.ranks(); ++r) {
      bool const samples = in.size(r) > many / 16;
      all.push_back({in.size(r), out.size(r), true, samples, {}});
      for (std::size_t i = 0; samples && i < 256; ++i) {
        all.back().words[i] = word_at(static_cast<word>(i));
      }
    }
    return detail::suits_buckets(all, {in, out}, on, sort_order<word>{});
  };
  auto const uniform = [](word i) { return i << 24 | i; };
  auto const even = distribution::even(2 * many, 2);
  CHECK(chosen(even, even, uniform));
  CHECK_FALSE(
      chosen(distribution::even(2 * many - 1, 2), distribution::even(2 * many - 1, 2), uniform));
  CHECK_FALSE(chosen(even, even, [](word i) { return i; }));
  CHECK_FALSE(chosen(even, even, [](word i) { return (i / 2 + 64) << 24 & 0xf000'0000u; }));
  // A few keys that are not sampled, and ranks without results, change nothing.
  std::vector<index_t> const skewed{many / 16, 2 * many}, none{0, 2 * many + many / 16};
  CHECK(chosen(distribution(skewed), distribution(skewed), uniform));
  CHECK(chosen(distribution(skewed), distribution(none), [](word i) { return i; }));
}

TEST_CASE("filters and histograms of device memory over ranks") {
  index_t const n = 2000;
  auto items = keys_of<std::int32_t>(skew::small, n);
  auto const keep = parse_predicate<std::int32_t>(">= 90");
  std::vector<std::int32_t> expected;
  std::vector<std::uint64_t> expected_counts(10);
  sample_totals expected_totals{};
  for (std::int32_t const item : items) {
    if (item >= 90) expected.push_back(item);
    bool const inside = item >= 20 && item <= 70;
    (item < 20 ? expected_totals.below : inside ? expected_totals.inside : expected_totals.above)++;
    if (inside) ++expected_counts[static_cast<std::size_t>(std::min((item - 20) / 5, 9))];
  }
  for (int const p : {1, 2, 4}) {
    for (auto const how : test::all_spreads()) {
      auto const d = test::spread_out(how, n, p);
      std::vector<std::int32_t> kept(expected.size());
      std::vector<std::vector<std::uint64_t>> counts(static_cast<std::size_t>(p));
      std::vector<sample_totals> totals(static_cast<std::size_t>(p));
      std::vector<index_t> kept_of_all(static_cast<std::size_t>(p));
      thread_ranks(machines_for(p)).run([&](ranks const& on) {
        auto const r = static_cast<std::size_t>(on.rank());
        on_device<std::int32_t> const mine(on, part_of(items, d, on.rank()));
        detail::device_array<std::int32_t> const out(on.queue(), mine.size());
        device_span<std::int32_t const> const in{mine.data(), mine.size()};
        auto const found = filter(on, in, out.data(), keep);
        kept_of_all[r] = found.total;
        out.download(std::span(kept).subspan(static_cast<std::size_t>(found.begin),
                                             static_cast<std::size_t>(found.count)));
        detail::device_array<std::uint64_t> const bins(on.queue(), 10);
        totals[r] = histogram(on, in, bins.data(), even_bins<std::int32_t>(20, 70, 10));
        counts[r].resize(10);
        bins.download(counts[r]);
      });
      INFO("ranks " << p << ", spread " << static_cast<int>(how));
      CHECK(kept == expected);
      for (int r = 0; r < p; ++r) {
        auto const at = static_cast<std::size_t>(r);
        CHECK(kept_of_all[at] == static_cast<index_t>(expected.size()));
        CHECK(totals[at] == expected_totals);
        CHECK(counts[at] == expected_counts);
      }
    }
  }
}

TEST_CASE("a histogram of device memory without space for counts is refused on each rank") {
  auto const count = [](ranks const& on) {
    on_device<std::int32_t> const mine(on, std::vector<std::int32_t>{1, 2, 3});
    device_span<std::int32_t const> const in{mine.data(), mine.size()};
    histogram(on, in, nullptr, even_bins<std::int32_t>(0, 4, 4));
  };
  REQUIRE_THROWS_WITH(thread_ranks(machines_for(2)).run(count),
                      "histogram: counts are null; expected space for all bins");
}

TEST_CASE("items of device memory move between ranks") {
  index_t const n = 3001;
  auto items = keys_of<std::uint32_t>(skew::uniform, n);
  for (int const p : {1, 2, 5}) {
    auto const from = test::spread_out(spread::uneven, n, p);
    auto const to = test::spread_out(spread::every_third, n, p);
    std::vector<std::uint32_t> moved(items.size());
    std::vector<std::vector<std::uint32_t>> received(static_cast<std::size_t>(p));
    std::vector<std::vector<index_t>> received_counts(static_cast<std::size_t>(p));
    thread_ranks(machines_for(p)).run([&](ranks const& on) {
      auto const r = static_cast<std::size_t>(on.rank());
      on_device<std::uint32_t> const mine(on, part_of(items, from, on.rank()));
      device_span<std::uint32_t const> const in{mine.data(), mine.size()};
      on_device<std::uint32_t> const out(on, part_of(moved, to, on.rank()));
      rebalance(on, in, test::span_of(out));
      out.download(part_of(moved, to, on.rank()));
      // The rank's own part, cut as evenly as possible.
      auto const cut = distribution::even(mine.size(), p);
      std::vector<index_t> counts;
      for (int to_rank = 0; to_rank < p; ++to_rank) counts.push_back(cut.size(to_rank));
      detail::device_array<std::uint32_t> const space(on.queue(), n);
      received_counts[r] = exchange(on, in, counts, test::span_of(space));
      auto const& each = received_counts[r];
      received[r].resize(
          static_cast<std::size_t>(std::accumulate(each.begin(), each.end(), index_t{0})));
      space.download(received[r]);
    });
    CHECK(moved == items);
    for (int r = 0; r < p; ++r) {
      std::vector<std::uint32_t> expected;
      std::vector<index_t> expected_counts;
      for (int sender = 0; sender < p; ++sender) {
        auto const cut = distribution::even(from.size(sender), p);
        auto const begin = items.begin() + from.begin(sender) + cut.begin(r);
        expected.insert(expected.end(), begin, begin + cut.size(r));
        expected_counts.push_back(cut.size(r));
      }
      CHECK(received[static_cast<std::size_t>(r)] == expected);
      CHECK(received_counts[static_cast<std::size_t>(r)] == expected_counts);
    }
  }
}

TEST_CASE("a rank without space for what it gets fails on all ranks") {
  auto const found = thread_ranks(machines_for(2)).outcomes([](ranks const& on) {
    detail::device_array<int> const items(on.queue(), 8);
    std::vector<index_t> const counts{4, 4};
    exchange(on, device_span<int const>{items.data(), 8}, counts,
             device_span<int>{nullptr, on.rank() == 1 ? 7 : 8});
  });
  std::vector<std::string> words;
  for (auto const& one : found) {
    try {
      std::rethrow_exception(one);
    } catch (std::exception const& e) {
      words.emplace_back(e.what());
    }
  }
  std::string const own = "exchange: out has space for 7 items, expected 8";
  CHECK(words == std::vector<std::string>{"rank 1 failed: " + own, own});
}

TEST_CASE("calls on host memory over threads of the cpu engine") {
  index_t const n = 70001;
  auto keys = keys_of<std::uint32_t>(skew::uniform, n);
  auto const d = test::spread_out(spread::uneven, n, 3);
  std::vector<std::uint32_t> sorted(keys.size());
  std::vector<std::vector<std::uint32_t>> received(3);
  std::vector<std::vector<index_t>> counts(3, std::vector<index_t>(7));
  thread_ranks({engine::cpu(1), engine::cpu(2), engine::cpu(1)}).run([&](ranks const& on) {
    auto const r = static_cast<std::size_t>(on.rank());
    auto const mine = part_of(keys, d, on.rank());
    sort_keys(on, mine, part_of(sorted, d, on.rank()));
    received[r] = exchange(on, mine, [](std::uint32_t key) { return static_cast<int>(key % 3); });
    histogram(on, mine, counts[r], even_bins<std::uint32_t>(0, 4294967295u, 7));
  });
  std::vector<std::uint32_t> expected[3];
  for (std::uint32_t const key : keys) expected[key % 3].push_back(key);
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(received[r] == expected[r]);
    CHECK(counts[r] == counts[0]);
  }
  CHECK(std::accumulate(counts[0].begin(), counts[0].end(), index_t{0}) == n);
  std::ranges::sort(keys);
  CHECK(sorted == keys);
}

namespace {

/// The product on ranks in device memory: y, with rows and columns spread in these ways.
template <class T>
std::vector<T> device_product_on(int p, spread how, test::host_coo<T> const& list, std::vector<T> x,
                                 std::vector<T> y, product_options<T> const& options) {
  auto const d = test::spread_out(how, list.entries(), p);
  auto const rows = test::spread_out(how, list.rows, p);
  auto const columns = test::spread_out(how, list.columns, p);
  thread_ranks(machines_for(p)).run([&](ranks const& on) {
    device_distributed_matrix<T> a(
        on, libscan::to_rows(on, test::part_of_list(list, d, on.rank()), rows.size(on.rank())),
        columns.size(on.rank()));
    on_device<T> const mine(on, part_of(x, a.columns(), on.rank()));
    on_device<T> const to(on, part_of(y, a.rows(), on.rank()));
    for (int i = 0; i < 2; ++i) {  // the plan serves many products
      to.upload(part_of(y, a.rows(), on.rank()));
      a.multiply({mine.data(), mine.size()}, {to.data(), to.size()}, options);
    }
    to.download(part_of(y, a.rows(), on.rank()));
  });
  return y;
}

}  // namespace

namespace {

void check_device_products(test::host_coo<std::int64_t> const& list, int max_ranks,
                           std::vector<spread> const& spreads) {
  using test::make_input, test::pattern;
  auto const x = make_input<std::int64_t>(pattern::small, list.columns, 3);
  auto const y = make_input<std::int64_t>(pattern::small, list.rows, 4);
  product_options<std::int64_t> options;
  options.alpha = -2;
  options.beta = 3;
  auto expected = y;
  auto const matrix = libscan::to_rows(engine::cpu(1), test::view_of(list));
  libscan::spmv(engine::cpu(1), matrix, x, expected, options);
  for (int p = 1; p <= max_ranks; ++p) {
    for (spread const how : spreads) {
      INFO("ranks " << p << ", spread " << static_cast<int>(how));
      CHECK(device_product_on(p, how, list, x, y, options) == expected);
    }
  }
}

}  // namespace

TEST_CASE("products of device memory over ranks are those of one process") {
  for (auto const& shape : test::row_shapes(100, 1000)) {
    INFO("rows: " << shape.name);
    check_device_products(
        test::list_of_shape<std::int64_t>(100, 150, shape), 3,
        test::sized_list({spread::even, spread::every_third}, {spread::every_third}));
  }
}

TEST_CASE("rows that need no other rank's components multiply x where it is") {
  // A rank of two has more rows than one block holds: those at the border, and others.
  auto const n = static_cast<std::int32_t>(test::sized(20000, 10000));
  test::host_coo<std::int64_t> band{n, n, {}, {}, {}, symmetry::general};
  for (std::int32_t r = 0; r < n; ++r) {
    for (std::int32_t const c : {r - 1, r, r + 1}) {
      if (c < 0 || c >= n) continue;
      band.row_indices.push_back(r);
      band.indices.push_back(c);
      band.values.push_back(c % 5 - r % 3);
    }
  }
  check_device_products(band, 2, {spread::even});
}

TEST_CASE("products of device memory refuse wrong vectors on all ranks") {
  auto const list = test::make_coo<double>(10, 10, 40);
  auto const d = distribution::even(list.entries(), 2);
  for (int const wrong : {0, 1}) {
    auto const outcomes = thread_ranks(machines_for(2)).outcomes([&](ranks const& on) {
      device_distributed_matrix<double> a(
          on, libscan::to_rows(on, test::part_of_list(list, d, on.rank())));
      std::vector<double> const zeros(20);
      on_device<double> const memory(on, zeros);
      index_t const n = a.columns().size(on.rank()), m = a.rows().size(on.rank());
      a.multiply({memory.data(), n + (on.rank() == wrong ? 1 : 0)}, {memory.data() + 10, m});
    });
    for (int r = 0; r < 2; ++r) {
      auto const& found = outcomes[static_cast<std::size_t>(r)];
      REQUIRE(found);
      if (r == wrong) {
        CHECK_THROWS_AS(std::rethrow_exception(found), invalid_argument);
      } else {
        CHECK_THROWS_AS(std::rethrow_exception(found), remote_error);
      }
    }
  }
}
