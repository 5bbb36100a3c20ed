// SPDX-License-Identifier: Apache-2.0
// Filter of items in memory, on the pipeline. The summing warps find out which items are kept and
// store a bit for each; the other warps compact what is kept, and what is not, within the stage
// that holds it, and copy that to the output.
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/filter/device/kept_rows.cuh>
#include <apps/filter/device/outputs.cuh>
#include <apps/filter/device/rules.cuh>
#include <libscan/core/types.hpp>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/tile_totals.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Copies a run of items from shared memory to an output. The run is stored where its addresses are
// congruent to the output's modulo 16, so that it can be copied in wide accesses.

namespace detail {

template <class Item>
__device__ __forceinline__ Item* moved_bytes(Item* from, std::ptrdiff_t bytes) {
  return reinterpret_cast<Item*>(reinterpret_cast<unsigned char*>(from) + bytes);
}

}  // namespace detail

/// The last place up to `from` that is congruent to the target modulo 16, if that is in memory.
template <class Item, class Out>
__device__ __forceinline__ Item* agreeing_before(Item* from, Out target) {
  if constexpr (!std::is_same_v<Out, Item*>)
    return from;
  else {
    auto const apart =
        reinterpret_cast<std::uintptr_t>(from) - reinterpret_cast<std::uintptr_t>(target);
    return detail::moved_bytes(from, -static_cast<std::ptrdiff_t>(apart % 16));
  }
}

/// The first such place from `from` on.
template <class Item, class Out>
__device__ __forceinline__ Item* agreeing_after(Item* from, Out target) {
  if constexpr (!std::is_same_v<Out, Item*>)
    return from;
  else {
    auto const apart =
        reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(from);
    return detail::moved_bytes(from, static_cast<std::ptrdiff_t>(apart % 16));
  }
}

/// target[i] = run[i] for i < count, by one warp. If `target` is memory, the run is congruent to it
/// modulo 16, and the copy uses accesses of 16 bytes and whole lines where it can.
template <class Item, class Out>
__device__ void copy_run(Item const* run, int count, Out target) {
  for (int i = simt::lane_id(); i < count; i += simt::warp_size) target[i] = run[i];
}
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

/// The work of a pipeline that filters items. In place: a tile writes only up to its own end, once
/// the counts of all tiles up to it have shown that these are in their stages.
template <class Item, class Rule, class Outputs, class Tuning>
struct filter_work {
  using summary = packed_count;
  using op_type = plus_packed_count;
  using rows = kept_rows<Tuning::vector_items, Tuning::rows_at_once>;
  static constexpr bool can_overwrite_input =
      can_overwrite<Item const*, typename Outputs::items_type>;
  static constexpr bool reads_tile_before = Rule::looks_back;
  static_assert(!reads_tile_before || Tuning::stages >= 2, "else tile k + 1 waits for tile k");
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = Tuning::rows * rows::row_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int batches = Tuning::rows / Tuning::rows_at_once;
  // Items before a part that are copied with it: 16 bytes, so that rows stay aligned.
  static constexpr int lead = Rule::looks_back ? static_cast<int>(16 / sizeof(Item)) : 0;
  using staged_by = staged_rule<Rule, part_items>;
  static constexpr int copies = parts * (1 + staged_by::copies);
  static_assert(part_items % rows::items == 0);

  /// Parts have space between them, so that each can be compacted independently.
  struct part_stage {
    alignas(128) unsigned char slack[128];  // a run may begin up to 31 bytes before the items
    staged_tile<Item, part_items + lead> items;
    [[no_unique_address]] staged_by rule;
    unsigned kept[batches][simt::warp_size];
  };
  struct stage_type {
    part_stage part[parts];
  };

  Item const* in;
  Outputs out;
  Rule rule;
  index_t* kept_count;
  op_type op{};

  __device__ void finish(summary all) const {
    if (kept_count != nullptr) *kept_count = all.value;
  }

