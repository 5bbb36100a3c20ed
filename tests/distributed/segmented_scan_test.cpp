// SPDX-License-Identifier: Apache-2.0
// Scans of segments on ranks against plain loops; of floats also bit for bit against one rank.
// Segments cross any number of borders between ranks, and some ranks have no items.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <libscan/distributed/error.hpp>
#include <libscan/distributed/segmented_scan.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>

using namespace libscan;
using test::part_of;

namespace {

/// Affine maps x -> a x + b modulo 2^32, applied one after the other: does not commute.
struct affine {
  std::uint32_t a, b;
  bool operator==(affine const&) const = default;
};
struct compose {
  using value_type = affine;
  static constexpr affine identity() { return {1, 0}; }
  affine operator()(affine const& first, affine const& then) const {
    return {then.a * first.a, then.a * first.b + then.b};
  }
};

/// Head flags about every `length` items.
std::vector<std::uint8_t> heads_of(index_t n, std::uint64_t length) {
  test::random_words words(length + static_cast<std::uint64_t>(n));
  std::vector<std::uint8_t> heads;
  for (index_t i = 0; i < n; ++i) {
    heads.push_back(words.below(length) == 0 ? static_cast<std::uint8_t>(1 + words.below(255)) : 0);
  }
  return heads;
}

/// The definition.
template <class T, class Op>
std::vector<T> by_loop(std::vector<T> const& in, std::vector<std::uint8_t> const& heads, Op op,
                       T init, bool inclusive, bool reverse) {
  std::vector<T> out(in);
  std::size_t const n = in.size();
  T sum = init;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t const i = reverse ? n - 1 - k : k;
    bool const begins = reverse ? i + 1 < n && heads[i + 1] != 0 : heads[i] != 0;
    if (begins) sum = init;
    T const before = sum;
    sum = op(sum, in[i]);
    out[i] = inclusive ? sum : before;
  }
  return out;
}

template <class T, class Op>
std::vector<T> on_ranks(int p, distribution const& d, std::vector<T> in,
                        std::vector<std::uint8_t> heads, Op op, T init, bool inclusive,
                        bool reverse, bool in_place) {
  std::vector<T> out(in);
  auto const direction = reverse ? scan_direction::reverse : scan_direction::forward;
  test::on_ranks(p, static_cast<std::uint64_t>(p), [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    auto const mine = part_of(in, d, comm.rank());
    auto const own_heads = part_of(heads, d, comm.rank());
    auto const to = in_place ? mine : part_of(out, d, comm.rank());
    if (inclusive) {
      inclusive_segmented_scan(on, mine, own_heads, to, op, init, direction);
    } else {
      exclusive_segmented_scan(on, mine, own_heads, to, op, init, direction);
    }
  });
  return in_place ? in : out;
}

template <class T, class Op>
void check_all(int p, distribution const& d, std::vector<T> const& in,
               std::vector<std::uint8_t> const& heads, Op op, T init) {
  for (bool const inclusive : {false, true}) {
    for (bool const reverse : {false, true}) {
      INFO("inclusive " << inclusive << ", reverse " << reverse);
      CHECK(on_ranks(p, d, in, heads, op, init, inclusive, reverse, reverse == inclusive) ==
            by_loop(in, heads, op, init, inclusive, reverse));
    }
  }
}

}  // namespace

TEST_CASE("segments are scanned each by itself, on any number of ranks") {
  int const many = static_cast<int>(test::sized(1000, 130));
  for (int const p : test::sized_list({1, 2, 3, 4, 7, 64, many}, {1, 3, 7, 16, many})) {
    for (auto const how : test::all_spreads()) {
      for (index_t const n : test::sized_list({0, 1, 5, 2000}, {0, 5, 2000})) {
        for (std::uint64_t const length :
             test::sized_list<std::uint64_t>({1, 3, 500, 1000000}, {3, 500, 1000000})) {
          if (p == many && (how != test::spread::uneven || n != 2000 || length != 500)) continue;
          INFO("ranks " << p << ", spread " << static_cast<int>(how) << ", items " << n
                        << ", segments of " << length);
          auto const d = test::spread_out(how, n, p);
          test::random_words words(5);
          std::vector<std::int64_t> numbers;
          std::vector<affine> maps;
          for (index_t i = 0; i < n; ++i) {
            numbers.push_back(static_cast<std::int64_t>(words()));
            maps.push_back(
                {static_cast<std::uint32_t>(words()) | 1U, static_cast<std::uint32_t>(words())});
          }
          auto const heads = heads_of(n, length);
          check_all(p, d, numbers, heads, plus<std::int64_t>{}, std::int64_t{3});
          if (p <= 7) check_all(p, d, maps, heads, compose{}, affine{5, 6});
        }
      }
    }
  }
}

