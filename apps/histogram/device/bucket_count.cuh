// SPDX-License-Identifier: Apache-2.0
// Counts places that were sorted into buckets: the second step of the histogram of very many bins.
// Blocks take equal shares of the places, independent of their distribution over the buckets.
#pragma once

#include <apps/histogram/device/bucket_tables.cuh>
#include <apps/histogram/device/counters.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Counts bucket after bucket in dynamic shared memory of 1 << tables.bits counters. Work is
/// measured in units: each vector of places is one, and each entry is one, so that no block gets
/// all the short or empty entries.
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
    share const own = share{0, *tables.total + tables.entries()}.part(blockIdx.x, gridDim.x);
    for (int i = static_cast<int>(threadIdx.x); i < room; i += block_threads) counters[i] = 0;
    sample_tally tally(bins);
    place at = place_of(tables, own.from);
    while (at.unit < own.to) {
      index_t const bucket = at.entry / tables.tiles;
      index_t const bucket_end = units_before(tables, (bucket + 1) * tables.tiles);
      share const here = {at.unit, bucket_end < own.to ? bucket_end : own.to};
      simt::sync_block();
      count_share(tables, bucket, here.part(threadIdx.x / simt::warp_size, warps), counters);
      simt::sync_block();
      int const first = static_cast<int>(bucket) << tables.bits;
      device::merge_counters(counters, first, bins - first < room ? bins - first : room, counts,
                             tally);
      at = place_of(tables, here.to);
      if (at.unit < own.to) {
        simt::sync_block();
        for (int i = static_cast<int>(threadIdx.x); i < room; i += block_threads) counters[i] = 0;
      }
    }
    tally.commit(*totals);
  }

 private:
  /// Units.
  struct share {
    index_t from, to;

    /// The i-th of `parts` equal shares.
    __device__ share part(unsigned i, unsigned parts) const {
      index_t const size = to - from;
      return {from + size * i / parts, from + size * (i + 1) / parts};
    }
  };

  /// The place of a vector.
  struct place {
    index_t entry, unit;
  };

  /// The work of one lane: vectors from `source` on. `past`: its entry is after the share.
  struct piece {
    index_t source;
    int length;
    bool past;
  };

  /// Vectors, and units, of all entries before this one.
  static __device__ index_t vectors_before(bucket_tables const& tables, index_t entry) {
    return entry < tables.entries() ? tables.positions[entry] : *tables.total;
  }
  static __device__ index_t units_before(bucket_tables const& tables, index_t entry) {
    return entry + vectors_before(tables, entry);
  }

  /// The last entry with reached(entry), which is true for the first and, once false, stays false.
  /// The whole warp calls.
  template <class Reached>
  static __device__ index_t last_entry(bucket_tables const& tables, Reached reached) {
    index_t from = 0, size = tables.entries();
    while (size > 1) {
      index_t const step = ceil_div(size, index_t{simt::warp_size});
      index_t const probe = from + simt::lane_id() * step;
      bool const before = probe < from + size && reached(probe);
      int const steps = simt::popc(simt::ballot(simt::full_warp, before)) - 1;
      index_t const rest = size - steps * step;
      from += steps * step;
      size = rest < step ? rest : step;
    }
    return from;
  }

  /// The first vector from a unit on, or the end. The whole warp calls.
  static __device__ place place_of(bucket_tables const& tables, index_t unit) {
    index_t const entry =
        last_entry(tables, [&](index_t e) { return units_before(tables, e) <= unit; });
    index_t const after = vectors_before(tables, entry + 1);
    index_t const vector = unit - entry < after ? unit - entry : after;
    if (vector == *tables.total) return {tables.entries(), tables.entries() + vector};
    index_t const own =
        last_entry(tables, [&](index_t e) { return vectors_before(tables, e) <= vector; });
    return {own, own + vector};
  }

  /// Counts a share of one bucket, the entries of a warp's lanes at a time. The whole warp calls.
  static __device__ void count_share(bucket_tables const& tables, index_t bucket, share own,
                                     unsigned* counters) {
    index_t first = place_of(tables, own.from).entry;
    piece next = piece_of(tables, bucket, first + simt::lane_id(), own);
    for (bool more = true; more;) {
      piece const now = next;
      more = !simt::any(simt::full_warp, now.past);
      if (more) {
        bool const empty = !simt::any(simt::full_warp, now.length != 0);
        first =
            empty ? place_of(tables, units_before(tables, first)).entry : first + simt::warp_size;
        next = piece_of(tables, bucket, first + simt::lane_id(), own);
      }
      count_pieces(tables.places, now, counters);
    }
  }

  /// The share's part of an entry, if it has one.
  static __device__ piece piece_of(bucket_tables const& tables, index_t bucket, index_t entry,
                                   share own) {
    index_t const tile = entry - bucket * tables.tiles;
    if (tile >= tables.tiles) return {0, 0, true};
    index_t const at = units_before(tables, entry);
    if (at >= own.to) return {0, 0, true};
    index_t const whole = static_cast<index_t>(tables.lengths[entry]);
    index_t const skipped = own.from > at ? own.from - at : 0;
    index_t const wanted = own.to - at < whole ? own.to - at : whole;
    return {tile * tables.tile_vectors + tables.begins[entry] + skipped,
            static_cast<int>(wanted > skipped ? wanted - skipped : 0), false};
  }

  /// Counts the vectors of all lanes: every lane takes one of `warp_size` neighboring vectors, of
  /// any lane, several in flight at a time. The whole warp calls.
  static __device__ __forceinline__ void count_pieces(std::uint16_t const* places, piece own,
                                                      unsigned* counters) {
    constexpr int batch = Tuning::batch;
    auto const [before, all] = warp::exclusive_scan(own.length, plus<int>{});
    index_t const source = own.source - before;
    for (int first = 0; first < all; first += batch * simt::warp_size) {
      vector loaded[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        int const v = first + k * simt::warp_size + simt::lane_id();
        int owner = 0;
#pragma unroll
        for (int step = simt::warp_size / 2; step > 0; step /= 2) {
          if (simt::shfl(simt::full_warp, before, owner + step) <= v) owner += step;
        }
        index_t const from = simt::shfl(simt::full_warp, source, owner) + v;
        if (v < all) {
          loaded[k] = simt::load_vector<places_per_vector>(places + from * places_per_vector);
        }
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (first + k * simt::warp_size + simt::lane_id() < all) count_vector(loaded[k], counters);
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
