// SPDX-License-Identifier: Apache-2.0
// The ranking warps of a staged pass: they count a tile's keys, find where each warp's keys of each
// digit begin in the sorted tile, and store every key at its place.
#pragma once

#include <apps/radix_sort/device/shared_counter.cuh>
#include <apps/radix_sort/device/staged_shape.cuh>
#include <apps/radix_sort/device/warp_match.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// What the ranking warps do.
template <class Shape>
class rank_role {
  using shared_storage = typename Shape::shared_storage;
  using work_type = typename Shape::work_type;
  using digit_reader = typename Shape::digit_reader;
  using key_type = typename Shape::key_type;
  static constexpr int items_per_thread = Shape::items_per_thread;
  static constexpr int rank_warps = Shape::rank_warps;
  static constexpr int warp_items = Shape::warp_items;
  static constexpr int digit_warps = Shape::digit_warps;
  static constexpr int rows_at_once = Shape::rows_at_once;

 public:
  /// All tiles of the block. By each of the warps.
  static __device__ void run(shared_storage& shared, work_type const& work, int warp) {
    digit_reader const digit_of = work.digits();
    unsigned meetings = 0;
    unsigned k = 0;
    for (int tile = static_cast<int>(blockIdx.x); tile < work.tiles;
         tile += static_cast<int>(gridDim.x), ++k) {
      int const left = work.valid(tile) - warp * warp_items;
      bool const whole = left >= warp_items;
      key_type key[items_per_thread];
      unsigned* const counts = shared.count[warp];
      shared.keys_full.wait(k % 2);
      take_keys(shared, work, tile, warp, left, key);
      clear(counts);
      if (threadIdx.x == 0) {
        shared.long_runs[k % 2] = 0;
        shared.long_items[k % 2] = 0;
      }
      if (whole) {
#pragma unroll
        for (int r = 0; r < items_per_thread; ++r)
          device::add_to_counter(counts[digit_of(key[r])], 1);
      } else {
#pragma unroll
        for (int r = 0; r < items_per_thread; ++r) {
          if (r * simt::warp_size + simt::lane_id() < left) {
            device::add_to_counter(counts[digit_of(key[r])], 1);
          }
        }
      }
      meet(shared, meetings);
      int const next = tile + static_cast<int>(gridDim.x);
      if (threadIdx.x == 0 && next < work.tiles) Shape::fetch_keys(shared, work, next);
      place_warps(shared, work, tile, k, warp, meetings);
      unsigned place[items_per_thread / 2];
      take_places(digit_of, counts, left, key, place);
      if (k > 0) shared.sorted_free.wait((k - 1) % 2);
      if (threadIdx.x == 0) fetch_values(shared, work, tile);
      put_keys(shared, warp * warp_items, left, key, place);
      shared.sorted_full.arrive();
    }
  }

 private:
  static __device__ __forceinline__ void meet(shared_storage& shared, unsigned& meetings) {
    shared.ranks.arrive();
    shared.ranks.wait(meetings++ % 2);
  }

  static __device__ __forceinline__ void take_keys(shared_storage& shared, work_type const& work,
                                                   int tile, int warp, int left,
                                                   key_type (&key)[items_per_thread]) {
    int const begin = warp * warp_items;
    key_type const* const in = work.keys_of(tile);
    shared.keys.template copy_edges<4>(in, work.valid(tile), begin, begin + warp_items);
    key_type const* const staged = shared.keys.items(in) + begin + simt::lane_id();
    if (left >= warp_items) {
#pragma unroll
      for (int r = 0; r < items_per_thread; ++r) key[r] = staged[r * simt::warp_size];
    } else {
#pragma unroll
      for (int r = 0; r < items_per_thread; ++r) {
        key[r] = key_type{};
        if (r * simt::warp_size + simt::lane_id() < left) key[r] = staged[r * simt::warp_size];
      }
    }
  }

  static __device__ __forceinline__ void clear(unsigned* counts) {
    simt::sync_warp();  // all lanes have used the counters of the previous tile
#pragma unroll
    for (int d = 0; d < digit_values; d += simt::warp_size) counts[d + simt::lane_id()] = 0;
    simt::sync_warp();
  }

