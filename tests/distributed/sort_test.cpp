// SPDX-License-Identifier: Apache-2.0
// Sorts, filters and rebalancing on ranks, against std::stable_sort and plain loops: every skew of
// keys and spread of lengths, bit for bit.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <libscan/distributed/error.hpp>
#include <libscan/distributed/filter.hpp>
#include <libscan/distributed/merge_runs.hpp>
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/splitters.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using test::part_of;
using test::spread;

namespace {

enum class skew : std::uint8_t { uniform, equal, two, zipf, sorted, reverse };

std::vector<double> keys_of(skew how, index_t n) {
  test::random_words words(static_cast<std::uint64_t>(how) + 10);
  std::vector<double> keys;
  for (index_t i = 0; i < n; ++i) {
    auto const x = static_cast<double>(words() >> 11) * 0x1p-53;
    switch (how) {
      case skew::equal:
        keys.push_back(3.5);
        break;
      case skew::two:
        keys.push_back(x < 0.3 ? -1 : 2);
        break;
      case skew::zipf:
        keys.push_back(std::floor(1 / (x + 1e-9)));
        break;
      case skew::sorted:
        keys.push_back(static_cast<double>(i));
        break;
      case skew::reverse:
        keys.push_back(static_cast<double>(-i));
        break;
      default: {
        double const special[] = {0.0, -0.0, std::numeric_limits<double>::quiet_NaN(),
                                  -std::numeric_limits<double>::infinity()};
        keys.push_back(x < 0.2 ? special[words() % 4] : x - 0.5);
      }
    }
  }
  return keys;
}

/// NaN last, and -0 equal to 0.
bool comes_before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

/// Positions in stable order, by the standard library.
std::vector<index_t> positions_of(std::vector<double> const& keys, bool descending) {
  std::vector<index_t> places(keys.size());
  std::iota(places.begin(), places.end(), index_t{0});
  std::stable_sort(places.begin(), places.end(), [&](index_t a, index_t b) {
    auto const& x = keys[static_cast<std::size_t>(a)];
    auto const& y = keys[static_cast<std::size_t>(b)];
    return descending ? comes_before(y, x) : comes_before(x, y);
  });
  return places;
}

void check_sorts(int p, std::uint64_t seed, std::vector<double> keys, distribution const& in,
                 distribution const& out, bool descending) {
  sort_options const options{descending ? sort_direction::descending : sort_direction::ascending};
  auto const expected = positions_of(keys, descending);
  std::vector<double> sorted(keys.size()), pair_keys(keys.size()), by_place;
  std::vector<index_t> places(keys.size()), values(keys.size()), moved(keys.size()), moved_expected;
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = static_cast<index_t>(7 * i + 1);
  for (index_t const place : expected) {
    by_place.push_back(keys[static_cast<std::size_t>(place)]);
    moved_expected.push_back(values[static_cast<std::size_t>(place)]);
  }
  test::on_ranks(p, seed, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    int const r = comm.rank();
    libscan::sort_keys(on, part_of(keys, in, r), part_of(sorted, out, r), options);
    libscan::argsort(on, part_of(keys, in, r), part_of(places, out, r), options);
    libscan::sort_pairs(on, part_of(keys, in, r), part_of(pair_keys, out, r),
                        part_of(values, in, r), part_of(moved, out, r), options);
  });
  CHECK(test::same_bits(sorted, by_place));
  CHECK(test::same_bits(pair_keys, by_place));
  CHECK(places == expected);
  CHECK(moved == moved_expected);
}

}  // namespace

