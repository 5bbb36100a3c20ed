// SPDX-License-Identifier: Apache-2.0
// Sums of up to 32 rows' products from a window in shared memory, by one warp: short rows each by a
// lane, longer ones by a segmented scan of the window (Blelloch, Heroux & Zagha 1993).
#pragma once

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A window of PerLane products per lane. `ShortRow`: the most products that a lane adds by itself.
template <class T, int PerLane, int ShortRow>
struct window_sums {
  static constexpr int window = PerLane * simt::warp_size;
  static constexpr int flag_words = PerLane / 4;  // of a lane: a byte per product
  static constexpr int vector_items = sizeof(T) >= 16 ? 1 : static_cast<int>(16 / sizeof(T));
  static_assert(PerLane % 4 == 0 && PerLane % vector_items == 0);

  struct storage {
    alignas(16) T products[window];
    T sums[window];                                // up to the ends of rows
    unsigned heads[flag_words * simt::warp_size];  // bytes: 1 where a row begins
  };

  /// Call it first. Orders no memory.
  static __device__ __forceinline__ void reset(storage& shared) {
#pragma unroll
    for (int w = 0; w < flag_words; ++w) shared.heads[lane_word(w)] = 0;
  }

  /// Stores a window; lane l holds products l, l + 32, ...
  static __device__ __forceinline__ void stage(storage& shared, T const (&products)[PerLane]) {
#pragma unroll
    for (int j = 0; j < PerLane; ++j) {
      shared.products[j * simt::warp_size + simt::lane_id()] = products[j];
    }
    simt::sync_warp();
  }

  /// Each lane's sum of the products [begin, end) of the window; lanes ascend and do not overlap.
  /// All lanes call. The products are kept.
  template <class Op>
  static __device__ __forceinline__ T sum(storage& shared, int begin, int end, Op add) {
    auto const length = static_cast<unsigned>(end - begin);
    unsigned const longest = simt::reduce_max(simt::full_warp, length);
    if (longest <= ShortRow) return sum_alone(shared, begin, length, longest, add);
    return sum_by_scan(shared, begin, end, add);
  }

 private:
  static __device__ __forceinline__ int lane_word(int w) {
    return simt::lane_id() * flag_words + w;
  }

  template <class Op>
  static __device__ __forceinline__ T sum_alone(storage const& shared, int begin, unsigned length,
                                                unsigned longest, Op add) {
    constexpr unsigned at_once = 4;
    T total = add.identity();
    T const* const products = shared.products + begin;
#pragma unroll
    for (unsigned k = 0; k < ShortRow; k += at_once) {
      if (k >= longest) break;
      T some[at_once];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        some[i] = add.identity();
        if (k + i < length) some[i] = products[k + i];
      }
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) total = add(total, some[i]);
    }
    return total;
  }

  template <class Op>
  static __device__ __forceinline__ T sum_by_scan(storage& shared, int begin, int end, Op add) {
    T const nothing = add.identity();
    // 1 mark where rows begin, and where the last ends
    auto* const marks = reinterpret_cast<unsigned char*>(shared.heads);
    if (end > begin && end < window) marks[end] = 1;
    if (simt::lane_id() == 0 && begin > 0) marks[begin] = 1;
    simt::sync_warp();

    // 2 scan the lane's own products, which are now adjacent; keep those that rows may end with
    unsigned heads[flag_words];
#pragma unroll
    for (int w = 0; w < flag_words; ++w) {
      heads[w] = shared.heads[lane_word(w)];
      shared.heads[lane_word(w)] = 0;
    }
    T items[PerLane];
    load(shared, items);
    T* const sums = shared.sums + simt::lane_id() * PerLane;
    bool any = (heads[0] & 1u) != 0;
    T total = items[0];
#pragma unroll
    for (int j = 1; j < PerLane; ++j) {
      bool const head = (heads[j / 4] >> j % 4 * 8 & 1u) != 0;
      if (head) sums[j - 1] = total;
      T const longer = add(total, items[j]);
      total = head ? items[j] : longer;
      any = any || head;
    }
    sums[PerLane - 1] = total;

    // 3 scan the lanes' last sums, for lanes whose first row began earlier
    unsigned const with_heads = simt::ballot(simt::full_warp, any) | 1u;
    int const distance_of_head =
        simt::lane_id() - (simt::warp_size - 1 - simt::clz(with_heads & simt::lanemask_le()));
#pragma unroll
    for (int distance = 1; distance < simt::warp_size; distance *= 2) {
      T const earlier = simt::shfl_up(simt::full_warp, total, distance);
      T const longer = add(earlier, total);
      if (distance <= distance_of_head) total = longer;
    }
    T const before = simt::shfl_up(simt::full_warp, total, 1);
    simt::sync_warp();

    // 4 pick each row's own
    int const last = end > begin ? end - 1 : 0;
    int const owner = last / PerLane;
    T const entering = simt::shfl(simt::full_warp, before, owner);
    T own = nothing;
    if (end > begin) own = shared.sums[last];
    T const all = add(entering, own);
    return end > begin && begin < owner * PerLane ? all : own;
  }

  static __device__ __forceinline__ void load(storage const& shared, T (&items)[PerLane]) {
#pragma unroll
    for (int j = 0; j < PerLane; j += vector_items) {
      auto const row =
          simt::load_vector<vector_items>(shared.products + simt::lane_id() * PerLane + j);
#pragma unroll
      for (int i = 0; i < vector_items; ++i) items[j + i] = row.item[i];
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
