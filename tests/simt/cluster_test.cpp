// SPDX-License-Identifier: Apache-2.0
// The cluster's barrier, and shared memory of other blocks, on both machines.
#include <string>
#include <vector>

#include <libscan/simt/simt.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

namespace {

/// Every block of a cluster tells every other a number of this round, by way of shared memory.
/// (compute-sanitizer 13.0 knows the cluster's barrier for what blocks tell one another, but not
/// for what the threads of one do.)
struct cluster_kernel {
  static constexpr int block_threads = 70;
  struct shared_storage {
    int reported[16];
  };
  __device__ void operator()(shared_storage& shared, int* sums, int rounds) const {
    simt::arrive_cluster();
    simt::wait_cluster();
    for (int round = 0; round < rounds; ++round) {
      if (threadIdx.x < gridDim.x) {
        simt::map_shared_rank(shared.reported[blockIdx.x], threadIdx.x) =
            static_cast<int>(blockIdx.x + threadIdx.x) + round;
      }
      simt::arrive_cluster();
      int sum = round;  // meanwhile
      simt::wait_cluster();
      for (unsigned b = 0; b < gridDim.x; ++b) sum += shared.reported[b];
      sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
      simt::arrive_cluster();
      simt::wait_cluster();
    }
  }
};

}  // namespace

TEST_CASE("blocks of a cluster reach into one another's shared memory") {
  if (!simt::device_can_pipeline<cluster_kernel>()) return;  // no sm_90
  REQUIRE(simt::max_cluster_blocks<cluster_kernel, int*, int>() >= 16);
  each_schedule(3, [](std::string const& schedule) {
    INFO(schedule);
    for (unsigned const blocks : {1u, 2u, 7u, 16u}) {
      constexpr int threads = cluster_kernel::block_threads, rounds = 3;
      device_buffer<int> const sums(blocks * threads);
      simt::launch<cluster_kernel>({.blocks = blocks, .threads = threads, .cluster = true},
                                   sums.data(), rounds);
      std::vector<int> expected;
      for (unsigned b = 0; b < blocks; ++b) {
        // Of the last round, and that number for each teller.
        int const sum = int(blocks * (blocks - 1) / 2 + blocks * (b + rounds - 1)) + rounds - 1;
        expected.insert(expected.end(), threads, sum);
      }
      REQUIRE(sums.copy() == expected);
    }
  });
}

}  // namespace libscan::test
