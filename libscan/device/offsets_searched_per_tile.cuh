// SPDX-License-Identifier: Apache-2.0
// The head flags of one tile, made from offsets where they are needed: the block searches for the
// first segment of its tile and marks the segments that begin in it in shared memory. With few
// items this is faster than marking the head flags of all (head_bits.cuh), which takes
// separate launches.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/device/segment_readers.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Segments by offsets; each tile finds its own.
template <class Offset>
struct offsets_searched_per_tile {
  Offset const* offsets;
  index_t segments;
};

/// Whether segments are described by offsets.
template <class Heads>
inline constexpr bool by_offsets = false;
template <class Offset>
inline constexpr bool by_offsets<segment_offsets<Offset>> = true;

/// With more items or segments all head flags are marked at once. With many items the cost of these
/// launches is small, but every tile would wait for its search; and if most segments are empty, one
/// tile may have to read the offsets of nearly all.
inline constexpr index_t max_searched_items = index_t{1} << 22;
inline constexpr index_t max_searched_segments = index_t{1} << 17;
constexpr bool suits_search(index_t items, index_t segments) {
  return items <= max_searched_items && segments > 0 && segments <= max_searched_segments;
}

/// Whether `Tuning` has head flags marked at once for any number of items: for tests.
template <class Tuning>
concept marks_heads = requires {
  Tuning::marks_heads;
};

/// Whether an offset is before an item, for any type of offset.
template <class Offset>
__device__ __forceinline__ bool is_before(Offset offset, index_t item) {
  using whole = std::conditional_t<std::is_signed_v<Offset>, index_t, std::uint64_t>;
  return static_cast<whole>(offset) < static_cast<whole>(item);
}

/// The first of `count` ascending offsets that is not before `base`. By a block of `Threads`, a
/// probe each.
template <int Threads, class Offset>
__device__ index_t first_offset(Offset const* offsets, index_t count, index_t base) {
  index_t low = 0;
  index_t high = count;
  while (low < high) {
    index_t const step = (high - low + Threads - 1) / Threads;
    index_t const probe = low + step * static_cast<index_t>(threadIdx.x);
    bool const before = probe < high && device::is_before(offsets[probe], base);
    index_t const passed = simt::sync_block_count(before);
    if (passed == 0) break;
    index_t const failed = low + step * passed;
    low = failed - step + 1;
    if (failed < high) high = failed;
  }
  return low;
}

/// use(s, from, to) for segments s from `first` on, which are items [from, to), until it returns
/// false, and for a few after it; but not for all of many empty segments at one place. By a block
/// of `Threads`; each thread continues independently.
template <int Threads, class Offset, class Use>
__device__ void each_segment(offsets_searched_per_tile<Offset> const& heads, index_t first,
                             Use use) {
  constexpr int reads = 2;  // of a thread, in flight together; more take registers that tiles need
  constexpr index_t step = index_t{reads} * Threads;
  index_t const last = heads.segments;
  for (index_t s = first + static_cast<index_t>(threadIdx.x);; s += step) {
    Offset from[reads], to[reads];
#pragma unroll
    for (int k = 0; k < reads; ++k) {
      index_t const own = s + k * Threads;
      from[k] = heads.offsets[own < last ? own : last];
      to[k] = heads.offsets[own < last ? own + 1 : last];
    }
    bool more = true;
#pragma unroll
    for (int k = 0; k < reads; ++k) {
      index_t const own = s + k * Threads;
      more = own < last && use(own, static_cast<index_t>(from[k]), static_cast<index_t>(to[k]));
    }
    if (!more) return;
    if (from[0] != from[reads - 1]) continue;
    // Within many empty segments at one place: continue with doubled steps.
    index_t jump = step;
    while (s + 2 * jump < last && heads.offsets[s + 2 * jump] == from[0]) jump *= 2;
    s += jump - step;
  }
}

/// Head flags of the tile at `base`, a byte each; items are numbered among all items.
struct tile_flags {
  std::uint8_t const* flags;
  index_t base;

  /// As `head_flags` has them.
  template <int Width>
  __device__ __forceinline__ bool whole_rows() const {
    return true;
  }
  template <int Width>
  __device__ __forceinline__ unsigned whole_bits(index_t i) const {
    return device::whole_bits<Width>(head_flags{flags}, i - base);
  }
  template <int Width>
  __device__ __forceinline__ unsigned bits(index_t i, int count) const {
    return device::bits<Width>(head_flags{flags}, i - base, count);
  }
};

/// Space in shared memory for the head flags of a tile, and how a kernel gets them. Most
/// descriptors need none: they are read directly.
template <class Heads, int Threads, int TileItems>
struct tile_heads {
  struct shared_storage {};

  /// The head flags of the tile at `base`. By all threads of the block.
  static __device__ __forceinline__ Heads of(shared_storage&, Heads const& heads, index_t, int) {
    return heads;
  }
};

/// For head flags that are searched: a byte an item.
template <class Offset, int Threads, int TileItems>
struct tile_heads<offsets_searched_per_tile<Offset>, Threads, TileItems> {
  static_assert(TileItems % 4 == 0);

  struct shared_storage {
    alignas(16) std::uint32_t four_flags[TileItems / 4];
  };

  /// The first segment that ends after `base`. Head flags after `base` belong to it or to later
  /// segments.
  static __device__ index_t first_of(offsets_searched_per_tile<Offset> const& heads, index_t base) {
    return device::first_offset<Threads>(heads.offsets + 1, heads.segments, base + 1);
  }

  /// Marks them in `shared`. Ends with a barrier.
  static __device__ tile_flags of(shared_storage& shared,
                                  offsets_searched_per_tile<Offset> const& heads, index_t base,
                                  int valid) {
    return of(shared, heads, base, valid, first_of(heads, base));
  }

  /// The same, with what `first_of` has found.
  static __device__ tile_flags of(shared_storage& shared,
                                  offsets_searched_per_tile<Offset> const& heads, index_t base,
                                  int valid, index_t first) {
    for (int i = static_cast<int>(threadIdx.x); i < TileItems / 4; i += Threads) {
      shared.four_flags[i] = 0;
    }
    simt::sync_block();
    auto* const flags = reinterpret_cast<std::uint8_t*>(shared.four_flags);
    mark(flags, heads, first, base, valid);
    simt::sync_block();
    return {flags, base};
  }

 private:
  /// Marks every segment that begins in the tile, from `first` on.
  static __device__ void mark(std::uint8_t* flags, offsets_searched_per_tile<Offset> const& heads,
                              index_t first, index_t base, int valid) {
    device::each_segment<Threads>(heads, first, [&](index_t, index_t from, index_t to) {
      index_t const place = from - base;
      if (place >= 0 && place < valid && from < to) flags[place] = 1;
      return place < valid;
    });
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
