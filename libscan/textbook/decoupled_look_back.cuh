// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back: a tile publishes its sum at once and its prefix later; a tile that needs a
// prefix adds up the sums of the tiles before it, back to the nearest one whose prefix is known
// (Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). This is
// the paper's form; libscan/scan.cuh is the fast one.
#pragma once

#include <libscan/textbook/names.hpp>
#include <libscan/textbook/textbook_tile.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device::strategies {

/// What is known of a tile: the paper's X, A and P.
enum class tile_flag : unsigned { invalid, aggregate, prefix };

/// The ticket and the tiles' descriptors: flag, sum of the tile (its aggregate), prefix up to and
/// including it. A small value, passed to kernels.
template <class T>
class tile_descriptors {
 public:
  /// A tile's flag and its value.
  struct report {
    tile_flag flag;
    T value;
  };

  tile_descriptors(std::byte* memory, index_t tiles) {
    array_maker make(memory);
    ticket_ = make.make<unsigned long long>(1);
    flag_ = make.make<unsigned>(tiles);
    aggregate_ = make.make<T>(tiles);
    prefix_ = make.make<T>(tiles);
  }

  /// Bytes of device memory for this many tiles, and how many of them, from the first, must be zero
  /// before a kernel uses them.
  static constexpr std::size_t bytes(index_t tiles) {
    return reset_bytes(tiles) + 2 * strategies::array_bytes<T>(tiles);
  }
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return array_bytes<unsigned long long>(1) + array_bytes<unsigned>(tiles);
  }

  /// The next unclaimed tile. By one thread.
  __device__ index_t claim() const {
    simt::atomic_ref<unsigned long long> const ticket(*ticket_);
    return static_cast<index_t>(ticket.fetch_add(1, simt::memory_order_relaxed));
  }

  /// Publishes the sum of a tile, then its prefix. By one thread. They have separate places: a
  /// reader of the sum may still be reading when the prefix is written.
  __device__ void publish_aggregate(index_t tile, T value) const {
    aggregate_[tile] = value;
    set(tile, tile_flag::aggregate);
  }
  __device__ void publish_prefix(index_t tile, T value) const {
    prefix_[tile] = value;
    set(tile, tile_flag::prefix);
  }

  /// What a tile has published; waits until it has published something.
  __device__ report wait_for(index_t tile) const {
    simt::atomic_ref<unsigned> const word(flag_[tile]);
    unsigned seen = 0;
    while (seen == 0) seen = word.load(simt::memory_order_acquire);
    auto const flag = static_cast<tile_flag>(seen);
    return {flag, flag == tile_flag::prefix ? prefix_[tile] : aggregate_[tile]};
  }

 private:
  __device__ void set(index_t tile, tile_flag flag) const {
    simt::atomic_ref<unsigned>(flag_[tile])
        .store(static_cast<unsigned>(flag), simt::memory_order_release);
  }

  unsigned long long* ticket_;
  unsigned* flag_;
  T* aggregate_;
  T* prefix_;
};

/// The walk back, by the first warp of a block, a window of as many tiles as it has lanes at a
/// time. Sums are then added from left to right: the order of association is that of the chain,
/// ((sum[0] op sum[1]) op sum[2]) ..., at whichever tile the walk ended, and results are the same
/// in every run.
template <class Op>
struct look_back_walk {
  using T = typename Op::value_type;
  using report = typename tile_descriptors<T>::report;

  tile_descriptors<T> const& tiles;
  Op op;
  int window;  ///< the lanes of that warp

  /// The carry of `tile` > 0, in all lanes. Tile 0 publishes its prefix without a walk.
  __device__ T prefix_before(index_t tile) const {
    // 1 back, to a window in which some tile knows its prefix
    index_t end = tile;
    report seen = read(end);
    while (!simt::any(simt::full_warp, seen.flag == tile_flag::prefix)) {
      end -= window;
      seen = read(end);
    }
    // 2 and forward again
    T carry = fold(seen, op.identity());
    while (end != tile) {
      end += window;
      carry = fold(read(end), carry);
    }
    return carry;
  }

