// SPDX-License-Identifier: Apache-2.0
// Scans and reductions on ranks against plain loops; of floats also bit for bit against one rank.
#include <cmath>
#include <cstdint>
#include <vector>

#include <libscan/distributed/scan.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using test::part_of;
using test::spread;

namespace {

constexpr index_t block = index_t{1} << 15;
constexpr int many_ranks = static_cast<int>(test::sized(1000, 130));

/// Affine maps x -> a x + b modulo 2^64, applied one after the other: does not commute.
struct affine {
  std::uint64_t a, b;
  bool operator==(affine const&) const = default;
};
struct compose {
  using value_type = affine;
  static constexpr affine identity() { return {1, 0}; }
  affine operator()(affine const& first, affine const& then) const {
    return {then.a * first.a, then.a * first.b + then.b};
  }
};

/// Results and totals of one scan.
template <class T>
struct scanned {
  std::vector<T> items;
  std::vector<T> totals;  // of all ranks
};

template <scan_kind Kind, class Op, class T = typename Op::value_type>
scanned<T> scan_on(int p, std::uint64_t seed, distribution const& d, std::vector<T> in, Op op,
                   T init, scan_direction direction, bool in_place,
                   association order = association::fixed) {
  scanned<T> result{std::vector<T>(in.size(), op.identity()),
                    std::vector<T>(static_cast<std::size_t>(p), op.identity())};
  test::on_ranks(p, seed, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1), order};
    auto const mine = part_of(in, d, comm.rank());
    auto const to = in_place ? mine : part_of(result.items, d, comm.rank());
    result.totals[static_cast<std::size_t>(comm.rank())] =
        Kind == scan_kind::inclusive ? inclusive_scan(on, mine, to, op, init, direction)
                                     : exclusive_scan(on, mine, to, op, init, direction);
  });
  if (in_place) result.items = in;
  return result;
}

/// The definition.
template <scan_kind Kind, class Op, class T = typename Op::value_type>
scanned<T> scan_by_loop(std::vector<T> in, Op op, T init, scan_direction direction) {
  bool const reversed = direction == scan_direction::reverse;
  if (reversed) std::reverse(in.begin(), in.end());
  for (T& item : in) {
    T const before = init;
    init = op(init, item);
    item = Kind == scan_kind::inclusive ? init : before;
  }
  if (reversed) std::reverse(in.begin(), in.end());
  return {in, {init}};
}

template <scan_kind Kind, class Op, class T = typename Op::value_type>
void check_exact(int p, std::uint64_t seed, distribution const& d, std::vector<T> const& in, Op op,
                 T init, scan_direction direction) {
  auto const expected = scan_by_loop<Kind>(in, op, init, direction);
  auto const found = scan_on<Kind>(p, seed, d, in, op, init, direction, seed % 2 == 0);
  CHECK(found.items == expected.items);
  for (T const& total : found.totals) CHECK(total == expected.totals[0]);
}

std::vector<double> wild(index_t n) {
  test::random_words words(7);
  std::vector<double> items;
  for (index_t i = 0; i < n; ++i) {
    double const mantissa = static_cast<double>(static_cast<std::int64_t>(words()));
    items.push_back(std::ldexp(mantissa, static_cast<int>(words.below(60)) - 90));
  }
  return items;
}

/// What the fixed association gives on one rank.
template <scan_kind Kind>
scanned<double> on_one(std::vector<double> const& in, scan_direction direction) {
  return scan_on<Kind>(1, 0, distribution::even(static_cast<index_t>(in.size()), 1), in,
                       plus<double>{}, 0.5, direction, false);
}

}  // namespace

