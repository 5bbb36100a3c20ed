// SPDX-License-Identifier: Apache-2.0
// Mistakes with the barrier of a cluster, and with the shared memory of its other blocks.
#include <tests/simt/mistakes/mistake.hpp>

namespace libscan::test {

namespace {

/// Each block tells the next its number, by way of its shared memory.
enum class missing { nothing, first_barrier, middle_barrier, last_barrier };
template <missing Missing>
struct cluster_kernel {
  struct shared_storage {
    int reported;
  };
  __device__ void operator()(shared_storage& shared, int* heard) const {
    auto const barrier = [](missing which) {
      if (Missing == which) return;
      noted_line[0] = __LINE__ + 1;
      simt::arrive_cluster();
      simt::wait_cluster();
    };
    barrier(missing::first_barrier);
    noted_line[1] = __LINE__ + 2;
    if (threadIdx.x == 40) {
      simt::map_shared_rank(shared.reported, (blockIdx.x + 1) % gridDim.x) =
          static_cast<int>(blockIdx.x);
    }
    barrier(missing::middle_barrier);
    if (threadIdx.x == 3) heard[blockIdx.x] = shared.reported;
    if (Missing != missing::last_barrier) return;
    noted_line[1] = __LINE__ + 1;
    if (threadIdx.x == 5) heard[blockIdx.x + 8] = simt::map_shared_rank(shared.reported, 0);
  }
};

template <missing Missing, variant V>
bool sent_in_cluster() {
  device_buffer<int> const heard(16);
  constexpr missing what = V == variant::planted ? Missing : missing::nothing;
  simt::launch<cluster_kernel<what>>({.blocks = 8, .threads = 64, .cluster = true}, heard.data());
  std::vector<int> reported = heard.copy();
  reported.resize(8);
  return reported == std::vector<int>{7, 0, 1, 2, 3, 4, 5, 6};
}

template <variant V>
bool cluster_barrier_in_plain_launch() {
  device_buffer<int> const heard(16);
  simt::launch<cluster_kernel<missing::nothing>>(
      {.blocks = 2, .threads = 64, .cluster = V == variant::correct}, heard.data());
  return heard.copy()[1] == 0;
}

template <variant V>
struct two_arrivals_kernel {
  __device__ void operator()(int* data) const {
    simt::arrive_cluster();
    noted_line[0] = __LINE__ + 1;
    if constexpr (V == variant::planted) simt::arrive_cluster();
    simt::wait_cluster();
    data[threadIdx.x] = 1;
  }
};

template <variant V>
bool two_arrivals() {
  device_buffer<int> const data(64);
  simt::launch<two_arrivals_kernel<V>>({.blocks = 1, .threads = 64, .cluster = true}, data.data());
  return data.copy() == std::vector<int>(64, 1);
}

template <variant V>
struct wait_alone_kernel {
  __device__ void operator()(int* data) const {
    if constexpr (V == variant::correct) simt::arrive_cluster();
    noted_line[0] = __LINE__ + 1;
    simt::wait_cluster();
    data[threadIdx.x] = 1;
  }
};

template <variant V>
bool wait_alone() {
  device_buffer<int> const data(64);
  simt::launch<wait_alone_kernel<V>>({.blocks = 1, .threads = 64, .cluster = true}, data.data());
  return data.copy() == std::vector<int>(64, 1);
}

/// What is written between arrival and wait is not for others to read after the wait.
template <variant V>
struct late_write_kernel {
  struct shared_storage {
    int reported;
  };
  __device__ void operator()(shared_storage& shared, int* heard) const {
    simt::arrive_cluster();
    simt::wait_cluster();
    auto const tell = [&] {
      if (threadIdx.x == 0) simt::map_shared_rank(shared.reported, 1 - blockIdx.x) = 7;
    };
    if constexpr (V == variant::correct) tell();
    simt::arrive_cluster();
    if constexpr (V == variant::planted) tell();
    simt::wait_cluster();
    if (threadIdx.x == 0) heard[blockIdx.x] = shared.reported;
    simt::arrive_cluster();
    simt::wait_cluster();
  }
};

template <variant V>
bool late_write() {
  device_buffer<int> const heard(2);
  simt::launch<late_write_kernel<V>>({.blocks = 2, .threads = 32, .cluster = true}, heard.data());
  return heard.copy() == std::vector<int>{7, 7};
}

template <variant V>
struct reach_from_global_kernel {
  struct shared_storage {
    int item;
  };
  __device__ void operator()(shared_storage& shared, int* data) const {
    simt::arrive_cluster();
    simt::wait_cluster();
    noted_line[0] = __LINE__ + 1;
    int& there = simt::map_shared_rank(V == variant::planted ? data[0] : shared.item, 0);
    if (threadIdx.x == 0) there = 3;
    simt::sync_block();
    if (threadIdx.x == 0) data[0] = shared.item;
  }
};

template <variant V>
bool reach_from_global() {
  device_buffer<int> const data(1);
  simt::launch<reach_from_global_kernel<V>>({.blocks = 1, .threads = 32, .cluster = true},
                                            data.data());
  return data.copy()[0] == 3;
}

}  // namespace

std::vector<mistake> cluster_mistakes() {
  using enum variant;
  return {
      {"cluster barrier in a plain launch",
       cluster_barrier_in_plain_launch<correct>,
       cluster_barrier_in_plain_launch<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"cluster_kernel", "cluster barrier at @0 in a launch that is no cluster"}},
      {"two arrivals at a cluster's barrier",
       two_arrivals<correct>,
       two_arrivals<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"two_arrivals_kernel", "arrives at @0 at the cluster's barrier once more"}},
      {"wait at a cluster's barrier without arrival",
       wait_alone<correct>,
       wait_alone<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"wait_alone_kernel", "waits at @0 at the cluster's barrier; expected it to arrive"}},
      {"write for another block between arrival and wait",
       late_write<correct>,
       late_write<planted>,
       {.race = 20},
       {}},
      {"map_shared_rank of global memory",
       reach_from_global<correct>,
       reach_from_global<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"reach_from_global_kernel", "map_shared_rank at @0 of what is not in shared memory"}},
      {"reach into a block that may not have begun",
       sent_in_cluster<missing::first_barrier, correct>,
       sent_in_cluster<missing::first_barrier, planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"cluster_kernel", "map_shared_rank at @1: other blocks may not have begun"}},
      {"reach into a block that has ended",
       sent_in_cluster<missing::last_barrier, correct>,
       sent_in_cluster<missing::last_barrier, planted>,
       {.seeded = 1, .race = 1},
       {"cluster_kernel", "map_shared_rank at @1: block 0 has ended"}},
      {"shared memory of another block without a barrier",
       sent_in_cluster<missing::middle_barrier, correct>,
       sent_in_cluster<missing::middle_barrier, planted>,
       {.seeded = 1, .race = 20},
       {}},
  };
}

}  // namespace libscan::test
