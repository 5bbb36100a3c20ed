// SPDX-License-Identifier: Apache-2.0
// Block barriers, shared memory, atomics, fences, vector access and the grid barrier, on both
// machines against what they are defined to do.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/simt/simt.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

namespace {

// ---- barriers and shared memory -----------------------------------------------------------------

struct barrier_answers {
  int rank, count, all, none_missing, any, none;
};

struct barrier_kernel {
  __device__ void operator()(barrier_answers* out) const {
    int const rank = simt::thread_rank();
    int const size = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    barrier_answers mine{};
    mine.rank = rank;
    simt::sync_block();
    mine.count = simt::sync_block_count(rank % 3 == 0);
    mine.all = simt::sync_block_and(rank != size - 1) ? 1 : 0;
    mine.none_missing = simt::sync_block_and(rank >= 0) ? 1 : 0;
    mine.any = simt::sync_block_or(rank == size - 1) ? 1 : 0;
    mine.none = simt::sync_block_or(rank < 0) ? 1 : 0;
    int const block =
        static_cast<int>(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
    out[block * size + rank] = mine;
  }
};

struct shape_3d {
  unsigned x, y, z;
  int size() const { return static_cast<int>(x * y * z); }
};

void require_barriers(shape_3d blocks, shape_3d threads) {
  device_buffer<barrier_answers> const out(
      static_cast<std::size_t>(blocks.size() * threads.size()));
  simt::launch<barrier_kernel>(
      {.blocks = {blocks.x, blocks.y, blocks.z}, .threads = {threads.x, threads.y, threads.z}},
      out.data());
  auto const got = out.copy();
  for (int i = 0; i < static_cast<int>(got.size()); ++i) {
    auto const& mine = got[static_cast<std::size_t>(i)];
    INFO("blocks of " << threads.size() << ", thread " << i);
    REQUIRE(mine.rank == i % threads.size());
    REQUIRE(mine.count == (threads.size() + 2) / 3);
    REQUIRE(mine.all == 0);
    REQUIRE(mine.none_missing == 1);
    REQUIRE(mine.any == 1);
    REQUIRE(mine.none == 0);
  }
}

/// Reverses a block's items, once through static and once through dynamic shared memory.
struct reverse_kernel {
  struct shared_storage {
    int item[128];
  };
  __device__ void operator()(shared_storage& shared, int* data) const {
    int* const dynamic = simt::dynamic_shared<int>();
    unsigned const i = threadIdx.x;
    int* const mine = data + blockIdx.x * blockDim.x;
    shared.item[i] = mine[i];
    simt::sync_block();
    dynamic[i] = shared.item[blockDim.x - 1 - i];
    simt::sync_block();
    mine[i] = dynamic[i] + dynamic[(i + 1) % blockDim.x];
  }
};

// ---- atomics ------------------------------------------------------------------------------------

constexpr int atomic_threads = 3 * 96;

/// One cell for each operation, and what each thread got back from `fetch_add(1)`.
template <class T>
struct atomic_cells {
  T add, subtract, conjunction, disjunction, parity, least, most, exchanged, compared, stored;
};

template <class T, template <class> class Ref>
struct atomic_kernel {
  __device__ void operator()(atomic_cells<T>* cells, T* tickets, T* exchanged) const {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    T const mine = static_cast<T>(i);
    constexpr auto relaxed = simt::memory_order_relaxed;
    tickets[i] = Ref<T>(cells->add).fetch_add(1, relaxed);
    Ref<T>(cells->subtract).fetch_sub(mine, relaxed);
    Ref<T>(cells->conjunction).fetch_and(static_cast<T>(~(T(1) << i % 20)), relaxed);
    Ref<T>(cells->disjunction).fetch_or(static_cast<T>(T(1) << i % 25), relaxed);
    Ref<T>(cells->parity).fetch_xor(static_cast<T>(mine * 3), relaxed);
    Ref<T>(cells->least).fetch_min(static_cast<T>(mine * 7 % 1000 - 200), relaxed);
    Ref<T>(cells->most).fetch_max(static_cast<T>(mine * 7 % 1000 - 200), relaxed);
    exchanged[i] = Ref<T>(cells->exchanged).exchange(static_cast<T>(mine + 1));
    Ref<T> const compared(cells->compared);
    T now = compared.load();
    while (!compared.compare_exchange_strong(now, static_cast<T>(now + 2))) {
    }
    if (i == 5) Ref<T>(cells->stored).store(42, simt::memory_order_release);
  }
};

template <class T>
using global_ref = simt::atomic_ref<T>;

template <class T>
void require_atomics() {
  atomic_cells<T> start{};
  start.conjunction = static_cast<T>(~T(0));
  start.least = start.most = 100;
  device_buffer<atomic_cells<T>> const cells(std::vector<atomic_cells<T>>{start});
  device_buffer<T> const tickets(atomic_threads), exchanged(atomic_threads);
  simt::launch<atomic_kernel<T, global_ref>>({.blocks = 3, .threads = 96}, cells.data(),
                                             tickets.data(), exchanged.data());
  atomic_cells<T> const got = cells.copy()[0];
  T sum = 0, parity = 0, least = 100, most = 100;
  for (int i = 0; i < atomic_threads; ++i) {
    T const mine = static_cast<T>(i);
    T const term = static_cast<T>(mine * 7 % 1000 - 200);
    sum = static_cast<T>(sum + mine);
    parity = static_cast<T>(parity ^ static_cast<T>(mine * 3));
    least = std::min(least, term);
    most = std::max(most, term);
  }
  CHECK(got.add == atomic_threads);
  CHECK(got.subtract == static_cast<T>(T(0) - sum));
  CHECK(got.conjunction == static_cast<T>(~((T(1) << 20) - 1)));
  CHECK(got.disjunction == (T(1) << 25) - 1);
  CHECK(got.parity == parity);
  CHECK(got.least == least);
  CHECK(got.most == most);
  CHECK(got.compared == 2 * atomic_threads);
  CHECK(got.stored == 42);

  // Each ticket was given out once; each exchanged value came out once, except the last.
  auto drawn = tickets.copy();
  std::sort(drawn.begin(), drawn.end());
  for (int i = 0; i < atomic_threads; ++i) {
    REQUIRE(drawn[static_cast<std::size_t>(i)] == static_cast<T>(i));
  }
  auto passed = exchanged.copy();
  passed.push_back(got.exchanged);
  std::sort(passed.begin(), passed.end());
  for (int i = 0; i <= atomic_threads; ++i) {
    REQUIRE(passed[static_cast<std::size_t>(i)] == static_cast<T>(i));
  }
}

struct shared_histogram_kernel {
  struct shared_storage {
    unsigned bins[16];
    float sum;
  };
  __device__ void operator()(shared_storage& shared, unsigned* bins, float* sum) const {
    if (threadIdx.x < 16) shared.bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.sum = 0;
    simt::sync_block();
    simt::block_atomic_ref<unsigned>(shared.bins[threadIdx.x * 5 % 16])
        .fetch_add(1u, simt::memory_order_relaxed);
    simt::block_atomic_ref<float>(shared.sum).fetch_add(0.5f, simt::memory_order_relaxed);
    simt::sync_block();
    if (threadIdx.x < 16) {
      simt::atomic_ref<unsigned>(bins[threadIdx.x])
          .fetch_add(shared.bins[threadIdx.x], simt::memory_order_relaxed);
    }
    if (threadIdx.x == 0) simt::atomic_ref<float>(*sum).fetch_add(shared.sum);
  }
};

// ---- messages between blocks
// ----------------------------------------------------------------------

enum class ordering { by_flag, by_fences };

/// Block b waits for block b - 1 (by ticket), adds one and passes on: 1, 2, 3, ...
template <ordering Ordering>
struct relay_kernel {
  static constexpr bool fences = Ordering == ordering::by_fences;
  static constexpr simt::memory_order observe =
      fences ? simt::memory_order_relaxed : simt::memory_order_acquire;
  static constexpr simt::memory_order publish =
      fences ? simt::memory_order_relaxed : simt::memory_order_release;

