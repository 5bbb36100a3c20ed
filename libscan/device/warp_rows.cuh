// SPDX-License-Identifier: Apache-2.0
// A warp's part of a tile, in registers in the order of memory: rows of 32 times `Width`
// consecutive items; each lane holds `Width` of a row. Nothing is transposed through shared memory;
// instead there is a warp scan per row.
#pragma once

#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/warp/row_io.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The type of a result in memory: the iterator's, or that of a value of the scan.
template <class Iterator, class T>
struct memory_value {
  using type = T;
};
template <class Stored, class T>
struct memory_value<Stored*, T> {
  using type = std::remove_cv_t<Stored>;
};
template <class Iterator, class T>
struct memory_value<reverse_iterator<Iterator>, T> : memory_value<Iterator, T> {};
template <class Iterator, class T>
struct memory_value<from_last<Iterator>, T> : memory_value<Iterator, T> {};
template <class Iterator, class T>
using memory_value_t = typename memory_value<Iterator, T>::type;

/// The calling lane's share of `items` consecutive items. All lanes of the warp call each function.
/// FewerRows: for parts that often have fewer rows, all of them whole. Those move as vectors, too.
template <class T, int Rows, int Width, bool FewerRows = false>
class warp_rows {
 public:
  static constexpr int row_items = simt::warp_size * Width;
  static constexpr int items = Rows * row_items;

  /// Loads the items from an iterator, converting each; the identity from `valid` on.
  template <class In, class Op>
  __device__ void load(In source, int valid, Op op) {
    In const first = source + lane_begin();
    if (is_whole(source, valid)) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (has_row(r, valid)) {
          warp::load_whole_row(first, r * row_items, item_[r]);
        } else {
          fill(item_[r], T(op.identity()));
        }
      }
    } else {
      int const left = valid - lane_begin();
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        warp::load_row(first, r * row_items, left - r * row_items, T(op.identity()), item_[r]);
      }
    }
  }

  /// Turns the items into their prefixes, with `before` before the first; returns `before` op all
  /// items.
  template <scan_kind Kind, class Op>
  __device__ T scan(T before, Op op) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      auto const row = warp::exclusive_scan(lane_sum(item_[r], op), op);
      T prefix = op(before, row.prefix);
      before = op(before, row.total);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        T const next = op(prefix, item_[r][j]);
        item_[r][j] = Kind == scan_kind::inclusive ? next : prefix;
        prefix = next;
      }
    }
    return before;
  }

  /// The first `valid` of `count` items, combined; in lane 0.
  template <class In, class Op>
  static __device__ T sum(In source, int count, int valid, Op op) {
    warp_rows part;
    if constexpr (commutative<Op>) {
      T lane[Width];
#pragma unroll
      for (int j = 0; j < Width; ++j) lane[j] = op.identity();
      for (int first = 0; first < count; first += items) {
        part.load(source + first, valid - first, op);
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
#pragma unroll
          for (int j = 0; j < Width; ++j) lane[j] = op(lane[j], part.item_[r][j]);
        }
      }
      return warp::combine(lane_sum(lane, op), op);
    } else {
      T total = op.identity();
      for (int first = 0; first < count; first += items) {
        part.load(source + first, valid - first, op);
        T row[Rows];
#pragma unroll
        for (int r = 0; r < Rows; ++r) row[r] = warp::combine(lane_sum(part.item_[r], op), op);
#pragma unroll
        for (int r = 0; r < Rows; ++r) total = op(total, row[r]);
      }
      return total;
    }
  }

  /// target[i] = item i for the first `valid` items; writes nothing beyond.
  template <class Out>
  __device__ void store(Out target, int valid) const {
    Out const first = target + lane_begin();
    if (is_whole(target, valid)) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (has_row(r, valid)) warp::store_whole_row(first, r * row_items, item_[r]);
      }
    } else {
      int const left = valid - lane_begin();
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        warp::store_row(first, r * row_items, left - r * row_items, item_[r]);
      }
    }
  }

  /// use(i, item i) for the caller's items i < valid.
  template <class Use>
  __device__ void each(int valid, Use use) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        if (position(r) + j < valid) use(position(r) + j, item_[r][j]);
      }
    }
  }

  /// Puts `before` before the first `count` items.
  template <class Op>
  __device__ void prepend(T before, Op op, int count = items) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (r * row_items >= count) continue;
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        if (position(r) + j < count) item_[r][j] = op(before, item_[r][j]);
      }
    }
  }

  /// The items of a lane, combined.
  template <class Op>
  static __device__ T lane_sum(T const (&item)[Width], Op op) {
    T sum = item[0];
#pragma unroll
    for (int j = 1; j < Width; ++j) sum = op(sum, item[j]);
    return sum;
  }

 private:
  static __device__ int lane_begin() { return simt::lane_id() * Width; }
  static __device__ int position(int row) { return row * row_items + lane_begin(); }

  /// Whether the valid items are whole rows that can each be moved at once.
  template <class It>
  static __device__ bool is_whole(It it, int valid) {
    bool const ends_with_row = FewerRows ? valid % row_items == 0 : valid >= items;
    return ends_with_row && warp::whole_rows<Width>(it);
  }

  /// Whether there is such a row if the valid items are whole rows.
  static __device__ bool has_row(int row, int valid) {
    return !FewerRows || row * row_items < valid;
  }

  static __device__ void fill(T (&row)[Width], T const& value) {
#pragma unroll
    for (int j = 0; j < Width; ++j) row[j] = value;
  }

  T item_[Rows][Width];
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
