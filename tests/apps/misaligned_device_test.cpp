// SPDX-License-Identifier: Apache-2.0
// Device calls refuse misaligned pointers before they launch anything: a GPU would fail at the
// first access, and take no further call of the process.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <libscan/adjacent_difference.cuh>
#include <libscan/binary_scan.cuh>
#include <libscan/coo_to_csr.cuh>
#include <libscan/filter.cuh>
#include <libscan/histogram.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/reduce.cuh>
#include <libscan/runs.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/sorted_histogram.cuh>
#include <libscan/split.cuh>
#include <libscan/split_by_key.cuh>
#include <libscan/spmv.cuh>
#include <tests/support/catch.hpp>

using namespace libscan;

namespace {

constexpr index_t n = 100;

struct is_odd {
  LIBSCAN_HOST_DEVICE bool operator()(std::int32_t x) const { return (x & 1) != 0; }
};

/// Addresses that no call may access: aligned ones, and such as are one byte beyond them.
template <class T>
T* place(int number, int beyond = 0) {
  return reinterpret_cast<T*>(std::uintptr_t{0x10000} * static_cast<std::uintptr_t>(number + 1) +
                              static_cast<std::uintptr_t>(beyond));
}

/// Whether a call says that items are misaligned.
bool refused(std::function<void(workspace&)> const& call) {
  workspace ws;
  try {
    call(ws);
  } catch (invalid_argument const& error) {
    return std::string(error.what()).find("multiple of") != std::string::npos;
  }
  return false;
}

}  // namespace

TEST_CASE("Device calls refuse misaligned items, results and descriptions") {
  auto *const in = place<std::int32_t>(0), *const out = place<std::int32_t>(1);
  auto *const more = place<std::int32_t>(2), *const last = place<std::int32_t>(3);
  auto* const bad = place<std::int32_t>(4, 1);
  auto *const count = place<index_t>(5), *const bad_count = place<index_t>(6, 4);
  auto* const words = place<std::uint32_t>(7, 2);
  auto* const flags = place<std::uint8_t>(8, 1);
  auto* const totals = place<sample_totals>(9);
  auto *const reals = place<float>(10), *const bad_reals = place<float>(11, 3);
  auto* const unsigned_in = place<std::uint32_t>(12);
  auto* const bad_unsigned = place<std::uint32_t>(13, 1);
  plus<std::int32_t> const op;
  integer_bins<std::int32_t> const bins(0, 9);
  using call = std::function<void(workspace&)>;
  std::vector<std::pair<char const*, call>> const calls{
      {"items of a scan", [=](workspace& ws) { exclusive_scan(ws, bad, out, n, op); }},
      {"results of a scan", [=](workspace& ws) { inclusive_scan(ws, in, bad, n, op); }},
      {"items in reverse", [=](workspace& ws) { reverse_inclusive_scan(ws, bad, out, n, op); }},
      {"items of a sum", [=](workspace& ws) { reduce(ws, bad, out, n, op); }},
      {"a sum", [=](workspace& ws) { reduce(ws, in, bad, n, op); }},
      {"differences", [=](workspace& ws) { adjacent_difference(ws, in, bad, n); }},
      {"ranks", [=](workspace& ws) { exclusive_binary_scan(ws, byte_mask{flags}, bad, n); }},
      {"bits", [=](workspace& ws) { exclusive_binary_scan(ws, bit_mask{words}, out, n); }},
      {"items that are filtered", [=](workspace& ws) { filter(ws, bad, out, n, is_odd{}, count); }},
      {"items that are kept", [=](workspace& ws) { filter(ws, in, bad, n, is_odd{}, count); }},
      {"positions", [=](workspace& ws) { filter_indices(ws, in, bad_count, n, is_odd{}, count); }},
      {"a mask", [=](workspace& ws) { filter(ws, in, out, n, bit_mask{words}, count); }},
      {"items that flags keep",
       [=](workspace& ws) { filter(ws, bad, out, n, byte_mask{flags}, count); }},
      {"what is rejected", [=](workspace& ws) { split(ws, in, out, bad, n, is_odd{}, count); }},
      {"what is unique", [=](workspace& ws) { unique(ws, in, bad, n, count); }},
      {"lengths of runs",
       [=](workspace& ws) { run_length_encode(ws, in, out, bad, no_output{}, n, count); }},
      {"offsets of sums",
       [=](workspace& ws) {
         segmented_reduce(ws, in, out, segment_offsets{bad, 3}, n, op);
       }},
      {"sums of segments",
       [=](workspace& ws) {
         segmented_reduce(ws, in, bad, segment_offsets{more, 3}, n, op);
       }},
      {"keys of segments",
       [=](workspace& ws) {
         inclusive_segmented_scan(ws, in, out, segment_keys<std::int32_t*>{bad}, n, op);
       }},
      {"keys", [=](workspace& ws) { sort_keys(ws, bad, out, n); }},
      {"sorted keys", [=](workspace& ws) { sort_keys(ws, in, bad, n); }},
      {"values", [=](workspace& ws) { sort_pairs(ws, in, out, bad_reals, reals, n); }},
      {"positions of keys", [=](workspace& ws) { argsort(ws, in, bad, n); }},
      {"keys in segments", [=](workspace& ws) { segmented_sort_keys(ws, in, bad, n, more, 3); }},
      {"keys that are split",
       [=](workspace& ws) {
         split_by_key(ws, unsigned_in, bad_unsigned, static_cast<index_t*>(nullptr), n, 4);
       }},
      {"samples", [=](workspace& ws) { histogram(ws, bad, count, bins, n, totals); }},
      {"counts", [=](workspace& ws) { histogram(ws, in, bad_count, bins, n, totals); }},
      {"samples that are sorted",
       [=](workspace& ws) { sorted_histogram(ws, bad, count, bins, n, totals); }},
      {"weights",
       [=](workspace& ws) { weighted_histogram(ws, in, bad_reals, reals, bins, n, totals); }},
      {"a vector",
       [=](workspace& ws) {
         csr_matrix<float, std::int32_t> const matrix{2, 2, 2, in, out, reals};
         spmv(ws, matrix, bad_reals, place<float>(14));
       }},
      {"offsets of rows",
       [=](workspace& ws) {
         csr_matrix<float, std::int32_t> const matrix{2, 2, 2, bad, out, reals};
         spmv(ws, matrix, place<float>(15), place<float>(14));
       }},
      {"a list",
       [=](workspace& ws) {
         coo_matrix<float> const list{2, 2, 2, in, bad, reals};
         coo_to_csr(ws, list, more, last, place<float>(14));
       }},
  };
  for (auto const& [name, misaligned] : calls) {
    INFO(name);
    CHECK(refused(misaligned));
  }
}