 private:
  /// The window of tiles before `end`, ascending by lane; nothing before tile 0.
  __device__ report read(index_t end) const {
    index_t const at = end - window + simt::lane_id();
    report seen{tile_flag::invalid, op.identity()};
    if (at >= 0) seen = tiles.wait_for(at);
    simt::sync_warp();
    return seen;
  }

  /// carry op the window's tiles; starts over from the last of them whose prefix is known.
  __device__ T fold(report const& seen, T carry) const {
    unsigned const known = simt::ballot(simt::full_warp, seen.flag == tile_flag::prefix);
    int lane = 0;
    if (known != 0) {
      lane = simt::warp_size - 1 - simt::clz(known);
      carry = simt::shfl(simt::full_warp, seen.value, lane++);
    }
    if constexpr (exactly_associative<Op>) {
      if (window == simt::warp_size) {
        T counts = op.identity();
        if (simt::lane_id() >= lane) counts = seen.value;
        return op(carry, warp::inclusive_scan(counts, op).total);
      }
    }
    for (; lane < window; ++lane) {
      carry = op(carry, simt::shfl(simt::full_warp, seen.value, lane));
    }
    return carry;
  }
};

/// Each block claims tiles, one after the other, until none is left.
template <scan_kind Kind, class BlockScan, int MaxThreads, class Op>
struct decoupled_look_back_kernel {
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
                             tile_descriptors<T> tiles, T* total) const {
    bool const leader = block::textbook::this_thread() == 0;
    for (;;) {
      // 1 claim a tile
      if (leader) shared.claimed = tiles.claim();
      simt::sync_block();
      index_t const at = shared.claimed;
      index_t const base = at * tile::items();
      if (base >= n) return;
      // 2 load and scan it
      T items[tile::items_per_thread];
      tile::load(in, base, n, T(op.identity()), items);
      T const sum = block::textbook::scan_tile<Kind, BlockScan>(shared.scan, items, op);
      // 3 publish the sum, look back, publish the prefix
      if (block::textbook::this_thread() < simt::warp_size) {
        if (leader && at > 0) tiles.publish_aggregate(at, sum);
        int const threads = block::textbook::block_threads();
        int const lanes = threads < simt::warp_size ? threads : simt::warp_size;
        T const carry = at == 0 ? init : look_back_walk<Op>{tiles, op, lanes}.prefix_before(at);
        if (leader) {
          T const prefix = op(carry, sum);
          tiles.publish_prefix(at, prefix);
          if (total != nullptr && n - base <= tile::items()) *total = prefix;
          shared.carry = carry;
        }
      }
      simt::sync_block();
      // 4 apply the carry and store
      tile::store(out, base, n, shared.carry, items, op);
    }
  }
};

/// 1 launch. Reads n, writes n. No tile waits for another's look-back.
template <class BlockScan, int MaxThreads>
struct decoupled_look_back : block_strategy<BlockScan, MaxThreads> {
  using block_strategy<BlockScan, MaxThreads>::block_strategy;
  static constexpr scan_strategy which = scan_strategy::decoupled_look_back;

  template <class T, class Out>
  constexpr std::size_t workspace_bytes(index_t n) const {
    return tile_descriptors<T>::bytes(this->tiles(n));
  }

  template <scan_kind Kind, class In, class Out, class Op, class T = typename Op::value_type>
  void scan(workspace& ws, In in, Out out, index_t n, Op op, T* d_total, T init) const {
    index_t const tiles = this->tiles(n);
    std::byte* const memory = ws.reserve(workspace_bytes<T, Out>(n));
    simt::fill_async(memory, 0, tile_descriptors<T>::reset_bytes(tiles), ws.stream());
    simt::launch<decoupled_look_back_kernel<Kind, BlockScan, MaxThreads, Op>>(
        this->grid_of(n, ws), in, out, n, op, init, tile_descriptors<T>(memory, tiles), d_total);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device::strategies
