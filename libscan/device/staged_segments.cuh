// SPDX-License-Identifier: Apache-2.0
// Items and where their segments begin, as a pipeline stages them for work that processes them lane
// by lane.
#pragma once

#include <type_traits>

#include <libscan/device/item_count.cuh>
#include <libscan/device/staged_heads.cuh>
#include <libscan/warp/row_io.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// Items in shared memory that a warp processes together, each lane with consecutive ones: a whole
// batch takes one scan of the warp's lanes. With an odd number of 16-byte vectors to a lane, the
// accesses of the lanes have no bank conflicts.

/// `Vectors` times `Width` items of each lane.
template <int Vectors, int Width>
struct lane_batch {
  static constexpr int lane_items = Vectors * Width;
  static constexpr int items = simt::warp_size * lane_items;
  static_assert(lane_items <= 32, "a lane keeps a bit of each of its items");

  /// The head bits of the caller's items, which begin at item `at` of a tile of `valid`, and its
  /// warp's at item `first`. `reader`: of `staged_heads`.
  template <class Reader>
  static __device__ unsigned load_heads(Reader const& reader, int valid, int first, int at) {
    unsigned own = 0;
    if (valid - first >= items && reader.template whole<Width>(first, first + items)) {
#pragma unroll
      for (int i = 0; i < lane_items; i += Width) {
        own |= device::whole_bits<Width>(reader, at + i) << i;
      }
    } else {
#pragma unroll
      for (int i = 0; i < lane_items; i += Width) {
        own |= device::bits<Width>(reader, at + i, device::valid_items<Width>(valid, at + i)) << i;
      }
    }
    return own;
  }

  /// The caller's items; `fill` from `valid` on.
  template <class Item, class T>
  static __device__ void load(T (&item)[lane_items], Item const* staged, int valid, int first,
                              int at, T fill) {
    bool const whole = valid - first >= items && warp::whole_rows<Width>(staged);
#pragma unroll
    for (int i = 0; i < lane_items; i += Width) {
      T row[Width];
      if (whole) {
        warp::load_whole_row(staged, at + i, row);
      } else {
        warp::load_row(staged, at + i, device::valid_items<Width>(valid, at + i), fill, row);
      }
#pragma unroll
      for (int j = 0; j < Width; ++j) item[i + j] = row[j];
    }
  }

  /// staged[at + i] = item[i], by each lane for all of its items.
  template <class T>
  static __device__ void store(T* staged, int at, T const (&item)[lane_items]) {
    bool const whole = warp::whole_rows<Width>(staged);
#pragma unroll
    for (int i = 0; i < lane_items; i += Width) {
      if (whole) {
        if constexpr (warp::moves_as_vector<T*, Width>) {
          simt::vector<T, Width> row;
#pragma unroll
          for (int j = 0; j < Width; ++j) row.item[j] = item[i + j];
          simt::store_shared_vector<Width>(staged + at + i, row);
        }
      } else {
#pragma unroll
        for (int j = 0; j < Width; ++j) staged[at + i + j] = item[i + j];
      }
    }
  }
};

/// The common part of a pipeline's works that make values of type T from items and head flags. A
/// part's values, at most one for each item, wait in the stage: in place of items of their type.
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
