// SPDX-License-Identifier: Apache-2.0
// What orders memory between blocks, and between threads and bulk copies: flags, fences, grid
// barriers, mbarriers. Each planted mistake is found under every schedule, each correct twin is
// silent.
#include <memory>
#include <numeric>

#include <libscan/core/operators.hpp>
#include <libscan/scan.cuh>
#include <tests/simt/racecheck/finding.hpp>

namespace libscan::test {

namespace {

using simt::memory_order_acquire;
using simt::memory_order_relaxed;
using simt::memory_order_release;

struct release_acquire {
  static constexpr auto publish = memory_order_release, observe = memory_order_acquire;
  static constexpr bool fence_before = false, fence_after = false, flag_first = false;
};
struct by_fences : release_acquire {
  static constexpr auto publish = memory_order_relaxed, observe = memory_order_relaxed;
  static constexpr bool fence_before = true, fence_after = true;
};
struct release_to_fence : release_acquire {
  static constexpr auto observe = memory_order_relaxed;
  static constexpr bool fence_after = true;
};
struct fence_to_acquire : release_acquire {
  static constexpr auto publish = memory_order_relaxed;
  static constexpr bool fence_before = true;
};
struct all_relaxed : by_fences {
  static constexpr bool fence_before = false, fence_after = false;
};
struct no_release : release_acquire {
  static constexpr auto publish = memory_order_relaxed;
};
struct no_acquire : release_acquire {
  static constexpr auto observe = memory_order_relaxed;
};
struct no_first_fence : by_fences {
  static constexpr bool fence_before = false;
};
struct no_second_fence : by_fences {
  static constexpr bool fence_after = false;
};
struct flag_before_value : release_acquire {
  static constexpr bool flag_first = true;
};

/// Each block adds its number to the sum of the blocks before it.
template <class Order>
struct chain_kernel {
  __device__ void operator()(int* sums, int* flags, unsigned* ticket) const {
    if (threadIdx.x != 0) return;
    unsigned const tile =
        simt::atomic_ref<unsigned>(*ticket).fetch_add(1, memory_order_relaxed) % gridDim.x;
    simt::atomic_ref<int> const mine(flags[tile]);
    int const before = tile == 0 ? 0 : wait_for(sums, flags, tile - 1);
    if constexpr (Order::flag_first) mine.store(1, Order::publish);
    sums[tile] = before + 1;  //: sum
    if constexpr (Order::fence_before) simt::thread_fence();
    if constexpr (!Order::flag_first) mine.store(1, Order::publish);
  }

  static __device__ int wait_for(int const* sums, int* flags, unsigned tile) {
    simt::atomic_ref<int> const flag(flags[tile]);
    while (flag.load(Order::observe) == 0) {
    }
    if constexpr (Order::fence_after) simt::thread_fence();
    return sums[tile];  //: look back
  }
};

template <class Order>
void chain() {
  constexpr unsigned tiles = 12;
  std::vector<int> sums(tiles), flags(tiles);
  unsigned ticket = 0;
  simt::launch<chain_kernel<Order>>({.blocks = tiles, .threads = 2}, sums.data(), flags.data(),
                                    &ticket);
}

/// The last block to arrive reads what all others wrote: modifications keep a release sequence.
template <bool Right>
struct last_block_kernel {
  __device__ void operator()(int* part, unsigned* arrived, int* total) const {
    if (threadIdx.x != 0) return;
    part[blockIdx.x] = 1;
    constexpr auto order = Right ? simt::memory_order_acq_rel : memory_order_release;
    if (simt::atomic_ref<unsigned>(*arrived).fetch_add(1, order) + 1 != gridDim.x) return;
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += part[b];
    *total = sum;
  }
};

template <bool Right>
void last_block() {
  std::vector<int> part(7);
  unsigned arrived = 0;
  int total = 0;
  simt::launch<last_block_kernel<Right>>({.blocks = 7, .threads = 2}, part.data(), &arrived,
                                         &total);
  REQUIRE(total == 7);
}

enum class meeting { none, whole, halves, too_early };

/// Blocks exchange values; only a grid barrier orders them, even if they run one after the other,
/// and only what comes before an arrival is ordered by its halves.
template <meeting Meeting>
struct exchange_kernel {
  __device__ void operator()(int* item, int* out) const {
    auto const write = [&] {
      if (threadIdx.x == 0) item[blockIdx.x] = 1;
    };
    if constexpr (Meeting != meeting::too_early) write();
    if constexpr (Meeting == meeting::whole) simt::sync_grid();
    if constexpr (Meeting == meeting::halves || Meeting == meeting::too_early) {
      auto const arrival = simt::arrive_grid();
      if constexpr (Meeting == meeting::too_early) write();
      simt::wait_grid(arrival);
    }
    if (threadIdx.x == 1) out[blockIdx.x] = item[gridDim.x - 1 - blockIdx.x];
  }
};

template <meeting Meeting>
void exchange() {
  std::vector<int> item(6), out(6);
  simt::launch<exchange_kernel<Meeting>>(
      {.blocks = 6, .threads = 33, .cooperative = Meeting != meeting::none}, item.data(),
      out.data());
}

enum class flaw { none, early_read, early_reuse, overlap, source };

/// Sums tiles that come through a ring of two stages.
template <flaw Flaw>
struct pipeline_kernel {
  static constexpr unsigned items = 64, bytes = items * sizeof(int), tiles = 6;
  struct shared_storage {
    alignas(128) int stage[2][items];
    simt::mbarrier full[2];
    simt::mbarrier empty[2];
  };

