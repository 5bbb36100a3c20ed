// SPDX-License-Identifier: Apache-2.0
// A user's program on several ranks: the processes of MPI, or simulated ones.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <libscan/distributed/radix_sort.hpp>
#include <libscan/distributed/scan.hpp>
#if RANKS_OF_MPI
#include <libscan/distributed/mpi.hpp>
#else
#include <libscan/distributed/simulated_ranks.hpp>
#endif

namespace {

/// Whether each rank gets the same sum, and its part of the sorted keys.
bool is_right(libscan::communicator const& comm) {
  libscan::ranks const on{comm, libscan::engine::cpu(1)};
  std::vector<int> const keys{comm.size() - comm.rank(), -1};
  std::vector<int> sorted(2);
  libscan::sort_keys(on, keys, sorted);
  int const size = comm.size();
  return libscan::reduce(on, keys) == size * (size + 1) / 2 - size &&
         std::ranges::is_sorted(sorted);
}

}  // namespace

int main(int argc, char** argv) {
  bool right = true;
#if RANKS_OF_MPI
  MPI_Init(&argc, &argv);
  right = is_right(libscan::communicator_of(MPI_COMM_WORLD));
  MPI_Finalize();
#else
  (void)argc, (void)argv;
  libscan::simulated_ranks(5, 1).run(
      [&](libscan::communicator const& comm) { right = is_right(comm) && right; });
#endif
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
