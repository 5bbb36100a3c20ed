// SPDX-License-Identifier: Apache-2.0
// The totals that tiles publish, each once. Every 32 bits of one are in a 64-bit word together with
// a tag, so a word is either not there yet or complete, and no memory needs ordering. Also counts
// of items that fit in one such word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The format of a total: a value and one bit, which most totals do not use. And how the totals of
/// 32 consecutive tiles are combined, in lane 0. Kinds of total specialize it.
template <class Total>
struct total_format {
  using value_type = Total;
  static __device__ Total const& value(Total const& total) { return total; }
  static __device__ bool flag(Total const&) { return false; }
  static __device__ Total total(Total const& value, bool) { return value; }
  template <class Op>
  static __device__ Total combine_lanes(Total const& total, Op op) {
    return warp::combine(total, op);
  }
};

/// One total per tile, in device memory that must be cleared before the first is published. A small
/// value, passed to kernels.
template <class T>
class tile_totals {
  using word = unsigned long long;
  using format = total_format<T>;
  using value_type = typename format::value_type;
  static constexpr int words_per_tile = static_cast<int>((sizeof(value_type) + 3) / 4);
  static constexpr word tag = word{1} << 32;
  static constexpr word flag_bit = word{1} << 33;  // in the first word of a total

 public:
  /// `memory`: at least `bytes(tiles)`, aligned to 8.
  tile_totals(std::byte* memory, index_t tiles)
      : words_(reinterpret_cast<word*>(memory)), words_in_all_(tiles * words_per_tile) {}

  /// Bytes of device memory for this many tiles.
  static constexpr std::size_t bytes(index_t tiles) {
    return static_cast<std::size_t>(tiles) * words_per_tile * sizeof(word);
  }

  /// Clears a part: thread `rank` of `ranks` calls with its own number. Needs a grid-wide barrier
  /// before the first `publish`.
  __device__ void clear(index_t rank, index_t ranks) const {
#pragma unroll 1
    for (index_t i = rank; i < words_in_all_; i += ranks) words_[i] = 0;
  }

  /// Publishes the total of `tile`. By one thread, once per tile.
  __device__ void publish(index_t tile, T const& total) const {
    reading const written = published(total);
    word* const own = words_ + tile * words_per_tile;
#pragma unroll
    for (int i = 0; i < words_per_tile; ++i) {
      simt::atomic_ref<word>(own[i]).store(written.words[i], simt::memory_order_relaxed);
    }
  }

  /// What a read of one tile's words found: possibly only a part of a total.
  struct reading {
    word words[words_per_tile];

    /// Whether the total is there.
    __device__ bool complete() const {
      bool all = true;
#pragma unroll
      for (int i = 0; i < words_per_tile; ++i) all = all && (words[i] & tag) != 0;
      return all;
    }

    /// The total, if it is there.
    __device__ T value() const {
      unsigned bits[words_per_tile];
#pragma unroll
      for (int i = 0; i < words_per_tile; ++i) bits[i] = static_cast<unsigned>(words[i]);
      value_type value;
      std::memcpy(__builtin_addressof(value), bits, sizeof(value));
      return format::total(value, (words[0] & flag_bit) != 0);
    }
  };

  /// What `read` finds of a total that is there.
  static __device__ reading published(T const& total) {
    unsigned bits[words_per_tile] = {};
    value_type const value = format::value(total);
    std::memcpy(bits, __builtin_addressof(value), sizeof(value));
    reading found;
#pragma unroll
    for (int i = 0; i < words_per_tile; ++i) found.words[i] = tag | bits[i];
    if (format::flag(total)) found.words[0] |= flag_bit;
    return found;
  }

  /// Reads what is there of the total of `tile`; never waits.
  __device__ reading read(index_t tile) const {
    word* const other = words_ + tile * words_per_tile;
    reading found;
#pragma unroll
    for (int i = 0; i < words_per_tile; ++i) {
      found.words[i] = simt::atomic_ref<word>(other[i]).load(simt::memory_order_relaxed);
    }
    return found;
  }

 private:
  word* words_;
  index_t words_in_all_;
};

/// A position or count of items: never negative, below 2^62, and so small enough to share one
/// 64-bit word with its status.
struct packed_count {
  index_t value;
};

/// Sum of positions.
struct plus_packed_count {
  using value_type = packed_count;
  LIBSCAN_HOST_DEVICE static constexpr packed_count identity() { return {0}; }
  LIBSCAN_HOST_DEVICE constexpr packed_count operator()(packed_count earlier,
                                                        packed_count later) const {
    return {earlier.value + later.value};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device

namespace libscan {
/// Positions are integers.
template <>
inline constexpr bool exactly_associative<device::plus_packed_count> = true;
}  // namespace libscan

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A tile has fewer than 2^27 items, so that its count fits one word with a tag, and so does the
/// sum of 32 counts; the number of items before a tile takes 64 bits.
template <>
struct total_format<packed_count> {
  using value_type = std::uint32_t;
  static __device__ std::uint32_t value(packed_count total) {
    return static_cast<std::uint32_t>(total.value);
  }
  static __device__ bool flag(packed_count) { return false; }
  static __device__ packed_count total(std::uint32_t value, bool) { return {index_t{value}}; }
  static __device__ packed_count combine_lanes(packed_count total, plus_packed_count) {
    return {index_t{warp::combine(value(total), plus<std::uint32_t>{})}};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
