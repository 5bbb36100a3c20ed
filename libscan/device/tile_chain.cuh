// SPDX-License-Identifier: Apache-2.0
// How tiles that blocks claim by an atomic ticket learn what comes before them (Merrill & Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016): each publishes its total,
// looks back, and publishes its prefix. A tile waits only for running ones. The order of
// association is
// ((total[0] op total[1]) op total[2]) ..., wherever the walk back ends.
#pragma once

#include <cstddef>
#include <cstring>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/tile_totals.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What a tile has published so far.
enum class tile_status : unsigned { nothing, total, prefix };

/// A tile's status, and its value.
template <class T>
struct tile_report {
  tile_status status;
  T value;
};

namespace detail {

/// Values that fit one 64-bit word together with their status: read and written at once, so no
/// memory needs ordering. Never contains the word 0, which means "nothing yet".
template <class T>
struct packed_word {
  static constexpr bool fits = sizeof(T) <= 4;
  static __device__ unsigned long long encode(tile_status status, T value) {
    unsigned bits = 0;
    std::memcpy(&bits, __builtin_addressof(value), sizeof(T));
    return static_cast<unsigned long long>(status) << 32 | bits;
  }
  static __device__ tile_report<T> decode(unsigned long long word) {
    auto const bits = static_cast<unsigned>(word);
    tile_report<T> report;
    report.status = static_cast<tile_status>(word >> 32);
    std::memcpy(__builtin_addressof(report.value), &bits, sizeof(T));
    return report;
  }
};

template <>
struct packed_word<packed_count> {
  static constexpr bool fits = true;
  static __device__ unsigned long long encode(tile_status status, packed_count at) {
    return static_cast<unsigned long long>(at.value) << 2 | static_cast<unsigned>(status);
  }
  static __device__ tile_report<packed_count> decode(unsigned long long word) {
    return {static_cast<tile_status>(word & 3u), {static_cast<index_t>(word >> 2)}};
  }
};

}  // namespace detail

/// The shared state of all tiles, in device memory that must be zero in its first `reset_bytes`
/// when the kernel starts. A small value, passed to kernels.
template <class T>
class tile_state {
  using word = unsigned long long;
  static constexpr bool packed = detail::packed_word<T>::fits;

 public:
  tile_state(std::byte* memory, index_t tiles)
      : ticket_(reinterpret_cast<word*>(memory)),
        words_(ticket_ + 1),
        values_(reinterpret_cast<T*>(memory + values_offset(tiles))),
        tiles_(tiles) {}

  /// Bytes of device memory for this many tiles.
  static constexpr std::size_t bytes(index_t tiles) {
    std::size_t const values = packed ? 0 : 2 * static_cast<std::size_t>(tiles) * sizeof(T);
    return values_offset(tiles) + values;
  }

  /// How many of them, from the first, must be zero before a kernel uses the state.
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return (1 + static_cast<std::size_t>(tiles)) * sizeof(word);
  }

  /// The next unclaimed tile. The block that claims tile k may wait for earlier tiles: their blocks
  /// are running.
  __device__ index_t claim() const {
    return static_cast<index_t>(
        simt::atomic_ref<word>(*ticket_).fetch_add(1, simt::memory_order_relaxed));
  }

  /// Publishes a tile's own total, or the prefix up to and including it. By one thread.
  __device__ void publish(index_t tile, tile_status status, T value) const {
    simt::atomic_ref<word> const at(words_[tile]);
    if constexpr (packed) {
      at.store(detail::packed_word<T>::encode(status, value), simt::memory_order_relaxed);
    } else {
      values_[slot(tile, status)] = value;
      at.store(static_cast<word>(status), simt::memory_order_release);
    }
  }

  /// What a tile has published; never waits.
  __device__ tile_report<T> read(index_t tile) const {
    simt::atomic_ref<word> const at(words_[tile]);
    if constexpr (packed) {
      return detail::packed_word<T>::decode(at.load(simt::memory_order_relaxed));
    } else {
      auto const status = static_cast<tile_status>(at.load(simt::memory_order_acquire));
      tile_report<T> report{};
      report.status = status;
      if (status != tile_status::nothing) report.value = values_[slot(tile, status)];
      return report;
    }
  }

 private:
  static constexpr std::size_t values_offset(index_t tiles) {
    return ceil_div(reset_bytes(tiles), std::size_t{256}) * 256;
  }

  // Total and prefix have separate places: a reader of the total may still be reading when the
  // prefix is written.
  __device__ index_t slot(index_t tile, tile_status status) const {
    return status == tile_status::prefix ? tiles_ + tile : tile;
  }

  word* ticket_;
  word* words_;
  T* values_;
  index_t tiles_;
};