TEST_CASE("integer scans and operators that do not commute, on any number of ranks") {
  for (int const p : {1, 2, 3, 4, 7, 64, many_ranks}) {
    for (index_t const n : {index_t{0}, index_t{1}, index_t{5}, index_t{999}, block + 1}) {
      for (auto const how : test::all_spreads()) {
        if (p == many_ranks && how != spread::uneven && n > 5) continue;
        auto const d = test::spread_out(how, n, p);
        INFO("ranks " << p << ", items " << n << ", spread " << static_cast<int>(how));
        test::random_words words(static_cast<std::uint64_t>(n));
        std::vector<std::uint32_t> numbers;
        std::vector<affine> maps;
        for (index_t i = 0; i < n; ++i) {
          numbers.push_back(static_cast<std::uint32_t>(words()));
          maps.push_back({words() | 1, words()});
        }
        auto const seed = static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(how);
        check_exact<scan_kind::exclusive>(p, seed, d, numbers, plus<std::uint32_t>{},
                                          std::uint32_t{3}, scan_direction::forward);
        check_exact<scan_kind::inclusive>(p, seed, d, numbers, maximum<std::uint32_t>{},
                                          std::uint32_t{0}, scan_direction::reverse);
        check_exact<scan_kind::inclusive>(p, seed, d, maps, compose{}, affine{3, 4},
                                          scan_direction::forward);
        check_exact<scan_kind::exclusive>(p, seed, d, maps, compose{}, affine{3, 4},
                                          scan_direction::reverse);
      }
    }
  }
}

/// Scans items of another type than the accumulator, with one rank's results at other places.
template <class Item, class Op, class T = typename Op::value_type>
void check_wider(int p, distribution const& d, std::vector<Item> in, Op op) {
  std::vector<T> const wide(in.begin(), in.end());
  for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
    auto const inclusive = scan_by_loop<scan_kind::inclusive>(wide, op, T{3}, direction);
    auto const exclusive = scan_by_loop<scan_kind::exclusive>(wide, op, T{3}, direction);
    std::vector<T> found(in.size()), before(in.size());
    test::on_ranks(p, 3, [&](communicator const& comm) {
      ranks const on{comm, engine::cpu(2)};
      auto const mine = part_of(in, d, comm.rank());
      T const total = inclusive_scan(on, mine, part_of(found, d, comm.rank()), op, T{3}, direction);
      CHECK(total == inclusive.totals[0]);
      CHECK(total ==
            exclusive_scan(on, mine, part_of(before, d, comm.rank()), op, T{3}, direction));
      CHECK(total == op(T{3}, libscan::reduce(on, mine, op)));
    });
    CHECK(found == inclusive.items);
    CHECK(before == exclusive.items);
  }
}

TEST_CASE("scans accumulate in the operator's type, whatever the items' type") {
  for (int const p : test::sized_list({1, 2, 4, 7}, {1, 4})) {
    for (auto const how : test::all_spreads()) {
      index_t const n = 2 * block + 77;
      auto const d = test::spread_out(how, n, p);
      INFO("ranks " << p << ", spread " << static_cast<int>(how));
      test::random_words words(12);
      std::vector<std::int32_t> numbers;
      std::vector<std::uint8_t> bytes;
      std::vector<float> halves;
      for (index_t i = 0; i < n; ++i) {
        numbers.push_back(static_cast<std::int32_t>(words()));
        bytes.push_back(static_cast<std::uint8_t>(words()));
        halves.push_back(static_cast<float>(words.below(100)) / 2);
      }
      check_wider(p, d, numbers, plus<std::int64_t>{});
      check_wider(p, d, numbers, maximum<std::int64_t>{});
      check_wider(p, d, bytes, plus<std::uint64_t>{});
      check_wider(p, d, halves, plus<double>{});
    }
  }
}

TEST_CASE("integers scan in the place of integers of another type") {
  int const p = 3;
  index_t const n = 1000;
  auto const d = test::spread_out(spread::uneven, n, p);
  std::vector<std::uint32_t> numbers, expected;
  std::uint32_t sum = 0;
  for (index_t i = 0; i < n; ++i) {
    numbers.push_back(static_cast<std::uint32_t>(i) << 20);
    expected.push_back(sum += numbers.back());
  }
  test::on_ranks(p, 5, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    auto const mine = part_of(numbers, d, comm.rank());
    std::span const as_signed(reinterpret_cast<std::int32_t*>(mine.data()), mine.size());
    inclusive_scan(on, as_signed, mine, plus<std::uint32_t>{}, std::uint32_t{0});
  });
  CHECK(numbers == expected);
}