TEST_CASE("sorts give each rank exactly its part, for any keys and lengths") {
  for (int const p : test::sized_list({1, 2, 3, 4, 7, 64}, {1, 3, 16})) {
    for (auto const how :
         {skew::uniform, skew::equal, skew::two, skew::zipf, skew::sorted, skew::reverse}) {
      for (index_t const n : test::sized_list<index_t>({0, 3, 500, 5000}, {0, 3, 2000})) {
        auto const from = static_cast<spread>((n + p) % 4);
        auto const to = static_cast<spread>((n / 3 + static_cast<index_t>(how)) % 4);
        INFO("ranks " << p << ", skew " << static_cast<int>(how) << ", items " << n);
        check_sorts(p, static_cast<std::uint64_t>(n), keys_of(how, n), test::spread_out(from, n, p),
                    test::spread_out(to, n, p), n % 2 == 1);
      }
    }
  }
}

TEST_CASE("a thousand ranks sort") {
  int const p = static_cast<int>(test::sized(1000, 40));
  for (auto const how : {skew::uniform, skew::equal}) {
    auto const even = distribution::even(5000, p);
    check_sorts(p, 1, keys_of(how, 5000), test::spread_out(spread::uneven, 5000, p), even, false);
  }
}

namespace {

/// A sort of keys has the bits of the sort of all keys on one rank.
template <class Key>
void check_keys(int p, std::vector<Key> const& keys, distribution const& in,
                distribution const& out, sort_options const& options = {}, int threads = 1) {
  std::vector<Key> expected(keys.size()), sorted(keys.size()), source = keys;
  libscan::sort_keys(engine::cpu(1), keys, expected, options);
  test::on_ranks(p, 6, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(threads)};
    libscan::sort_keys(on, part_of(source, in, comm.rank()), part_of(sorted, out, comm.rank()),
                       options);
  });
  CHECK(test::same_bits(sorted, expected));
  CHECK(test::same_bits(source, keys));
}

/// Pairs and positions have the bits of sorts on one rank. The value of key i is made of i.
template <class Value, class Key>
void check_pairs(int p, std::vector<Key> const& keys, distribution const& in,
                 distribution const& out, sort_options const& options = {},
                 engine const& on = engine::cpu(1)) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Value value{};
    auto const word = static_cast<std::uint32_t>(i * 2654435761U);
    std::memcpy(&value, &word, std::min(sizeof value, sizeof word));
    values.push_back(value);
  }
  std::vector<Key> expected(keys.size()), sorted(keys.size());
  std::vector<Value> expected_values(keys.size()), moved(keys.size());
  std::vector<index_t> expected_places(keys.size()), places(keys.size());
  libscan::sort_pairs(engine::cpu(1), keys, expected, values, expected_values, options);
  libscan::argsort(engine::cpu(1), keys, expected_places, options);
  std::vector<Key> source = keys;
  test::on_ranks(p, 6, [&](communicator const& comm) {
    ranks const ranks_on{comm, on};
    int const r = comm.rank();
    libscan::sort_pairs(ranks_on, part_of(source, in, r), part_of(sorted, out, r),
                        part_of(values, in, r), part_of(moved, out, r), options);
    libscan::argsort(ranks_on, part_of(source, in, r), part_of(places, out, r), options);
  });
  CHECK(test::same_bits(sorted, expected));
  CHECK(test::same_bits(moved, expected_values));
  CHECK(places == expected_places);
}

/// Random keys in [low, low + range), or any keys.
template <class Key>
std::vector<Key> keys_within(index_t n, std::uint64_t low, std::uint64_t range) {
  test::random_words words(range + 20);
  std::vector<Key> keys;
  for (index_t i = 0; i < n; ++i) {
    auto const word = range == 0 ? words() : low + words.below(range);
    keys.push_back(static_cast<Key>(word));
  }
  return keys;
}

}  // namespace

