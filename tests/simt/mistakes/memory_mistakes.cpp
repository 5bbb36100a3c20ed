// SPDX-License-Identifier: Apache-2.0
// Mistakes with memory: lost updates, what was never written, and addresses that are wrong.
#include <tests/simt/mistakes/mistake.hpp>

namespace libscan::test {

namespace {

template <variant V>
struct increment_kernel {
  __device__ void operator()(int* count) const {
    if constexpr (V == variant::correct) {
      simt::atomic_ref<int>(*count).fetch_add(1, simt::memory_order_relaxed);
    } else {
      noted_line[0] = __LINE__ + 1;
      *count = *count + 1;
    }
  }
};

template <variant V>
bool lost_increments() {
  device_buffer<int> const count(std::vector<int>(1, 0));
  simt::launch<increment_kernel<V>>({.blocks = 4, .threads = 64}, count.data());
  return count.copy()[0] == 256;
}

template <variant V>
struct uninitialized_kernel {
  struct shared_storage {
    int bins[32];
  };
  __device__ void operator()(shared_storage& shared, int* bins) const {
    unsigned const i = threadIdx.x;
    if constexpr (V == variant::correct) {
      if (i < 32) shared.bins[i] = 0;
    }
    simt::sync_block();
    simt::block_atomic_ref<int>(shared.bins[i % 32]).fetch_add(1, simt::memory_order_relaxed);
    simt::sync_block();
    if (i < 32) bins[i] = shared.bins[i];
  }
};

template <variant V>
bool uninitialized_shared() {
  device_buffer<int> const bins(32);
  simt::launch<uninitialized_kernel<V>>({.blocks = 1, .threads = 64}, bins.data());
  return bins.copy() == std::vector<int>(32, 2);
}

template <variant V>
struct global_bounds_kernel {
  __device__ void operator()(int const* in, int* out, unsigned n) const {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned const next = i + 1;
    int sum = 0;
    if (i < n) sum = in[i];
    noted_line[0] = __LINE__ + 1;
    if (V == variant::correct ? next < n : i < n) sum += in[next];
    if (i < n) out[i] = sum;
  }
};

template <variant V>
bool global_out_of_bounds() {
  device_buffer<int> const in(iota(100)), out(100);
  simt::launch<global_bounds_kernel<V>>({.blocks = 4, .threads = 32},
                                        static_cast<int const*>(in.data()), out.data(), 100u);
  return out.copy()[98] == 98 + 99;
}

template <variant V>
struct static_bounds_kernel {
  struct shared_storage {
    int item[64];
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    unsigned const i = threadIdx.x;
    int* const items = shared.item;
    items[i] = 1;
    simt::sync_block();
    noted_line[0] = __LINE__ + 1;
    int const next = V == variant::planted || i + 1 < 64 ? items[i + 1] : 0;
    out[i] = items[i] + next;
  }
};

template <variant V>
bool static_shared_out_of_bounds() {
  device_buffer<int> const out(64);
  simt::launch<static_bounds_kernel<V>>({.blocks = 1, .threads = 64}, out.data());
  return out.copy()[0] == 2;
}

template <variant V>
struct dynamic_bounds_kernel {
  __device__ void operator()(int* out) const {
    unsigned const i = threadIdx.x;
    int* const items = simt::dynamic_shared<int>();
    noted_line[0] = __LINE__ + 1;
    items[V == variant::correct ? i : i + 1] = static_cast<int>(i);
    simt::sync_block();
    out[i] = items[V == variant::correct ? i : i + 1];
  }
};

template <variant V>
bool dynamic_shared_out_of_bounds() {
  device_buffer<int> const out(64);
  simt::launch<dynamic_bounds_kernel<V>>(
      {.blocks = 1, .threads = 64, .dynamic_shared_bytes = 64 * sizeof(int)}, out.data());
  return out.copy() == iota(64);
}

template <variant V>
struct vector_load_kernel {
  __device__ void operator()(int const* in, int* out) const {
    int const* const from = in + 4 * threadIdx.x + (V == variant::correct ? 0 : 1);
    noted_line[0] = __LINE__ + 1;
    simt::vector<int, 4> const four = simt::load_vector<4>(from);
    out[threadIdx.x] = four.item[0] + four.item[1] + four.item[2] + four.item[3];
  }
};

template <variant V>
bool misaligned_vector_load() {
  device_buffer<int> const in(std::vector<int>(136, 1)), out(32);
  simt::launch<vector_load_kernel<V>>({.blocks = 1, .threads = 32},
                                      static_cast<int const*>(in.data()), out.data());
  return out.copy() == std::vector<int>(32, 4);
}

template <variant V>
struct vector_store_kernel {
  struct shared_storage {
    alignas(16) int item[128];
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    unsigned const i = threadIdx.x;
    simt::vector<int, 4> const ones{{1, 1, 1, 1}};
    if constexpr (V == variant::correct) {
      simt::store_shared_vector<4>(shared.item + 4 * i, ones);
    } else {
      noted_line[0] = __LINE__ + 1;
      simt::store_vector<4>(shared.item + 4 * i, ones);
    }
    out[i] = shared.item[4 * i + 3];
  }
};

template <variant V>
bool global_store_to_shared() {
  device_buffer<int> const out(32);
  simt::launch<vector_store_kernel<V>>({.blocks = 1, .threads = 32}, out.data());
  return out.copy() == std::vector<int>(32, 1);
}

template <variant V>
struct shared_vector_store_kernel {
  __device__ void operator()(int* out) const {
    simt::vector<int, 4> const ones{{1, 1, 1, 1}};
    if constexpr (V == variant::correct) {
      simt::store_vector<4>(out + 4 * threadIdx.x, ones);
    } else {
      noted_line[0] = __LINE__ + 1;
      simt::store_shared_vector<4>(out + 4 * threadIdx.x, ones);
    }
  }
};

template <variant V>
bool shared_store_to_global() {
  device_buffer<int> const out(128);
  simt::launch<shared_vector_store_kernel<V>>({.blocks = 1, .threads = 32}, out.data());
  return out.copy() == std::vector<int>(128, 1);
}

template <variant V>
struct vector_cast_kernel {
  __device__ void operator()(int const* in, int* out) const {
    int const* const from = in + 4 * threadIdx.x + (V == variant::correct ? 0 : 1);
    noted_line[0] = __LINE__ + 1;
    auto const& four = *reinterpret_cast<simt::vector<int, 4> const*>(from);
    out[threadIdx.x] = four.item[0] + four.item[3];
  }
};

template <variant V>
bool misaligned_cast() {
  device_buffer<int> const in(std::vector<int>(136, 1)), out(32);
  simt::launch<vector_cast_kernel<V>>({.blocks = 1, .threads = 32},
                                      static_cast<int const*>(in.data()), out.data());
  return out.copy() == std::vector<int>(32, 2);
}

}  // namespace

std::vector<mistake> memory_mistakes() {
  using enum variant;
  return {
      {"increment that is not atomic",
       lost_increments<correct>,
       lost_increments<planted>,
       {.race = 20, .tsan = true},
       {}},
      {"uninitialized shared memory",
       uninitialized_shared<correct>,
       uninitialized_shared<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {}},
      {"global index out of bounds",
       global_out_of_bounds<correct>,
       global_out_of_bounds<planted>,
       {.race = 20, .asan = true},
       {"heap-buffer-overflow", "@0"},
       true},
      {"static shared index out of bounds",
       static_shared_out_of_bounds<correct>,
       static_shared_out_of_bounds<planted>,
       {.race = 20, .asan = true},
       {"heap-buffer-overflow", "@0"},
       true},
      {"dynamic shared index out of bounds",
       dynamic_shared_out_of_bounds<correct>,
       dynamic_shared_out_of_bounds<planted>,
       {.race = 20, .asan = true},
       {"heap-buffer-overflow", "@0"},
       true},
      {"misaligned vector load",
       misaligned_vector_load<correct>,
       misaligned_vector_load<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"vector_load_kernel", "access of 16 bytes at @0 is not aligned to its size"}},
      {"vector store to the other kind of memory",
       global_store_to_shared<correct>,
       global_store_to_shared<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"vector_store_kernel", "store at @0 is to shared memory; expected global"}},
      {"shared vector store to global memory",
       shared_store_to_global<correct>,
       shared_store_to_global<planted>,
       {.fixed = true, .seeded = 20, .race = 20},
       {"shared_vector_store_kernel", "store at @0 is to global memory; expected shared"}},
      {"misaligned cast",
       misaligned_cast<correct>,
       misaligned_cast<planted>,
       {.asan = true},
       {"misaligned address", "@0"},
       true},
  };
}

}  // namespace libscan::test
