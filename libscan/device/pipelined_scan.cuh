// SPDX-License-Identifier: Apache-2.0
// Device-wide scans of items in memory on the pipeline, forwards and from the last item to the
// first. For the latter, tiles are counted from the end; in their stages they are as in memory, and
// are read from their ends.
#pragma once

#include <cstdint>

#include <libscan/core/operators.hpp>
#include <libscan/core/tuning.hpp>
#include <libscan/device/packed_rows.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/warp_rows.cuh>
#include <libscan/warp/reverse_iterator.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

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
struct scan_work {
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

/// Items as `In` has them, but the identity at the first `beyond` positions.
template <class In, class Op>
struct items_from {
  using T = typename Op::value_type;
  In in;
  index_t beyond;
  Op op;

  __device__ T operator[](index_t i) const {
    return i < beyond ? T(op.identity()) : static_cast<T>(in[i]);
  }
  __device__ items_from operator+(index_t distance) const {
    return {in + distance, beyond - distance, op};
  }
};

/// Stores results as `Out` does, except those of the first `beyond` positions, which are discarded.
template <class Out>
struct results_from {
  Out out;
  index_t beyond;

  struct reference {
    results_from const& all;
    index_t i;
    template <class T>
    __device__ void operator=(T const& result) const {
      if (i >= all.beyond) all.out[i] = result;
    }
  };
  __device__ reference operator[](index_t i) const { return {*this, i}; }
};

/// The work of a pipeline that scans from the end. It begins less than 16 bytes after the last
/// result, so that whole rows of results are aligned for any number of results: the first `beyond`
/// positions, fewer than a row has, are empty. `Op` takes its operands in the order in which they
/// are scanned.
template <scan_kind Kind, class Item, class Result, class Op, class Tuning>
struct reverse_scan_work {
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
  summary init;
  total_value_t<summary>* total;
  int beyond;

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
    if (base + begin < beyond) {
      return rows::sum(items_from<reverse_iterator<Item*>, Op>{staged, beyond, op}, part_items,
                       valid, op);
    }
    return rows::sum(staged + begin, part_items, valid - begin, op);
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    auto const staged = items(stage, base, valid);
    for (int i = begin; i < begin + part_items; i += rows::items) {
      bool const first = base + i < beyond;
      rows some;
      if (first) {
        some.load(items_from<reverse_iterator<Item*>, Op>{staged, beyond, op}, valid, op);
      } else {
        some.load(staged + i, valid - i, op);
      }
      if (i + rows::items == begin + part_items) done();
      before = some.template scan<Kind>(before, op);
      if (first) {
        some.store(results_from<reverse_iterator<Result*>>{out, beyond}, valid);
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
    return base != 0 ? valid : valid > beyond ? valid - beyond : 0;
  }

  /// The tile from the end.
  __device__ reverse_iterator<Item*> items(stage_type& stage, index_t base, int valid) const {
    return {stage.items(lowest(base, valid)) + valid};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
