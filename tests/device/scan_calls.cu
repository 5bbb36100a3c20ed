// SPDX-License-Identifier: Apache-2.0
// Scans by every strategy, from either end, of bits, and reductions, as a table of calls.
#include <libscan/binary_scan.cuh>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/textbook/catalog.cuh>
#include <tests/device/calls.hpp>

namespace libscan::test {

namespace {

constexpr plus<float> sum;

void scan(workspace& ws, call_memory const& at, index_t n) {
  inclusive_scan(ws, at.items, at.sums, n, sum);
}

void look_back(workspace& ws, call_memory const& at, index_t n) {
  inclusive_scan<look_back_tuning<float>>(ws, at.items, at.sums, n, sum);
}

void from_end(workspace& ws, call_memory const& at, index_t n) {
  reverse_inclusive_scan(ws, at.items, at.sums, n, sum);
}

void rank_bytes(workspace& ws, call_memory const& at, index_t n) {
  exclusive_binary_scan(ws, byte_mask{at.flags}, at.ranks, n, at.number);
}

void rank_bits(workspace& ws, call_memory const& at, index_t n) {
  exclusive_binary_scan(ws, bit_mask{at.words}, at.ranks, n, at.number);
}

void total(workspace& ws, call_memory const& at, index_t n) {
  reduce(ws, at.items, at.sums, n, sum);
}

/// Tiles so small that another launch sums their totals.
struct small_tiles {
  static constexpr int block_threads = 64;
  static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 8;
  static constexpr int loads_per_thread = 4;
};

void total_of_totals(workspace& ws, call_memory const& at, index_t n) {
  reduce<small_tiles>(ws, at.items, at.sums, n, sum);
}

}  // namespace

std::vector<device_call> scan_calls() {
  std::vector<device_call> calls{
      {"resident scan", few_items, true, scan},
      {"pipelined scan", several_items, true, scan},
      {"look-back scan", several_items, false, look_back},
      {"resident scan in reverse", few_items, true, from_end},
      {"pipelined scan in reverse", several_items, true, from_end},
      {"resident scan of bytes", resident_items, true, rank_bytes},
      {"look-back scan of bytes", several_items, false, rank_bytes},
      {"counted scan of bytes", (index_t{1} << 24) + 77, false, rank_bytes},
      {"resident scan of bits", resident_items, true, rank_bits},
      {"counted scan of bits", (index_t{1} << 24) + 77, false, rank_bits},
      {"reduction in one launch", several_items, true, total},
      {"short reduction", few_items, true, total},
      {"reduction in two launches", several_items, false, total_of_totals},
  };
  for (scan_strategy const which : all_scan_strategies) {
    index_t const n = which == scan_strategy::one_block    ? 2000
                      : which == scan_strategy::sequential ? 20000
                                                           : 300007;
    calls.push_back(
        {"strategy " + std::string(strategy_name(which)), n, which == scan_strategy::production,
         [which](workspace& ws, call_memory const& at, index_t items) {
           scan_with<scan_kind::inclusive>(which, ws, at.items, at.sums, items, sum, nullptr, 0.0f);
         }});
  }
  return calls;
}

}  // namespace libscan::test
