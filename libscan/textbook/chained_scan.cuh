// SPDX-License-Identifier: Apache-2.0
// Chained scan: one pass, in which each tile waits for the prefix of the previous one and passes
// its own to the next (Yan, Long & Zhang, "StreamScan", 2013). Tiles are claimed by a ticket, so a
// tile waits only for blocks that are running.
#pragma once

#include <libscan/textbook/names.hpp>
#include <libscan/textbook/textbook_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// The ticket, and a flag and a prefix for each tile. A small value, passed to kernels.
template <class T>
class tile_chain {
 public:
  tile_chain(std::byte* memory, index_t tiles) {
    array_maker make(memory);
    ticket_ = make.make<unsigned long long>(1);
    passed_ = make.make<unsigned>(tiles);
    prefix_ = make.make<T>(tiles);
  }

  /// Bytes of device memory for this many tiles, and how many of them, from the first, must be zero
  /// before a kernel uses the chain.
  static constexpr std::size_t bytes(index_t tiles) {
    return reset_bytes(tiles) + strategies::array_bytes<T>(tiles);
  }
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return array_bytes<unsigned long long>(1) + array_bytes<unsigned>(tiles);
  }

  /// The next unclaimed tile. By one thread.
  __device__ index_t claim() const {
    simt::atomic_ref<unsigned long long> const ticket(*ticket_);
    return static_cast<index_t>(ticket.fetch_add(1, simt::memory_order_relaxed));
  }

  /// Waits until the tile's prefix has been passed on, and takes it. By one thread.
  __device__ T wait_for(index_t tile) const {
    simt::atomic_ref<unsigned> const passed(passed_[tile]);
    while (passed.load(simt::memory_order_acquire) == 0) {
    }
    return prefix_[tile];
  }

  /// Passes on the prefix up to and including this tile. By one thread.
  __device__ void pass_on(index_t tile, T prefix) const {
    prefix_[tile] = prefix;
    simt::atomic_ref<unsigned>(passed_[tile]).store(1, simt::memory_order_release);
  }

 private:
  unsigned long long* ticket_;
  unsigned* passed_;
  T* prefix_;
};

/// Each block claims tiles, one after the other, until none is left.
template <scan_kind Kind, class BlockScan, int MaxThreads, class Op>
struct chained_scan_kernel {
  using T = typename Op::value_type;
  using tile = textbook_tile<BlockScan, MaxThreads>;
  static constexpr int block_threads = MaxThreads;

  struct shared_storage {
    typename tile::template storage<T> scan;
    T carry;
    index_t claimed;
  };

  template <class In, class Out>
  __device__ void operator()(shared_storage& shared, In in, Out out, index_t n, Op op, T init,
                             tile_chain<T> chain, T* total) const {
    bool const leader = block::textbook::this_thread() == 0;
    for (;;) {
      // 1 claim a tile
      if (leader) shared.claimed = chain.claim();
      simt::sync_block();
      index_t const at = shared.claimed;
      index_t const base = at * tile::items();
      if (base >= n) return;
      // 2 load and scan it
      T items[tile::items_per_thread];
      tile::load(in, base, n, T(op.identity()), items);
      T const sum = block::textbook::scan_tile<Kind, BlockScan>(shared.scan, items, op);
      // 3 wait for the previous tile, pass on to the next
      if (leader) {
        T const carry = at == 0 ? init : chain.wait_for(at - 1);
        T const prefix = op(carry, sum);
        chain.pass_on(at, prefix);
        if (total != nullptr && n - base <= tile::items()) *total = prefix;
        shared.carry = carry;
      }
      simt::sync_block();
      // 4 apply the carry and store
      tile::store(out, base, n, shared.carry, items, op);
    }
  }
};

/// 1 launch. Reads n, writes n. The chain is as long as the number of tiles: a tile's turn costs a
/// round trip to memory, even if the other tiles have finished.
template <class BlockScan, int MaxThreads>
struct chained_scan : block_strategy<BlockScan, MaxThreads> {
  using block_strategy<BlockScan, MaxThreads>::block_strategy;
  static constexpr scan_strategy which = scan_strategy::chained_scan;

  template <class T, class Out>
  constexpr std::size_t workspace_bytes(index_t n) const {
    return tile_chain<T>::bytes(this->tiles(n));
  }

  template <scan_kind Kind, class In, class Out, class Op, class T = typename Op::value_type>
  void scan(workspace& ws, In in, Out out, index_t n, Op op, T* d_total, T init) const {
    index_t const tiles = this->tiles(n);
    std::byte* const memory = ws.reserve(workspace_bytes<T, Out>(n));
    simt::fill_async(memory, 0, tile_chain<T>::reset_bytes(tiles), ws.stream());
    simt::launch<chained_scan_kernel<Kind, BlockScan, MaxThreads, Op>>(
        this->grid_of(n, ws), in, out, n, op, init, tile_chain<T>(memory, tiles), d_total);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
