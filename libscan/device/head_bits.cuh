// SPDX-License-Identifier: Apache-2.0
// Head bits made in the workspace: from offsets, where each sets a bit; from keys, for scans that
// write their results over the keys, where a tile would find the key before its first one
// overwritten; and from other descriptions, for compiled calls, which have kernels for few of them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <libscan/device/item_count.cuh>
#include <libscan/device/segment_readers.cuh>
#include <libscan/device/staged_segments.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Sets bit i % 32 of word i / 32 if item i begins a segment. Each warp has 32 words.
struct pack_heads_kernel {
  static constexpr int block_threads = 256;
  static constexpr int warp_items = simt::warp_size * simt::warp_size;
  static constexpr int block_items = block_threads / simt::warp_size * warp_items;

  template <class Heads>
  __device__ void operator()(Heads heads, item_count count, std::uint32_t* words) const {
    index_t const n = count.get();
    index_t const base =
        index_t{blockIdx.x} * block_items + index_t{threadIdx.x} / simt::warp_size * warp_items;
    if (base >= n) return;
    unsigned own = 0;
#pragma unroll 8
    for (int row = 0; row < simt::warp_size; ++row) {
      index_t const i = base + row * simt::warp_size + simt::lane_id();
      unsigned const head = i < n ? device::bits<1>(heads, i, 1) : 0;
      unsigned const word = simt::ballot(simt::full_warp, head != 0);
      if (simt::lane_id() == row) own = word;
    }
    if (base + simt::lane_id() * simt::warp_size < n) words[base / 32 + simt::lane_id()] = own;
  }
};

/// Whether results in `Out` may be written over what a descriptor reads: over keys of their type.
template <class Heads, class Out>
inline constexpr bool can_overwrite_heads = false;
template <class Key, class Equal, class T>
inline constexpr bool can_overwrite_heads<segment_keys<Key*, Equal>, T*> =
    std::is_same_v<std::remove_const_t<Key>, T>;

/// Whether they are written over it in this call.
template <class Heads, class Out>
bool overwrites_heads(Heads const& descriptor, Out const& out) {
  if constexpr (can_overwrite_heads<Heads, Out>) {
    return descriptor.keys == out;
  } else {
    return false;
  }
}

/// Bytes of head bits of n items.
constexpr std::size_t packed_heads_bytes(index_t n) {
  return static_cast<std::size_t>(ceil_div(n, index_t{2048})) * 256;
}

/// Bytes of workspace for the bits of overwritten keys: 0 for other descriptors.
template <class Heads>
constexpr std::size_t key_bits_bytes(Heads const&, index_t) {
  return 0;
}
template <class Key, class Equal>
constexpr std::size_t key_bits_bytes(segment_keys<Key*, Equal> const&, index_t n) {
  return device::packed_heads_bytes(n);
}

/// Packs head flags, of n > 0 items, into words at `memory`. Reads keys or flags, writes n / 8
/// bytes.
template <class Heads>
head_bits pack_heads(Heads heads, std::byte* memory, item_count n, simt::stream on) {
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  auto const blocks =
      static_cast<unsigned>(ceil_div(n.at_most(), index_t{pack_heads_kernel::block_items}));
  simt::launch<pack_heads_kernel>(
      {.blocks = blocks, .threads = pack_heads_kernel::block_threads, .on = on}, heads, n, words);
  return head_bits{words};
}

/// Sets the head bit of every segment that is not empty. Unless `numbered` is null, also sets that
/// of the items after the last segment, and stores the number of segments there if any segment is
/// empty or any item is in none. A block gathers the bits of segments that are not too long in
/// shared memory, and adds them to those of others a word at a time.
template <class Offset>
struct mark_heads_kernel {
  using number =
      std::conditional_t<sizeof(Offset) == 8, index_t,
                         std::conditional_t<std::is_unsigned_v<Offset>, std::uint32_t, int>>;
  using place = std::make_unsigned_t<number>;  // of an item, or of a word of 32
  static constexpr auto largest = static_cast<index_t>(std::numeric_limits<number>::max());
  static constexpr int block_threads = 256;
  // Blocks per multiprocessor, for at most 48 registers, or 64: with one more, a block less fits.
  static constexpr int resident_blocks = sizeof(Offset) == 8 ? 4 : 5;
  static constexpr bool programmatic_launch = true;
  static constexpr int width = sizeof(Offset) == 8 ? 2 : 4;  // consecutive offsets of a lane
  static constexpr int rows = 8 / width;                     // of a warp, in flight together
  static constexpr int row_segments = simt::warp_size * width;
  static constexpr int warp_segments = rows * row_segments;
  static constexpr int block_segments = block_threads / simt::warp_size * warp_segments;
  static constexpr int window_words = 2 * block_segments;

