// SPDX-License-Identifier: Apache-2.0
// Which segment each of a few consecutive items is in, in the shared memory of one block.
#pragma once

#include <cstdint>

#include <apps/radix_sort/segment_list.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The segments of up to MostItems items. All threads of the block call clear() and find(), each
/// warp of which looks after consecutive rows of 32 items.
template <int MostItems, int BlockThreads>
class segment_bounds {
 public:
  static constexpr int warps = BlockThreads / simt::warp_size;
  static constexpr int rows = MostItems / BlockThreads;
  static_assert(MostItems % BlockThreads == 0);

  /// Before find(), with a barrier in between.
  __device__ void clear(int items) {
    for (int i = static_cast<int>(threadIdx.x); i < items; i += BlockThreads) bound_[i] = 0;
  }

  /// Finds the segments of `items` items, of which `first` is the first: segments [from, to), from
  /// its first item to its last. Returns how long the longest is. Ends with a barrier.
  template <class Offset>
  __device__ int find(segment_list<Offset> const& segments, index_t from, index_t to, index_t first,
                      int items) {
    unsigned longest = 0;
    auto const mark = [&](index_t begin, index_t end) {
      if (begin == end) return;
      bound_[begin - first] = static_cast<bound_type>(is_first | (end - first));
      auto const length = static_cast<unsigned>(end - begin);
      longest = length > longest ? length : longest;
    };
    if (to - from <= 2 * MostItems) {
      mark_all(segments, from, to, mark);
    } else {  // nearly all of them empty
      for (int i = static_cast<int>(threadIdx.x); i < items; i += BlockThreads) {
        index_t const segment = segments.first_from(first + i + 1, from, to) - 1;
        if (segments.begin(segment) == first + i) mark(first + i, segments.end(segment));
      }
    }
    longest = simt::reduce_max(simt::full_warp, longest);
    if (simt::lane_id() == 0) longest_[warp()] = static_cast<int>(longest);
    simt::sync_block();
    tell_others(items);
    int of_block = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) of_block = longest_[w] > of_block ? longest_[w] : of_block;
    return of_block;
  }

  /// The first item of an item's segment.
  __device__ int begin_of(int item) const {
    int const bound = bound_[item];
    return (bound & is_first) != 0 ? item : bound;
  }
  /// One past the last item of the segment that begins with `first`.
  __device__ int end_of(int first) const { return bound_[first] & (is_first - 1); }

  /// The caller's item of a row.
  static __device__ int item_of_row(int row) {
    return (warp() * rows + row) * simt::warp_size + simt::lane_id();
  }

 private:
  using bound_type = std::uint16_t;
  static constexpr bound_type is_first = 0x8000;
  static_assert(MostItems < is_first);

  static __device__ int warp() { return static_cast<int>(threadIdx.x) / simt::warp_size; }

  template <class Offset, class Mark>
  static __device__ void mark_all(segment_list<Offset> const& segments, index_t from, index_t to,
                                  Mark const& mark) {
    constexpr int at_once = 4;  // on their way to a thread
    for (index_t s = from + threadIdx.x; s < to; s += at_once * BlockThreads) {
      index_t begin[at_once], end[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        index_t const segment = s + k * BlockThreads < to ? s + k * BlockThreads : s;
        begin[k] = segments.begin(segment);
        end[k] = segments.end(segment);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) mark(begin[k], end[k]);
    }
  }

  /// Tells items that are not the first of their segment which is. Ends with a barrier.
  __device__ void tell_others(int items) {
    unsigned firsts[rows];
    int latest = -1;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      int const i = item_of_row(row);
      firsts[row] = simt::ballot(simt::full_warp, i < items && bound_[i] != 0);
      if (firsts[row] != 0) latest = item_of_lane(i, firsts[row]);
    }
    if (simt::lane_id() == 0) latest_[warp()] = latest;
    simt::sync_block();
    int before = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w < warp() && latest_[w] >= 0) before = latest_[w];
    }
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      int const i = item_of_row(row);
      unsigned const up_to = firsts[row] & simt::lanemask_le();
      int const own = up_to == 0 ? before : item_of_lane(i, up_to);
      if (i < items && own != i) bound_[i] = static_cast<bound_type>(own);
      if (firsts[row] != 0) before = item_of_lane(i, firsts[row]);
    }
    simt::sync_block();
  }

  /// The item of the last of these lanes, where the caller's is `own`.
  static __device__ int item_of_lane(int own, unsigned lanes) {
    return own - simt::lane_id() + simt::warp_size - 1 - simt::clz(lanes);
  }

  bound_type bound_[MostItems];  // of a first item its segment's end, of others the first; or 0
  int latest_[warps];            // first item of a segment in each warp's rows, or -1
  int longest_[warps];           // segment that a warp has marked
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