  /// Publishes the tile's counts; turns those of the warps into places in the sorted tile.
  static __device__ void place_warps(shared_storage& shared, work_type const& work, int tile,
                                     unsigned k, int warp, unsigned& meetings) {
    int const digit = static_cast<int>(threadIdx.x);
    unsigned total = 0, before = 0;
    if (warp < digit_warps) {
#pragma unroll
      for (int w = 0; w < rank_warps; ++w) total += shared.count[w][digit];
      if (work.items.leads(tile)) {
        work.table.publish_prefix(tile, digit, total);
      } else {
        work.table.publish(tile, digit, total);
      }
      if (total > Shape::long_run) {
        unsigned const run = device::take_from_counter(shared.long_runs[k % 2], 1);
        shared.long_run_digit[k % 2][run] = static_cast<unsigned char>(digit);
        device::add_to_counter(shared.long_items[k % 2], total);
      }
      auto const scanned = warp::exclusive_scan(total, plus<unsigned>{});
      before = scanned.prefix;
      if (simt::lane_id() == 0) shared.warp_total[warp] = scanned.total;
    }
    meet(shared, meetings);
    if (warp < digit_warps) {
#pragma unroll
      for (int w = 0; w < digit_warps; ++w) {
        if (w < warp) before += shared.warp_total[w];
      }
      shared.begin[k % 2][digit] = before;
      if (digit_values + digit < Shape::begins) {
        shared.begin[k % 2][digit_values + digit] = static_cast<unsigned>(work.valid(tile));
        shared.shift[k % 2][digit_values + digit] = 0;
      }
#pragma unroll
      for (int w = 0; w < rank_warps; ++w) {
        unsigned const own = shared.count[w][digit];
        shared.count[w][digit] = before;
        before += own;
      }
      shared.counted[k % 2].arrive();
    }
    meet(shared, meetings);
  }

  /// Finds the keys' places in the sorted tile, two in a word, while other warps write the previous
  /// tile.
  static __device__ __forceinline__ void take_places(digit_reader const& digit_of, unsigned* counts,
                                                     int left,
                                                     key_type const (&key)[items_per_thread],
                                                     unsigned (&place)[items_per_thread / 2]) {
    if (left >= warp_items) {
#pragma unroll
      for (int first = 0; first < items_per_thread; first += rows_at_once) {
        key_type row[rows_at_once];
        unsigned at[rows_at_once];
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r) row[r] = key[first + r];
        take_rows(digit_of, counts, row, at);
#pragma unroll
        for (int r = 0; r < rows_at_once; r += 2) place[(first + r) / 2] = at[r] | at[r + 1] << 16;
      }
    } else {
#pragma unroll
      for (int r = 0; r < items_per_thread; r += 2) {
        int const i = r * simt::warp_size + simt::lane_id();
        unsigned const low =
            device::take_place<Shape::tuning::ranks>(counts, digit_of(key[r]), i < left);
        unsigned const high = device::take_place<Shape::tuning::ranks>(counts, digit_of(key[r + 1]),
                                                                       i + simt::warp_size < left);
        place[r / 2] = low | high << 16;
      }
    }
  }

  /// The same for rows_at_once whole rows. If one digit is frequent in the first row, lanes with
  /// the same digit add together: otherwise they would wait for one another at its counter.
  static __device__ __forceinline__ void take_rows(digit_reader const& digit_of, unsigned* counts,
                                                   key_type const (&key)[rows_at_once],
                                                   unsigned (&at)[rows_at_once]) {
    constexpr int crowd = 6;
    unsigned const some = digit_of(key[0]);
    unsigned const alike =
        simt::ballot(simt::full_warp, some == simt::shfl(simt::full_warp, some, 0));
    if (simt::popc(alike) < crowd) {
      // All in flight before the first is needed.
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) {
        at[r] = device::take_place<Shape::tuning::ranks>(counts, digit_of(key[r]), true);
      }
      return;
    }
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r) {
      unsigned const digit = digit_of(key[r]);
      unsigned const same = simt::match_any(simt::full_warp, digit);
      unsigned const before = same & simt::lanemask_lt();
      unsigned start = 0;
      if (before == 0) {
        start = take_from_counter(counts[digit], static_cast<unsigned>(simt::popc(same)));
      }
      at[r] = simt::shfl(simt::full_warp, start, simt::ffs(same) - 1) +
              static_cast<unsigned>(simt::popc(before));
    }
  }

  /// Stores the keys at their places.
  static __device__ __forceinline__ void put_keys(shared_storage& shared, int begin, int left,
                                                  key_type const (&key)[items_per_thread],
                                                  unsigned const (&place)[items_per_thread / 2]) {
#pragma unroll
    for (int r = 0; r < items_per_thread; ++r) {
      int const i = r * simt::warp_size + simt::lane_id();
      unsigned const at = r % 2 == 0 ? place[r / 2] & 0xffff : place[r / 2] >> 16;
      if (left >= warp_items || i < left) shared.sorted.put(at, key[r], begin + i);
    }
  }

  static __device__ void fetch_values(shared_storage& shared, work_type const& work, int tile) {
    if constexpr (Shape::has_values) {
      if (work.values_in == nullptr) {
        shared.values_full.arrive();
      } else {
        shared.values.fetch(work.values_of(tile), work.valid(tile), shared.values_full);
      }
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
