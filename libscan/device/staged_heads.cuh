// SPDX-License-Identifier: Apache-2.0
// Where the segments of one tile begin, in shared memory: flags, bits or keys as bulk copies store
// them; nothing where all segments have one length.
#pragma once

#include <libscan/device/segments.cuh>
#include <libscan/device/staged_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The head flags of a tile of `Items` items, a multiple of 32. Members, where `possible`:
///   bits_per_item    what a descriptor takes of the stage
///   copies           how many copies fetch() starts: one or none
///   fetch complete   as of `staged_tile`
///   reader(...)      something whose bits<Width>(i, count) has bit j set if item i + j of the tile
///                    begins a segment, for j < count <= Width, which divides i; where
///                    whole<Width>(begin, end) says so, whole_bits<Width>(i) does the same quickly
///                    for j < Width and begin <= i < end
template <class Heads, int Items>
struct staged_heads {
  static constexpr bool possible = false;
  static constexpr int bits_per_item = 0;
};

/// Flags, a byte each.
template <int Items>
struct staged_heads<head_flags, Items> {
  static constexpr bool possible = true;
  static constexpr int bits_per_item = 8;
  static constexpr int copies = 1;

  __device__ void fetch(head_flags heads, index_t base, int valid, simt::mbarrier& full) {
    flags.fetch(heads.bytes + base, valid, full);
  }

  __device__ void copy_edges(head_flags heads, index_t base, int valid, int begin, int end) {
    flags.copy_edges(heads.bytes + base, valid, begin, end);
  }

  struct reader_type {
    head_flags staged;

    template <int Width>
    __device__ bool whole(int, int) const {
      return device::whole_rows<Width>(staged);
    }
    template <int Width>
    __device__ unsigned whole_bits(int i) const {
      return device::whole_bits<Width>(staged, i);
    }
    template <int Width>
    __device__ unsigned bits(int i, int count) const {
      return device::bits<Width>(staged, i, count);
    }
  };

  __device__ reader_type reader(head_flags heads, index_t base, int) {
    return {{flags.items(heads.bytes + base)}};
  }

  staged_tile<std::uint8_t, Items> flags;
};

/// Bits, 32 in a word.
template <int Items>
struct staged_heads<head_bits, Items> {
  static constexpr bool possible = true;
  static constexpr int bits_per_item = 1;
  static constexpr int copies = 1;

  __device__ void fetch(head_bits heads, index_t base, int valid, simt::mbarrier& full) {
    words.fetch(heads.words + base / 32, ceil_div(valid, 32), full);
  }

  __device__ void copy_edges(head_bits heads, index_t base, int valid, int begin, int end) {
    words.copy_edges(heads.words + base / 32, ceil_div(valid, 32), begin / 32, ceil_div(end, 32));
  }

  struct reader_type : head_bits {
    template <int Width>
    __device__ bool whole(int, int) const {
      return true;
    }
  };

  __device__ reader_type reader(head_bits heads, index_t base, int) {
    return {{words.items(heads.words + base / 32)}};
  }

  staged_tile<std::uint32_t, Items / 32> words;
};

/// Segments of one length: nothing to stage.
template <int Items>
struct staged_heads<equal_segments, Items> {
  static constexpr bool possible = true;
  static constexpr int bits_per_item = 0;
  static constexpr int copies = 0;

  __device__ void fetch(equal_segments, index_t, int, simt::mbarrier&) {}
  __device__ void copy_edges(equal_segments, index_t, int, int, int) {}

  struct reader_type {
    unsigned length;      // or more than any tile has items
    unsigned phase;       // position of the tile's first item in its segment
    unsigned reciprocal;  // 2^32 / length, rounded up: gives exact quotients of what a tile has

    template <int Width>
    __device__ bool whole(int, int) const {
      return true;
    }
    template <int Width>
    __device__ unsigned whole_bits(int i) const {
      return bits<Width>(i, Width);
    }
    template <int Width>
    __device__ unsigned bits(int i, int count) const {
      unsigned const at = phase + static_cast<unsigned>(i);
      if (length < Width) {
        unsigned result = 0;
        for (int j = 0; j < count; ++j) {
          if ((at + static_cast<unsigned>(j)) % length == 0) result |= 1u << j;
        }
        return result;
      }
      auto const whole_segments = static_cast<unsigned>(std::uint64_t{at} * reciprocal >> 32);
      unsigned const into = at - whole_segments * length;
      unsigned const next = into == 0 ? 0 : length - into;
      return static_cast<int>(next) < count ? 1u << next : 0;
    }
  };

