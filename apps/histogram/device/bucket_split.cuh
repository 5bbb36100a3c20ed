// SPDX-License-Identifier: Apache-2.0
// Sorts samples' places into buckets of bins, one tile at a time: the first step of the histogram
// of very many bins.
#pragma once

#include <apps/histogram/device/bucket_tables.cuh>
#include <apps/histogram/device/counters.cuh>
#include <apps/histogram/device/rule_in_shared.cuh>
#include <apps/histogram/device/sample_pieces.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Splits tiles. Dynamic shared memory: `bytes`.
template <class Sample, class Rule, class Count, class Tuning>
struct bucket_split_kernel {
  static constexpr int block_threads = Tuning::block_threads;
  static constexpr int resident_blocks = Tuning::resident_blocks;
  using samples = sample_pieces<Sample>;
  using piece = typename samples::piece;
  static constexpr int width = samples::width;
  static constexpr int batch = Tuning::split_items < width ? 1 : Tuning::split_items / width;
  static constexpr int items = batch * width;
  static constexpr int tile_pieces = block_threads * batch;
  static constexpr int tile_items = block_threads * items;

  struct shared_storage {
    block::scan_storage<int, block_threads> scan;
  };

  /// Vectors for the places of a tile, each bucket's padded to whole ones.
  static constexpr index_t tile_vectors(int buckets) {
    return tile_items / places_per_vector + buckets;
  }
  static std::size_t bytes(int buckets) {
    return static_cast<std::size_t>(tile_vectors(buckets)) * 16 +
           2 * static_cast<std::size_t>(buckets + 1) * sizeof(int);
  }

  __device__ void operator()(shared_storage& shared, Sample const* in, item_count length, Rule rule,
                             bucket_tables tables, Count* counts, sample_totals* totals) const {
    samples const all(in, length.get());
    auto* const staged = simt::dynamic_shared<std::uint16_t>();
    auto* const count = reinterpret_cast<unsigned*>(staged + tables.tile_vectors * 8);
    auto* const begin = reinterpret_cast<int*>(count + tables.buckets + 1);
    sample_tally tally(rule.bins());
    for (int b = static_cast<int>(threadIdx.x); b <= tables.buckets; b += block_threads) {
      count[b] = 0;
    }
    simt::sync_block();
    libscan::detail::in_best_form(rule, [&](auto find) {
      for (index_t tile = blockIdx.x; tile < tables.tiles; tile += gridDim.x) {
        unsigned place[items];
        unsigned rank[items];
        // 1 load
        load(all, tile * tile_pieces, find, rule.bins(), tables, place, tally);
        // 2 rank each item in its bucket
        rank_items(place, rank, tables.bits, count);
        simt::sync_block();
        // 3 scan buckets
        place_buckets(shared, tables, tile, count, begin, staged);
        simt::sync_block();
        // 4 group by bucket
        group(place, rank, tables, begin, staged);
        simt::sync_block();
        // 5 store
        int const vectors = begin[tables.buckets] / places_per_vector;
        auto* const to = tables.places + tile * tables.tile_vectors * places_per_vector;
        for (int v = static_cast<int>(threadIdx.x); v < vectors; v += block_threads) {
          simt::store_vector<8>(to + v * 8, simt::load_vector<8>(staged + v * 8));
        }
      }
      count_rest(all, find, counts, tally);
    });
    tally.commit(*totals);
  }

 private:
  /// The place of samples outside: a bucket after the last, which is dropped.
  static __device__ unsigned nowhere(bucket_tables const& tables) {
    return static_cast<unsigned>(tables.buckets) << tables.bits;
  }

