// SPDX-License-Identifier: Apache-2.0
// Failures of one rank are thrown on all: each send of each rank fails once, is lost once, and
// operators and arguments are wrong on one rank only. No rank waits forever.
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <libscan/distributed/error.hpp>
#include <libscan/distributed/filter.hpp>
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/scan.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;

namespace {

using body = std::function<void(communicator const&)>;

template <class Error>
bool is_a(std::exception_ptr const& outcome) {
  try {
    if (outcome) std::rethrow_exception(outcome);
  } catch (Error const&) {
    return true;
  } catch (...) {
  }
  return false;
}

/// Lets each send of each rank fail, in turn, and then lets each rank be lost there.
void check_each_send(int p, body const& run) {
  simulated_ranks counting(p, 11);
  counting.run(run);
  for (int rank = 0; rank < p; ++rank) {
    for (index_t send = 0; send < counting.sends(rank); ++send) {
      INFO("rank " << rank << ", send " << send);
      simulated_ranks failing(p, static_cast<std::uint64_t>(send));
      failing.fail(rank, send);
      auto const failed = failing.outcomes(run);
      simulated_ranks losing(p, static_cast<std::uint64_t>(send));
      losing.lose(rank, send);
      auto const lost = losing.outcomes(run);
      for (int r = 0; r < p; ++r) {
        auto const& outcome = failed[static_cast<std::size_t>(r)];
        CHECK((r == rank ? is_a<injected_failure>(outcome) : is_a<remote_error>(outcome)));
        auto const& in_loss = lost[static_cast<std::size_t>(r)];
        CHECK((is_a<communicator_lost>(in_loss) || is_a<remote_error>(in_loss)));
      }
    }
  }
}

/// A sum that fails on the items of one rank.
struct failing_plus : plus<double> {
  double operator()(double a, double b) const {
    if (a == 13 || b == 13) throw std::runtime_error("13 is unlucky");
    return a + b;
  }
};

}  // namespace

TEST_CASE("failures are planted on ranks that exist") {
  simulated_ranks two(2);
  for (int const rank : {-1, 2, 99}) {
    CHECK_THROWS_AS(two.fail(rank, 0), invalid_argument);
    CHECK_THROWS_AS(two.lose(rank, 0), invalid_argument);
    CHECK_THROWS_AS(two.sends(rank), invalid_argument);
  }
}

TEST_CASE("a failed send, or a lost rank, ends a scan on all ranks") {
  std::vector<double> in(100000, 1.0);
  auto const d = test::spread_out(test::spread::uneven, 100000, 5);
  check_each_send(5, [&](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::vector<double> out(static_cast<std::size_t>(d.size(comm.rank())));
    libscan::inclusive_scan(on, test::part_of(in, d, comm.rank()), out);
    libscan::reduce(on, out);
  });
}

TEST_CASE("an exception of an operator is thrown on all ranks, which can go on") {
  for (int const culprit : {0, 2, 3}) {
    std::vector<std::string> said(4);
    std::vector<double> sums(4);
    test::on_ranks(4, 2, [&](communicator const& comm) {
      auto const me = static_cast<std::size_t>(comm.rank());
      ranks const on{comm, engine::cpu(1), association::fastest};
      std::vector<double> items(3, comm.rank() == culprit ? 13.0 : 1.0);
      try {
        libscan::inclusive_scan(on, items, items, failing_plus{});
      } catch (std::exception const& e) {
        said[me] = e.what();
      }
      std::vector<double> const ones(2, 1.0);
      sums[me] = libscan::reduce(on, ones);
    });
    for (int r = 0; r < 4; ++r) {
      std::string const other = "rank " + std::to_string(culprit) + " failed: 13 is unlucky";
      CHECK(said[static_cast<std::size_t>(r)] == (r == culprit ? "13 is unlucky" : other));
    }
    CHECK(sums == std::vector<double>(4, 8.0));
  }
}

TEST_CASE("a wrong argument on one rank is refused on all") {
  simulated_ranks three(3, 4);
  auto const found = three.outcomes([](communicator const& comm) {
    ranks const on{comm, engine::cpu(1)};
    std::vector<int> const in(4);
    std::vector<int> out(comm.rank() == 1 ? 3 : 4);
    libscan::exclusive_scan(on, in, out);
  });
  CHECK(is_a<invalid_argument>(found[1]));
  CHECK(is_a<remote_error>(found[0]));
  CHECK(is_a<remote_error>(found[2]));
}

TEST_CASE("misaligned items and partial overlaps on one rank are refused on all") {
  using call = std::function<void(ranks const&, std::span<int>, std::span<int>)>;
  auto const reverse = scan_direction::reverse;
  std::vector<call> const calls{
      [](ranks const& on, auto in, auto) { libscan::reduce(on, in); },
      [](ranks const& on, auto in, auto) { libscan::reduce(on, in, plus<double>{}, 0); },
      [](ranks const& on, auto in, auto out) { libscan::inclusive_scan(on, in, out); },
      [](ranks const& on, auto in, auto out) { libscan::exclusive_scan(on, out, in); },
      [=](ranks const& on, auto in, auto out) {
        libscan::inclusive_scan(on, in, out, plus<int>{}, 0, reverse);
      },
      [=](ranks const& on, auto in, auto out) {
        libscan::exclusive_scan(on, out, in, plus<long>{}, 0, reverse);
      },
      [](ranks const& on, auto in, auto out) { libscan::sort_keys(on, in, out); },
      [](ranks const& on, auto in, auto out) { libscan::sort_keys(on, out, in); },
      [](ranks const& on, auto in, auto out) { libscan::sort_pairs(on, out, out, in, out); },
      [](ranks const& on, auto in, auto out) { libscan::sort_pairs(on, out, out, out, in); },
      [](ranks const& on, auto in, auto out) {
        libscan::filter(on, in, out, [](int x) { return x > 0; });
      }};
  for (std::size_t c = 0; c < calls.size(); ++c) {
    INFO("call " << c);
    simulated_ranks three(3, c);
    auto const found = three.outcomes([&](communicator const& comm) {
      ranks const on{comm, engine::cpu(1)};
      std::vector<int> memory(9), out(8);
      auto* const first = reinterpret_cast<std::byte*>(memory.data()) + (comm.rank() == 2 ? 1 : 0);
      calls[c](on, std::span<int>(reinterpret_cast<int*>(first), 8), out);
    });
    CHECK(is_a<invalid_argument>(found[2]));
    CHECK(is_a<remote_error>(found[0]));
  }
  simulated_ranks three(3, 5);
  auto const found = three.outcomes([](communicator const& comm) {
    std::vector<long> memory(16);
    std::span<int> const in(reinterpret_cast<int*>(memory.data()), 8);
    // Results of twice the size, where the items are.
    std::span<long> const out(memory.data() + (comm.rank() == 1 ? 0 : 8), 8);
    libscan::inclusive_scan(ranks{comm, engine::cpu(1)}, in, out);
  });
  CHECK(is_a<invalid_argument>(found[1]));
  CHECK(is_a<remote_error>(found[0]));
}