TEST_CASE("floating-point scans have the same bits on any number of ranks") {
  for (index_t const n : {index_t{100}, block, 3 * block + 17, 13 * block - 5}) {
    auto const in = wild(n);
    for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
      auto const inclusive = on_one<scan_kind::inclusive>(in, direction);
      auto const exclusive = on_one<scan_kind::exclusive>(in, direction);
      for (int const p : test::sized_list({2, 3, 4, 7, 64, many_ranks}, {2, 7, many_ranks})) {
        for (auto const how : test::all_spreads()) {
          if (p == many_ranks && how != spread::uneven) continue;
          auto const d = test::spread_out(how, n, p);
          INFO("ranks " << p << ", items " << n << ", spread " << static_cast<int>(how));
          auto const found =
              scan_on<scan_kind::inclusive>(p, 1, d, in, plus<double>{}, 0.5, direction, true);
          CHECK(test::same_bits(found.items, inclusive.items));
          CHECK(found.totals ==
                std::vector<double>(static_cast<std::size_t>(p), inclusive.totals[0]));
          CHECK(test::same_bits(
              scan_on<scan_kind::exclusive>(p, 2, d, in, plus<double>{}, 0.5, direction, false)
                  .items,
              exclusive.items));
        }
      }
    }
  }
}

TEST_CASE("the fixed association sums as exactly as a loop, and its total is the last result") {
  index_t const n = 5 * block + 3;
  auto const in = wild(n);
  auto const found = on_one<scan_kind::inclusive>(in, scan_direction::forward);
  long double sum = 0.5L, magnitude = 0.5L;
  index_t wrong = 0;
  for (index_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    sum += in[at];
    magnitude += std::abs(in[at]);
    wrong += !(std::abs(static_cast<long double>(found.items[at]) - sum) <= 1e-12L * magnitude);
  }
  CHECK(wrong == 0);
  CHECK(found.totals[0] == found.items.back());
}

TEST_CASE("with the association fastest, results are right, and may differ in their last bits") {
  index_t const n = 9 * block + 100;
  auto const in = wild(n);
  auto const fixed = on_one<scan_kind::inclusive>(in, scan_direction::forward);
  auto const found = scan_on<scan_kind::inclusive>(7, 3, test::spread_out(spread::uneven, n, 7), in,
                                                   plus<double>{}, 0.5, scan_direction::forward,
                                                   false, association::fastest);
  long double magnitude = 0.5L;
  bool differs = false;
  index_t wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    magnitude += std::abs(in[i]);
    differs = differs || found.items[i] != fixed.items[i];
    wrong += !(std::abs(found.items[i] - fixed.items[i]) <= 1e-12L * magnitude);
  }
  CHECK(wrong == 0);
  CHECK(differs);  // otherwise the tests of equal bits could not fail
}

TEST_CASE("reductions have the same bits on any number of ranks") {
  for (index_t const n : {index_t{0}, index_t{3}, 6 * block + 11}) {
    auto in = wild(n);
    std::vector<double> sums;
    for (int const p : {1, 2, 3, 4, 7, 64, many_ranks}) {
      auto const d = test::spread_out(spread::uneven, n, p);
      test::on_ranks(p, 9, [&](communicator const& comm) {
        ranks const on{comm, engine::cpu(1)};
        sums.push_back(libscan::reduce(on, part_of(in, d, comm.rank())));
      });
    }
    CHECK(sums == std::vector<double>(sums.size(), sums[0]));
    long double sum = 0, magnitude = 1;
    for (double const item : in) sum += item, magnitude += std::abs(item);
    CHECK(std::abs(sums[0] - sum) <= 1e-13L * magnitude);
  }
}

TEST_CASE("several threads of a rank give the bits of one") {
  auto const in = wild(20 * block + 1);
  auto const one = on_one<scan_kind::inclusive>(in, scan_direction::forward);
  std::vector<double> out(in.size());
  ranks const on{communicator::self(), engine::cpu(4)};
  CHECK(inclusive_scan(on, in, out, plus<double>{}, 0.5) == one.totals[0]);
  CHECK(test::same_bits(out, one.items));
}
