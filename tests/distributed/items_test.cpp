// SPDX-License-Identifier: Apache-2.0
// Runs, histograms and exchanges of arrays on ranks, against plain loops, for every spread of
// lengths: runs cross borders, and some ranks have no items.
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <libscan/distributed/device_exchange.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/histogram.hpp>
#include <libscan/distributed/runs.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using test::part_of;

namespace {

/// Runs of very different lengths, some longer than a rank's part.
std::vector<float> runs_of(index_t n, std::uint64_t seed) {
  test::random_words words(seed);
  std::vector<float> items;
  while (static_cast<index_t>(items.size()) < n) {
    auto const value = static_cast<float>(words.below(3));
    auto const length = words.below(words() % 3 == 0 ? 3 : 700) + 1;
    items.insert(items.end(), length, value == 2 ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  items.resize(static_cast<std::size_t>(n));
  return items;
}

struct run {
  float value;
  index_t length;
};

std::vector<run> runs_by_loop(std::vector<float> const& items) {
  std::vector<run> runs;
  for (float const x : items) {
    if (runs.empty() || !(runs.back().value == x)) runs.push_back({x, 0});
    ++runs.back().length;
  }
  return runs;
}

void check_runs(int p, distribution const& d, std::vector<float> items) {
  auto const expected = runs_by_loop(items);
  std::vector<float> values, in_place;
  std::vector<index_t> lengths;
  std::vector<std::vector<float>> parts(static_cast<std::size_t>(p)), own(parts);
  std::vector<std::vector<index_t>> part_lengths(parts.size());
  test::on_ranks(p, 3, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    auto const me = static_cast<std::size_t>(comm.rank());
    auto const mine = part_of(items, d, comm.rank());
    parts[me].resize(mine.size());
    part_lengths[me].resize(mine.size());
    own[me].assign(mine.begin(), mine.end());
    auto const encoded = run_length_encode(on, mine, parts[me], part_lengths[me]);
    auto const kept = unique(on, own[me], own[me]);
    CHECK(kept.count == encoded.count);
    CHECK(kept.begin == encoded.begin);
    CHECK(kept.total == static_cast<index_t>(expected.size()));
    parts[me].resize(static_cast<std::size_t>(encoded.count));
    part_lengths[me].resize(parts[me].size());
    own[me].resize(parts[me].size());
  });
  for (std::size_t r = 0; r < parts.size(); ++r) {
    values.insert(values.end(), parts[r].begin(), parts[r].end());
    in_place.insert(in_place.end(), own[r].begin(), own[r].end());
    lengths.insert(lengths.end(), part_lengths[r].begin(), part_lengths[r].end());
  }
  std::vector<float> expected_values;
  std::vector<index_t> expected_lengths;
  for (run const& one : expected) {
    expected_values.push_back(one.value);
    expected_lengths.push_back(one.length);
  }
  CHECK(test::same_bits(values, expected_values));
  CHECK(test::same_bits(in_place, expected_values));
  CHECK(lengths == expected_lengths);
}

template <class Error>
bool all_are(std::vector<std::exception_ptr> const& outcomes) {
  return std::ranges::all_of(outcomes, [](std::exception_ptr const& one) {
    try {
      if (one) std::rethrow_exception(one);
    } catch (Error const&) {
      return true;
    } catch (...) {
    }
    return false;
  });
}

}  // namespace

TEST_CASE("runs that cross borders between ranks are one run") {
  for (int const p : {1, 2, 3, 4, 7, 64}) {
    for (auto const how : test::all_spreads()) {
      for (index_t const n : {index_t{0}, index_t{5}, index_t{3000}}) {
        INFO("ranks " << p << ", spread " << static_cast<int>(how) << ", items " << n);
        check_runs(p, test::spread_out(how, n, p), runs_of(n, static_cast<std::uint64_t>(n + p)));
      }
    }
    check_runs(p, distribution::even(1000, p), std::vector<float>(1000, 4));
  }
}

TEST_CASE("every rank gets the histogram of all ranks' samples") {
  for (int const p : {1, 2, 3, 4, 7, 64}) {
    for (auto const how : test::all_spreads()) {
      index_t const n = 2500;
      auto const d = test::spread_out(how, n, p);
      test::random_words words(9);
      std::vector<float> samples;
      std::vector<std::uint32_t> expected(10);
      sample_totals totals;
      for (index_t i = 0; i < n; ++i) {
        int const x = static_cast<int>(words.below(14)) - 2;
        samples.push_back(x == 11 ? std::numeric_limits<float>::quiet_NaN()
                                  : static_cast<float>(x));
        if (x == 11) {
          ++totals.nan;
        } else if (x < 0) {
          ++totals.below;
        } else if (x > 10) {
          ++totals.above;
        } else {
          ++totals.inside;
          ++expected[static_cast<std::size_t>(std::min(x, 9))];
        }
      }
      test::on_ranks(p, 8, [&](communicator const& comm) {
        std::vector<std::uint32_t> counts(11, 77);
        auto const found = histogram(ranks{comm, engine::cpu(1)}, part_of(samples, d, comm.rank()),
                                     counts, even_bins<float>(0, 10, 10));
        CHECK(found == totals);
        CHECK(std::equal(expected.begin(), expected.end(), counts.begin()));
        CHECK(counts[10] == 77);
      });
    }
  }
}

TEST_CASE("ranks with other bins, or without space for counts, fail on all ranks") {
  auto const outcomes_of = [](int odd_bins, std::size_t odd_room) {
    return simulated_ranks(3, 1).outcomes([=](communicator const& comm) {
      bool const odd = comm.rank() == 1;
      std::vector<index_t> counts(odd ? odd_room : 9);
      histogram(ranks{comm, engine::cpu(1)}, std::vector<int>{1, 2}, counts,
                even_bins<int>(0, 10, odd ? odd_bins : 8));
    });
  };
  CHECK(all_are<invalid_argument>(outcomes_of(9, 9)));
  CHECK(all_are<error>(outcomes_of(8, 7)));
}

TEST_CASE("an exchange brings each item to its rank, in the order of senders") {
  for (int const p : {1, 2, 3, 4, 7, 64}) {
    for (auto const how : test::all_spreads()) {
      index_t const n = 3000;
      auto const d = test::spread_out(how, n, p);
      std::vector<index_t> items;
      for (index_t i = 0; i < n; ++i) items.push_back(i);
      auto const rank_of = [p](index_t i) { return static_cast<int>(i * i % 31 % p); };
      std::vector<std::vector<index_t>> got(static_cast<std::size_t>(p)), expected(got);
      for (index_t const i : items) expected[static_cast<std::size_t>(rank_of(i))].push_back(i);
      test::on_ranks(p, 6, [&](communicator const& comm) {
        got[static_cast<std::size_t>(comm.rank())] =
            exchange(ranks{comm, engine::cpu(1)}, part_of(items, d, comm.rank()), rank_of);
      });
      CHECK(got == expected);
    }
  }
}

TEST_CASE("a rank that is none is refused on all ranks, which can go on") {
  std::vector<std::string> said(3);
  test::on_ranks(3, 2, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    try {
      exchange(on, std::vector<int>{1, 2}, [&](int x) { return comm.rank() == 2 ? x + 1 : 0; });
    } catch (error const& e) {
      said[static_cast<std::size_t>(comm.rank())] = e.what();
    }
    CHECK(exchange(on, std::vector<int>{1}, [](int) { return 1; }).size() ==
          (comm.rank() == 1 ? 3u : 0u));
  });
  std::string const words = "exchange: rank_of returned 3, expected a rank in [0, 3)";
  CHECK(said ==
        std::vector<std::string>{"rank 2 failed: " + words, "rank 2 failed: " + words, words});
}

