// SPDX-License-Identifier: Apache-2.0
// Scans and reductions within segments of every descriptor, as a table of calls.
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <tests/device/calls.hpp>

namespace libscan::test {

namespace {

constexpr plus<float> sum;

void scan(workspace& ws, call_memory const& at, auto segments, index_t n) {
  inclusive_segmented_scan(ws, at.items, at.sums, segments, n, sum);
}

void rows(workspace& ws, call_memory const& at, index_t n) {
  scan(ws, at, equal_segments{100000}, n);
}

void flags(workspace& ws, call_memory const& at, index_t n) {
  scan(ws, at, head_flags{at.flags}, n);
}

void bits(workspace& ws, call_memory const& at, index_t n) { scan(ws, at, head_bits{at.words}, n); }

void keys(workspace& ws, call_memory const& at, index_t n) {
  scan(ws, at, segment_keys{at.keys}, n);
}

void offsets(workspace& ws, call_memory const& at, index_t n) {
  scan(ws, at, segment_offsets{at.offsets, at.segments}, n);
}

void totals_of_flags(workspace& ws, call_memory const& at, index_t n) {
  segmented_reduce(ws, at.items, at.sums, head_flags{at.flags}, n, sum, at.number);
}

void totals_of_offsets(workspace& ws, call_memory const& at, index_t n) {
  segmented_reduce(ws, at.items, at.sums, segment_offsets{at.offsets, at.segments}, n, sum);
}

void totals_by_key(workspace& ws, call_memory const& at, index_t n) {
  reduce_by_key(ws, at.keys, at.items, at.ranks, at.sums, n, sum, at.number);
}

}  // namespace

std::vector<device_call> segment_calls() {
  // Of so many items there are few enough offsets to search.
  index_t const searched = index_t{1} << 19;
  return {
      {"resident scan of rows", resident_items, true, rows},
      {"look-back scan of rows", several_items, false, rows},
      {"pipelined scan of rows", many_items, true, rows},
      {"resident scan by flags", resident_items, true, flags},
      {"look-back scan by flags", several_items, false, flags},
      {"pipelined scan by flags", many_items, true, flags},
      {"resident scan by bits", resident_items, true, bits},
      {"look-back scan by bits", several_items, false, bits},
      {"resident scan by keys", resident_items, true, keys},
      {"pipelined scan by keys", many_items, true, keys},
      {"scan by offsets searched", searched, false, offsets},
      {"resident scan by offsets", resident_items, true, offsets},
      {"pipelined scan by offsets", many_items, true, offsets},
      {"resident totals by flags", resident_items, true, totals_of_flags},
      {"pipelined totals by flags", several_items, true, totals_of_flags},
      {"totals by offsets searched", searched, false, totals_of_offsets},
      {"resident totals by offsets", resident_items, true, totals_of_offsets},
      {"pipelined totals by offsets", several_items, true, totals_of_offsets},
      {"resident totals by key", resident_items, true, totals_by_key},
      {"pipelined totals by key", several_items, true, totals_by_key},
  };
}

}  // namespace libscan::test
