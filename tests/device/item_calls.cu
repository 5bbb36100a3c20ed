// SPDX-License-Identifier: Apache-2.0
// Filters and sorts, as a table of calls.
#include <libscan/filter.cuh>
#include <libscan/radix_sort.cuh>
#include <tests/device/calls.hpp>

namespace libscan::test {

namespace {

struct is_positive {
  __device__ bool operator()(float x) const { return x > 0; }
};

void keep_positive(workspace& ws, call_memory const& at, index_t n) {
  filter(ws, at.items, at.sums, n, is_positive{}, at.number);
}

void keep_flagged(workspace& ws, call_memory const& at, index_t n) {
  filter(ws, at.items, at.sums, n, byte_mask{at.flags}, at.number);
}

void keep_masked(workspace& ws, call_memory const& at, index_t n) {
  filter(ws, at.items, at.sums, n, bit_mask{at.words}, at.number);
}

void sort(workspace& ws, call_memory const& at, index_t n) { sort_keys(ws, at.words, at.ranks, n); }

}  // namespace

std::vector<device_call> item_calls() {
  return {
      {"resident filter", resident_items, true, keep_positive},
      {"pipelined filter", several_items, true, keep_positive},
      {"resident filter by flags", resident_items, true, keep_flagged},
      {"pipelined filter by flags", several_items, true, keep_flagged},
      {"look-back filter by bits", several_items, false, keep_masked},
      {"pipelined filter by bits", many_items, true, keep_masked},
      {"sort in a block", 3000, false, sort},
      {"sort in a small cluster", index_t{1} << 13, true, sort},
      {"sort in a cluster", index_t{1} << 16, true, sort},
      {"resident sort", index_t{1} << 18, true, sort},
      {"sort in passes", several_items, true, sort},
  };
}

}  // namespace libscan::test
