// SPDX-License-Identifier: Apache-2.0
// The sizes that the products of matrix and vector are compiled for. The order in which a row's
// products are added depends only on them and the matrix.
#pragma once

#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// The balanced product with sums in T: each warp processes a span of entries and rows, one window
/// of `items_per_lane` entries per lane after the other. Chosen on an H200, 2026-11-22, among
/// windows of 4, 8 and 16, 12 to 48 warps and spans of 1024 to 16384.
template <class T>
struct spmv_tuning {
  static constexpr int block_threads = 128;
  static constexpr int resident_blocks = 8;
  static constexpr int items_per_lane = sizeof(T) <= 4 ? 8 : 4;
  static constexpr int short_row = 8;  // entries in a window that one lane sums by itself
  static constexpr index_t min_span = 512;
  static constexpr index_t max_span = sizeof(T) <= 4 ? 8192 : 6144;

  /// Entries and rows of one warp's span, for a matrix with `all` of both: there are then 8192
  /// spans or a multiple of that; nearly half of them run at once on an H200.
  static constexpr index_t span_items(index_t all) {
    constexpr index_t spans_at_once = 8192;
    index_t const share = ceil_div(all, spans_at_once);
    if (share <= min_span) return min_span;
    index_t const even = ceil_div(share, ceil_div(share, max_span));
    return ceil_div(even, index_t{32}) * 32;
  }
};

}  // namespace libscan::inline v1
