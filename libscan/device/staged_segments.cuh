// SPDX-License-Identifier: Apache-2.0
// Items and where their segments begin, in shared memory, as a pipeline stages them for work that
// processes them lane by lane: flags, bits or keys as bulk copies store them; nothing where all
// segments have one length.
#pragma once

#include <type_traits>

#include <libscan/device/item_count.cuh>
#include <libscan/device/segment_readers.cuh>
#include <libscan/device/staged_tile.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The head flags of a tile of `Items` items, a multiple of 32. Members, where `possible`:
///   bits_per_item    what a descriptor takes of the stage
///   copies           how many copies fetch() starts: one or none
///   fetch copy_edges as of `staged_tile`
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
    unsigned const beyond = 2 * Items;
    return {beyond,
            into == 0      ? 0
            : left < Items ? beyond - static_cast<unsigned>(left)
                           : 1,
            ~0u / beyond + 1};
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

// Items in shared memory that a warp processes together, each lane with consecutive ones: a whole
// batch takes one scan of the warp's lanes. With an odd number of 16-byte vectors to a lane, the
// accesses of the lanes have no bank conflicts.

/// `Vectors` times `Width` items of each lane.
template <int Vectors, int Width>
struct lane_batch {
  static constexpr int lane_items = Vectors * Width;
  static constexpr int items = simt::warp_size * lane_items;
  static_assert(lane_items <= 32, "a lane keeps a bit of each of its items");

  /// The head bits of the caller's items, which begin at item `at` of a tile of `valid`, and its
  /// warp's at item `first`. `reader`: of `staged_heads`.
  template <class Reader>
  static __device__ unsigned load_heads(Reader const& reader, int valid, int first, int at) {
    unsigned own = 0;
    if (valid - first >= items && reader.template whole<Width>(first, first + items)) {
#pragma unroll
      for (int i = 0; i < lane_items; i += Width) {
        own |= device::whole_bits<Width>(reader, at + i) << i;
      }
    } else {
#pragma unroll
      for (int i = 0; i < lane_items; i += Width) {
        own |= device::bits<Width>(reader, at + i, device::valid_items<Width>(valid, at + i)) << i;
      }
    }
    return own;
  }

  /// The caller's items; `fill` from `valid` on.
  template <class Item, class T>
  static __device__ void load(T (&item)[lane_items], Item const* staged, int valid, int first,
                              int at, T fill) {
    bool const whole = valid - first >= items && warp::whole_rows<Width>(staged);
#pragma unroll
    for (int i = 0; i < lane_items; i += Width) {
      T row[Width];
      if (whole) {
        warp::load_whole_row(staged, at + i, row);
      } else {
        warp::load_row(staged, at + i, device::valid_items<Width>(valid, at + i), fill, row);
      }
#pragma unroll
      for (int j = 0; j < Width; ++j) item[i + j] = row[j];
    }
  }

  /// staged[at + i] = item[i], by each lane for all of its items.
  template <class T>
  static __device__ void store(T* staged, int at, T const (&item)[lane_items]) {
    bool const whole = warp::whole_rows<Width>(staged);
#pragma unroll
    for (int i = 0; i < lane_items; i += Width) {
      if (whole) {
        if constexpr (warp::moves_as_vector<T*, Width>) {
          simt::vector<T, Width> row;
#pragma unroll
          for (int j = 0; j < Width; ++j) row.item[j] = item[i + j];
          simt::store_shared_vector<Width>(staged + at + i, row);
        }
      } else {
#pragma unroll
        for (int j = 0; j < Width; ++j) staged[at + i + j] = item[i + j];
      }
    }
  }
};

/// The common part of a pipeline's works that make values of type T from items and head flags. A
/// part's values, at most one for each item, wait in the stage: in place of items of their type.
template <class Item, class T, class Heads, class Tuning>
struct staged_segments {
  using batch = lane_batch<Tuning::lane_vectors, Tuning::vector_items>;
  static constexpr int batches = Tuning::batches;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = batches * batch::items;
  static constexpr int tile_items = parts * part_items;
  using heads_type = staged_heads<Heads, tile_items>;
  static constexpr int copies = 1 + heads_type::copies;
  static constexpr bool in_place = std::is_same_v<std::remove_cv_t<Item>, T>;

  struct no_values {};
  struct all_values {
    alignas(16) T values[tile_items];
  };
  // A base, since nvcc 13.0 misplaces what follows an empty [[no_unique_address]] member.
  struct stage_type : std::conditional_t<in_place, no_values, all_values> {
    staged_tile<std::remove_cv_t<Item>, tile_items> items;
    heads_type heads;
  };

  Item const* in;
  Heads heads;

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int copy) const {
    if (copy == 0) {
      stage.items.fetch(in + base, valid, full);
    } else {
      stage.heads.fetch(heads, base, valid, full);
    }
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int end) const {
    stage.items.copy_edges(in + base, valid, begin, end);
    stage.heads.copy_edges(heads, base, valid, begin, end);
  }

  /// Where the values of a tile wait.
  __device__ T* values(stage_type& stage, index_t base) const {
    if constexpr (in_place) {
      return stage.items.items(in + base);
    } else {
      return stage.values;
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
