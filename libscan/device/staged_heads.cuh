// SPDX-License-Identifier: Apache-2.0
// What says where segments begin, for one tile, in shared memory: flags, bits or keys as bulk
// copies bring them; nothing where all segments are of one length.
#pragma once

#include <libscan/device/segments.cuh>
#include <libscan/device/staged_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The heads of a tile of `Items` items, a multiple of 32. Members, where `possible`:
///   bits_per_item    what a descriptor takes of the stage
///   copies           how many phases of `full` fetch() completes
///   fetch complete   as of `staged_tile`
///   bits<Width>      bit j: item i + j of the tile begins a segment, for j < count; `Width`
///   divides
///                    i; all lanes of a warp call
template <class Heads, int Items>
struct staged_heads {
  static constexpr bool possible = false;
};

template <int Items>
struct staged_heads<head_flags, Items> {
  static constexpr bool possible = true;
  static constexpr int bits_per_item = 8;
  static constexpr int copies = 1;

  __device__ void fetch(head_flags heads, index_t base, int valid, simt::mbarrier& full) {
    flags.fetch(heads.bytes + base, valid, full);
  }

  __device__ void complete(head_flags heads, index_t base, int valid, int begin, int end) {
    flags.complete(heads.bytes + base, valid, begin, end);
  }

  template <int Width>
  __device__ unsigned bits(head_flags heads, index_t base, int i, int count) {
    head_flags const staged{flags.items(heads.bytes + base)};
    if (count < Width || !staged.template whole_rows<Width>()) {
      return staged.template bits<Width>(i, count);
    }
    return staged.template whole_bits<Width>(i);
  }

  staged_tile<std::uint8_t, Items> flags;
};

template <int Items>
struct staged_heads<head_bits, Items> {
  static constexpr bool possible = true;
  static constexpr int bits_per_item = 1;
  static constexpr int copies = 1;

  __device__ void fetch(head_bits heads, index_t base, int valid, simt::mbarrier& full) {
    words.fetch(heads.words + base / 32, ceil_div(valid, 32), full);
  }

  __device__ void complete(head_bits heads, index_t base, int valid, int begin, int end) {
    words.complete(heads.words + base / 32, ceil_div(valid, 32), begin / 32, ceil_div(end, 32));
  }

  template <int Width>
  __device__ unsigned bits(head_bits heads, index_t base, int i, int count) {
    head_bits const staged{words.items(heads.words + base / 32)};
    return staged.template bits<Width>(i, count);
  }

  staged_tile<std::uint32_t, Items / 32> words;
};

template <int Items>
struct staged_heads<equal_segments, Items> {
  static constexpr bool possible = true;
  static constexpr int bits_per_item = 0;
  static constexpr int copies = 0;

  __device__ void fetch(equal_segments, index_t, int, simt::mbarrier&) {}
  __device__ void complete(equal_segments, index_t, int, int, int) {}

  template <int Width>
  __device__ unsigned bits(equal_segments heads, index_t base, int i, int count) {
    return heads.template bits<Width>(base + i, count);
  }
};

/// Keys in memory. The copy begins some keys before the tile, whose last is compared with its
/// first.
template <class Key, class Equal, int Items>
struct staged_heads<segment_keys<Key*, Equal>, Items> {
  using heads_type = segment_keys<Key*, Equal>;
  using key = std::remove_cv_t<Key>;
  static constexpr int bits_per_item = 8 * static_cast<int>(sizeof(Key));
  static constexpr bool possible = sizeof(Key) <= 16 && (sizeof(Key) & (sizeof(Key) - 1)) == 0;
  static constexpr int copies = 1;

  __device__ void fetch(heads_type const& heads, index_t base, int valid, simt::mbarrier& full) {
    keys.fetch(first(heads, base), valid == 0 ? 0 : valid + lead(base), full);
  }

  __device__ void complete(heads_type const& heads, index_t base, int valid, int begin, int end) {
    int const before = lead(base);
    keys.complete(first(heads, base), valid + before, begin == 0 ? 0 : begin + before,
                  end + before);
  }

  template <int Width>
  __device__ unsigned bits(heads_type const& heads, index_t base, int i, int count) {
    key const* const staged = keys.items(first(heads, base)) + lead(base);
    key row[Width];
    if (count >= Width && warp::whole_rows<Width>(staged)) {
      warp::load_whole_row(staged, i, row);
    } else {
      warp::load_row(staged, i, count, key{}, row);
    }
    unsigned result = 0;
    if (count > 0) {
      bool const begins = base + i == 0;
      result = begins || !heads.equal(key_before(heads, base, i, i + count), row[0]) ? 1 : 0;
    }
#pragma unroll
    for (int j = 1; j < Width; ++j) {
      if (j < count && !heads.equal(row[j - 1], row[j])) result |= 1u << j;
    }
    return result;
  }

  staged_tile<key, Items + 16 / sizeof(Key)> keys;

 private:
  /// The key before item i. What no copy brought, another warp may be adding at this moment.
  __device__ key key_before(heads_type const& heads, index_t base, int i, int valid) {
    int const at = lead(base) + i - 1;
    key const* const from = first(heads, base);
    return keys.copied(from, lead(base) + valid, at) ? keys.items(from)[at] : from[at];
  }

  /// How many keys the copy brings before the tile's first: 16 bytes, so that rows stay aligned.
  static __device__ int lead(index_t base) {
    return base == 0 ? 0 : static_cast<int>(16 / sizeof(Key));
  }
  static __device__ key const* first(heads_type const& heads, index_t base) {
    return heads.keys + base - lead(base);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