  struct shared_storage {
    std::uint32_t window[window_words];
  };

  __device__ void operator()(shared_storage& shared, Offset const* offsets, index_t segments,
                             item_count count, std::uint32_t* words, index_t* numbered) const {
    index_t const n = count.get();
    auto const limit = static_cast<place>(n < largest ? n : largest);
    int const own = static_cast<int>(threadIdx.x) / simt::warp_size * warp_segments;
    index_t const stride = index_t{gridDim.x} * block_segments;
    bool empty = false;  // whether any of the caller's segments is
    for (index_t first = index_t{blockIdx.x} * block_segments; first < segments; first += stride) {
      Offset const* const begin = offsets + first;
      index_t const left = segments - first;
      if (left >= block_segments && fits_window(begin, limit)) {
        empty |= mark_in_window(shared, begin, limit, words);
      } else if (own < left) {
        int const some = left - own < warp_segments ? static_cast<int>(left - own) : warp_segments;
        empty |= mark_each(begin + own, some, limit, words);
      }
    }
    if (numbered != nullptr && simt::any(simt::full_warp, empty) && simt::lane_id() == 0) {
      number_segments(numbered, segments);
    }
    // At the end, so that no register is kept for it; by the last block, which has no more to do
    // than others.
    if (numbered != nullptr && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0 &&
        leaves_out(offsets, segments, limit, words)) {
      number_segments(numbered, segments);
    }
  }

 private:
  static __device__ void number_segments(index_t* numbered, index_t segments) {
    simt::atomic_ref<index_t>(*numbered).store(segments, simt::memory_order_relaxed);
  }

  /// Whether items are before the first segment or after the last, whose end is the last offset. By
  /// one thread.
  static __device__ bool leaves_out(Offset const* offsets, index_t segments, place limit,
                                    std::uint32_t* words) {
    place const end = item_at(offsets + segments);
    if (end < limit) set_bits(words, end / 32, 1u << end % 32);
    return item_at(offsets) != 0 || end < limit;
  }

  static __device__ void set_bits(std::uint32_t* words, place word, unsigned bits) {
    if (bits == 0) return;
    simt::atomic_ref<std::uint32_t>(words[word]).fetch_or(bits, simt::memory_order_relaxed);
  }

  /// The item at an offset; a negative one is beyond any limit.
  static __device__ place item_at(Offset const* offset) {
    return static_cast<place>(static_cast<number>(*offset));
  }

  /// Whether the head flags of `block_segments` of `offsets` are in words that fit the window.
  static __device__ bool fits_window(Offset const* offsets, place limit) {
    place const last = item_at(offsets + block_segments - 1);
    return warp::whole_rows<width>(offsets) && last < limit &&
           last / 32 - item_at(offsets) / 32 < window_words;
  }