TEST_CASE("sorts of keys that share high bits, and by some of their bits") {
  index_t const n = test::sized(20000, 8000);  // by buckets on up to 7 ranks
  for (int const p : test::sized_list({2, 3, 7, 64}, {2, 7, 16})) {
    auto const in = test::spread_out(spread::uneven, n, p);
    auto const out = test::spread_out(p % 2 == 0 ? spread::even : spread::every_third, n, p);
    INFO("ranks " << p);
    check_keys(p, keys_within<std::uint32_t>(n, 0, 0), in, out);
    check_keys(p, keys_within<std::int64_t>(n, 0, 0), in, out);
    check_keys(p, keys_within<std::uint64_t>(n, std::uint64_t{1} << 40, 50000), in, out);
    check_keys(p, keys_within<std::int32_t>(n, 1'700'000'000, 3), in, out);
    check_keys(p, keys_within<std::int16_t>(n, 0, 0), in, out);
    check_keys(p, keys_within<std::uint8_t>(n, 0, 0), in, out,
               {.direction = sort_direction::descending});
    check_keys(p, keys_within<std::int32_t>(n, 0, 0), in, out,
               {.direction = sort_direction::descending});
    check_keys(p, keys_within<std::uint32_t>(n, 0, 0), in, out, {.first_bit = 5, .end_bit = 17});
    check_keys(p, keys_within<std::uint32_t>(n, 0, 0), in, out, {.first_bit = 9, .end_bit = 9});
  }
}

namespace {

/// Values of three words, as they are aligned.
struct three_words {
  std::uint32_t words[3];
  bool operator==(three_words const&) const = default;
};

/// Values of four bytes that are aligned to one.
struct four_bytes {
  unsigned char bytes[4];
};

}  // namespace

TEST_CASE("keys of all sizes move values of all sizes, and -0 and NaN keep their bits") {
  index_t const n = test::sized(20000, 8000);  // by buckets on up to 7 ranks
  for (int const p : test::sized_list({2, 3, 7, 64}, {2, 7})) {
    auto const in = test::spread_out(spread::uneven, n, p);
    auto const out = test::spread_out(p % 2 == 0 ? spread::even : spread::every_third, n, p);
    INFO("ranks " << p);
    sort_options const descending{.direction = sort_direction::descending};
    check_pairs<std::uint8_t>(p, keys_within<std::uint32_t>(n, 0, 0), in, out);
    check_pairs<std::uint16_t>(p, keys_within<std::uint8_t>(n, 0, 0), in, out);
    check_pairs<std::uint32_t>(p, keys_within<std::int16_t>(n, 0, 0), in, out, descending);
    check_pairs<four_bytes>(p, keys_within<std::int64_t>(n, 0, 0), in, out);
    check_pairs<std::uint64_t>(p, keys_within<std::int8_t>(n, 0, 0), in, out, descending);
    check_pairs<std::uint64_t>(p, keys_within<std::int32_t>(n, 0, 3), in, out);
    check_pairs<three_words>(p, keys_within<std::int64_t>(n, 7, 50), in, out, descending);
    check_pairs<std::uint32_t>(p, keys_within<std::uint32_t>(n, 0, 0), in, out,
                               {.first_bit = 5, .end_bit = 17});
    check_pairs<std::uint64_t>(p, keys_of(skew::uniform, n), in, out);
    check_pairs<std::uint32_t>(p, keys_of(skew::uniform, n), in, out, descending);
    check_pairs<three_words>(p, keys_of(skew::zipf, n), in, out);
    check_pairs<three_words>(p, keys_of(skew::sorted, n), in, out);
  }
}

TEST_CASE("keys beyond all samples are sorted, too") {
  index_t const n = 20000;
  auto keys = keys_within<std::uint32_t>(n, 1'000'000, 1000);
  for (std::size_t i = 1; i < keys.size(); i += 1777) keys[i] = i % 2 == 0 ? 5 : 4'000'000'000;
  auto const even = distribution::even(n, 4);
  check_keys(4, keys, even, test::spread_out(spread::uneven, n, 4));
}

TEST_CASE("many equal keys among others fill a bucket that all threads sort") {
  index_t const n = test::sized(1'000'000, 200'000);
  auto keys = keys_within<std::uint64_t>(n, 0, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 8 != 0) keys[i] = (std::uint64_t{1} << 60) + keys[i] % 3;
  }
  auto const even = distribution::even(n, 2);
  check_keys(2, keys, even, even, {}, 3);
  check_keys(2, keys, even, test::spread_out(spread::uneven, n, 2));
  check_pairs<std::uint32_t>(2, keys, even, test::spread_out(spread::uneven, n, 2), {},
                             engine::cpu(3));
  check_pairs<std::uint64_t>(2, keys, even, even, {}, engine::cpu(3));
}

TEST_CASE("sorted keys only move to their ranks") {
  index_t const n = 5000;
  std::vector<std::int32_t> ascending, saw;
  for (index_t i = 0; i < n; ++i) {
    ascending.push_back(static_cast<std::int32_t>(i / 3 - 700));
    saw.push_back(static_cast<std::int32_t>(i % 1250));
  }
  for (int const p : {2, 4, 7}) {
    for (auto const how : test::all_spreads()) {
      INFO("ranks " << p << ", spread " << static_cast<int>(how));
      check_keys(p, ascending, test::spread_out(how, n, p), distribution::even(n, p));
      check_keys(p, ascending, distribution::even(n, p), test::spread_out(how, n, p));
    }
  }
  auto const even = distribution::even(n, 4);
  check_keys(4, saw, even, even);  // sorted on each rank, but not from rank to rank
  check_keys(4, ascending, even, even, {.direction = sort_direction::descending});
  ascending[3000] = -1000;  // on one rank
  check_keys(4, ascending, even, even);
}

TEST_CASE("a sort's output may be its input, and overlap it in any way") {
  index_t const n = 6000;
  for (int const p : {1, 3}) {
    for (bool const sorted : {false, true}) {
      for (std::size_t const shift : {0, 1, 700}) {
        auto keys = keys_within<std::int32_t>(n, 0, 0);
        auto expected = keys;
        std::ranges::sort(expected);
        if (sorted) keys = expected;
        auto const even = distribution::even(n, p);
        std::vector<std::int32_t> found(keys.size());
        test::on_ranks(p, 8, [&](communicator const& comm) {
          auto const mine = part_of(keys, even, comm.rank());
          std::vector<std::int32_t> memory(mine.begin(), mine.end());
          memory.resize(mine.size() + shift);
          auto const out = std::span(memory).subspan(shift);
          ranks const on{comm, engine::cpu(1)};
          libscan::sort_keys(on, std::span<std::int32_t const>(memory).first(mine.size()), out);
          std::ranges::copy(out, part_of(found, even, comm.rank()).begin());
        });
        CHECK(found == expected);
      }
    }
  }
}

TEST_CASE("outputs of pairs and positions may overlap inputs in any way") {
  index_t const n = 6000;
  for (int const p : {1, 3}) {
    for (bool const sorted : {false, true}) {
      auto keys = [&] {
        auto made = keys_within<std::int32_t>(n, 0, 0);
        if (sorted) std::ranges::sort(made);
        return made;
      }();
      std::vector<index_t> const order = [&] {
        std::vector<index_t> positions(keys.size());
        libscan::argsort(engine::cpu(1), keys, positions);
        return positions;
      }();
      auto const even = distribution::even(n, p);
      // Where keys, values and their results begin, in keys.
      struct places {
        std::size_t keys, out, values, values_out;
      };
      auto const part = static_cast<std::size_t>(even.size(0));
      for (auto const& at :
           {places{0, 0, part, part}, places{0, 9, 2 * part, part + 9},
            places{0, part, part, 3 * part}, places{0, part, part, 0},
            places{0, part, 2 * part, 2 * part + 5}, places{1, 0, 2 * part, 3 * part},
            places{0, 2 * part, part, 3 * part}}) {
        INFO("ranks " << p << ", sorted " << sorted << ", results at " << at.out << ", "
                      << at.values_out);
        std::vector<std::int32_t> found(keys.size()), moved(keys.size());
        std::vector<index_t> found_places(keys.size());
        test::on_ranks(p, 8, [&](communicator const& comm) {
          ranks const on{comm, engine::cpu(1)};
          auto const mine = part_of(keys, even, comm.rank());
          std::vector<std::int32_t> memory(5 * part);
          auto const some = [&](std::size_t begin) {
            return std::span(memory).subspan(begin, mine.size());
          };
          std::ranges::copy(mine, some(at.keys).begin());
          std::iota(some(at.values).begin(), some(at.values).end(), even.begin(comm.rank()));
          libscan::sort_pairs(on, some(at.keys), some(at.out), some(at.values),
                              some(at.values_out));
          std::ranges::copy(some(at.out), part_of(found, even, comm.rank()).begin());
          std::ranges::copy(some(at.values_out), part_of(moved, even, comm.rank()).begin());
          // Positions in the place of keys, and beyond.
          std::vector<index_t> shared(mine.size());
          auto* const front = reinterpret_cast<std::int32_t*>(shared.data());
          std::ranges::copy(mine, front);
          libscan::argsort(on, std::span<std::int32_t const>(front, mine.size()), shared);
          std::ranges::copy(shared, part_of(found_places, even, comm.rank()).begin());
        });
        bool right = true;
        for (std::size_t i = 0; i < keys.size(); ++i) {
          right =
              right && moved[i] == order[i] && found[i] == keys[static_cast<std::size_t>(order[i])];
        }
        CHECK(right);
        CHECK(found_places == order);
      }
    }
  }
}

TEST_CASE("splitters end within six rounds and 16 MiB of counters, and merges use threads") {
  index_t const n = index_t{1} << test::sized(21, 19);
  std::vector<index_t> cuts;
  for (index_t c = 1; c < 1000; ++c) cuts.push_back(c * n / 1000);
  exact_splitters<std::uint64_t> splitters(cuts, n);
  test::random_words words(3);
  std::vector<std::uint64_t> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(words());
  std::sort(keys.begin(), keys.end());
  auto const word_at = [&](index_t i) { return keys[static_cast<std::size_t>(i)]; };
  int rounds = 0;
  for (; !splitters.done(); ++rounds) {
    std::vector<index_t> counters(splitters.counters());
    REQUIRE(counters.size() <= std::size_t{1} << 21);
    splitters.count(n, word_at, counters);
    splitters.take(counters);
  }
  CHECK(rounds <= 6);
  std::vector<index_t> smaller(cuts.size()), equal(cuts.size());
  splitters.local_ties(n, word_at, smaller, equal);
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    CHECK(splitters.local_cut(c, smaller[c], equal[c], 0) == cuts[c]);
  }

  std::vector<index_t> const ends{0, 70000, 70000, 500000, n};
  std::vector<std::uint64_t> mixed, space(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) mixed.push_back(words() % 1000 << 32 | i);
  for (std::size_t r = 1; r < ends.size(); ++r) {
    std::sort(mixed.begin() + ends[r - 1], mixed.begin() + ends[r]);
  }
  auto stable = mixed;
  auto const less = [](std::uint64_t a, std::uint64_t b) { return a >> 32 < b >> 32; };
  std::uint64_t const* const merged = merge_runs(3, ends, mixed.data(), space.data(), less);
  std::stable_sort(stable.begin(), stable.end(), less);
  CHECK(std::equal(stable.begin(), stable.end(), merged));
}

TEST_CASE("split_counts cuts the sorted keys of ranks into parts of the requested lengths") {
  int const p = 7;
  index_t const n = 3000;
  auto const d = test::spread_out(spread::uneven, n, p);
  auto const out = test::spread_out(spread::every_third, n, p);
  test::random_words words(4);
  std::vector<std::uint32_t> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(static_cast<std::uint32_t>(words() % 40));
  for (int r = 0; r < p; ++r) std::ranges::sort(part_of(keys, d, r));
  std::vector<std::vector<std::uint32_t>> parts(static_cast<std::size_t>(p));
  test::on_ranks(p, 3, [&](communicator const& comm) {
    auto const mine = part_of(keys, d, comm.rank());
    auto const counts = split_counts<std::uint32_t>(
        comm, out, std::ssize(mine), [&](index_t i) { return mine[static_cast<std::size_t>(i)]; });
    std::size_t begin = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      auto const piece = mine.subspan(begin, static_cast<std::size_t>(counts[r]));
      parts[r].insert(parts[r].end(), piece.begin(), piece.end());
      begin += piece.size();
    }
    CHECK(begin == mine.size());
  });
  std::vector<std::uint32_t> all;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    CHECK(std::ssize(parts[r]) == out.size(static_cast<int>(r)));
    std::ranges::sort(parts[r]);
    all.insert(all.end(), parts[r].begin(), parts[r].end());
  }
  CHECK(std::ranges::is_sorted(all));
}

