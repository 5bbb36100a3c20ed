// SPDX-License-Identifier: Apache-2.0
// The counts that the tiles of a pass publish: the number of items of each digit in a tile, then in
// it and all tiles before it (decoupled look-back, Merrill & Garland 2016, with 256 counts a tile
// as in Onesweep, Adinets & Merrill 2022).
#pragma once

#include <cstddef>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The most values that a digit of a sort can take.
inline constexpr int digit_values = 256;

/// A row of counts for each tile, and the number of tiles claimed, in device memory that must be
/// zero when a pass begins. Every count is in one word with its status, so no memory needs
/// ordering. A count has 30 bits, so a table serves up to 2^30 - 1 items. A small value, passed to
/// kernels.
class digit_table {
  static constexpr int first_row = 64;  // the ticket has memory lines of its own
  static constexpr unsigned own = 1u << 30;
  static constexpr unsigned prefix = 2u << 30;
  static constexpr unsigned count_mask = own - 1;

 public:
  digit_table() = default;
  __device__ digit_table(unsigned* words, index_t count) : words_(words), count_(count) {}

  /// Words of device memory for `tiles` tiles.
  static constexpr index_t words(index_t tiles) { return first_row + tiles * digit_values; }

  /// Clears a part: thread `rank` of `ranks` calls with its own number.
  __device__ void clear(index_t rank, index_t ranks) const {
    for (index_t i = rank; i < count_; i += ranks) words_[i] = 0;
  }

  /// The next unclaimed tile.
  __device__ int claim() const {
    return static_cast<int>(
        simt::atomic_ref<unsigned>(words_[0]).fetch_add(1, simt::memory_order_relaxed));
  }

  /// Publishes how many items of a digit the tile has.
  __device__ void publish(int tile, int digit, unsigned count) const {
    at(tile, digit).store((tile == 0 ? prefix : own) | count, simt::memory_order_relaxed);
  }

  /// Returns how many items of a digit the tiles before this one have, and publishes the sum of
  /// those and this tile's `count`. Waits for earlier tiles to publish.
  __device__ unsigned look_back(int tile, int digit, unsigned count) const {
    if (tile == 0) return 0;
    unsigned before = 0;
    for (int other = tile - 1;;) {
      unsigned const word = at(other, digit).load(simt::memory_order_relaxed);
      if (word == 0) continue;
      before += word & count_mask;
      if ((word & prefix) != 0) break;
      --other;
    }
    publish_prefix(tile, digit, before + count);
    return before;
  }

  /// What a tile has published for a digit; never waits. See `is_there`, `is_prefix`, `count_of`.
  __device__ unsigned read(int tile, int digit) const {
    return at(tile, digit).load(simt::memory_order_relaxed);
  }
  static __device__ bool is_there(unsigned word) { return word != 0; }
  static __device__ bool is_prefix(unsigned word) { return (word & prefix) != 0; }
  static __device__ unsigned count_of(unsigned word) { return word & count_mask; }

  /// Publishes how many items of a digit the tiles up to this one have.
  __device__ void publish_prefix(int tile, int digit, unsigned count) const {
    at(tile, digit).store(prefix | count, simt::memory_order_relaxed);
  }

 private:
  __device__ simt::atomic_ref<unsigned> at(int tile, int digit) const {
    return simt::atomic_ref<unsigned>(words_[first_row + index_t{tile} * digit_values + digit]);
  }

  unsigned* words_ = nullptr;
  index_t count_ = 0;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