  __device__ bool overwrites() const { return out.in_place; }

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int copy) const {
    int const begin = copy % parts * part_items;
    part_stage& part = stage.part[copy % parts];
    index_t const first = base + begin;
    int const left = device::valid_items<part_items>(valid, begin);
    if (copy < parts) {
      int const before = left > 0 ? lead_of(first) : 0;
      part.items.fetch(in + first - before, left + before, full);
    } else {
      part.rule.fetch(rule, first, left, full);
    }
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int) const {
    part_stage& part = stage.part[begin / part_items];
    int const left = device::valid_items<part_items>(valid, begin);
    int const before = left > 0 ? lead_of(base + begin) : 0;
    part.items.copy_edges(in + base + begin - before, left + before, 0, part_items + before);
    part.rule.copy_edges(rule, base + begin, left);
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    unsigned last = 0;
    return {index_t{mark_kept(stage, base, valid, begin, last)}};
  }

  /// Stores the bits of a part in the stage; returns how many of its items are kept. `last`: one
  /// past the last kept item of the caller, or 0.
  __device__ unsigned mark_kept(stage_type& stage, index_t base, int valid, int begin,
                                unsigned& last) const {
    part_stage& part = stage.part[begin / part_items];
    Item const* const items = staged(part, base + begin);
    int const left = device::valid_items<part_items>(valid, begin);
    unsigned count = 0;
#pragma unroll 1
    for (int b = 0; b < batches; ++b) {
      unsigned const bits = part.rule.template bits<rows>(rule, base + begin, items,
                                                          b * rows::items, left - b * rows::items);
      part.kept[b][simt::lane_id()] = bits;
      count += static_cast<unsigned>(simt::popc(bits));
      if constexpr (Rule::looks_back) {
        if (bits != 0) last = static_cast<unsigned>(b * rows::items + rows::last_of(bits) + 1);
      }
    }
    return simt::reduce_add(simt::full_warp, count);
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int valid, int begin, summary before,
                       Done done) const {
    part_stage& part = stage.part[begin / part_items];
    index_t const first = base + begin;
    int const left = device::valid_items<part_items>(valid, begin);
    if constexpr (wanted<typename Outputs::rejected_type>) {
      write_both(part, first, left, before.value);
    } else if constexpr (wanted<typename Outputs::items_type>) {
      write_items(part, first, left, before.value);
    }
    if constexpr (wanted<typename Outputs::positions_type>) {
      index_t place = before.value;
      each_run_of_offsets(part, [&](std::uint16_t const* run, int count) {
        for (int i = simt::lane_id(); i < count; i += simt::warp_size) {
          out.store_position(place + i, first + run[i]);
        }
        place += count;
      });
    }
    simt::fence_proxy_async();  // the next copy into the stage comes after what was gathered here
    done();
  }

  /// use(run, count) with the offsets within the part of the kept items, in order, one run after
  /// the other; by the warp. The items are no longer needed: the runs overwrite them, as many
  /// batches at once as fit.
  template <class Use>
  __device__ void each_run_of_offsets(part_stage& part, Use use) const {
    using offset = std::uint16_t;
    constexpr auto capacity = static_cast<int>(part_items * sizeof(Item) / sizeof(offset));
    constexpr int at_once = capacity / rows::items < batches ? capacity / rows::items : batches;
    static_assert(at_once > 0 && part_items <= 1 << 16);
    auto* const run = reinterpret_cast<offset*>(__builtin_addressof(part));
    simt::sync_warp();  // all have read the items
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
      use(run, count);
      simt::sync_warp();
    }
  }

  /// Compacts all kept items, then copies them.
  __device__ void write_items(part_stage& part, index_t first, int left, index_t before) const {
    auto const target = out.items + before;
    Item* const items = staged(part, first);
    Item* const run = device::agreeing_before(items, target);
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
    device::copy_run(run, count, target);
  }

 private:
  static __device__ int lead_of(index_t first) { return first == 0 ? 0 : lead; }

  /// The items of a part in the stage.
  __device__ Item* staged(part_stage& part, index_t first) const {
    int const before = lead_of(first);
    return part.items.items(in + first - before) + before;
  }

  /// Partitions a batch, in its place, into what is kept and what is not, and copies both, batch by
  /// batch.
  __device__ void write_both(part_stage& part, index_t first, int left, index_t before) const {
    Item* const items = staged(part, first);
    auto kept_to = out.items + before;
    auto rejected_to = device::beginning(out.rejected) + (first - before);
#pragma unroll 1
    for (int b = 0; b < batches; ++b) {
      int const begin = b * rows::items;
      if (begin >= left) break;
      Item item[Tuning::rows_at_once][Tuning::vector_items];
      rows::load(items + begin, left - begin, item);
      unsigned const bits = part.kept[b][simt::lane_id()];
      rows const kept(bits);
      rows const rejected(rows::first_items(left - begin) & ~bits);
      // The gap between both may take 16 bytes: those before the batch, which have been copied.
      Item* const run = device::agreeing_before(detail::moved_bytes(items + begin, -16), kept_to);
      Item* const rest = device::agreeing_after(run + kept.count(), rejected_to);
      simt::sync_warp();  // all have read the batch, and copied the previous one
      kept.gather(run, [&](int r, int j) { return item[r][j]; });
      rejected.gather(rest, [&](int r, int j) { return item[r][j]; });
      simt::sync_warp();
      device::copy_run(run, kept.count(), kept_to);
      device::copy_run(rest, rejected.count(), rejected_to);
      kept_to = kept_to + kept.count();
      rejected_to = rejected_to + rejected.count();
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