TEST_CASE("filters count over ranks, and rebalance keeps the order") {
  for (int const p : {1, 2, 7, 64}) {
    for (auto const how : test::all_spreads()) {
      index_t const n = 3001;
      auto const d = test::spread_out(how, n, p);
      std::vector<int> items(static_cast<std::size_t>(n)), kept(items.size()), all, expected;
      std::iota(items.begin(), items.end(), 0);
      auto const keep = [](int x) { return x * 37 % 11 < 4; };
      std::copy_if(items.begin(), items.end(), std::back_inserter(expected), keep);
      all.resize(expected.size());
      auto const even = distribution::even(static_cast<index_t>(expected.size()), p);
      std::vector<kept_items> results(static_cast<std::size_t>(p));
      test::on_ranks(p, 5, [&](communicator const& comm) {
        ranks const on{comm, engine::cpu(1)};
        auto const mine = part_of(kept, d, comm.rank());
        auto const result = libscan::filter(on, part_of(items, d, comm.rank()), mine, keep);
        results[static_cast<std::size_t>(comm.rank())] = result;
        rebalance(on, mine.first(static_cast<std::size_t>(result.count)),
                  part_of(all, even, comm.rank()));
      });
      CHECK(all == expected);
      index_t begin = 0;
      for (auto const& one : results) {
        CHECK(one.begin == begin);
        CHECK(one.total == static_cast<index_t>(expected.size()));
        begin += one.count;
      }
    }
  }
}

