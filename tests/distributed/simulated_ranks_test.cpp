// SPDX-License-Identifier: Apache-2.0
// Simulated ranks: the transport's functions against their definition, and what is said of ranks
// that wait for each other, differ, fail or are lost.
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <libscan/distributed/error.hpp>
#include <libscan/distributed/simulated_ranks.hpp>
#include <tests/distributed/parts.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;

namespace {

constexpr call_step here{"test", "step"};

/// The message of an outcome; "" for success.
std::string words_of(std::exception_ptr const& outcome) {
  try {
    if (outcome) std::rethrow_exception(outcome);
    return "";
  } catch (std::exception const& e) {
    return e.what();
  }
}

std::span<std::byte const> bytes_of(index_t const& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

TEST_CASE("the functions of a transport do what they promise, under any schedule") {
  for (int const p : {1, 2, 3, 7, 64}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      auto const n = static_cast<std::size_t>(p);
      std::vector<std::string> wrong;
      test::on_ranks(p, seed, [&](communicator const& comm) {
        auto& through = comm.through();
        index_t const me = comm.rank();
        std::vector<index_t> all(n), sums{me, 1}, before{me, 1}, to(n), from(n);
        through.allgather(here, bytes_of(me), std::as_writable_bytes(std::span(all)));
        through.sum(here, sums, summed_ranks::all);
        through.sum(here, before, summed_ranks::before);
        for (index_t r = 0; r < p; ++r) to[static_cast<std::size_t>(r)] = 1000 * me + r;
        through.transpose(here, to, from);
        for (index_t r = 0; r < p; ++r) {
          auto const at = static_cast<std::size_t>(r);
          if (all[at] != r) wrong.push_back("allgather");
          if (from[at] != 1000 * r + me) wrong.push_back("transpose");
        }
        if (sums != std::vector<index_t>{p * (p - 1) / 2, p}) wrong.push_back("sum");
        if (before != std::vector<index_t>{me * (me - 1) / 2, me}) wrong.push_back("before");
      });
      CHECK(wrong.empty());
    }
  }
}

TEST_CASE("messages of any length arrive at their ranks") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    int const p = 9;
    int wrong = 0;
    test::on_ranks(p, seed, [&](communicator const& comm) {
      auto const length = [](int from, int to) {
        return static_cast<std::size_t>((from * to) % 5);
      };
      std::vector<std::vector<index_t>> out, in;
      std::vector<outgoing> sends;
      std::vector<incoming> receives;
      for (int r = 0; r < p; ++r) {
        out.emplace_back(length(comm.rank(), r), comm.rank() * 100 + r);
        in.emplace_back(length(r, comm.rank()), -1);
      }
      for (int r = 0; r < p; ++r) {
        auto const at = static_cast<std::size_t>(r);
        if (r == comm.rank()) continue;
        if (!out[at].empty()) sends.push_back({r, std::as_bytes(std::span(out[at]))});
        if (!in[at].empty()) receives.push_back({r, std::as_writable_bytes(std::span(in[at]))});
      }
      comm.through().exchange(here, sends, receives);
      for (int r = 0; r < p; ++r) {
        if (r == comm.rank()) continue;
        for (index_t const got : in[static_cast<std::size_t>(r)])
          wrong += got != r * 100 + comm.rank();
      }
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("a deadlock names the call of each rank") {
  simulated_ranks ranks(4, 1);
  auto const found = ranks.outcomes([](communicator const& comm) {
    if (comm.rank() == 2) return;
    std::vector<index_t> counters{1};
    comm.through().sum({"histogram", "counters"}, counters, summed_ranks::all);
  });
  CHECK(words_of(found[0]) ==
        "no rank can run: rank 0-1 waits in histogram (counters), sum; rank 2 has returned; "
        "rank 3 waits in histogram (counters), sum");
  CHECK(words_of(found[2]).empty());
}

TEST_CASE("ranks in different calls get a message that names both") {
  simulated_ranks ranks(2, 5);
  auto const found = ranks.outcomes([](communicator const& comm) {
    std::vector<index_t> one{1}, two{1, 2};
    comm.through().sum({comm.rank() == 0 ? "reduce" : "filter", "x"}, comm.rank() == 0 ? one : two,
                       summed_ranks::all);
  });
  std::string const words = words_of(found[0]) + words_of(found[1]);
  CHECK(words.find("reduce (x), sum of 8 bytes") != std::string::npos);
  CHECK(words.find("filter (x), sum of 16 bytes") != std::string::npos);
  CHECK((found[0] && found[1]));
}

TEST_CASE("a lost rank is named to all others") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    simulated_ranks ranks(3, seed);
    ranks.lose(1, 2);
    auto const found = ranks.outcomes([](communicator const& comm) {
      for (int i = 0; i < 4; ++i) {
        std::vector<index_t> counters{1};
        comm.through().sum({"loop", "sums"}, counters, summed_ranks::all);
      }
    });
    for (int const r : {0, 2}) {
      CHECK(words_of(found[static_cast<std::size_t>(r)]).find("rank 1 was lost in loop (sums)") !=
            std::string::npos);
    }
    CHECK(words_of(found[1]) == "this rank was lost");
  }
}

TEST_CASE("a rank that ends with an exception stops the others") {
  simulated_ranks ranks(3, 7);
  auto const found = ranks.outcomes([](communicator const& comm) {
    if (comm.rank() == 1) throw std::runtime_error("no disk");
    std::vector<index_t> counters{1};
    comm.through().sum(here, counters, summed_ranks::all);
  });
  CHECK(words_of(found[1]) == "no disk");
  CHECK(words_of(found[0]) == "rank 1 failed: it ended with an exception");
}

TEST_CASE("schedules differ between seeds, and repeat with a seed") {
  auto const order = [](std::uint64_t seed) {
    std::vector<int> arrivals;
    test::on_ranks(6, seed, [&](communicator const& comm) {
      for (int i = 0; i < 3; ++i) {
        arrivals.push_back(comm.rank());
        std::vector<index_t> counters{1};
        comm.through().sum(here, counters, summed_ranks::all);
      }
    });
    return arrivals;
  };
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    orders.insert(order(seed));
    CHECK(order(seed) == order(seed));
  }
  CHECK(orders.size() == 8);
}

TEST_CASE("ranks keep their own account of exceptions in flight") {
  int wrong = 0;
  test::on_ranks(5, 3, [&](communicator const& comm) {
    try {
      throw comm.rank();
    } catch (int mine) {
      std::vector<index_t> counters{1};
      comm.through().sum(here, counters, summed_ranks::all);
      try {
        throw;
      } catch (int again) {
        wrong += again != mine || again != comm.rank();
      }
    }
  });
  CHECK(wrong == 0);
}
