// SPDX-License-Identifier: Apache-2.0
// Mistakes of a chained scan: each tile waits for the sum of the tiles before it.
#include <tests/simt/mistakes/mistake.hpp>

namespace libscan::test {

namespace {

constexpr unsigned tiles = 24;

enum class flaw { none, flag_first, relaxed, no_fences, tile_from_block };

/// How the sum of a tile reaches the next: by acquire and release, or by fences around relaxed
/// flags.
enum class ordering { by_flag, by_fences };

/// sum[t] = item[0] + ... + item[t], where one thread of each block has one item.
template <flaw Flaw, ordering Ordering>
struct chained_scan_kernel {
  static constexpr bool by_fences = Ordering == ordering::by_fences;
  static constexpr bool weak = by_fences || Flaw == flaw::relaxed;
  static constexpr simt::memory_order publish =
      weak ? simt::memory_order_relaxed : simt::memory_order_release;
  static constexpr simt::memory_order observe =
      weak ? simt::memory_order_relaxed : simt::memory_order_acquire;

  __device__ void operator()(int const* items, int* sums, int* flags, unsigned* ticket) const {
    if (threadIdx.x != 0) return;
    unsigned const tile =
        Flaw == flaw::tile_from_block
            ? blockIdx.x
            : simt::atomic_ref<unsigned>(*ticket).fetch_add(1, simt::memory_order_relaxed);
    int const before = tile == 0 ? 0 : wait_for(tile - 1, sums, flags);
    simt::atomic_ref<int> const flag(flags[tile]);
    if constexpr (Flaw == flaw::flag_first) flag.store(1, publish);
    sums[tile] = before + items[tile];
    if constexpr (by_fences && Flaw != flaw::no_fences) simt::thread_fence();
    if constexpr (Flaw != flaw::flag_first) flag.store(1, publish);
  }

  __device__ static int wait_for(unsigned tile, int const* sums, int* flags) {
    simt::atomic_ref<int> const flag(flags[tile]);
    while (flag.load(observe) == 0) {
    }
    if constexpr (by_fences && Flaw != flaw::no_fences) simt::thread_fence();
    return sums[tile];
  }
};

template <flaw Flaw, ordering Ordering = ordering::by_flag>
bool chained_scan() {
  device_buffer<int> const items(std::vector<int>(tiles, 1)), sums(tiles);
  device_buffer<int> const flags(std::vector<int>(tiles, 0));
  device_buffer<unsigned> const ticket(std::vector<unsigned>(1, 0));
  simt::launch<chained_scan_kernel<Flaw, Ordering>>({.blocks = tiles, .threads = 2},
                                                    static_cast<int const*>(items.data()),
                                                    sums.data(), flags.data(), ticket.data());
  std::vector<int> expected = iota(tiles);
  for (int& item : expected) ++item;
  return sums.copy() == expected;
}

}  // namespace

std::vector<mistake> lookback_mistakes() {
  constexpr ordering by_fences = ordering::by_fences;
  return {
      {"look-back publishes its flag before its value",
       chained_scan<flaw::none>,
       chained_scan<flaw::flag_first>,
       {.seeded = 15, .race = 20, .tsan = true},
       {}},
      {"look-back with relaxed order",
       chained_scan<flaw::none>,
       chained_scan<flaw::relaxed>,
       {.race = 20, .tsan = true},
       {}},
      {"look-back without fences",
       chained_scan<flaw::none, by_fences>,
       chained_scan<flaw::no_fences, by_fences>,
       {.race = 20, .tsan = true},
       {}},
      {"tile number taken from blockIdx",
       chained_scan<flaw::none>,
       chained_scan<flaw::tile_from_block>,
       {.seeded = 15, .race = 15},
       {"deadlock", "chained_scan_kernel", "an atomic load at lookback_mistakes.cpp:"}},
  };
}

}  // namespace libscan::test