namespace detail {

/// What the 32 tiles before `end` have published, one per lane in ascending order; waits until all
/// have published something. Lanes before tile 0 report nothing.
template <class T>
__device__ tile_report<T> read_window(tile_state<T> const& state, index_t end, T identity) {
  index_t const tile = end - simt::warp_size + simt::lane_id();
  tile_report<T> report{tile_status::nothing, identity};
  do {
    if (tile >= 0 && report.status == tile_status::nothing) report = state.read(tile);
  } while (simt::any(simt::full_warp, tile >= 0 && report.status == tile_status::nothing));
  return report;
}

/// Folds a window from left to right onto `carry`; starts over at its last published prefix.
template <class T, class Op>
__device__ T fold_window(tile_report<T> const& report, T carry, Op op) {
  unsigned const prefixes = simt::ballot(simt::full_warp, report.status == tile_status::prefix);
  int lane = 0;
  if (prefixes != 0) {
    lane = simt::warp_size - 1 - simt::clz(prefixes);
    carry = simt::shfl(simt::full_warp, report.value, lane++);
  }
  for (; lane < simt::warp_size; ++lane) {
    carry = op(carry, simt::shfl(simt::full_warp, report.value, lane));
  }
  return carry;
}

/// Walks back to a window that holds a prefix, then folds forward again, one tile after the other.
template <class T, class Op>
__device__ T look_back_in_order(tile_state<T> const& state, index_t tile, Op op) {
  index_t end = tile;
  auto report = detail::read_window(state, end, T(op.identity()));
  while (!simt::any(simt::full_warp, report.status == tile_status::prefix)) {
    end -= simt::warp_size;
    report = detail::read_window(state, end, T(op.identity()));
  }
  T carry = detail::fold_window(report, T(op.identity()), op);
  while (end != tile) {
    end += simt::warp_size;
    carry = detail::fold_window(detail::read_window(state, end, T(op.identity())), carry, op);
  }
  return carry;
}

/// Walks back and sums, a window at a time.
template <class T, class Op>
__device__ T look_back_in_any_order(tile_state<T> const& state, index_t tile, Op op) {
  T carry = op.identity();
  for (index_t end = tile;; end -= simt::warp_size) {
    auto const report = detail::read_window(state, end, T(op.identity()));
    unsigned const prefixes = simt::ballot(simt::full_warp, report.status == tile_status::prefix);
    int const first = prefixes == 0 ? 0 : simt::warp_size - 1 - simt::clz(prefixes);
    T counts = op.identity();
    if (simt::lane_id() >= first) counts = report.value;
    carry = op(warp::inclusive_scan(counts, op).total, carry);
    if (prefixes != 0) return carry;
  }
}

}  // namespace detail

/// The prefix that enters `tile` > 0: all that tiles 0 ... tile - 1 hold. Called by all lanes of
/// one warp; each lane gets the result. Tile 0 must publish its prefix without looking back.
template <class T, class Op>
__device__ T look_back(tile_state<T> const& state, index_t tile, Op op) {
  if constexpr (exactly_associative<Op>) {
    return detail::look_back_in_any_order(state, tile, op);
  } else {
    return detail::look_back_in_order(state, tile, op);
  }
}

/// The carry that enters a tile: `init` before tile 0, otherwise found by looking back. Publishes
/// the tile's total and then its prefix. All threads of the block call and get the carry; ends with
/// a barrier. `ordered`: what all tiles before it did before they entered, up to their last
/// barrier, comes before what follows here; else nothing is said about other memory.
template <class T, class Op>
__device__ T enter_tile(tile_state<T> const& state, index_t tile, T total, T init, Op op,
                        T& shared_carry, bool ordered = false) {
  if (threadIdx.x < simt::warp_size) {
    bool const leader = threadIdx.x == 0;
    T carry = init;
    if (ordered) {
      simt::sync_warp();  // the block's last barrier, of a block of one warp
      simt::exchange_fence();
    }
    if (tile > 0) {
      if (leader) state.publish(tile, tile_status::total, total);
      carry = device::look_back(state, tile, op);
      if (ordered) {
        simt::exchange_fence();  // each lane, after what it saw
        simt::sync_warp();
        simt::exchange_fence();  // the leader, before it hands that on
      }
    }
    if (leader) {
      state.publish(tile, tile_status::prefix, op(carry, total));
      shared_carry = carry;
    }
  }
  simt::sync_block();
  return shared_carry;
}

/// The chain of all tiles, for summaries of any kind. Kinds that say more about themselves have
/// chains of their own (segment_chain.cuh). A small value, passed to kernels; its memory must be
/// zero in the first `reset_bytes` when the kernel starts.
template <class Summary>
class tile_chain {
 public:
  struct shared_storage {
    Summary carry;
  };

  tile_chain(std::byte* memory, index_t tiles) : state_(memory, tiles) {}

  static constexpr std::size_t bytes(index_t tiles) { return tile_state<Summary>::bytes(tiles); }
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return tile_state<Summary>::reset_bytes(tiles);
  }

  /// The next tile that no block has claimed. By one thread.
  __device__ index_t claim() const { return state_.claim(); }

  /// What comes before a tile: `init` before tile 0, else found by looking back. All threads of the
  /// block call and get it; ends with a barrier. `ordered`: what all tiles before it did before
  /// they entered, up to their last barrier, comes before what follows here; else nothing is said
  /// about other memory.
  template <class Op>
  __device__ Summary enter(shared_storage& shared, index_t tile, Summary const& own,
                           Summary const& init, Op op, bool ordered, bool /*needed*/) const {
    return device::enter_tile(state_, tile, own, init, op, shared.carry, ordered);
  }

 private:
  tile_state<Summary> state_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
