// SPDX-License-Identifier: Apache-2.0
// The Works of scans. `look_back_scan` and `resident_scan` hold a tile in registers: any items, any
// operator, any GPU. `pipelined_scan` and `pipelined_reverse_scan` take it from shared memory.
// Reverse scans count tiles from the end.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/block/scan.cuh>
#include <libscan/block/tile_io.cuh>
#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/packed_rows.cuh>
#include <libscan/device/pipeline.cuh>
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

/// The Work of a scan whose threads hold consecutive items, transposed through shared memory.
template <scan_kind Kind, class In, class Out, class Op, class Total, class Tuning,
          class Init = typename Op::value_type>
struct look_back_scan : scan_arguments<In, Out, Op, Total, Init> {
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
    __device__ tile(look_back_scan const& /*work*/, tile_place const& at) : at_(at) {}

    /// Scans within the thread, then across the block. Items beyond the end are the identity,
    /// which changes nothing.
    __device__ __forceinline__ T summarize(look_back_scan const& work, shared_storage& shared) {
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
    __device__ __forceinline__ void write(look_back_scan const& work, shared_storage& shared,
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
struct resident_scan : scan_arguments<In, Out, Op, Total, Init> {
  using T = typename Op::value_type;
  using rows_type = warp_rows<T, Tuning::rows, Tuning::vector_items, (Tuning::rows > 1)>;
  static constexpr int row_items = Tuning::block_threads / simt::warp_size * rows_type::row_items;
  static constexpr int max_rows = Tuning::rows;

  using shared_storage = block::scan_storage<T, Tuning::block_threads>;

  class tile {
   public:
    __device__ tile(resident_scan const& /*work*/, tile_place const& at) : n_(at.n) {
      int const warp_items = at.rows * rows_type::row_items;
      int const begin = static_cast<int>(threadIdx.x) / simt::warp_size * warp_items;
      int const rest = at.valid - begin;
      base_ = at.base + begin;
      valid_ = rest < 0 ? 0 : rest < warp_items ? rest : warp_items;
    }

    __device__ __forceinline__ T summarize(resident_scan const& work, shared_storage& shared) {
      items_.load(libscan::at_length(work.in, n_) + base_, valid_, work.op);
      T const of_warp = items_.template scan<Kind>(work.op.identity(), work.op);
      auto const before = block::scan_of_warps(shared, of_warp, work.op);
      in_tile_ = before.prefix;
      return before.total;
    }

    template <class All>
    __device__ __forceinline__ void write(resident_scan const& work, shared_storage& /*shared*/,
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

/// How a warp holds a few rows of a part: packed, if sums of such items are faster that way.
template <class Item, class Op, class Out, class Tuning>
struct rows_of {
  using type = warp_rows<typename Op::value_type, Tuning::rows_at_once, Tuning::vector_items>;
};
template <class Item, class T, class Result, class Tuning>
requires packs<Item, plus<T>, Result*, Tuning::vector_items> struct rows_of<Item, plus<T>, Result*,
                                                                            Tuning> {
  using type = packed_rows<Item, T, Result, Tuning::packed_rows_at_once, Tuning::vector_items>;
};

/// The work of a pipeline that scans items into any `out`.
template <scan_kind Kind, class Item, class Out, class Op, class Tuning,
          class Init = typename Op::value_type>
struct pipelined_scan {
  using summary = typename Op::value_type;
  using op_type = Op;
  using rows = typename rows_of<Item, Op, Out, Tuning>::type;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = Tuning::rows * rows::row_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int copies = 1;
  using stage_type = staged_tile<Item, tile_items>;
  static_assert(part_items % rows::items == 0);

  Item const* in;
  Out out;
  Op op;
  Init init;
  total_value_t<summary>* total;

  __device__ void finish(summary const& all) const {
    if (total != nullptr) *total = all;
  }

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int) const {
    stage.fetch(in + base, valid, full);
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int end) const {
    stage.copy_edges(in + base, valid, begin, end);
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    return rows::sum(stage.items(in + base) + begin, part_items, valid - begin, op);
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    Item const* const staged = stage.items(in + base);
    for (int i = begin; i < begin + part_items; i += rows::items) {
      rows items;
      items.load(staged + i, valid - i, op);
      if (i + rows::items == begin + part_items) done();
      before = items.template scan<Kind>(before, op);
      items.store(out + base + i, valid - i);
    }
  }
};

/// Items as `In` has them, but the identity at the first `padding` positions.
template <class In, class Op>
struct items_from {
  using T = typename Op::value_type;
  In in;
  index_t padding;
  Op op;

  __device__ T operator[](index_t i) const {
    return i < padding ? T(op.identity()) : static_cast<T>(in[i]);
  }
  __device__ items_from operator+(index_t distance) const {
    return {in + distance, padding - distance, op};
  }
};

/// Stores results as `Out` does, except those of the first `padding` positions, which are
/// discarded.
template <class Out>
struct results_from {
  Out out;
  index_t padding;

  struct reference {
    results_from const& all;
    index_t i;
    template <class T>
    __device__ void operator=(T const& result) const {
      if (i >= all.padding) all.out[i] = result;
    }
  };
  __device__ reference operator[](index_t i) const { return {*this, i}; }
  __device__ results_from operator+(index_t distance) const {
    return {out + distance, padding - distance};
  }
};

/// The Work of a pipeline that scans from the end. Positions are counted from the next 16-byte
/// boundary after the last result, so rows of results are aligned. The first `padding` positions,
/// fewer than a row has, hold no item. `Op` takes its operands in the order in which they
/// are scanned.
template <scan_kind Kind, class Item, class Result, class Op, class Tuning,
          class Init = typename Op::value_type>
struct pipelined_reverse_scan {
  using summary = typename Op::value_type;
  using op_type = Op;
  using rows = warp_rows<summary, Tuning::rows_at_once, Tuning::vector_items>;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = Tuning::rows * rows::row_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int copies = 1;
  using stage_type = staged_tile<Item, tile_items>;
  static_assert(part_items % rows::items == 0);

  reverse_iterator<Item const*> in;
  reverse_iterator<Result*> out;
  Op op;
  Init init;
  total_value_t<summary>* total;
  int padding;

  __device__ void finish(summary const& all) const {
    if (total != nullptr) *total = all;
  }

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int) const {
    stage.fetch(lowest(base, valid), there(base, valid), full);
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int end) const {
    if (end > valid) end = valid;
    if (begin >= end) return;
    Item const* const memory = lowest(base, valid);
    stage.copy_edges(memory, there(base, valid), valid - end, valid - begin);
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    auto const staged = items(stage, base, valid);
    if (base + begin < padding) {
      return rows::sum(items_from<reverse_iterator<Item*>, Op>{staged, padding, op}, part_items,
                       valid, op);
    }
    return rows::sum(staged + begin, part_items, valid - begin, op);
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    auto const staged = items(stage, base, valid);
    for (int i = begin; i < begin + part_items; i += rows::items) {
      bool const first = base + i < padding;
      rows some;
      if (first) {
        some.load(items_from<reverse_iterator<Item*>, Op>{staged, padding, op}, valid, op);
      } else {
        some.load(staged + i, valid - i, op);
      }
      if (i + rows::items == begin + part_items) done();
      before = some.template scan<Kind>(before, op);
      if (first) {
        some.store(results_from<reverse_iterator<Result*>>{out, padding}, valid);
      } else {
        some.store(out + (base + i), valid - i);
      }
    }
  }

 private:
  /// Where the tile begins in memory.
  __device__ Item const* lowest(index_t base, int valid) const { return in.end - base - valid; }

  /// How many of its items exist.
  __device__ int there(index_t base, int valid) const {
    return base != 0 ? valid : valid > padding ? valid - padding : 0;
  }

  /// The tile from the end.
  __device__ reverse_iterator<Item*> items(stage_type& stage, index_t base, int valid) const {
    return {stage.items(lowest(base, valid)) + valid};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
