// SPDX-License-Identifier: Apache-2.0
// Sorts samples' places into buckets of bins, one tile at a time: the first of the two steps of the
// histogram of very many bins.
#pragma once

#include <apps/histogram/bucket_tables.cuh>
#include <apps/histogram/counters.cuh>
#include <apps/histogram/sample_pieces.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/device/item_count.cuh>

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
  static_assert(items <= 127);

  struct shared_storage {
    block::scan_storage<int, block_threads> scan;
  };

  /// Vectors for the places of a tile, each bucket's padded to whole ones.
  static constexpr index_t tile_vectors(int buckets) {
    return tile_items / places_per_vector + buckets;
  }
  static std::size_t bytes(int buckets) {
    return static_cast<std::size_t>(tile_vectors(buckets)) * 16 +
           2 * static_cast<std::size_t>(buckets) * sizeof(int);
  }

  __device__ void operator()(shared_storage& shared, Sample const* in, item_count length, Rule rule,
                             bucket_tables tables, Count* counts, sample_totals* totals) const {
    samples const all(in, length.get());
    auto* const staged = simt::dynamic_shared<std::uint16_t>();
    auto* const count = reinterpret_cast<unsigned*>(staged + tables.tile_vectors * 8);
    auto* const begin = reinterpret_cast<int*>(count + tables.buckets);
    sample_tally tally(rule.bins());
    libscan::detail::in_best_form(rule, [&](auto find) {
      for (index_t tile = blockIdx.x; tile < tables.tiles; tile += gridDim.x) {
        unsigned place[items];  // bits 25 on: how many items the run of its bucket still has
        unsigned rank[items];
        clear(count, tables.buckets);
        // 1 load
        load(all, tile * tile_pieces, find, rule.bins(), place, tally);
        simt::sync_block();
        // 2 rank each item in its bucket
        rank_items(place, rank, tables.bits, count);
        simt::sync_block();
        // 3 scan buckets
        int const vectors = place_buckets(shared, tables, tile, count, begin, staged);
        simt::sync_block();
        // 4 group by bucket
        group(place, rank, tables.bits, begin, staged);
        simt::sync_block();
        // 5 store
        auto* const to = tables.places + tile * tables.tile_vectors * places_per_vector;
        for (int v = static_cast<int>(threadIdx.x); v < vectors; v += block_threads) {
          simt::store_vector<8>(to + v * 8, simt::load_vector<8>(staged + v * 8));
        }
        simt::sync_block();
      }
      count_rest(all, find, counts, tally);
    });
    tally.commit(*totals);
  }

 private:
  static constexpr int run_shift = 25;
  static constexpr unsigned place_mask = (1u << run_shift) - 1;
  static constexpr unsigned nowhere = place_mask;

  static __device__ void clear(unsigned* count, int buckets) {
    for (int b = static_cast<int>(threadIdx.x); b < buckets; b += block_threads) count[b] = 0;
  }

  template <class Find>
  static __device__ __forceinline__ void load(samples const& all, index_t tile, Find find, int bins,
                                              unsigned (&place)[items], sample_tally& tally) {
    auto const find_all = [&](piece const& from, int k) {
#pragma unroll
      for (int j = 0; j < width; ++j) {
        int const found = find(from.item[j]);
        place[k * width + j] = found < bins ? static_cast<unsigned>(found) : nowhere;
        if (found >= bins) tally.add(found);
      }
    };
    index_t const first = tile + threadIdx.x;
    if (tile + tile_pieces <= all.pieces()) {
      piece pieces[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) pieces[k] = all.load(first + k * block_threads);
#pragma unroll
      for (int k = 0; k < batch; ++k) find_all(pieces[k], k);
      return;
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
#pragma unroll
      for (int j = 0; j < width; ++j) place[k * width + j] = nowhere;
      index_t const p = first + k * block_threads;
      if (p < all.pieces()) find_all(all.load(p), k);
    }
  }

  /// Items of a thread that follow one another in a bucket take their ranks at once.
  static __device__ __forceinline__ void rank_items(unsigned (&place)[items],
                                                    unsigned (&rank)[items], int bits,
                                                    unsigned* count) {
    unsigned run = 0, before = nowhere;
#pragma unroll
    for (int i = items - 1; i >= 0; --i) {
      unsigned const bucket = place[i] == nowhere ? nowhere : place[i] >> bits;
      run = bucket == before ? run + 1 : 1;
      before = bucket;
      place[i] |= run << run_shift;
    }
    before = nowhere;
    unsigned next = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      unsigned const own = place[i] & place_mask;
      unsigned const bucket = own == nowhere ? nowhere : own >> bits;
      if (bucket != before && bucket != nowhere) {
        next = take_from_counter(count[bucket], place[i] >> run_shift);
      }
      before = bucket;
      rank[i] = next++;
    }
  }

  /// Gives each bucket whole vectors, writes their entries and what fills the last of them up.
  /// Returns how many vectors there are.
  static __device__ int place_buckets(shared_storage& shared, bucket_tables const& tables,
                                      index_t tile, unsigned const* count, int* begin,
                                      std::uint16_t* staged) {
    int const per_thread = (tables.buckets + block_threads - 1) / block_threads;
    int const first = static_cast<int>(threadIdx.x) * per_thread;
    int const end = first + per_thread < tables.buckets ? first + per_thread : tables.buckets;
    int sum = 0;
    for (int b = first; b < end; ++b) sum += vectors_of(count[b]);
    auto const before = block::exclusive_scan(shared.scan, sum, plus<int>{});
    int next = before.prefix;
    for (int b = first; b < end; ++b) {
      int const vectors = vectors_of(count[b]);
      begin[b] = next * places_per_vector;
      index_t const entry = b * tables.tiles + tile;
      tables.begins[entry] = static_cast<unsigned>(next);
      tables.lengths[entry] = static_cast<unsigned>(vectors);
      next += vectors;
      for (int i = begin[b] + static_cast<int>(count[b]); i < next * places_per_vector; ++i) {
        staged[i] = no_place;
      }
    }
    return before.total;
  }
  static __device__ int vectors_of(unsigned count) {
    return static_cast<int>((count + places_per_vector - 1) / places_per_vector);
  }

  static __device__ __forceinline__ void group(unsigned const (&place)[items],
                                               unsigned const (&rank)[items], int bits,
                                               int const* begin, std::uint16_t* staged) {
#pragma unroll
    for (int i = 0; i < items; ++i) {
      unsigned const own = place[i] & place_mask;
      if (own == nowhere) continue;
      staged[begin[own >> bits] + static_cast<int>(rank[i])] =
          static_cast<std::uint16_t>(own & ((1u << bits) - 1));
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
