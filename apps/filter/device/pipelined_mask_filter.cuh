// SPDX-License-Identifier: Apache-2.0
// Filter by a mask, on the pipeline. Only the mask passes through the stages: items, in any memory,
// are read when their places are known, and only the kept ones. Warps whose bits are all 0 read
// none.
#pragma once

#include <cstdint>

#include <apps/filter/device/kept_rows.cuh>
#include <apps/filter/device/outputs.cuh>
#include <apps/filter/device/rules.cuh>
#include <libscan/device/pipeline.cuh>
#include <libscan/device/tile_totals.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The work of a pipeline that filters by a mask. Not in place: items are read when others may
/// already write.
template <class In, class Rule, class Outputs, class Tuning>
struct pipelined_mask_filter {
  using summary = packed_count;
  using op_type = plus_packed_count;
  using item = typename std::iterator_traits<In>::value_type;
  using rows = kept_rows<Tuning::vector_items, Tuning::rows_at_once>;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = Tuning::rows * rows::row_items;
  static constexpr int tile_items = parts * part_items;
  static constexpr int batches = Tuning::rows / Tuning::rows_at_once;
  static constexpr int copies = parts;
  static constexpr int few = 3 * rows::items / 8;  // this many kept items at most wait for more
  static_assert(part_items % rows::items == 0 && part_items <= 1 << 16);

  struct part_stage {
    staged_rule<Rule, part_items> rule;
    unsigned kept[batches][simt::warp_size];
    std::uint16_t offset[few + rows::items];
  };
  struct stage_type {
    part_stage part[parts];
  };

  In in;
  Outputs out;
  Rule rule;
  index_t* kept_count;
  op_type op{};

  __device__ void finish(summary all) const {
    if (kept_count != nullptr) *kept_count = all.value;
  }

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int copy) const {
    int const begin = copy * part_items;
    stage.part[copy].rule.fetch(rule, base + begin, device::valid_items<part_items>(valid, begin),
                                full);
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int) const {
    stage.part[begin / part_items].rule.copy_edges(rule, base + begin,
                                                   device::valid_items<part_items>(valid, begin));
  }

  __device__ summary sum(stage_type& stage, index_t base, int valid, int begin) const {
    part_stage& part = stage.part[begin / part_items];
    int const left = device::valid_items<part_items>(valid, begin);
    unsigned count = 0;
#pragma unroll 2
    for (int b = 0; b < batches; ++b) {
      unsigned const bits =
          part.rule.template bits<rows>(rule, base + begin, static_cast<item const*>(nullptr),
                                        b * rows::items, left - b * rows::items);
      part.kept[b][simt::lane_id()] = bits;
      count += static_cast<unsigned>(simt::popc(bits));
    }
    return {index_t{simt::reduce_add(simt::full_warp, count)}};
  }

  template <class Done>
  __device__ void scan(stage_type& stage, index_t base, int, int begin, summary before,
                       Done done) const {
    part_stage& part = stage.part[begin / part_items];
    if constexpr (wanted<typename Outputs::items_type> ||
                  wanted<typename Outputs::positions_type>) {
      // If few items of each batch are kept, those of several batches are read at once.
      index_t place = before.value;
      int waiting = 0;
#pragma unroll 1
      for (int b = 0; b < batches; ++b) {
        unsigned const bits = part.kept[b][simt::lane_id()];
        if (simt::any(simt::full_warp, bits != 0)) {
          rows const kept(bits);
          kept.gather(part.offset + waiting, [b](int r, int j) {
            return static_cast<std::uint16_t>(b * rows::items + rows::position(r) + j);
          });
          waiting += kept.count();
        }
        if (waiting == 0 || (waiting <= few && b + 1 < batches)) continue;
        simt::sync_warp();
        write(part.offset, waiting, base + begin, place);
        simt::sync_warp();
        place += waiting;
        waiting = 0;
      }
    }
    done();
  }

 private:
  /// Writes the items at `count` offsets from `first`, from place `to` on; the lanes start at a
  /// line boundary of the output.
  __device__ void write(std::uint16_t const* offset, int count, index_t first, index_t to) const {
    constexpr int max_items = wanted<typename Outputs::positions_type> ? 8 : 16;
    constexpr int words = static_cast<int>((sizeof(item) + 3) / 4);
    constexpr int at_once = max_items / words > 0 ? max_items / words : 1;
    for (int i = simt::lane_id() - line_offset(to); i < count; i += at_once * simt::warp_size) {
      if constexpr (wanted<typename Outputs::items_type>) {
        item read[at_once]{};
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          int const j = i + k * simt::warp_size;
          if (0 <= j && j < count) read[k] = in[first + offset[j]];
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          int const j = i + k * simt::warp_size;
          if (0 <= j && j < count) out.items[to + j] = read[k];
        }
      }
      if constexpr (wanted<typename Outputs::positions_type>) {
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          int const j = i + k * simt::warp_size;
          if (0 <= j && j < count) out.positions[to + j] = first + offset[j];
        }
      }
    }
  }

  __device__ int line_offset(index_t to) const {
    using items = typename Outputs::items_type;
    if constexpr (std::is_pointer_v<items>) {
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(out.items + to) / sizeof(item) %
                              simt::warp_size);
    } else {
      return 0;
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
