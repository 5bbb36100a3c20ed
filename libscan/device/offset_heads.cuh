// SPDX-License-Identifier: Apache-2.0
// Head bits made of offsets, in the workspace: each offset sets a bit.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <libscan/device/look_back_scan.cuh>
#include <libscan/device/segments.cuh>
#include <libscan/warp/row_io.cuh>
#include <libscan/warp/segmented_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// [s]: whether segment s begins at an item, as it does unless it is empty. An iterator.
template <class Offset>
struct begun_segments {
  Offset const* offsets;
  item_count count;

  __device__ bool operator[](index_t s) const {
    auto const at = static_cast<index_t>(offsets[s]);
    return at >= 0 && at < count.get() && at < static_cast<index_t>(offsets[s + 1]);
  }
};

/// Sets the head bit of every segment that is not empty; if any is, stores the number of segments
/// at `if_empty`, unless that is null. Where heads are dense, those of one word are joined, first
/// by lanes that take neighbours and then by the warp: a bit at a time would cost up to 32 atomic
/// operations a word.
template <class Offset>
struct mark_heads_kernel {
  using number =
      std::conditional_t<sizeof(Offset) == 8, index_t,
                         std::conditional_t<std::is_unsigned_v<Offset>, std::uint32_t, int>>;
  using place = std::make_unsigned_t<number>;  // of an item, or of a word of 32
  static constexpr auto largest = static_cast<index_t>(std::numeric_limits<number>::max());
  static constexpr int block_threads = 256;
  static constexpr int width = sizeof(Offset) == 8 ? 2 : 4;  // consecutive offsets of a lane
  static constexpr int rows = 8 / width;                     // of a warp, under way together
  static constexpr int row_segments = simt::warp_size * width;
  static constexpr int warp_segments = rows * row_segments;
  static constexpr int block_segments = block_threads / simt::warp_size * warp_segments;
  static constexpr int dense = 16;  // items to a segment

  __device__ void operator()(Offset const* offsets, index_t segments, item_count count,
                             std::uint32_t* words, index_t* if_empty) const {
    index_t const n = count.get();
    auto const limit = static_cast<place>(n < largest ? n : largest);
    bool const joins = n / segments < dense && warp::whole_rows<width>(offsets);
    index_t const warp = (index_t{blockIdx.x} * block_threads + threadIdx.x) / simt::warp_size;
    index_t const stride = index_t{gridDim.x} * block_segments;
    bool empty = false;  // whether any of the caller's segments is
    for (index_t first = warp * warp_segments; first < segments; first += stride) {
      Offset const* const begin = offsets + first;
      index_t const left = segments - first;
      if (joins && left >= warp_segments) {
        empty |= mark_dense(begin, limit, words);
      } else {
        int const some = left < warp_segments ? static_cast<int>(left) : warp_segments;
        empty |= mark_any(begin, some, limit, words);
      }
    }
    if (if_empty != nullptr && simt::any(simt::full_warp, empty) && simt::lane_id() == 0) {
      simt::atomic_ref<index_t>(*if_empty).store(segments, simt::memory_order_relaxed);
    }
  }

 private:
  /// The first `segments` of `offsets`, `warp_segments` at most. Returns whether one of the
  /// caller's is empty, as all these do. By a warp.
  static __device__ bool mark_any(Offset const* offsets, int segments, place limit,
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
      auto const item = static_cast<place>(at[k]);  // a negative one is beyond the limit
      if (item < limit && at[k] < end[k]) {
        set(words, item / 32, 1u << item % 32);
      } else {
        empty |= k * simt::warp_size + simt::lane_id() < segments;
      }
    }
    return empty;
  }

  /// `warp_segments` of `offsets`. By a warp.
  static __device__ bool mark_dense(Offset const* offsets, place limit, std::uint32_t* words) {
    bool empty = false;
    number at[rows][width];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      warp::load_whole_row(offsets, r * row_segments + simt::lane_id() * width, at[r]);
    }
    auto next_row = static_cast<number>(offsets[warp_segments]);
