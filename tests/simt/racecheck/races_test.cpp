// SPDX-License-Identifier: Apache-2.0
// Races within a block, and memory that was never written: each planted mistake is found under
// every schedule, each correct twin is silent.
#include <cstring>
#include <numeric>

#include <tests/simt/racecheck/finding.hpp>
#include <tests/support/operators.hpp>

namespace libscan::test {

namespace {

enum class variant { correct, planted };

template <class Kernel, class... Args>
auto launching(unsigned blocks, unsigned threads, Args... args) {
  return [=] { simt::launch<Kernel>({.blocks = blocks, .threads = threads}, args...); };
}

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
      int const earlier = i >= distance ? shared.sum[i - distance] : 0;  //: earlier sum
      if constexpr (V == variant::correct) simt::sync_block();
      shared.sum[i] += earlier;  //: new sum
      simt::sync_block();
    }
    data[i] = shared.sum[i];
  }
};

template <variant V>
struct increment_kernel {
  __device__ void operator()(int* count) const {
    if constexpr (V == variant::correct) {
      simt::atomic_ref<int>(*count).fetch_add(1, simt::memory_order_relaxed);
    } else {
      *count = *count + 1;  //: increment
    }
  }
};

/// Lanes hand values to their neighbors through shared memory.
enum class meeting { none, ballot, shuffle, sync_warp, sync_half };

template <meeting Meeting>
struct neighbor_kernel {
  struct shared_storage {
    int item[32];
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    unsigned const lane = threadIdx.x;
    shared.item[lane] = static_cast<int>(lane);
    unsigned const half = lane < 16 ? 0xffffu : 0xffff0000u;
    if constexpr (Meeting == meeting::ballot) simt::ballot(simt::full_warp, true);
    if constexpr (Meeting == meeting::shuffle) simt::shfl(simt::full_warp, lane, 0);
    if constexpr (Meeting == meeting::sync_warp) simt::sync_warp();
    if constexpr (Meeting == meeting::sync_half) simt::sync_warp(half);
    out[lane] = shared.item[31 - lane];
  }
};

/// Storage that all threads have read is used again.
template <variant V>
struct reuse_kernel {
  struct shared_storage {
    int total;
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
      if (threadIdx.x == 200) shared.total = round;
      simt::sync_block();
      sum += shared.total;
      if constexpr (V == variant::correct) simt::sync_block();
    }
    out[threadIdx.x] = sum;
  }
};

/// Threads write neighboring bytes; the planted one writes its neighbor's as well.
template <variant V>
struct bytes_kernel {
  struct shared_storage {
    alignas(2) unsigned char flag[64];
  };
  __device__ void operator()(shared_storage& shared, unsigned char* out) const {
    unsigned const i = threadIdx.x;
    if (V == variant::planted && i == 10) {
      simt::store_shared_vector<2>(shared.flag + i, simt::vector<unsigned char, 2>{{1, 1}});
    } else {
      shared.flag[i] = 1;
    }
    simt::sync_block();
    out[i] = shared.flag[63 - i];
  }
};

struct record {
  int a, b, c, d, e;
};

/// Structures travel whole, by assignment or memcpy.
template <variant V>
struct record_kernel {
  struct shared_storage {
    record item[32];
    record copied[32];
  };
  __device__ void operator()(shared_storage& shared, record* out, std::size_t bytes) const {
    unsigned const i = threadIdx.x;
    shared.item[i] = out[i];
    if constexpr (V == variant::correct) simt::sync_block();
    std::memcpy(&shared.copied[i], &shared.item[31 - i], bytes);
    simt::sync_block();
    out[i] = shared.copied[i];
  }
};

/// A vector access meets accesses of its single items.
template <variant V>
struct vector_kernel {
  struct shared_storage {
    alignas(16) int item[128];
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    unsigned const i = threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) shared.item[k * 32 + i] = static_cast<int>(i);
    if constexpr (V == variant::correct) simt::sync_warp();
    auto const four = simt::load_vector<4>(shared.item + 4 * i);
    out[i] = four.item[0] + four.item[3];
  }
};

/// Atomic and plain accesses of the same bins.
template <variant V>
struct bins_kernel {
  struct shared_storage {
    int bin[4];
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    unsigned const i = threadIdx.x;
    if (i < 4) shared.bin[i] = 0;
    simt::sync_block();
    if (V == variant::planted && i < 4) {
      shared.bin[i] = shared.bin[i] + 1;
    } else {
      simt::block_atomic_ref<int>(shared.bin[i % 4]).fetch_add(1, simt::memory_order_relaxed);
    }
    simt::sync_block();
    if (i < 4) out[i] = shared.bin[i];
  }
};

template <variant V>
struct uninitialized_kernel {
  struct shared_storage {
    int item[64];
  };
  __device__ void operator()(shared_storage& shared, int* out) const {
    unsigned const i = threadIdx.x;
    if (V == variant::correct || i != 13) shared.item[i] = 1;
    simt::sync_block();
    out[i] = shared.item[63 - i];  //: read of nothing
  }
};

struct uninitialized_dynamic_kernel {
  __device__ void operator()(int* out) const { out[threadIdx.x] = simt::dynamic_shared<int>()[1]; }
};

/// A structure with padding is initialized member by member and read whole.
struct padded {
  char tag;
  int value;
};

