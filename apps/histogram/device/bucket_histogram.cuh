// SPDX-License-Identifier: Apache-2.0
// The histogram of very many bins: places are sorted into buckets of as many bins as a block has
// counters, a scan finds the place of each tile's entries in the order of buckets, and blocks count
// equal shares. No sample needs a global atomic of its own, so no input is slow.
#pragma once

#include <apps/histogram/device/bucket_count.cuh>
#include <apps/histogram/device/bucket_split.cuh>
#include <libscan/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

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
