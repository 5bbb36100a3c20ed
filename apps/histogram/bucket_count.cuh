// SPDX-License-Identifier: Apache-2.0
// Counts places that were sorted into buckets: the second of the two steps of the histogram of very
// many bins. Blocks take equal shares of the places, however these are spread over the buckets.
#pragma once

#include <apps/histogram/bucket_tables.cuh>
#include <apps/histogram/counters.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Counts bucket after bucket in dynamic shared memory of 1 << tables.bits counters.
template <class Count, class Tuning>
struct bucket_count_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  static constexpr int warps = block_threads / simt::warp_size;
  using vector = simt::vector<std::uint16_t, places_per_vector>;

  __device__ void operator()(bucket_tables tables, int bins, Count* counts,
                             sample_totals* totals) const {
    auto* const counters = simt::dynamic_shared<unsigned>();
    int const room = 1 << tables.bits;
    share const own = {*tables.total * blockIdx.x / gridDim.x,
                       *tables.total * (blockIdx.x + 1) / gridDim.x};
    index_t const last = own.from < own.to ? entry_at(tables, own.to - 1) + 1 : 0;
    index_t entry = own.from < own.to ? entry_at(tables, own.from) : 0;
    for (int i = static_cast<int>(threadIdx.x); i < room; i += block_threads) counters[i] = 0;
    sample_tally tally(bins);
    while (entry < last) {
      auto const bucket = static_cast<int>(entry / tables.tiles);
      index_t const bucket_end = (bucket + 1) * tables.tiles;
      index_t const end = bucket_end < last ? bucket_end : last;
      simt::sync_block();
      count_entries(tables, entry, end, own, counters);
      simt::sync_block();
      int const first = bucket << tables.bits;
      merge_counters(counters, first, bins - first < room ? bins - first : room, counts, tally);
      if (end < last) {
        simt::sync_block();
        for (int i = static_cast<int>(threadIdx.x); i < room; i += block_threads) counters[i] = 0;
      }
      entry = end;
    }
    tally.commit(*totals);
  }

 private:
  /// Positions of places, in vectors.
  struct share {
    index_t from, to;
  };

  /// The last entry that begins at a position or before, of those with places the one that has it.
  /// The whole warp calls.
  static __device__ index_t entry_at(bucket_tables const& tables, index_t position) {
    index_t from = 0, size = tables.entries();
    while (size > 1) {
      index_t const step = ceil_div(size, index_t{simt::warp_size});
      index_t const probe = from + simt::lane_id() * step;
      bool const before = probe < from + size && tables.positions[probe] <= position;
      int const steps = simt::popc(simt::ballot(simt::full_warp, before)) - 1;
      index_t const rest = size - steps * step;
      from += steps * step;
      size = rest < step ? rest : step;
    }
    return from;
  }

  /// Counts the share's part of entries [first, end). Warps take a few entries at a time.
  static __device__ void count_entries(bucket_tables const& tables, index_t first, index_t end,
                                       share own, unsigned* counters) {
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size, lane = simt::lane_id();
    index_t const fair = (end - first) / (8 * warps);
    int const group = static_cast<int>(fair < 1                 ? 1
                                       : fair < simt::warp_size ? fair
                                                                : simt::warp_size);
    for (index_t from = first + index_t{warp} * group; from < end; from += index_t{warps} * group) {
      index_t const mine = from + lane;
      index_t source = 0;
      int length = 0;
      if (lane < group && mine < end) {
        index_t const at = tables.positions[mine];
        index_t const skipped = own.from > at ? own.from - at : 0;
        index_t const whole = static_cast<index_t>(tables.lengths[mine]);
        index_t const wanted = own.to - at < whole ? own.to - at : whole;
        length = static_cast<int>(wanted > skipped ? wanted - skipped : 0);
        source = mine % tables.tiles * tables.tile_vectors + tables.begins[mine] + skipped;
      }
      count_group(tables.places, source, length, group, counters);
    }
  }

  /// Counts the entries of the first `group` lanes, several under way at a time.
  static __device__ __forceinline__ void count_group(std::uint16_t const* places, index_t source,
                                                     int length, int group, unsigned* counters) {
    constexpr int batch = Tuning::batch;
    for (int e = 0; e < group; e += batch) {
      vector loaded[batch];
      index_t from[batch];
      int size[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        from[k] = simt::shfl(simt::full_warp, source, (e + k) % simt::warp_size);
        size[k] =
            e + k < group ? simt::shfl(simt::full_warp, length, (e + k) % simt::warp_size) : 0;
        if (simt::lane_id() < size[k]) {
          loaded[k] = simt::load_vector<places_per_vector>(places + (from[k] + simt::lane_id()) *
                                                                        places_per_vector);
        }
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (simt::lane_id() < size[k]) count_vector(loaded[k], counters);
#pragma unroll 1
        for (int v = simt::lane_id() + simt::warp_size; v < size[k]; v += simt::warp_size) {
          count_vector(
              simt::load_vector<places_per_vector>(places + (from[k] + v) * places_per_vector),
              counters);
        }
      }
    }
  }

  static __device__ __forceinline__ void count_vector(vector const& places, unsigned* counters) {
#pragma unroll
    for (int j = 0; j < places_per_vector; ++j) {
      if (places.item[j] != no_place) add_to_counter(counters[places.item[j]], 1);
    }
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