  template <class Find>
  static __device__ __forceinline__ void load(samples const& all, index_t tile, Find find, int bins,
                                              bucket_tables const& tables, unsigned (&place)[items],
                                              sample_tally& tally) {
    auto const find_all = [&](piece const& from, int k) {
      int found[width];
      device::find_places(find, from.item, found);
#pragma unroll
      for (int j = 0; j < width; ++j) place[k * width + j] = static_cast<unsigned>(found[j]);
    };
    index_t const first = tile + threadIdx.x;
    int const missing = bins + outside_places;
    if (tile + tile_pieces <= all.pieces()) {
      piece pieces[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) pieces[k] = all.load(first + k * block_threads);
#pragma unroll
      for (int k = 0; k < batch; ++k) find_all(pieces[k], k);
    } else {
#pragma unroll
      for (int k = 0; k < batch; ++k) {
#pragma unroll
        for (int j = 0; j < width; ++j) place[k * width + j] = static_cast<unsigned>(missing);
        index_t const p = first + k * block_threads;
        if (p < all.pieces()) find_all(all.load(p), k);
      }
    }
    unsigned furthest = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) furthest = place[i] > furthest ? place[i] : furthest;
    if (furthest < static_cast<unsigned>(bins)) return;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (place[i] < static_cast<unsigned>(bins)) continue;
      tally.add(static_cast<int>(place[i]));
      place[i] = nowhere(tables);
    }
  }

  /// The rank of each item among those of its bucket. If many lanes use one bucket, consecutive
  /// items of a thread in it take their ranks together.
  static __device__ __forceinline__ void rank_items(unsigned const (&place)[items],
                                                    unsigned (&rank)[items], int bits,
                                                    unsigned* count) {
    constexpr int crowd = 8;
    shared_counters const counters(count);
    unsigned const some = place[0] >> bits;
    unsigned const alike =
        simt::ballot(simt::full_warp, some == simt::shfl(simt::full_warp, some, 0));
    if (simt::popc(alike) < crowd) {
#pragma unroll
      for (int i = 0; i < items; ++i) {
        rank[i] = counters.take(static_cast<int>(place[i] >> bits), 1);
      }
      return;
    }
    // The length of the run from each item on.
    unsigned run = 0;
#pragma unroll
    for (int i = items - 1; i >= 0; --i) {
      bool const follows =
          i + 1 < items && place[i] >> bits == place[i + 1 < items ? i + 1 : i] >> bits;
      run = follows ? run + 1 : 1;
      rank[i] = run;
    }
    unsigned next = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      unsigned const bucket = place[i] >> bits;
      if (i == 0 || bucket != place[i > 0 ? i - 1 : 0] >> bits) {
        next = device::take_from_counter(count[bucket], rank[i]);
      }
      rank[i] = next++;
    }
  }

  /// Gives each bucket whole vectors, writes their entries and fills up the last of them, and
  /// clears the counts. Vectors that do not fit start after the last bucket.
  static __device__ void place_buckets(shared_storage& shared, bucket_tables const& tables,
                                       index_t tile, unsigned* count, int* begin,
                                       std::uint16_t* staged) {
    if (tables.buckets > simt::warp_size) {
      int const per_thread = (tables.buckets + block_threads - 1) / block_threads;
      int const first = static_cast<int>(threadIdx.x) * per_thread;
      int const end = first + per_thread < tables.buckets ? first + per_thread : tables.buckets;
      int sum = 0;
      for (int b = first; b < end; ++b) sum += vectors_of(count[b]);
      int next = block::exclusive_scan(shared.scan, sum, plus<int>{}).prefix;
      for (int b = first; b < end; ++b) {
        next = place_bucket(tables, tile, b, next, count, begin, staged);
      }
    } else if (threadIdx.x < simt::warp_size) {
      int const b = simt::lane_id();
      int const own = b < tables.buckets ? vectors_of(count[b]) : 0;
      int const before = warp::exclusive_scan(own, plus<int>{}).prefix;
      if (b < tables.buckets) place_bucket(tables, tile, b, before, count, begin, staged);
    }
  }

  /// Returns the vector after the bucket's.
  static __device__ int place_bucket(bucket_tables const& tables, index_t tile, int b, int first,
                                     unsigned* count, int* begin, std::uint16_t* staged) {
    int const vectors = vectors_of(count[b]);
    begin[b] = first * places_per_vector;
    index_t const entry = b * tables.tiles + tile;
    tables.begins[entry] = static_cast<unsigned>(first);
    tables.lengths[entry] = static_cast<unsigned>(vectors);
    int const end = (first + vectors) * places_per_vector;
#pragma unroll
    for (int i = 1; i < places_per_vector; ++i) {
      if (static_cast<int>(count[b]) + i <= vectors * places_per_vector) staged[end - i] = no_place;
    }
    count[b] = 0;
    if (b == tables.buckets - 1) {
      begin[b + 1] = end;
      count[b + 1] = 0;
    }
    return first + vectors;
  }
  static __device__ int vectors_of(unsigned count) {
    return static_cast<int>((count + places_per_vector - 1) / places_per_vector);
  }

  static __device__ __forceinline__ void group(unsigned const (&place)[items],
                                               unsigned const (&rank)[items],
                                               bucket_tables const& tables, int const* begin,
                                               std::uint16_t* staged) {
    unsigned const within = (1u << tables.bits) - 1, none = nowhere(tables);
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (place[i] == none) continue;
      staged[begin[place[i] >> tables.bits] + static_cast<int>(rank[i])] =
          static_cast<std::uint16_t>(place[i] & within);
    }
  }

  /// Counts the few samples in no piece.
  template <class Find>
  static __device__ void count_rest(samples const& all, Find find, Count* counts,
                                    sample_tally& tally) {
    index_t const rank = index_t{blockIdx.x} * block_threads + threadIdx.x;
    if (rank >= all.rest()) return;
    tally.count(counts, find(all.rest_sample(static_cast<int>(rank))));
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