TEST_CASE("sums of floats in segments have the same bits for any number of ranks") {
  index_t const n = 100000;
  test::random_words words(8);
  std::vector<double> items;
  for (index_t i = 0; i < n; ++i) {
    items.push_back(static_cast<double>(static_cast<std::int64_t>(words())) * 1e-15);
  }
  auto const heads = heads_of(n, 9000);
  for (bool const reverse : {false, true}) {
    auto const expected = on_ranks(1, distribution::even(n, 1), items, heads, plus<double>{}, 0.0,
                                   true, reverse, false);
    auto const loop = by_loop(items, heads, plus<double>{}, 0.0, true, reverse);
    for (std::size_t i = 0; i < loop.size(); i += 97) {
      CHECK(std::abs(expected[i] - loop[i]) <= 1e-6);
    }
    for (int const p : {2, 3, 7, 64}) {
      for (auto const how : {test::spread::even, test::spread::every_third}) {
        auto const found = on_ranks(p, test::spread_out(how, n, p), items, heads, plus<double>{},
                                    0.0, true, reverse, false);
        CHECK(test::same_bits(found, expected));
      }
    }
  }
}

TEST_CASE("without an init, segments begin with the identity; items convert to the operator") {
  test::on_ranks(2, 1, [](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::vector<std::int8_t> const items{100, 100};
    std::vector<std::uint8_t> const heads{0, comm.rank() == 1};
    std::vector<int> sums(3, -1);
    inclusive_segmented_scan(on, items, heads, sums, plus<int>{});
    CHECK(sums ==
          (comm.rank() == 0 ? std::vector<int>{100, 200, -1} : std::vector<int>{300, 100, -1}));
    exclusive_segmented_scan(on, items, heads, sums, maximum<int>{}, 101);
    CHECK(sums == std::vector<int>{101, 101, -1});
  });
}

TEST_CASE("another number of head flags, or an operator that fails, is reported on all ranks") {
  for (bool const throws : {false, true}) {
    std::vector<std::string> said(3);
    test::on_ranks(3, 4, [&](communicator const& comm) {
      ranks const on{comm, engine::cpu(1)};
      struct unlucky : plus<int> {
        int operator()(int a, int b) const {
          if (b == 13) throw std::runtime_error("13 is unlucky");
          return a + b;
        }
      };
      bool const odd = comm.rank() == 2;
      std::vector<int> items{odd && throws ? 13 : 1, 2};
      std::vector<std::uint8_t> const heads(odd && !throws ? 3 : 2, 1);
      try {
        inclusive_segmented_scan(on, items, heads, items, unlucky{});
      } catch (std::exception const& e) {
        said[static_cast<std::size_t>(comm.rank())] = e.what();
      }
      std::vector<std::uint8_t> const none(2);
      inclusive_segmented_scan(on, std::vector<int>{1, 1}, none, items);
      CHECK(items[1] == 2 * comm.rank() + 2);
    });
    std::string const words = throws ? "13 is unlucky" : "3 head flags and space for 2 results";
    for (std::string const& one : said) CHECK(one.find(words) != std::string::npos);
    CHECK(said[0].starts_with("rank 2 failed"));
  }
}

TEST_CASE("each failed send of a segmented scan is thrown on all ranks") {
  auto const body = [](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::vector<double> items(40000, 1.0);
    std::vector<std::uint8_t> const heads(40000);
    inclusive_segmented_scan(on, items, heads, items);
  };
  simulated_ranks counting(3, 1);
  counting.run(body);
  for (int rank = 0; rank < 3; ++rank) {
    for (index_t send = 0; send < counting.sends(rank); ++send) {
      simulated_ranks failing(3, static_cast<std::uint64_t>(send));
      failing.fail(rank, send);
      for (auto const& outcome : failing.outcomes(body)) CHECK(outcome != nullptr);
    }
  }
}