TEST_CASE("each failed send of an exchange, a histogram and of runs is thrown on all ranks") {
  auto const body = [](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::vector<index_t> counts(3), items(5, comm.rank());
    exchange(on, items, [&](index_t) { return (comm.rank() + 1) % comm.size(); });
    histogram(on, items, counts, even_bins<index_t>(0, 3, 3));
    unique(on, items, items);
  };
  simulated_ranks counting(3, 1);
  counting.run(body);
  for (int rank = 0; rank < 3; ++rank) {
    for (index_t send = 0; send < counting.sends(rank); ++send) {
      simulated_ranks failing(3, static_cast<std::uint64_t>(send));
      failing.fail(rank, send);
      CHECK(all_are<std::exception>(failing.outcomes(body)));
    }
  }
}

TEST_CASE("device memory passes through host memory where a transport knows nothing else") {
  // More than one round of 64 MiB, from a rank to itself and to the other.
  index_t const n = index_t{180} << 20;
  std::vector<std::uint8_t> items(static_cast<std::size_t>(n)), moved(items.size());
  for (std::size_t i = 0; i < items.size(); i += 997) items[i] = static_cast<std::uint8_t>(i % 251);
  distribution const from(std::vector<index_t>{n - 3, 3}), to(std::vector<index_t>{7, n - 7});
  test::on_ranks(2, 5, [&](communicator const& comm) {
    ranks const on{comm, engine::executor()};
    auto const mine = test::part_of(items, from, comm.rank());
    auto const out = test::part_of(moved, to, comm.rank());
    rebalance(on, device_span<std::uint8_t const>{mine.data(), std::ssize(mine)},
              device_span<std::uint8_t>{out.data(), std::ssize(out)});
  });
  CHECK(moved == items);
}
