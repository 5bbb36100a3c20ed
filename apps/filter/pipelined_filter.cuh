// SPDX-License-Identifier: Apache-2.0
// Filter of items in memory, on the pipeline. The summing warps ask the predicate and leave a bit
// for each item; the others close the ranks of what is kept in the stage it arrived in, and copy
// that out.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/filter/kept_rows.cuh>
#include <apps/filter/written.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/position.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Copies `count` items from shared memory, whose addresses agree with the target's modulo 16, in
/// accesses of 16 bytes and whole lines where it can. By one warp.
template <class Item>
__device__ void copy_run(Item const* run, int count, Item* target) {
  constexpr int size = static_cast<int>(sizeof(Item));
  constexpr int wide = 16 / size;
  constexpr int at_once = 4;
  auto const place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(target));
  int const lane = simt::lane_id();
  if (place % size != 0) {
    for (int i = lane; i < count; i += simt::warp_size) target[i] = run[i];
    return;
  }
  int head = static_cast<int>((16 - place % 16) % 16) / size;
  if (head > count) head = count;
  int const vectors = (count - head) / wide;
  int const tail = head + vectors * wide;
  if (lane < head) target[lane] = run[lane];
  int const line_offset = static_cast<int>((place + head * size) % 128) / 16;
  for (int v = lane - line_offset; v < vectors; v += at_once * simt::warp_size) {
    simt::vector<Item, wide> moved[at_once] = {};
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      int const i = v + k * simt::warp_size;
      if (0 <= i && i < vectors) moved[k] = simt::load_vector<wide>(run + head + i * wide);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      int const i = v + k * simt::warp_size;
      if (0 <= i && i < vectors) simt::store_vector<wide>(target + head + i * wide, moved[k]);
    }
  }
  if (tail + lane < count) target[tail + lane] = run[tail + lane];
}

/// The work of a pipeline that filters items into whatever `out` is. Not in place: counts order no
/// memory, so that nothing orders the fetch of one block before the writes of another.
template <class Item, class Written, class Out, class Predicate, class Tuning>
struct filter_work {
  using summary = position;
  using op_type = plus_position;
  using rows = kept_rows<Tuning::vector_items, Tuning::rows_at_once>;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = Tuning::rows * rows::row_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int batches = Tuning::rows / Tuning::rows_at_once;
  static constexpr int copies = parts;
  static_assert(part_items % rows::items == 0);

  /// Parts lie apart, so that each can close its ranks without regard for the others.
  struct part_type {
    alignas(128) unsigned char slack[128];  // a run may begin up to 15 bytes before the items
    staged_tile<Item, part_items> items;
    unsigned kept[batches][simt::warp_size];
  };
  struct stage_type {
    part_type part[parts];
  };

  Item const* in;
  Out out;
  Predicate keep;

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full) const {
    for (int p = 0; p < parts; ++p) {
      int const begin = p * part_items;
      stage.part[p].items.fetch(in + base + begin, valid_items<part_items>(valid, begin), full);
    }
  }

  __device__ void complete(stage_type& stage, index_t base, int valid, int begin, int) const {
    part_type& part = stage.part[begin / part_items];
    part.items.complete(in + base + begin, valid_items<part_items>(valid, begin), 0, part_items);
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    part_type& part = stage.part[begin / part_items];
    Item const* const items = part.items.items(in + base + begin);
    int const left = valid_items<part_items>(valid, begin);
    unsigned count = 0;
#pragma unroll 1
    for (int b = 0; b < batches; ++b) {
      unsigned const bits = rows::ask(items + b * rows::items, left - b * rows::items, keep);
      part.kept[b][simt::lane_id()] = bits;
      count += static_cast<unsigned>(simt::popc(bits));
    }
    return {index_t{simt::reduce_add(simt::full_warp, count)}};
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    part_type& part = stage.part[begin / part_items];
    if constexpr (std::is_same_v<Written, the_item>) {
      write_items(part, base + begin, valid_items<part_items>(valid, begin), before.value);
    } else {
      write_positions(part, base + begin, before.value);
    }
    simt::fence_proxy_async();  // the next copy into the stage comes after what was gathered here
    done();
  }

 private:
  static constexpr bool out_is_memory = std::is_same_v<Out, Item*>;

  __device__ void write_items(part_type& part, index_t first, int left, index_t before) const {
    Item* const items = part.items.items(in + first);
    Item* run = items;
    if constexpr (out_is_memory) {
      auto const apart =
          reinterpret_cast<std::uintptr_t>(items) - reinterpret_cast<std::uintptr_t>(out + before);
      run = reinterpret_cast<Item*>(reinterpret_cast<unsigned char*>(items) - apart % 16);
    }
    int count = 0;
#pragma unroll 1
    for (int b = 0; b < batches; ++b) {
      Item item[Tuning::rows_at_once][Tuning::vector_items];
      rows::load(items + b * rows::items, left - b * rows::items, item);
      rows const kept(part.kept[b][simt::lane_id()]);
      simt::sync_warp();  // all have read the batch: the run never reaches beyond it
      kept.gather(run + count, [&](int r, int j) { return item[r][j]; });
      count += kept.count();
    }
    simt::sync_warp();
    if constexpr (out_is_memory) {
      copy_run(run, count, out + before);
    } else {
      for (int i = simt::lane_id(); i < count; i += simt::warp_size) out[before + i] = run[i];
    }
  }

  /// The items are needed no more: offsets within the part are gathered in their place, as many
  /// batches at once as there is room for.
  __device__ void write_positions(part_type& part, index_t first, index_t before) const {
    using offset = std::uint16_t;
    constexpr auto room = static_cast<int>(part_items * sizeof(Item) / sizeof(offset));
    constexpr int at_once = room / rows::items < batches ? room / rows::items : batches;
    static_assert(at_once > 0 && part_items <= 1 << 16);
    auto* const run = reinterpret_cast<offset*>(&part);
    for (int from = 0; from < batches; from += at_once) {
      int count = 0;
      for (int b = from; b < from + at_once && b < batches; ++b) {
        rows const kept(part.kept[b][simt::lane_id()]);
        kept.gather(run + count, [&](int r, int j) {
          return static_cast<offset>(b * rows::items + rows::position(r) + j);
        });
        count += kept.count();
      }
      simt::sync_warp();
      for (int i = simt::lane_id(); i < count; i += simt::warp_size) {
        out[before + i] = first + run[i];
      }
      simt::sync_warp();
      before += count;
    }
  }
};

/// Filters n items with a pipeline.
template <class Written, class Tuning, class Item, class Out, class Predicate>
void pipelined_filter(workspace& ws, Item const* in, Out out, item_count n, Predicate keep,
                      index_t* d_count) {
  using work = filter_work<Item, Written, Out, Predicate, Tuning>;
  index_t const tiles = ceil_div(n.at_most(), index_t{work::tile_items});
  std::byte* const memory = ws.reserve(pipeline_bytes<position>(tiles));
  run_pipeline<Tuning>(ws, memory, work{in, out, keep}, n, plus_position{}, position{0},
                       reinterpret_cast<position*>(d_count));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
