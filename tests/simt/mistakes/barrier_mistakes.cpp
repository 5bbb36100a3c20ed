// SPDX-License-Identifier: Apache-2.0
// Mistakes with barriers of a block and a grid, and waits that never end.
#include <tests/simt/mistakes/mistake.hpp>

namespace libscan::test {

namespace {

template <variant V>
struct kogge_stone_kernel {
  struct shared_storage {
    int sum[64];
  };
  __device__ void operator()(shared_storage& shared, int* data) const {
    unsigned const i = threadIdx.x;
    shared.sum[i] = data[i];
    simt::sync_block();
    for (unsigned distance = 1; distance < 64; distance *= 2) {
      int const earlier = i >= distance ? shared.sum[i - distance] : 0;
      if constexpr (V == variant::correct) simt::sync_block();
      shared.sum[i] += earlier;
      simt::sync_block();
    }
    data[i] = shared.sum[i];
  }
};

template <variant V>
bool kogge_stone() {
  device_buffer<int> const data(std::vector<int>(64, 1));
  simt::launch<kogge_stone_kernel<V>>({.blocks = 1, .threads = 64}, data.data());
  std::vector<int> expected = iota(64);
  for (int& item : expected) ++item;
  return data.copy() == expected;
}

template <variant V>
struct divergent_kernel {
  __device__ void operator()(unsigned* votes) const {
    unsigned const rank = threadIdx.x;
    if (V == variant::correct || rank < 40) {
      noted_line[0] = __LINE__ + 1;
      simt::sync_block();
    }
    if (V == variant::correct || rank >= 40) {
      noted_line[1] = __LINE__ + 1;
      votes[rank] = simt::ballot(simt::full_warp, true);
    }
  }
};

template <variant V>
bool divergent() {
  device_buffer<unsigned> const votes(64);
  simt::launch<divergent_kernel<V>>({.blocks = 1, .threads = 64}, votes.data());
  return votes.copy() == std::vector<unsigned>(64, simt::full_warp);
}

template <variant V>
struct return_kernel {
  __device__ void operator()(int* data) const {
    if (V == variant::planted && threadIdx.x >= 40) return;
    noted_line[0] = __LINE__ + 1;
    simt::sync_block();
    data[threadIdx.x] = 1;
  }
};

template <variant V>
bool return_before_barrier() {
  device_buffer<int> const data(64);
  simt::launch<return_kernel<V>>({.blocks = 1, .threads = 64}, data.data());
  return data.copy() == std::vector<int>(64, 1);
}

template <variant V>
struct both_branches_kernel {
  struct shared_storage {
    int item[64];
  };
  __device__ void operator()(shared_storage& shared, int* data) const {
    unsigned const i = threadIdx.x;
    shared.item[i] = static_cast<int>(i);
    if constexpr (V == variant::correct) {
      simt::sync_block();
    } else if (i < 32) {
      noted_line[0] = __LINE__ + 1;
      simt::sync_block();
    } else {
      noted_line[1] = __LINE__ + 1;
      simt::sync_block();
    }
    data[i] = shared.item[63 - i];
  }
};

template <variant V>
bool both_branches() {
  device_buffer<int> const data(64);
  simt::launch<both_branches_kernel<V>>({.blocks = 1, .threads = 64}, data.data());
  std::vector<int> const expected = iota(64);
  return data.copy() == std::vector<int>(expected.rbegin(), expected.rend());
}

template <variant V>
struct unlike_barriers_kernel {
  __device__ void operator()(int* data) const {
    bool const odd = threadIdx.x % 2 != 0;
    int count = 32;
    if (V == variant::planted && threadIdx.x == 5) {
      noted_line[0] = __LINE__ + 1;
      simt::sync_block();
    } else {
      count = simt::sync_block_count(odd);
    }
    data[threadIdx.x] = count;
  }
};

template <variant V>
bool unlike_barriers() {
  device_buffer<int> const data(64);
  simt::launch<unlike_barriers_kernel<V>>({.blocks = 1, .threads = 64}, data.data());
  return data.copy() == std::vector<int>(64, 32);
}

struct grid_sum_kernel {
  __device__ void operator()(int* part, int* sum) const {
    if (threadIdx.x == 0) part[blockIdx.x] = static_cast<int>(blockIdx.x);
    noted_line[0] = __LINE__ + 1;
    simt::sync_grid();
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += part[b];
    if (threadIdx.x == 0) sum[blockIdx.x] = total;
  }
};

template <variant V>
bool grid_barrier_in_plain_launch() {
  device_buffer<int> const part(6), sum(6);
  simt::launch<grid_sum_kernel>({.blocks = 6, .threads = 33, .cooperative = V == variant::correct},
                                part.data(), sum.data());
  return sum.copy() == std::vector<int>(6, 15);
}

/// The whole barrier of a grid between the halves of one.
template <variant V>
struct mixed_barriers_kernel {
  __device__ void operator()(int* data) const {
    auto const arrival = simt::arrive_grid();
    noted_line[0] = __LINE__ + 1;
    if constexpr (V == variant::planted) simt::sync_grid();
    simt::wait_grid(arrival);
    if (threadIdx.x == 0) data[blockIdx.x] = 1;
  }
};

template <variant V>
bool mixed_barriers() {
  device_buffer<int> const data(3);
  simt::launch<mixed_barriers_kernel<V>>({.blocks = 3, .threads = 32, .cooperative = true},
                                         data.data());
  return data.copy() == std::vector<int>(3, 1);
}

template <variant V>
struct lock_kernel {
  __device__ void operator()(int* lock, int* count) const {
    if (threadIdx.x != 0) return;
    simt::atomic_ref<int> const gate(*lock);
    noted_line[0] = __LINE__ + 1;
    while (gate.exchange(1, simt::memory_order_acquire) != 0) {
    }
    ++*count;
    if constexpr (V == variant::correct) gate.store(0, simt::memory_order_release);
  }
};

template <variant V>
bool lock_never_released() {
  device_buffer<int> const lock(std::vector<int>(1, 0)), count(std::vector<int>(1, 0));
  simt::launch<lock_kernel<V>>({.blocks = 8, .threads = 32}, lock.data(), count.data());
  return count.copy()[0] == 8;
}

template <variant V>
struct circle_kernel {
  __device__ void operator()(int* flags, int* order) const {
    if (threadIdx.x != 0) return;
    unsigned const me = blockIdx.x;
    unsigned const before = (me + gridDim.x - 1) % gridDim.x;
    if (V == variant::planted || me != 0) {
      simt::atomic_ref<int> const flag(flags[before]);
      while (flag.load(simt::memory_order_acquire) == 0) {
      }
      order[me] = order[before] + 1;
    } else {
      order[me] = 0;
    }
    simt::atomic_ref<int>(flags[me]).store(1, simt::memory_order_release);
  }
};

template <variant V>
bool circular_wait() {
  device_buffer<int> const flags(std::vector<int>(3, 0)), order(3);
  simt::launch<circle_kernel<V>>({.blocks = 3, .threads = 1}, flags.data(), order.data());
  return order.copy() == iota(3);
}

}  // namespace

std::vector<mistake> barrier_mistakes() {
  using enum variant;
  return {
      {"Kogge-Stone with one barrier a step",
       kogge_stone<correct>,
       kogge_stone<planted>,
       {.fixed = true, .seeded = 20, .race = 20, .tsan = true},
       {}},
      {"divergent barrier",
       divergent<correct>,
       divergent<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"divergent_kernel", "block (0,0,0)", "threads 0-39 in __syncthreads at @0",
        "threads 40-63 in __ballot_sync (mask ffffffff) at @1"}},
      {"return before a barrier",
       return_before_barrier<correct>,
       return_before_barrier<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"return_kernel", "24 threads have returned before a barrier",
        "threads 0-39 in __syncthreads at @0; threads 40-63 returned"}},
      {"barrier in both branches",
       both_branches<correct>,
       both_branches<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"both_branches_kernel", "__syncthreads at @0", "__syncthreads at @1",
        "all threads of a block must reach the same barrier"}},
      {"two kinds of barrier",
       unlike_barriers<correct>,
       unlike_barriers<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"unlike_barriers_kernel", "__syncthreads_count", "__syncthreads at @0"}},
      {"grid barrier in a plain launch",
       grid_barrier_in_plain_launch<correct>,
       grid_barrier_in_plain_launch<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"grid_sum_kernel", "grid barrier at @0 in a launch that is not cooperative"}},
      {"grid barrier between arrival and wait",
       mixed_barriers<correct>,
       mixed_barriers<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"mixed_barriers_kernel", "meets the grid at @0 between its arrival and its wait"}},
      {"lock never released",
       lock_never_released<correct>,
       lock_never_released<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"deadlock", "lock_kernel", "an atomic load at"}},
      {"circular wait between blocks",
       circular_wait<correct>,
       circular_wait<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"deadlock", "circle_kernel", "block (0,0,0)", "block (1,0,0)", "block (2,0,0)",
        "thread 0 in an atomic load at"}},
  };
}

}  // namespace libscan::test
