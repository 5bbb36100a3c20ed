// SPDX-License-Identifier: Apache-2.0
// Distributed calls with types whose namespace has a greedy function of every name that libscan
// uses, and with operators that are no monoids.
#include <functional>
#include <numeric>
#include <vector>

#include <libscan/distributed/filter.hpp>
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/scan.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/hostile.hpp>

using namespace libscan;
using hostile::number;

TEST_CASE("Distributed calls call no foreign functions") {
  constexpr index_t n = 70'000;  // several blocks, which ranks share
  std::vector<number> items, scanned(n), kept(n), sorted(n), spread_anew(n);
  for (index_t i = 0; i < n; ++i) items.push_back(number(static_cast<int>(i % 7)));
  std::vector<int> keys(n), sorted_keys(n);
  for (index_t i = 0; i < n; ++i) keys[static_cast<std::size_t>(i)] = static_cast<int>(n - i);
  auto const d = test::spread_out(test::spread::uneven, n, 3);
  for (auto const order : {association::fixed, association::fastest}) {
    test::on_ranks(3, 1, [&](communicator const& comm) {
      ranks const on{comm, engine::cpu(1), order};
      auto const mine = test::part_of(items, d, comm.rank());
      auto const to = [&](auto& all) { return test::part_of(all, d, comm.rank()); };
      number const total = libscan::reduce(on, mine, hostile::add{});
      CHECK(total == libscan::reduce(on, mine, hostile::add_any{}, number(0)));
      CHECK(total == libscan::reduce(on, mine, plus<number>{}, number(0)));
      CHECK(libscan::exclusive_scan(on, mine, to(scanned), hostile::add{}) == total);
      CHECK(libscan::inclusive_scan(on, mine, to(scanned), hostile::add_any{}) == total);
      CHECK(libscan::filter(on, mine, to(kept), hostile::is_odd{}).total == n / 7 * 3);
      libscan::sort_pairs(on, to(keys), to(sorted_keys), mine, to(sorted));
      libscan::rebalance(on, mine, to(spread_anew));
    });
    CHECK(scanned[6] == number(21));
    CHECK(scanned[n - 1] == number(n / 7 * 21));
    CHECK(sorted[0] == items[n - 1]);
    CHECK(sorted[n - 1] == items[0]);
    CHECK(spread_anew == items);
  }
}

TEST_CASE("Distributed calls take any callable, as the cpu engine does") {
  constexpr index_t n = 100'000;
  std::vector<int> items(n);
  for (index_t i = 0; i < n; ++i) {
    items[static_cast<std::size_t>(i)] = static_cast<int>(i * 7919 % 10007);
  }
  auto const smaller = [](int a, int b) { return b < a ? b : a; };
  std::vector<int> forward(n), backward(n), least(n);
  std::partial_sum(items.begin(), items.end(), least.begin(), smaller);
  auto const d = test::spread_out(test::spread::uneven, n, 4);
  for (auto const order : {association::fixed, association::fastest}) {
    test::on_ranks(4, 3, [&](communicator const& comm) {
      ranks const on{comm, engine::cpu(1), order};
      auto const mine = test::part_of(items, d, comm.rank());
      CHECK(libscan::reduce(on, mine, smaller, 5'000'000) == 0);
      CHECK(libscan::reduce(on, mine, smaller, -5) == -5);
      CHECK(libscan::reduce(on, mine, std::plus<>{}, 0.5) ==
            std::accumulate(items.begin(), items.end(), 0.5));
      CHECK(libscan::reduce(on, mine, std::multiplies<>{}) == 0);
      CHECK(libscan::inclusive_scan(on, mine, test::part_of(forward, d, comm.rank()), smaller) ==
            0);
      CHECK(libscan::exclusive_scan(on, mine, test::part_of(backward, d, comm.rank()), smaller,
                                    9'999, scan_direction::reverse) == 0);
    });
    CHECK(forward == least);
    int expected = 9'999;
    bool same = true;
    for (index_t i = n; i-- > 0;) {
      same = same && backward[static_cast<std::size_t>(i)] == expected;
      expected = smaller(items[static_cast<std::size_t>(i)], expected);
    }
    CHECK(same);
  }
}
