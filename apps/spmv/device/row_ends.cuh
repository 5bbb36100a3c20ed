// SPDX-License-Identifier: Apache-2.0
// The begin of a warp's span (the merge path of Merrill & Garland, "Merge-based Parallel Sparse
// Matrix-Vector Multiplication", 2016), and the ends of its rows, staged in shared memory ahead of
// their use.
#pragma once

#include <type_traits>

#include <apps/spmv/device/span_sums.cuh>
#include <libscan/core/types.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Entries and row ends in one sequence, a row's end after its entries: the number of ends among
/// the first `items` of them. By a warp, 32 probes at once.
template <class Offset>
__device__ index_t rows_ended_before(Offset const* offsets, index_t rows, index_t entries,
                                     index_t items) {
  index_t low = items > entries ? items - entries : 0;
  index_t high = items < rows ? items : rows;
  while (low < high) {
    index_t const step = (high - low + simt::warp_size - 1) / simt::warp_size;
    index_t const probe = low + step * simt::lane_id();
    bool const ended =
        probe < high && static_cast<index_t>(offsets[probe + 1]) + probe + 1 <= items;
    int const passed = simt::popc(simt::ballot(simt::full_warp, ended));
    if (passed == 0) return low;
    index_t const failed = low + step * passed;
    low = failed - step + 1;
    if (failed < high) high = failed;
  }
  return low;
}

/// The begin of a span.
struct span_start {
  index_t row;        // the first that ends in the span or after it
  index_t entry;      // the first in the span
  int rows;           // at least the number that ends in the span
  bool begun_before;  // whether `row` has entries in earlier spans
};

/// The ends of consecutive rows, relative to `base`. A ring in shared memory holds those of the
/// current rows, and registers hold the next ones, so their latency is hidden. One per warp; all
/// its lanes call.
template <class Offset>
class row_ends {
 public:
  static constexpr int chunk = 128;
  static constexpr int ring_rows = 2 * chunk;
  static constexpr int never = 1 << 30;  // the end of rows after the span
  using ring = int[ring_rows];

  /// For `rows` rows; `offsets`: their ends in memory; `begin`: the begin of the first.
  __device__ __forceinline__ row_ends(ring& ends, Offset const* offsets, int rows, index_t base,
                                      int begin)
      : ends_(ends),
        next_offsets_(offsets + simt::lane_id()),
        base_(static_cast<word>(base)),
        rows_left_(rows - simt::lane_id()) {
    fetch();
    if (simt::lane_id() == 0) ends_[ring_rows - 1] = begin;
    stage();
  }

  /// Stages the ends of rows up to row + 31, and of the row before.
  __device__ __forceinline__ void need(int row) {
    if (row + simt::warp_size > staged_) stage();
  }

  /// The end of a row; row -1 ends where the first begins.
  __device__ __forceinline__ int operator[](int row) const {
    return ends_[static_cast<unsigned>(row) % ring_rows];
  }

 private:
  using word = std::conditional_t<sizeof(Offset) < 4, unsigned, std::make_unsigned_t<Offset>>;
  static constexpr int lane_rows = chunk / simt::warp_size;

  __device__ __forceinline__ void fetch() {
#pragma unroll
    for (int k = 0; k < lane_rows; ++k) {
      next_[k] = never;
      if (k * simt::warp_size < rows_left_) {
        next_[k] = relative(device::read_once(next_offsets_ + k * simt::warp_size));
      }
    }
    next_offsets_ += chunk;
    rows_left_ -= chunk;
  }

  __device__ __forceinline__ int relative(Offset end) const {
    word const distance = static_cast<word>(end) - base_;
    return distance < word{never} ? static_cast<int>(distance) : never;
  }

  __device__ __forceinline__ void stage() {
    simt::sync_warp();
    int* const to = ends_ + staged_ % ring_rows + simt::lane_id();
#pragma unroll
    for (int k = 0; k < lane_rows; ++k) to[k * simt::warp_size] = next_[k];
    simt::sync_warp();
    staged_ += chunk;
    fetch();
  }

  ring& ends_;
  Offset const* next_offsets_;
  word base_;
  int rows_left_;
  int staged_ = 0;
  int next_[lane_rows];
};

/// Spans computed from the matrix itself, by a search at the begin of each.
template <class Offset>
struct searched_spans {
  using ends_type = row_ends<Offset>;
  Offset const* offsets;
  index_t rows;
  index_t entries;

  /// The span of `items` entries and rows after the first `begin` of them.
  __device__ __forceinline__ span_start start(index_t /*span*/, index_t begin, int items) const {
    index_t const row = device::rows_ended_before(offsets, rows, entries, begin);
    index_t const left = rows - row;
    return {row, begin - row, left < items ? static_cast<int>(left) : items,
            static_cast<index_t>(offsets[row]) < begin - row};
  }

  /// The ends of its rows, relative to `base`; its first entry is `first` after that.
  __device__ __forceinline__ ends_type ends(typename ends_type::ring& ring, span_start const& at,
                                            index_t base, int first) const {
    return {ring, offsets + at.row + 1, at.rows, base, first};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
