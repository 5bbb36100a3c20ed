// SPDX-License-Identifier: Apache-2.0
// Mistakes within a warp: lanes that do not meet, and lanes that should have waited.
#include <tests/simt/mistakes/mistake.hpp>

namespace libscan::test {

namespace {

template <variant V>
struct exchange_kernel {
  struct shared_storage {
    int item[32];
  };
  __device__ void operator()(shared_storage& shared, int* data) const {
    unsigned const i = threadIdx.x;
    shared.item[i] = data[i];
    if constexpr (V == variant::correct) simt::sync_warp();
    data[i] = shared.item[31 - i];
  }
};

template <variant V>
bool missing_sync_warp() {
  device_buffer<int> const data(iota(32));
  simt::launch<exchange_kernel<V>>({.blocks = 1, .threads = 32}, data.data());
  std::vector<int> const expected = iota(32);
  return data.copy() == std::vector<int>(expected.rbegin(), expected.rend());
}

// A vote is no __syncwarp: it brings lanes together, but orders no memory. Only checkers know.
template <variant V>
struct vote_for_sync_kernel {
  struct shared_storage {
    int item[32];
  };
  __device__ void operator()(shared_storage& shared, int* data) const {
    unsigned const i = threadIdx.x;
    shared.item[i] = data[i];
    simt::ballot(simt::full_warp, true);
    if constexpr (V == variant::correct) simt::sync_warp();
    data[i] = shared.item[31 - i];
  }
};

template <variant V>
bool vote_for_sync() {
  device_buffer<int> const data(iota(32));
  simt::launch<vote_for_sync_kernel<V>>({.blocks = 1, .threads = 32}, data.data());
  std::vector<int> const expected = iota(32);
  return data.copy() == std::vector<int>(expected.rbegin(), expected.rend());
}

template <variant V>
struct lane_missing_kernel {
  __device__ void operator()(unsigned* votes) const {
    if (V == variant::planted && simt::lane_id() == 31) return;
    noted_line[0] = __LINE__ + 1;
    votes[threadIdx.x] = simt::ballot(simt::full_warp, true);
  }
};

template <variant V>
bool lane_missing_from_call() {
  device_buffer<unsigned> const votes(64);
  simt::launch<lane_missing_kernel<V>>({.blocks = 1, .threads = 64}, votes.data());
  return votes.copy() == std::vector<unsigned>(64, simt::full_warp);
}

template <variant V>
struct mask_kernel {
  __device__ void operator()(unsigned* votes) const {
    unsigned const mask = V == variant::correct ? simt::full_warp : 0x7fffffffu;
    noted_line[0] = __LINE__ + 1;
    votes[threadIdx.x] = simt::ballot(mask, true);
  }
};

template <variant V>
bool lane_missing_from_mask() {
  device_buffer<unsigned> const votes(32);
  simt::launch<mask_kernel<V>>({.blocks = 1, .threads = 32}, votes.data());
  return votes.copy() == std::vector<unsigned>(32, simt::full_warp);
}

template <variant V>
struct masks_kernel {
  __device__ void operator()(unsigned* sums) const {
    bool const low = simt::lane_id() < 16;
    unsigned const high_mask = V == variant::correct ? 0xffff0000u : simt::full_warp;
    noted_line[0] = __LINE__ + 1;
    sums[threadIdx.x] = simt::reduce_add(low ? 0x0000ffffu : high_mask, 1u);
    if (low) simt::sync_warp(0x0000ffffu);
  }
};

template <variant V>
bool different_masks() {
  device_buffer<unsigned> const sums(32);
  simt::launch<masks_kernel<V>>({.blocks = 1, .threads = 32}, sums.data());
  return sums.copy() == std::vector<unsigned>(32, 16u);
}

template <variant V>
struct calls_kernel {
  __device__ void operator()(int* out) const {
    int const lane = simt::lane_id();
    int value = 1;
    if (V == variant::planted && lane == 7) {
      noted_line[0] = __LINE__ + 1;
      value = simt::any(simt::full_warp, true) ? 1 : 0;
    } else {
      noted_line[1] = __LINE__ + 1;
      value = simt::all(simt::full_warp, true) ? 1 : 0;
    }
    out[lane] = value;
  }
};

template <variant V>
bool different_calls() {
  device_buffer<int> const out(32);
  simt::launch<calls_kernel<V>>({.blocks = 1, .threads = 32}, out.data());
  return out.copy() == std::vector<int>(32, 1);
}

// The correct twin counts whoever is there together, again and again, and takes no group for the
// whole.
template <variant V>
struct active_mask_kernel {
  __device__ void operator()(int* count) const {
    if (simt::lane_id() % 2 == 0) return;
    unsigned const here = simt::active_mask();
    int const together = simt::popc(here);
    bool const leads = simt::lane_id() == simt::ffs(here) - 1;
    if (V == variant::planted) {
      if (leads) *count = together;
    } else {
      unsigned const sum = simt::reduce_add(here, 1u);
      if (leads) simt::atomic_ref<int>(*count).fetch_add(static_cast<int>(sum));
    }
  }
};

template <variant V>
bool active_mask_for_branch() {
  device_buffer<int> const count(std::vector<int>(1, 0));
  simt::launch<active_mask_kernel<V>>({.blocks = 1, .threads = 32}, count.data());
  return count.copy()[0] == 16;
}

}  // namespace

std::vector<mistake> warp_mistakes() {
  using enum variant;
  return {
      {"missing __syncwarp",
       missing_sync_warp<correct>,
       missing_sync_warp<planted>,
       {.fixed = true, .seeded = 20, .race = 20, .tsan = true},
       {}},
      {"a vote taken for __syncwarp",
       vote_for_sync<correct>,
       vote_for_sync<planted>,
       {.race = 20, .tsan = true},
       {}},
      {"lane missing from a call",
       lane_missing_from_call<correct>,
       lane_missing_from_call<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"lane_missing_kernel", "block (0,0,0)",
        "has returned, but is named by the mask of __ballot_sync (mask ffffffff) at @0"}},
      {"lane missing from a mask",
       lane_missing_from_mask<correct>,
       lane_missing_from_mask<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"mask_kernel", "thread 31 (lane 31) calls __ballot_sync (mask 7fffffff) at @0",
        "does not name it"}},
      {"different masks",
       different_masks<correct>,
       different_masks<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"masks_kernel", "__reduce_add_sync (mask ffffffff) at @0"}},
      {"different calls",
       different_calls<correct>,
       different_calls<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"calls_kernel", "disagree", "__any_sync (mask ffffffff) at @0",
        "__all_sync (mask ffffffff) at @1"}},
      {"__activemask taken for the whole branch",
       active_mask_for_branch<correct>,
       active_mask_for_branch<planted>,
       {.seeded = 5, .race = 5},
       {}},
  };
}

}  // namespace libscan::test