  /// A segment that continues after the tile is treated as one that ends directly after it.
  __device__ reader_type reader(equal_segments heads, index_t base, int) {
    index_t const into = device::remainder(heads, base);
    index_t const left = heads.length - into;
    if (heads.length <= Items) {
      auto const length = static_cast<unsigned>(heads.length);
      return {length, static_cast<unsigned>(into), length == 1 ? 0 : ~0u / length + 1};
    }
    unsigned const far = 2 * Items;
    return {far,
            into == 0      ? 0
            : left < Items ? far - static_cast<unsigned>(left)
                           : 1,
            ~0u / far + 1};
  }
};

/// Keys in memory. The copy begins some keys before the tile; the last of them is compared with the
/// tile's first.
template <class Key, class Equal, int Items>
struct staged_heads<segment_keys<Key*, Equal>, Items> {
  using heads_type = segment_keys<Key*, Equal>;
  using key = std::remove_cv_t<Key>;
  static constexpr int bits_per_item = 8 * static_cast<int>(sizeof(Key));
  static constexpr bool possible = std::is_trivially_copyable_v<Key> && sizeof(Key) <= 16 &&
                                   (sizeof(Key) & (sizeof(Key) - 1)) == 0;
  static constexpr int copies = 1;

  __device__ void fetch(heads_type const& heads, index_t base, int valid, simt::mbarrier& full) {
    keys.fetch(first(heads, base), valid == 0 ? 0 : valid + lead(base), full);
  }

  __device__ void copy_edges(heads_type const& heads, index_t base, int valid, int begin, int end) {
    int const before = lead(base);
    keys.copy_edges(first(heads, base), valid + before, begin == 0 ? 0 : begin + before,
                    end + before);
  }

  struct reader_type {
    Equal equal;
    key const* staged;
    key const* memory;
    int copied_end;  // another warp may be storing what no copy brought at this moment
    int copied_begin;
    bool begins;

    template <int Width>
    __device__ bool whole(int begin, int end) const {
      return copied_begin < begin && end <= copied_end && !(begins && begin == 0) &&
             warp::whole_rows<Width>(staged);
    }
    template <int Width>
    __device__ unsigned whole_bits(int i) const {
      key row[Width];
      warp::load_whole_row(staged, i, row);
      return changes(staged[i - 1], row, Width);
    }
    template <int Width>
    __device__ unsigned bits(int i, int count) const {
      if (count <= 0) return 0;
      key row[Width];
      warp::load_row(staged, i, count, key{}, row);
      if (i == 0 && begins) return changes(row[0], row, count) | 1u;
      bool const copied = copied_begin < i && i <= copied_end;
      return changes(copied ? staged[i - 1] : memory[i - 1], row, count);
    }

   private:
    template <int Width>
    __device__ unsigned changes(key const& before, key const (&row)[Width], int count) const {
      unsigned result = equal(before, row[0]) ? 0 : 1;
#pragma unroll
      for (int j = 1; j < Width; ++j) {
        if (j < count && !equal(row[j - 1], row[j])) result |= 1u << j;
      }
      return result;
    }
  };

  /// Where the tile's keys are.
  __device__ key* items(heads_type const& heads, index_t base) {
    return keys.items(first(heads, base)) + lead(base);
  }

  __device__ reader_type reader(heads_type const& heads, index_t base, int valid) {
    int const before = lead(base);
    key const* const from = first(heads, base);
    auto const copied = keys.copied(from, valid + before);
    return {heads.equal,         items(heads, base),    heads.keys + base,
            copied.end - before, copied.first - before, base == 0};
  }

  staged_tile<key, Items + 16 / sizeof(Key)> keys;

 private:
  /// How many keys before the tile's first are copied: 16 bytes, so that rows stay aligned.
  static __device__ int lead(index_t base) {
    return base == 0 ? 0 : static_cast<int>(16 / sizeof(Key));
  }
  static __device__ key const* first(heads_type const& heads, index_t base) {
    return heads.keys + base - lead(base);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