TEST_CASE("each failed send of a sort and a rebalance is thrown on all ranks") {
  int const p = static_cast<int>(test::sized(4, 3));
  auto const part = static_cast<std::size_t>(300 / p);
  auto keys = keys_of(skew::zipf, 300);
  auto const d = test::spread_out(spread::uneven, 300, p);
  auto const body = [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::vector<double> out(part), back(static_cast<std::size_t>(d.size(comm.rank())));
    std::vector<index_t> positions(part);
    std::vector<float> values(part);
    libscan::sort_keys(on, part_of(keys, d, comm.rank()), out);
    libscan::argsort(on, part_of(keys, d, comm.rank()), positions);
    libscan::sort_pairs(on, positions, positions, values, values);
    rebalance(on, out, back);
  };
  simulated_ranks counting(p, 1);
  counting.run(body);
  for (int rank = 0; rank < p; ++rank) {
    for (index_t send = 0; send < counting.sends(rank); ++send) {
      simulated_ranks failing(p, static_cast<std::uint64_t>(send));
      failing.fail(rank, send);
      for (auto const& outcome : failing.outcomes(body)) CHECK(outcome != nullptr);
    }
  }
}

TEST_CASE("outputs of a wrong total length are refused on all ranks") {
  simulated_ranks three(3, 4);
  auto const found = three.outcomes([](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::vector<int> const in(4);
    std::vector<int> out(comm.rank() == 1 ? 3 : 4);
    libscan::sort_keys(on, in, out);
  });
  for (auto const& one : found) {
    REQUIRE(one);
    CHECK_THROWS_AS(std::rethrow_exception(one), invalid_argument);
  }
}