#pragma unroll
    for (int r = rows - 1; r >= 0; --r) {
      number next = simt::shfl_down(simt::full_warp, at[r][0], 1);
      if (simt::lane_id() == simt::warp_size - 1) next = next_row;
      next_row = simt::shfl(simt::full_warp, at[r][0], 0);
      empty |= mark_row(at[r], next, limit, words);
    }
    return empty;
  }

  /// Sets the bits of a row; `next`: the offset behind the lane's. By a warp.
  static __device__ __forceinline__ bool mark_row(number const (&at)[width], number next,
                                                  place limit, std::uint32_t* words) {
    constexpr auto nowhere = static_cast<place>(-1);
    place word = nowhere, last_word = nowhere;  // of the lane's first head, and of its last
    unsigned heads = 0, last_heads = 0;
    bool empty = false;
#pragma unroll
    for (int j = 0; j < width; ++j) {
      auto const item = static_cast<place>(at[j]);
      number const end = j + 1 < width ? at[j + 1 < width ? j + 1 : j] : next;
      bool const begins = item < limit && at[j] < end;
      empty |= !begins;
      if (!begins) continue;
      unsigned const bit = 1u << item % 32;
      if (heads == 0) word = item / 32;
      if (item / 32 == word) {
        heads |= bit;
        continue;
      }
      if (item / 32 != last_word) {
        set(words, last_word, last_heads);
        last_word = item / 32;
        last_heads = 0;
      }
      last_heads |= bit;
    }
    set(words, last_word, last_heads);
    place const before = simt::shfl_up(simt::full_warp, word, 1);
    bool const leads = simt::lane_id() == 0 || before != word;
    if (simt::ballot(simt::full_warp, leads) != simt::full_warp) {
      heads = warp::segmented_scan<scan_kind::inclusive>(heads, leads, bit_or<unsigned>{}).total;
    }
    if (leads) set(words, word, heads);
    return empty;
  }

  static __device__ void set(std::uint32_t* words, place word, unsigned bits) {
    if (bits == 0) return;
    simt::atomic_ref<std::uint32_t>(words[word]).fetch_or(bits, simt::memory_order_relaxed);
  }
};

/// Bytes of workspace that turning a descriptor into head bits takes: 0, but for offsets.
template <class Heads>
constexpr std::size_t head_bytes(Heads const&, index_t) {
  return 0;
}
template <class Offset>
constexpr std::size_t head_bytes(segment_offsets<Offset> const&, index_t n) {
  return static_cast<std::size_t>(ceil_div(n, index_t{2048})) * 256;
}

/// Marks the heads in words at `memory`, which are 0; if a segment is empty, stores the number of
/// segments at `if_empty`, unless that is null.
template <class Offset>
head_bits mark_heads(segment_offsets<Offset> heads, std::byte* memory, item_count n,
                     index_t* if_empty, simt::stream on) {
  using kernel = mark_heads_kernel<Offset>;
  auto* const words = reinterpret_cast<std::uint32_t*>(memory);
  if (heads.segments > 0) {
    unsigned const blocks =
        blocks_for<kernel, Offset const*, index_t, item_count, std::uint32_t*, index_t*>(
            ceil_div(heads.segments, index_t{kernel::block_segments}), kernel::block_threads);
    simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on},
                         heads.offsets, heads.segments, n, words, if_empty);
  }
  return head_bits{words};
}

/// What a kernel reads heads from: the descriptor itself, or head bits made of it at `memory`.
template <class Heads>
Heads prepare_heads(Heads heads, std::byte*, item_count, simt::stream) {
  return heads;
}
template <class Offset>
head_bits prepare_heads(segment_offsets<Offset> heads, std::byte* memory, item_count n,
                        simt::stream on) {
  simt::fill_async(memory, 0, head_bytes(heads, n.at_most()), on);
  return mark_heads(heads, memory, n, nullptr, on);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