  __device__ void operator()(shared_storage& shared, int* in, int* out) const {
    bool const leader = threadIdx.x == 0;
    for (unsigned s = 0; leader && s < 2; ++s) {
      shared.full[s].init(1);
      shared.empty[s].init(blockDim.x);
    }
    simt::sync_block();
    if (Flaw == flaw::source && threadIdx.x == 5) in[70] = 0;
    for (unsigned s = 0; leader && s < 2; ++s) issue(shared, in, s);
    int sum = 0;
    for (unsigned tile = 0; tile < tiles; ++tile) {
      unsigned const s = tile % 2, parity = tile / 2 % 2;
      if (Flaw != flaw::early_read || threadIdx.x != 37) shared.full[s].wait(parity);
      sum += shared.stage[s][threadIdx.x];
      shared.empty[s].arrive();
      if (leader && tile + 2 < tiles) {
        if constexpr (Flaw != flaw::early_reuse) shared.empty[s].wait(parity);
        issue(shared, in, tile + 2);
      }
    }
    out[threadIdx.x] = sum;
  }

  static __device__ void issue(shared_storage& shared, int const* in, unsigned tile) {
    unsigned const s = tile % 2;
    shared.full[s].arrive_expect(bytes);
    int* const target = shared.stage[s] - (Flaw == flaw::overlap && tile == 1 ? 4 : 0);
    simt::bulk_load(target, in + tile * items, bytes, shared.full[s]);  //: copy
  }
};

template <flaw Flaw>
void pipeline() {
  using kernel = pipeline_kernel<Flaw>;
  std::vector<int, std::allocator<int>> memory(kernel::tiles * kernel::items + 4, 1);
  std::vector<int> out(kernel::items);
  auto const misaligned = reinterpret_cast<std::uintptr_t>(memory.data()) % 16 / sizeof(int);
  simt::launch<kernel>({.blocks = 1, .threads = kernel::items},
                       memory.data() + (4 - misaligned) % 4, out.data());
}

template <class T>
void library_scan() {
  std::vector<T> in(2500, T(3)), out(2500);
  T total = 0;
  workspace ws;
  exclusive_scan(ws, in.data(), out.data(), index_t{2500}, plus<T>{}, &total);
  REQUIRE(total == T(7500));
}

}  // namespace

TEST_CASE("release and acquire, with or without fences, order what they publish") {
  silent(chain<release_acquire>);
  silent(chain<by_fences>);
  silent(chain<release_to_fence>);
  silent(chain<fence_to_acquire>);
}

TEST_CASE("a look-back that lacks an order is found") {
  found(chain<all_relaxed>,
        {"chain_kernel", "race in global memory: thread 0 reads at " + at(__FILE__, "look back"),
         "what thread 0 of block (", "wrote at " + at(__FILE__, "sum")});
  found(chain<no_release>, {"race in global memory"});
  found(chain<no_acquire>, {"race in global memory"});
  found(chain<no_first_fence>, {"race in global memory"});
  found(chain<no_second_fence>, {"race in global memory"});
}

TEST_CASE("a flag published before its value is found") {
  found(chain<flag_before_value>, {"chain_kernel", "race in global memory"});
}

TEST_CASE("the last block sees what the others did before they arrived") {
  silent(last_block<true>);
  found(last_block<false>, {"last_block_kernel", "race in global memory"});
}

TEST_CASE("only a grid barrier orders blocks") {
  silent(exchange<meeting::whole>);
  silent(exchange<meeting::halves>);
  found(exchange<meeting::none>, {"exchange_kernel", "race in global memory"});
  found(exchange<meeting::too_early>, {"exchange_kernel", "race in global memory"});
}

TEST_CASE("mistakes with bulk copies are found") {
  silent(pipeline<flaw::none>);
  found(pipeline<flaw::early_read>, {"pipeline_kernel", "shared memory"});
  found(pipeline<flaw::early_reuse>,
        {"race in shared memory", "the bulk copy of thread 0 writes at " + at(__FILE__, "copy")});
  found(pipeline<flaw::overlap>, {"race in shared memory", "the bulk copy of thread 0"});
  found(pipeline<flaw::source>, {"race in global memory", "the bulk copy of thread 0", "thread 5"});
}

TEST_CASE("the library's scan is silent") {
  silent(library_scan<int>);
  silent(library_scan<long long>);
}

}  // namespace libscan::test
