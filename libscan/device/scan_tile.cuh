// SPDX-License-Identifier: Apache-2.0
// Scans of tiles in a block's registers: any items, any operator, any GPU.
#pragma once

#include <type_traits>

#include <libscan/block/scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/tile_work.cuh>
#include <libscan/device/warp_rows.cuh>
#include <libscan/warp/reverse_iterator.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// An init that is `value` or, unless `at` is null, is read in device memory when the scan runs.
template <class T>
struct init_in_memory {
  T value;
  T const* at;

  __device__ operator T() const { return at == nullptr ? value : *at; }  // NOLINT: is a T
};

/// What a scan reads and writes, and what comes before its first item. `total` may be null.
/// Init: the operator's type, or what converts to it on the device.
template <class In, class Out, class Op, class Total, class Init = typename Op::value_type>
struct scan_arguments {
  using summary = typename Op::value_type;
  using op_type = Op;

  In in;
  Out out;
  Op op;
  Init init;
  Total* total;

  __device__ void finish(summary const& all) const {
    if (total != nullptr) *total = all;
  }
};

/// The Work of a scan whose threads hold consecutive items, turned in shared memory.
template <scan_kind Kind, class In, class Out, class Op, class Total, class Tuning,
          class Init = typename Op::value_type>
struct scan_turned : scan_arguments<In, Out, Op, Total, Init> {
  using T = typename Op::value_type;
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int items_per_thread = Tuning::items_per_thread;
  static constexpr int row_items = block_threads * items_per_thread;
  static constexpr int max_rows = 1;

  struct shared_storage {
    block::tile_storage<T, block_threads, items_per_thread> tile;
    block::scan_storage<T, block_threads> scan;
  };

  class tile {
   public:
    __device__ tile(scan_turned const& /*work*/, tile_place const& at) : at_(at) {}

    /// Scans within the thread, then across the block. Items beyond the end are the identity, which
    /// changes nothing.
    __device__ __forceinline__ T summarize(scan_turned const& work, shared_storage& shared) {
      block::load_tile(shared.tile, libscan::at_length(work.in, at_.n), at_.base, at_.valid,
                       T(work.op.identity()), items_);
      T sum = items_[0];
#pragma unroll
      for (int k = 1; k < items_per_thread; ++k) sum = work.op(sum, items_[k]);
      auto const before = block::exclusive_scan(shared.scan, sum, work.op);
      in_tile_ = before.prefix;
      return before.total;
    }

    template <class All>
    __device__ __forceinline__ void write(scan_turned const& work, shared_storage& shared,
                                          tile_place const& at, T const& before,
                                          All const& /*all*/) {
      T prefix = work.op(before, in_tile_);
#pragma unroll
      for (int k = 0; k < items_per_thread; ++k) {
        T const next = work.op(prefix, items_[k]);
        items_[k] = Kind == scan_kind::inclusive ? next : prefix;
        prefix = next;
      }
      block::store_tile(shared.tile, libscan::at_length(work.out, at.n), at.base, at.valid, items_);
    }

   private:
    tile_place at_;
    T in_tile_;  // what comes before the thread's items
    T items_[items_per_thread];
  };
};

/// The Work of a scan whose warps hold rows of items as they lie in memory.
template <scan_kind Kind, class In, class Out, class Op, class Total, class Tuning,
          class Init = typename Op::value_type>
struct scan_rows : scan_arguments<In, Out, Op, Total, Init> {
  using T = typename Op::value_type;
  using rows_type = warp_rows<T, Tuning::rows, Tuning::vector_items>;
  static constexpr int row_items = Tuning::block_threads / simt::warp_size * rows_type::row_items;
  static constexpr int max_rows = Tuning::rows;

  using shared_storage = block::scan_storage<T, Tuning::block_threads>;

  class tile {
   public:
    __device__ tile(scan_rows const& /*work*/, tile_place const& at) : n_(at.n) {
      int const warp_items = at.rows * rows_type::row_items;
      int const begin = static_cast<int>(threadIdx.x) / simt::warp_size * warp_items;
      int const rest = at.valid - begin;
      base_ = at.base + begin;
      valid_ = rest < 0 ? 0 : rest < warp_items ? rest : warp_items;
    }

    __device__ __forceinline__ T summarize(scan_rows const& work, shared_storage& shared) {
      items_.load(libscan::at_length(work.in, n_) + base_, valid_, work.op);
      T const of_warp = items_.template scan<Kind>(work.op.identity(), work.op);
      auto const before = block::scan_of_warps(shared, of_warp, work.op);
      in_tile_ = before.prefix;
      return before.total;
    }

    template <class All>
    __device__ __forceinline__ void write(scan_rows const& work, shared_storage& /*shared*/,
                                          tile_place const& /*at*/, T const& before,
                                          All const& /*all*/) {
      items_.prepend(work.op(before, in_tile_), work.op);
      items_.store(libscan::at_length(work.out, n_) + base_, valid_);
    }

   private:
    index_t n_;
    index_t base_;  // of the warp
    int valid_;
    T in_tile_;  // what comes before the warp's items
    rows_type items_;
  };
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
