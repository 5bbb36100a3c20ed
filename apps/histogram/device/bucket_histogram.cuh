// SPDX-License-Identifier: Apache-2.0
// The histogram of very many bins: places are sorted tile by tile into buckets of as many bins as a
// block has counters, a scan finds the place of each tile's entries in the order of buckets, and
// blocks count equal shares. No sample needs a global atomic of its own, so no input is slow.
#pragma once

#include <cstddef>
#include <cstdint>

#include <apps/histogram/device/counters.cuh>
#include <apps/histogram/device/rule_in_shared.cuh>
#include <apps/histogram/device/sample_pieces.cuh>
#include <libscan/block/scan.cuh>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/item_count.cuh>
#include <libscan/scan.cuh>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Places within a bucket, eight at a time. An unused one is `no_place`.
inline constexpr int places_per_vector = 8;
inline constexpr std::uint16_t no_place = 0xffff;

/// The tables, and their sizes. Entry bucket * tiles + tile holds one tile's places in one bucket,
/// which are contiguous; over all entries the places are in order of buckets.
struct bucket_tables {
  int bits;               // of a place within its bucket
  int buckets;            //
  index_t tiles;          //
  index_t tile_vectors;   // for which a tile has space
  std::uint16_t* places;  // of all tiles
  unsigned* begins;       // of an entry within its tile, in vectors
  unsigned* lengths;      // of an entry, in vectors
  index_t* positions;     // the sum of the lengths of all entries before
  index_t* total;         // of the lengths

  LIBSCAN_HOST_DEVICE index_t entries() const { return tiles * buckets; }
};

/// Bytes of the tables, and the place of each after the one before.
struct bucket_table_bytes {
  std::size_t places, begins, lengths, positions, total, scan;

  constexpr bucket_table_bytes(index_t tiles, index_t tile_vectors, int buckets,
                               std::size_t scan_bytes) {
    auto const entries = static_cast<std::size_t>(tiles) * static_cast<std::size_t>(buckets);
    auto const vectors = static_cast<std::size_t>(tiles * tile_vectors);
    places = 0;
    begins = places + aligned(vectors * places_per_vector * sizeof(std::uint16_t));
    lengths = begins + aligned(entries * sizeof(unsigned));
    positions = lengths + aligned(entries * sizeof(unsigned));
    total = positions + aligned(entries * sizeof(index_t));
    scan = total + aligned(sizeof(index_t));
    all = scan + aligned(scan_bytes);
  }
  std::size_t all;

 private:
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
};

// Sorts samples' places into buckets of bins, one tile at a time: the first step of the histogram
// of very many bins.

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

// Counts places that were sorted into buckets: the second step of the histogram of very many bins.
// Blocks take equal shares of the places, independent of their distribution over the buckets.

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
    int const capacity = 1 << tables.bits;
    share const own = share{0, *tables.total + tables.entries()}.part(blockIdx.x, gridDim.x);
    for (int i = static_cast<int>(threadIdx.x); i < capacity; i += block_threads) counters[i] = 0;
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
      device::merge_counters(counters, first, bins - first < capacity ? bins - first : capacity,
                             counts, tally);
      at = place_of(tables, here.to);
      if (at.unit < own.to) {
        simt::sync_block();
        for (int i = static_cast<int>(threadIdx.x); i < capacity; i += block_threads)
          counters[i] = 0;
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

/// Buckets of 1 << bits bins.
constexpr int buckets_of(int bins, int bits) { return (bins + (1 << bits) - 1) >> bits; }

/// The size of the tables of n samples of `bytes` bytes.
template <class Tuning>
constexpr bucket_table_bytes bucket_bytes(index_t n, int bins, int bits) {
  // For every type, a thread splits at least `split_items` samples.
  index_t const tile = index_t{Tuning::split::block_threads} * Tuning::split::split_items;
  int const buckets = buckets_of(bins, bits);
  index_t const tiles = ceil_div(n, tile);
  return {tiles, tile / places_per_vector + buckets, buckets,
          scan_workspace_bytes<index_t>(tiles * buckets)};
}

/// Counts in buckets of 1 << bits bins. The counts are 0.
template <class Tuning, class Sample, class Rule, class Count>
void bucket_histogram(workspace& ws, Sample const* in, item_count n, Rule const& rule, int bits,
                      Count* d_counts, sample_totals* d_totals) {
  using split = bucket_split_kernel<Sample, Rule, Count, typename Tuning::split>;
  using count = bucket_count_kernel<Count, typename Tuning::buckets>;
  static_assert(split::items == Tuning::split::split_items);
  static_assert(1 << Tuning::bucket_bits <= no_place);
  auto const bytes = device::bucket_bytes<Tuning>(n.at_most(), rule.bins(), bits);
  std::byte* const memory = ws.reserve(bytes.all);
  bucket_tables tables{};
  tables.bits = bits;
  tables.buckets = device::buckets_of(rule.bins(), bits);
  tables.tiles = ceil_div(n.at_most(), index_t{split::tile_items});
  tables.tile_vectors = split::tile_vectors(tables.buckets);
  tables.places = reinterpret_cast<std::uint16_t*>(memory + bytes.places);
  tables.begins = reinterpret_cast<unsigned*>(memory + bytes.begins);
  tables.lengths = reinterpret_cast<unsigned*>(memory + bytes.lengths);
  tables.positions = reinterpret_cast<index_t*>(memory + bytes.positions);
  tables.total = reinterpret_cast<index_t*>(memory + bytes.total);
  simt::launch<split>(
      {.blocks = device::histogram_blocks(n.at_most(), split::resident_blocks, split::tile_items),
       .threads = split::block_threads,
       .dynamic_shared_bytes = split::bytes(tables.buckets),
       .on = ws.stream()},
      in, n, rule, tables, d_counts, d_totals);
  workspace scan_ws(memory + bytes.scan, bytes.all - bytes.scan, ws.stream());
  exclusive_scan(scan_ws, static_cast<unsigned const*>(tables.lengths), tables.positions,
                 tables.entries(), plus<index_t>{}, tables.total);
  // Each needs at least one entry.
  int const entry_items = libscan::ceil_div(split::tile_items, tables.buckets);
  simt::launch<count>(
      {.blocks = device::histogram_blocks(n.at_most(), count::resident_blocks, entry_items),
       .threads = count::block_threads,
       .dynamic_shared_bytes = sizeof(unsigned) << bits,
       .on = ws.stream()},
      tables, rule.bins(), d_counts, d_totals);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