struct padding_kernel {
  struct shared_storage {
    padded item[32];
  };
  __device__ void operator()(shared_storage& shared, padded* out) const {
    shared.item[threadIdx.x].tag = 'x';
    shared.item[threadIdx.x].value = 3;
    simt::sync_warp();
    out[threadIdx.x] = shared.item[31 - threadIdx.x];
  }
};

/// Calls return structures straight into shared memory; g++ announces that only if it inlines them.
struct returned_kernel {
  struct shared_storage {
    interval item[32];
    interval pair[32];
    interval total;
  };
  __device__ void operator()(shared_storage& shared, interval* out) const {
    int const i = static_cast<int>(threadIdx.x);
    tripwire const op;
    shared.item[i] = interval::over(i, i + 1);
    simt::sync_warp();
    shared.pair[i] = op(shared.item[i & ~1], shared.item[i | 1]);
    simt::sync_warp();
    if (i == 0) shared.total = op(shared.pair[0], op(shared.pair[2], shared.pair[4]));
    simt::sync_warp();
    out[i] = op(shared.total, shared.pair[i]);
  }
};

}  // namespace

TEST_CASE("Kogge-Stone with one barrier a step is found") {
  std::vector<int> data(64, 1);
  silent(launching<kogge_stone_kernel<variant::correct>>(1, 64, data.data()));
  found(
      launching<kogge_stone_kernel<variant::planted>>(1, 64, data.data()),
      {"kogge_stone_kernel", "block (0,0,0): race in shared memory (byte ", "of the static part)",
       "thread ", at(__FILE__, "earlier sum"), at(__FILE__, "new sum"), "nothing orders the two"});
}

TEST_CASE("an increment that is not atomic is found") {
  int count = 0;
  silent(launching<increment_kernel<variant::correct>>(4, 64, &count));
  found(launching<increment_kernel<variant::planted>>(1, 64, &count),
        {"increment_kernel", "race in global memory: thread ", " what thread ",
         "at " + at(__FILE__, "increment")});
  found(launching<increment_kernel<variant::planted>>(4, 1, &count),
        {"thread 0 ", " what thread 0 of block ("});
}

TEST_CASE("a missing __syncwarp is found; votes and shuffles do not replace it") {
  std::vector<int> out(32);
  silent(launching<neighbor_kernel<meeting::sync_warp>>(1, 32, out.data()));
  found(launching<neighbor_kernel<meeting::none>>(1, 32, out.data()), {"shared memory"});
  found(launching<neighbor_kernel<meeting::ballot>>(1, 32, out.data()), {"race in shared"});
  found(launching<neighbor_kernel<meeting::shuffle>>(1, 32, out.data()), {"race in shared"});
  found(launching<neighbor_kernel<meeting::sync_half>>(1, 32, out.data()), {"shared memory"});
}

TEST_CASE("storage used again while others may still read it is found") {
  std::vector<int> out(256);
  silent(launching<reuse_kernel<variant::correct>>(1, 256, out.data()));
  found(launching<reuse_kernel<variant::planted>>(1, 256, out.data()), {"race in shared memory"});
}

TEST_CASE("bytes of one word are distinguished") {
  std::vector<unsigned char> out(64);
  silent(launching<bytes_kernel<variant::correct>>(1, 64, out.data()));
  found(launching<bytes_kernel<variant::planted>>(1, 64, out.data()),
        {"thread 10", "thread 11", "byte 1"});
}

TEST_CASE("copies of structures are noticed") {
  std::vector<record> out(32);
  silent(launching<record_kernel<variant::correct>>(1, 32, out.data(), sizeof(record)));
  found(launching<record_kernel<variant::planted>>(1, 32, out.data(), sizeof(record)),
        {"record_kernel", "shared memory"});
}

TEST_CASE("vector accesses are noticed") {
  std::vector<int> out(32);
  silent(launching<vector_kernel<variant::correct>>(1, 32, out.data()));
  found(launching<vector_kernel<variant::planted>>(1, 32, out.data()), {"shared memory"});
}

TEST_CASE("atomic and plain accesses race, atomic ones among each other do not") {
  std::vector<int> out(4);
  silent(launching<bins_kernel<variant::correct>>(1, 64, out.data()));
  found(launching<bins_kernel<variant::planted>>(1, 64, out.data()), {"atomically", "shared"});
}

TEST_CASE("structures that calls return into shared memory are noticed") {
  std::vector<interval> out(32);
  silent(launching<returned_kernel>(1, 32, out.data()));
  CHECK(out[6] == interval::over(0, 8));
}

TEST_CASE("reading shared memory that was not written is found") {
  std::vector<int> out(64);
  silent(launching<uninitialized_kernel<variant::correct>>(1, 64, out.data()));
  found(launching<uninitialized_kernel<variant::planted>>(1, 64, out.data()),
        {"block (0,0,0): thread 50 reads at " + at(__FILE__, "read of nothing") +
         " uninitialized shared memory (byte 52 of the static part)"});
  found(
      [&] {
        simt::launch<uninitialized_dynamic_kernel>(
            {.blocks = 1, .threads = 1, .dynamic_shared_bytes = 64}, out.data());
      },
      {"uninitialized shared memory (byte 4 of the dynamic part)"});
  std::vector<padded> items(32);
  silent(launching<padding_kernel>(1, 32, items.data()));
}

}  // namespace libscan::test
