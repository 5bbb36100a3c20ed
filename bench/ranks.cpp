// SPDX-License-Identifier: Apache-2.0
// scan-bench-ranks N SAMPLES THREADS [CALL...]: times calls on N items in memory. As one process it
// times the cpu engine with so many threads; as several processes of mpirun, ranks with so many
// threads each. Prints a line for each call: its name, the processor seconds of all ranks, user and
// system together, and the seconds on the clock. Both are the least of all samples.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <apps/common/lazy_buffer.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/mpi.hpp>
#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/scan.hpp>

namespace {

using namespace libscan;
using apps::lazy_buffer;

double clock_seconds() {
  auto const now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

double processor_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  auto const seconds = [](timeval const& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class bench {
 public:
  bench(communicator const& comm, index_t n, int samples, int threads,
        std::vector<std::string> only)
      : comm_(comm),
        on_{comm, engine::cpu(threads)},
        samples_(samples),
        only_((std::move)(only)),
        n_(static_cast<std::size_t>(distribution::even(n, comm.size()).size(comm.rank()))) {}

  void run() {
    lazy_buffer<std::int32_t> items(n_), equal(n_);
    lazy_buffer<std::int64_t> values(n_);
    std::mt19937 random(static_cast<unsigned>(7 + comm_.rank()));
    for (auto& x : items.items()) x = static_cast<std::int32_t>(random());
    for (auto& x : equal.items()) x = 7;
    for (std::size_t i = 0; i < n_; ++i) values.items()[i] = static_cast<std::int64_t>(i);
    // One process calls the cpu engine. Results get new memory each time, as those of programs do.
    bool const one = comm_.size() == 1;
    int const threads = on_.threads();
    auto const n = static_cast<index_t>(n_);
    time("scan", [&] {
      lazy_buffer<std::int32_t> out(n_);
      if (!one) return (void)inclusive_scan(on_, items.items(), out.items());
      cpu::inclusive_scan(threads, items.items().data(), out.items().data(), n, plus<int>{}, 0);
    });
    time("wide scan", [&] {
      lazy_buffer<index_t> out(n_);
      plus<index_t> const op;
      if (!one) return (void)inclusive_scan(on_, items.items(), out.items(), op, index_t{0});
      cpu::inclusive_scan(threads, items.items().data(), out.items().data(), n, op, index_t{0});
    });
    for (bool const same : {false, true}) {
      auto const keys = same ? equal.items() : items.items();
      time(same ? "sort of one key" : "sort", [&] {
        lazy_buffer<std::int32_t> out(n_);
        one ? sort_keys(on_.local(), keys, out.items()) : sort_keys(on_, keys, out.items());
      });
    }
    time("sort pairs", [&] {
      lazy_buffer<std::int32_t> out(n_);
      lazy_buffer<std::int64_t> moved(n_);
      auto const sort = [&](auto const& on) {
        sort_pairs(on, items.items(), out.items(), values.items(), moved.items());
      };
      one ? sort(on_.local()) : sort(on_);
    });
    time("argsort", [&] {
      lazy_buffer<index_t> out(n_);
      one ? argsort(on_.local(), items.items(), out.items())
          : argsort(on_, items.items(), out.items());
    });
  }

 private:
  template <class Call>
  void time(std::string const& what, Call const& call) {
    if (!only_.empty() && std::ranges::find(only_, what) == only_.end()) return;
    double clock = std::numeric_limits<double>::max(), processor = clock;
    for (int sample = 0; sample < samples_; ++sample) {
      together(0);
      double const from = clock_seconds(), used = processor_seconds();
      call();
      double sum = 0, longest = 0;
      for (double const x : together(processor_seconds() - used)) sum += x;
      for (double const x : together(clock_seconds() - from)) longest = std::max(longest, x);
      processor = std::min(processor, sum);
      clock = std::min(clock, longest);
    }
    if (comm_.rank() != 0) return;
    std::printf("%s %.4f %.4f\n", what.c_str(), processor, clock);
    std::fflush(stdout);
  }

  /// The numbers of all ranks.
  std::vector<double> together(double mine) const {
    return detail::collective(comm_, "scan-bench-ranks", [&](detail::collective_call& call) {
      return call.gather("seconds", [&] { return mine; });
    });
  }

  communicator comm_;
  ranks on_;
  int samples_;
  std::vector<std::string> only_;
  std::size_t n_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s N SAMPLES THREADS [CALL...]\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  {
    auto const comm = communicator_of(MPI_COMM_WORLD, {});
    bench(comm, std::atoll(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]),
          std::vector<std::string>(argv + 4, argv + argc))
        .run();
  }
  MPI_Finalize();
  return 0;
}