  /// `block_segments` of `offsets`. Returns whether one of the caller's is empty. By a block.
  static __device__ bool mark_in_window(shared_storage& shared, Offset const* offsets, place limit,
                                        std::uint32_t* words) {
    place const from = item_at(offsets) / 32;
    place const last = item_at(offsets + block_segments - 1) / 32 - from;
    offsets += static_cast<int>(threadIdx.x) / simt::warp_size * warp_segments;
    number at[rows][width];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      warp::load_whole_row(offsets, r * row_segments + simt::lane_id() * width, at[r]);
    }
    auto next_row = static_cast<number>(offsets[warp_segments]);
    for (place i = threadIdx.x; i <= last; i += block_threads) shared.window[i] = 0;
    simt::sync_block();
    bool empty = false;
#pragma unroll
    for (int r = rows - 1; r >= 0; --r) {
      number next = simt::shfl_down(simt::full_warp, at[r][0], 1);
      if (simt::lane_id() == simt::warp_size - 1) next = next_row;
      next_row = simt::shfl(simt::full_warp, at[r][0], 0);
      empty |= mark_row(shared, at[r], next, limit, from, last, words);
    }
    simt::sync_block();
    for (place i = threadIdx.x; i <= last; i += block_threads) {
      set_bits(words, from + i, shared.window[i]);
    }
    return empty;
  }

  /// The caller's part of a row, those of one word together; `next`: the offset after it.
  static __device__ bool mark_row(shared_storage& shared, number const (&at)[width], number next,
                                  place limit, place from, place last, std::uint32_t* words) {
    bool empty = false;
    place word = from;
    unsigned heads = 0;
    auto const set = [&] {
      if (word - from > last) return set_bits(words, word, heads);  // offsets do not ascend
      simt::block_atomic_ref<std::uint32_t>(shared.window[word - from])
          .fetch_or(heads, simt::memory_order_relaxed);
    };
#pragma unroll
    for (int j = 0; j < width; ++j) {
      auto const item = static_cast<place>(at[j]);
      number const end = j + 1 < width ? at[j + 1 < width ? j + 1 : j] : next;
      if (item >= limit || at[j] >= end) {
        empty = true;
        continue;
      }
      if (item / 32 != word) {
        if (heads != 0) set();
        word = item / 32;
        heads = 0;
      }
      heads |= 1u << item % 32;
    }
    if (heads != 0) set();
    return empty;
  }

  /// The first `segments` of `offsets`, `warp_segments` at most. Returns whether one of the
  /// caller's is empty. By a warp.
  static __device__ bool mark_each(Offset const* offsets, int segments, place limit,
                                   std::uint32_t* words) {
    bool empty = false;
    constexpr int steps = warp_segments / simt::warp_size;
    number at[steps], end[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      int const s = k * simt::warp_size + simt::lane_id();
      at[k] = static_cast<number>(offsets[s < segments ? s : segments]);
      end[k] = static_cast<number>(offsets[s < segments ? s + 1 : segments]);
    }
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      auto const item = static_cast<place>(at[k]);
      if (item < limit && at[k] < end[k]) {
        set_bits(words, item / 32, 1u << item % 32);
      } else {
        empty |= k * simt::warp_size + simt::lane_id() < segments;
      }
    }
    return empty;
  }
};

/// Bytes of workspace to turn a descriptor into head bits: 0, except for offsets.
template <class Heads>
constexpr std::size_t head_bytes(Heads const&, index_t) {
  return 0;
}
template <class Offset>
constexpr std::size_t head_bytes(segment_offsets<Offset> const&, index_t n) {
  return static_cast<std::size_t>(ceil_div(n, index_t{2048})) * 256;
}

/// Marks the head flags in words at `memory`, which are 0. Unless `numbered` is null, also marks
/// the item after the last segment, and stores the number of segments there if a segment is empty
/// or an item is in none.
template <class Offset>
head_bits mark_heads(segment_offsets<Offset> heads, std::byte* memory, item_count n,
                     index_t* numbered, simt::stream on) {
  using kernel = mark_heads_kernel<Offset>;
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  if (heads.segments > 0) {
    unsigned const blocks =
        device::blocks_for<kernel, Offset const*, index_t, item_count, std::uint32_t*, index_t*>(
            libscan::ceil_div(heads.segments, index_t{kernel::block_segments}),
            kernel::block_threads);
    simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on},
                         heads.offsets, heads.segments, n, words, numbered);
  }
  return head_bits{words};
}

/// Head bits made from offsets. The offsets give where the first segment begins and the last ends.
template <class Offset>
struct marked_offsets : head_bits {
  Offset const* offsets;
  index_t segments;
};

/// They are staged as other bits.
template <class Offset, int Items>
struct staged_heads<marked_offsets<Offset>, Items> : staged_heads<head_bits, Items> {};

/// What a kernel reads head flags from: the descriptor itself, or head bits made from it at
/// `memory`.
template <class Heads>
Heads prepare_heads(Heads heads, std::byte*, item_count, simt::stream) {
  return heads;
}
template <class Offset>
marked_offsets<Offset> prepare_heads(segment_offsets<Offset> heads, std::byte* memory, item_count n,
                                     simt::stream on) {
  simt::fill_async(memory, 0, device::head_bytes(heads, n.at_most()), on);
  return {device::mark_heads(heads, memory, n, nullptr, on), heads.offsets, heads.segments};
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
