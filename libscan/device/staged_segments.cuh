// SPDX-License-Identifier: Apache-2.0
// Items and where their segments begin, as a pipeline stages them for work that processes them lane
// by lane.
#pragma once

#include <type_traits>

#include <libscan/device/lane_batch.cuh>
#include <libscan/device/staged_heads.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The common part of a pipeline's works that make values of type T from items and heads. A part's
/// values, at most one for each item, wait in the stage: in place of items of their type.
template <class Item, class T, class Heads, class Tuning>
struct staged_segments {
  using batch = lane_batch<Tuning::lane_vectors, Tuning::vector_items>;
  static constexpr int batches = Tuning::batches;
  static constexpr int parts = Tuning::group_threads / simt::warp_size;
  static constexpr int part_items = batches * batch::items;
  static constexpr int tile_items = parts * part_items;
  using heads_type = staged_heads<Heads, tile_items>;
  static constexpr int copies = 1 + heads_type::copies;
  static constexpr bool in_place = std::is_same_v<std::remove_cv_t<Item>, T>;

  struct no_values {};
  struct all_values {
    alignas(16) T values[tile_items];
  };
  // A base, since nvcc 13.0 misplaces what follows an empty [[no_unique_address]] member.
  struct stage_type : std::conditional_t<in_place, no_values, all_values> {
    staged_tile<std::remove_cv_t<Item>, tile_items> items;
    heads_type heads;
  };

  Item const* in;
  Heads heads;

  __device__ void fetch(stage_type& stage, index_t base, int valid, simt::mbarrier& full,
                        int copy) const {
    if (copy == 0) {
      stage.items.fetch(in + base, valid, full);
    } else {
      stage.heads.fetch(heads, base, valid, full);
    }
  }

  __device__ void copy_edges(stage_type& stage, index_t base, int valid, int begin, int end) const {
    stage.items.copy_edges(in + base, valid, begin, end);
    stage.heads.copy_edges(heads, base, valid, begin, end);
  }

  /// Where the values of a tile wait.
  __device__ T* values(stage_type& stage, index_t base) const {
    if constexpr (in_place) {
      return stage.items.items(in + base);
    } else {
      return stage.values;
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
