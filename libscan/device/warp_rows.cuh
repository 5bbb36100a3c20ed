// SPDX-License-Identifier: Apache-2.0
// A warp's part of a tile, in registers as it lies in memory: rows of 32 times `Width` consecutive
// items, of which each lane holds `Width`. Nothing has to be turned through shared memory; a warp
// scan per row takes the place of that.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The calling lane's share of `items` consecutive items. All lanes of the warp call each function.
template <class T, int Rows, int Width>
class warp_rows {
 public:
  static constexpr int row_items = simt::warp_size * Width;
  static constexpr int items = Rows * row_items;

  /// Takes the items from `source`, converting each; the identity from `valid` on.
  template <class Item, class Op>
  __device__ void load(Item const* source, int valid, Op op) {
    bool const aligned = reinterpret_cast<std::uintptr_t>(source) % (sizeof(Item) * Width) == 0;
    if (valid < items || !aligned) return load_guarded(source, valid, op);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      auto const row = simt::load_vector<Width>(source + position(r, 0));
#pragma unroll
      for (int j = 0; j < Width; ++j) item_[r][j] = static_cast<T>(row.item[j]);
    }
  }

  /// The same from any iterator.
  template <class In, class Op>
  __device__ void load_guarded(In source, int valid, Op op) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        item_[r][j] = position(r, j) < valid ? static_cast<T>(source[position(r, j)])
                                             : static_cast<T>(op.identity());
      }
    }
  }

  /// Turns the items into their prefixes within the warp; returns the total of the warp.
  template <scan_kind Kind, class Op>
  __device__ T scan(Op op) {
    T total = op.identity();
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      T sum = item_[r][0];
#pragma unroll
      for (int j = 1; j < Width; ++j) sum = op(sum, item_[r][j]);
      auto const row = warp::exclusive_scan(sum, op);
      T prefix = op(total, row.prefix);
      total = op(total, row.total);
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        T const next = op(prefix, item_[r][j]);
        item_[r][j] = Kind == scan_kind::inclusive ? next : prefix;
        prefix = next;
      }
    }
    return total;
  }

  /// target[i] = op(before, item i) for the first `valid` items; writes nothing beyond.
  template <class Out, class Op>
  __device__ void store(Out target, int valid, T before, Op op) const {
    if constexpr (std::is_pointer_v<Out>) {
      using result = std::remove_pointer_t<Out>;
      constexpr auto alignment = sizeof(result) * Width;
      if (valid == items && reinterpret_cast<std::uintptr_t>(target) % alignment == 0) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
          simt::vector<result, Width> row;
#pragma unroll
          for (int j = 0; j < Width; ++j) {
            row.item[j] = static_cast<result>(op(before, item_[r][j]));
          }
          simt::store_vector<Width>(target + position(r, 0), row);
        }
        return;
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        if (position(r, j) < valid) target[position(r, j)] = op(before, item_[r][j]);
      }
    }
  }

 private:
  static __device__ int position(int row, int j) {
    return row * row_items + simt::lane_id() * Width + j;
  }

  T item_[Rows][Width];
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
