// SPDX-License-Identifier: Apache-2.0
// A rank of MPI: the transport, scans against plain loops, and failures. Which part runs is the
// first argument; the exit code is not 0 if it fails.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <libscan/distributed/error.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/filter.hpp>
#include <libscan/distributed/histogram.hpp>
#include <libscan/distributed/mpi.hpp>
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/runs.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/spmv.hpp>
#include <tests/support/inputs.hpp>

using namespace libscan;

namespace {

void require(bool holds, char const* what) {
  if (!holds) throw std::runtime_error(std::string("expected: ") + what);
}

/// Every function of the transport against its definition; messages in chunks of 1000 bytes.
void check_transport(communicator const& comm) {
  auto& through = comm.through();
  call_step const here{"test", "transport"};
  index_t const me = comm.rank(), p = comm.size();
  std::vector<index_t> all(static_cast<std::size_t>(p)), to(all), from(all);
  through.allgather(here, std::as_bytes(std::span(&me, 1)), std::as_writable_bytes(std::span(all)));
  for (index_t r = 0; r < p; ++r) to[static_cast<std::size_t>(r)] = 100 * me + r;
  through.transpose(here, to, from);
  for (index_t r = 0; r < p; ++r) {
    require(all[static_cast<std::size_t>(r)] == r, "allgather gives ranks in order");
    require(from[static_cast<std::size_t>(r)] == 100 * r + me, "transpose gives rank r's number");
  }
  std::vector<index_t> sums((std::size_t{1} << 21) + 5, me), before(3, me + 1);
  through.sum(here, sums, summed_ranks::all);
  through.sum(here, before, summed_ranks::before);
  require(sums == std::vector<index_t>(sums.size(), p * (p - 1) / 2), "sums, in two rounds");
  require(before == std::vector<index_t>(3, me * (me + 1) / 2), "sums of earlier ranks");

  std::vector<std::vector<index_t>> out, in;
  std::vector<outgoing> sends;
  std::vector<incoming> receives;
  for (index_t r = 0; r < p; ++r) {
    out.emplace_back(static_cast<std::size_t>(777 * (me + 2 * r) + 1), 10 * me + r);
    in.emplace_back(static_cast<std::size_t>(777 * (r + 2 * me) + 1), -1);
  }
  for (index_t r = 0; r < p; ++r) {
    auto const at = static_cast<std::size_t>(r);
    if (r == me) continue;
    sends.push_back({static_cast<int>(r), std::as_bytes(std::span(out[at]))});
    receives.push_back({static_cast<int>(r), std::as_writable_bytes(std::span(in[at]))});
  }
  through.exchange(here, sends, receives);
  for (index_t r = 0; r < p; ++r) {
    for (index_t const got : in[static_cast<std::size_t>(r)]) {
      require(r == me || got == 10 * r + me, "each message at its rank");
    }
  }
}

/// Scans of unequal parts; floats have the bits that one rank computes.
void check_scans(communicator const& comm) {
  std::size_t const each = 50001;
  test::random_words words(5);
  std::vector<double> items;
  for (int i = 0; i < comm.size() * static_cast<int>(each); ++i) {
    items.push_back(static_cast<double>(static_cast<std::int64_t>(words())) * 1e-15);
  }
  auto const rank = static_cast<std::size_t>(comm.rank());
  std::size_t const begin = rank == 0 ? 0 : rank * each - 7 * rank;
  std::size_t const end =
      comm.rank() + 1 == comm.size() ? items.size() : (rank + 1) * each - 7 * (rank + 1);
  std::vector<double> mine(items.begin() + static_cast<std::ptrdiff_t>(begin),
                           items.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<double> expected(items.size());
  ranks const one{communicator::self(), engine::cpu(1)}, on{comm, engine::cpu(1)};
  double const total = exclusive_scan(one, items, expected);
  require(exclusive_scan(on, mine, mine) == total, "the total of one rank");
  require(
      std::equal(mine.begin(), mine.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin)),
      "the bits of one rank");
  require(libscan::reduce(on, std::vector<int>(rank, 2)) == comm.size() * (comm.size() - 1),
          "a sum over parts of different lengths, one of them empty");
}

/// A sort of few different keys with their global positions: each rank has exactly its part.
void check_sort(communicator const& comm) {
  ranks const on{comm, engine::cpu(1)};
  index_t const n = 20011, me = comm.rank(), all = n * comm.size();
  std::vector<int> keys, sorted(static_cast<std::size_t>(n));
  std::vector<index_t> places(sorted.size());
  auto const key_at = [](index_t i) { return static_cast<int>(i * 7919 % 5); };
  for (index_t i = 0; i < n; ++i) keys.push_back(key_at(me * n + i));
  libscan::sort_keys(on, keys, sorted);
  libscan::argsort(on, keys, places);
  std::vector<index_t> expected;
  for (int key = 0; key < 5; ++key) {
    for (index_t i = 0; i < all; ++i) {
      if (key_at(i) == key) expected.push_back(i);
    }
  }
  for (index_t i = 0; i < n; ++i) {
    auto const at = static_cast<std::size_t>(i);
    require(places[at] == expected[static_cast<std::size_t>(me * n + i)], "stable positions");
    require(sorted[at] == key_at(places[at]), "the keys at these positions");
  }
  std::vector<int> kept(keys.size()), even;
  auto const result = libscan::filter(on, keys, kept, [&](int x) { return x == me % 5; });
  auto const parts = distribution::even(result.total, comm.size());
  even.resize(static_cast<std::size_t>(parts.size(comm.rank())));
  rebalance(on, std::span(kept).first(static_cast<std::size_t>(result.count)), even);
  require(std::is_sorted(even.begin(), even.end()), "kept items in the order of ranks");
  require(
      libscan::reduce(on, std::vector<index_t>{static_cast<index_t>(even.size())}) == result.total,
      "all kept items");
}

/// An exchange, a histogram, and runs that cross all borders. Position i has the item i / 1000.
void check_items(communicator const& comm) {
  ranks const on{comm, engine::cpu(1)};
  index_t const n = 1500, me = comm.rank(), p = comm.size();
  std::vector<int> items, values(static_cast<std::size_t>(n));
  std::vector<index_t> lengths(values.size()), counts(8);
  for (index_t i = me * n; i < me * n + n; ++i) items.push_back(static_cast<int>(i / 1000));
  auto const runs = run_length_encode(on, items, values, lengths);
  require(runs.total == (p * n + 999) / 1000, "one run for each item");
  for (index_t k = 0; k < runs.count; ++k) {
    auto const at = static_cast<std::size_t>(k);
    index_t const left = p * n - 1000 * (runs.begin + k);
    require(values[at] == runs.begin + k, "runs in order");
    require(lengths[at] == std::min<index_t>(1000, left), "lengths over borders");
  }
  histogram(on, items, counts, integer_bins<int>(0, 8));
  require(std::accumulate(counts.begin(), counts.end(), index_t{0}) == p * n, "all samples");
  require(counts[0] == 1000, "the counts of all ranks");
  auto const got = exchange(on, items, [&](int x) { return x % comm.size(); });
  require(std::is_sorted(got.begin(), got.end()), "items in the order of senders");
  for (int const x : got) require(x % p == me, "items at their ranks");
  require(libscan::reduce(on, std::vector<index_t>{std::ssize(got)}) == p * n, "all items");
}

/// A matrix with 2 on the diagonal and -1 beside it, from entries in the order of columns: each
/// product needs one component of each neighbor.
void check_product(communicator const& comm) {
  ranks const on{comm, engine::cpu(1)};
  index_t const n = 40000, p = comm.size(), me = comm.rank();
  std::vector<std::int32_t> rows, columns;
  std::vector<double> values;
  for (index_t c = n * me / p; c < n * (me + 1) / p; ++c) {
    for (index_t r = std::max<index_t>(c - 1, 0); r < std::min(c + 2, n); ++r) {
      rows.push_back(static_cast<std::int32_t>(r));
      columns.push_back(static_cast<std::int32_t>(c));
      values.push_back(r == c ? 2 : -1);
    }
  }
  coo_matrix<double> const list{n, n, std::ssize(rows), rows.data(), columns.data(), values.data()};
  distributed_matrix<double> a(on, libscan::to_rows(on, list));
  require(a.halo() == (me > 0 ? 1 : 0) + (me + 1 < p ? 1 : 0), "one component of each neighbor");
  index_t const begin = a.rows().begin(comm.rank()), size = a.rows().size(comm.rank());
  std::vector<double> x, y(static_cast<std::size_t>(size), -7);
  for (index_t i = begin; i < begin + size; ++i) x.push_back(static_cast<double>(i * i));
  for (int times = 0; times < 3; ++times) a.multiply(x, y);
  for (index_t i = 0; i < size; ++i) {
    index_t const r = begin + i;
    double const last = static_cast<double>((n - 1) * (n - 1) * 2 - (n - 2) * (n - 2));
    require(y[static_cast<std::size_t>(i)] == (r == 0       ? -1
                                               : r == n - 1 ? last
                                                            : -2),
            "the second differences of squares");
  }
}

/// An exception of one rank is thrown on all, which go on.
void check_agreement(communicator const& comm) {
  ranks const on{comm, engine::cpu(1)};
  bool const culprit = comm.rank() == comm.size() - 1;
  std::vector<int> const in(4, 1);
  std::vector<int> out(culprit ? 3 : 4);
  std::string said;
  try {
    inclusive_scan(on, in, out);
  } catch (remote_error const& e) {
    said = e.rank() == comm.size() - 1 ? "remote" : "wrong rank";
  } catch (invalid_argument const&) {
    said = "own";
  }
  require(said == (culprit ? "own" : "remote"), "the exception of the last rank on all ranks");
  require(libscan::reduce(on, in) == 4 * comm.size(), "a call after the failure");
}

/// The last rank fails outside of any call, or hangs: the others hear of it.
void check_loss(communicator const& comm, bool hangs) {
  ranks const on{comm, engine::cpu(1)};
  if (comm.rank() == comm.size() - 1) {
    // Long enough for the others to give up. After that it fails, should they wait for it.
    if (hangs) std::this_thread::sleep_for(std::chrono::seconds(30));
    comm.through().abandon("its disk is full");
    throw std::runtime_error("its disk is full");
  }
  libscan::reduce(on, std::vector<int>(10, 1));
}

void run(std::string_view what) {
  using std::chrono::milliseconds;
  auto const comm = communicator_of(MPI_COMM_WORLD, {milliseconds(what == "hang" ? 1000 : 60000),
                                                     what == "hang" ? 1 << 20 : 1000});
  if (what == "results") {
    check_transport(comm);
    check_scans(comm);
    check_sort(comm);
    check_items(comm);
    check_product(comm);
    check_agreement(comm);
  } else {
    check_loss(comm, what == "hang");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? argv[1] : "results");
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  MPI_Finalize();
  return 0;
}
