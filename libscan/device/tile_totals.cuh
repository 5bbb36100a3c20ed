// SPDX-License-Identifier: Apache-2.0
// The totals that tiles publish for one another, each once. Every 32 bits of a total travel in a
// 64-bit word together with a tag, so that a word is either not there yet or complete, and no
// memory needs ordering.
#pragma once

#include <cstddef>
#include <cstring>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// One total per tile, in device memory that must be cleared before the first is published. A small
/// value, passed to kernels.
template <class T>
class tile_totals {
  using word = unsigned long long;
  static constexpr int words_per_tile = static_cast<int>((sizeof(T) + 3) / 4);
  static constexpr word tag = word{1} << 32;

 public:
  /// `memory`: at least `bytes(tiles)`, aligned to 8.
  tile_totals(std::byte* memory, index_t tiles)
      : words_(reinterpret_cast<word*>(memory)), words_in_all_(tiles * words_per_tile) {}

  /// Bytes of device memory for that many tiles.
  static constexpr std::size_t bytes(index_t tiles) {
    return static_cast<std::size_t>(tiles) * words_per_tile * sizeof(word);
  }

  /// Clears a part: thread `rank` of `ranks` calls with its own number. Needs a grid-wide barrier
  /// before the first `publish`.
  __device__ void clear(index_t rank, index_t ranks) const {
    for (index_t i = rank; i < words_in_all_; i += ranks) words_[i] = 0;
  }

  /// Tells the others the total of `tile`. By one thread, once per tile.
  __device__ void publish(index_t tile, T const& total) const {
    unsigned bits[words_per_tile] = {};
    memcpy(bits, &total, sizeof(T));
#pragma unroll
    for (int i = 0; i < words_per_tile; ++i) {
      simt::atomic_ref<word>(words_[tile * words_per_tile + i])
          .store(tag | bits[i], simt::memory_order_relaxed);
    }
  }

  /// Fetches the total of `tile` if it is there; never waits.
  __device__ bool try_read(index_t tile, T& total) const {
    unsigned bits[words_per_tile];
    bool complete = true;
#pragma unroll
    for (int i = 0; i < words_per_tile; ++i) {
      word const at = simt::atomic_ref<word>(words_[tile * words_per_tile + i])
                          .load(simt::memory_order_relaxed);
      complete = complete && (at & tag) != 0;
      bits[i] = static_cast<unsigned>(at);
    }
    if (complete) memcpy(&total, bits, sizeof(T));
    return complete;
  }

 private:
  word* words_;
  index_t words_in_all_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
