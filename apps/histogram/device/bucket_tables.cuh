// SPDX-License-Identifier: Apache-2.0
// Samples' places, sorted into buckets of bins tile by tile, in the workspace of the histogram of
// very many bins.
#pragma once

#include <cstddef>
#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