  __device__ void operator()(int* values, int* flags, int* ticket) const {
    if (threadIdx.x != 0) return;
    int const place = simt::atomic_ref<int>(*ticket).fetch_add(1, simt::memory_order_relaxed);
    int before = 0;
    if (place > 0) {
      simt::atomic_ref<int> const ready(flags[place - 1]);
      while (ready.load(observe) == 0) {
      }
      if constexpr (fences) simt::thread_fence();
      before = values[place - 1];
    }
    values[place] = before + 1;
    if constexpr (fences) simt::thread_fence();
    simt::atomic_ref<int>(flags[place]).store(1, publish);
  }
};

template <ordering Ordering>
void require_relay() {
  constexpr int blocks = 40;
  device_buffer<int> const values(blocks), flags(std::vector<int>(blocks, 0)),
      ticket(std::vector<int>{0});
  simt::launch<relay_kernel<Ordering>>({.blocks = blocks, .threads = 2}, values.data(),
                                       flags.data(), ticket.data());
  std::vector<int> expected(blocks);
  std::iota(expected.begin(), expected.end(), 1);
  REQUIRE(values.copy() == expected);
}

/// Every block writes, all meet, every block reads all; again and again. The barrier in halves
/// and the whole one take turns.
struct grid_kernel {
  __device__ void operator()(int* item, int* sums, int rounds) const {
    for (int round = 0; round < rounds; ++round) {
      if (threadIdx.x == 0) item[blockIdx.x] = static_cast<int>(blockIdx.x) + round;
      auto const arrival = simt::arrive_grid();
      int sum = 0;
      simt::wait_grid(arrival);
      for (unsigned b = 0; b < gridDim.x; ++b) sum += item[b];
      sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
      simt::sync_grid();
    }
  }
};

// ---- vectors
// --------------------------------------------------------------------------------------

template <class T, int N>
struct vector_kernel {
  __device__ void operator()(T const* in, T* out) const {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    simt::vector<T, N> items = simt::load_vector<N>(in + i * N);
    for (int k = 0; k < N / 2; ++k) {
      T const swapped = items.item[k];
      items.item[k] = items.item[N - 1 - k];
      items.item[N - 1 - k] = swapped;
    }
    simt::store_vector<N>(out + i * N, items);
  }
};

template <class T, int N>
void require_vectors() {
  constexpr std::size_t n = 2 * 40 * N;
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(i % 120);
  device_buffer<T> const in(items), out(n);
  simt::launch<vector_kernel<T, N>>({.blocks = 2, .threads = 40}, static_cast<T const*>(in.data()),
                                    out.data());
  for (std::size_t i = 0; i < n; i += N) {
    std::reverse(items.begin() + static_cast<std::ptrdiff_t>(i),
                 items.begin() + static_cast<std::ptrdiff_t>(i + N));
  }
  REQUIRE(out.copy() == items);
}

}  // namespace

TEST_CASE("block barriers count, conjoin and disjoin; ranks run through all dimensions") {
  each_schedule(scaled(10, 3), [](std::string const& schedule) {
    INFO(schedule);
    require_barriers({1, 1, 1}, {1, 1, 1});
    require_barriers({3, 1, 1}, {7, 1, 1});
    require_barriers({2, 3, 1}, {33, 1, 1});
    require_barriers({1, 2, 2}, {8, 5, 1});
    require_barriers({5, 1, 1}, {4, 5, 5});
    require_barriers({2, 1, 1}, {1024, 1, 1});
  });
}

TEST_CASE("static and dynamic shared memory") {
  each_schedule(scaled(10, 3), [](std::string const& schedule) {
    INFO(schedule);
    for (unsigned const threads : {1u, 31u, 100u, 128u}) {
      std::vector<int> items(threads * 3);
      std::iota(items.begin(), items.end(), 0);
      device_buffer<int> const data(items);
      simt::launch<reverse_kernel>(
          {.blocks = 3, .threads = threads, .dynamic_shared_bytes = threads * sizeof(int)},
          data.data());
      auto const got = data.copy();
      for (unsigned i = 0; i < got.size(); ++i) {
        unsigned const block = i / threads, mine = i % threads;
        unsigned const next = (mine + 1) % threads;
        unsigned const sum = 2 * block * threads + 2 * (threads - 1) - mine - next;
        REQUIRE(got[i] == static_cast<int>(sum));
      }
    }
  });
}

TEST_CASE("atomics of 32 and 64 bits") {
  each_schedule(scaled(5, 2), [](std::string const& schedule) {
    INFO(schedule);
    require_atomics<int>();
    require_atomics<unsigned>();
    require_atomics<unsigned long long>();
    require_atomics<long long>();
  });
}

TEST_CASE("atomics on shared memory and on floats") {
  each_schedule(scaled(10, 3), [](std::string const& schedule) {
    INFO(schedule);
    device_buffer<unsigned> const bins(std::vector<unsigned>(16, 0));
    device_buffer<float> const sum(std::vector<float>{0});
    simt::launch<shared_histogram_kernel>({.blocks = 4, .threads = 64}, bins.data(), sum.data());
    REQUIRE(bins.copy() == std::vector<unsigned>(16, 16u));
    REQUIRE(sum.copy()[0] == 128.0f);
  });
}

TEST_CASE("blocks hand values on by release and acquire, and by fences") {
  each_schedule(scaled(10, 3), [](std::string const& schedule) {
    INFO(schedule);
    require_relay<ordering::by_flag>();
    require_relay<ordering::by_fences>();
  });
}

TEST_CASE("a cooperative grid meets") {
  each_schedule(scaled(10, 3), [](std::string const& schedule) {
    INFO(schedule);
    constexpr int blocks = 12, threads = 33, rounds = 4;
    device_buffer<int> const item(blocks), sums(blocks * threads);
    simt::launch<grid_kernel>({.blocks = blocks, .threads = threads, .cooperative = true},
                              item.data(), sums.data(), rounds);
    REQUIRE(sums.copy() ==
            std::vector<int>(blocks * threads, blocks * (blocks - 1) / 2 + blocks * (rounds - 1)));
  });
}

TEST_CASE("vector loads and stores move all items") {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    require_vectors<std::uint8_t, 4>();
    require_vectors<std::uint8_t, 16>();
    require_vectors<std::int16_t, 8>();
    require_vectors<int, 2>();
    require_vectors<int, 4>();
    require_vectors<float, 4>();
    require_vectors<double, 2>();
    require_vectors<std::uint64_t, 1>();
  });
}

}  // namespace libscan::test
