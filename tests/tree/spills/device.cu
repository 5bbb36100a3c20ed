// SPDX-License-Identifier: Apache-2.0
// Every device-wide scan with its own tuning, for spills.py: what iterators and GPU make of the
// public call, and the strategies of the literature.
#include <cstdint>

#include <libscan/adjacent_difference.cuh>
#include <libscan/binary_scan.cuh>
#include <libscan/core/segments.hpp>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/textbook/catalog.cuh>
#include <tests/tree/spills/collective.cuh>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class Op, class In>
void compile_scans(workspace& ws, In in) {
  auto* const out = static_cast<typename Op::value_type*>(nullptr);
  exclusive_scan(ws, in, out, 0, Op{});
  inclusive_scan(ws, in, out, 0, Op{});
}

template <class Op>
void compile_scans(workspace& ws) {
  compile_scans<Op>(ws, static_cast<typename Op::value_type const*>(nullptr));
}

/// An iterator that is no pointer, which bulk copies cannot read.
struct counting {
  index_t first = 0;
  __device__ std::int32_t operator[](index_t i) const {
    return static_cast<std::int32_t>(first + i);
  }
  __device__ counting operator+(index_t i) const { return {first + i}; }
};

}  // namespace

void compile_device_scans(workspace& ws) {
  compile_scans<plus<std::uint8_t>>(ws);
  compile_scans<plus<std::int32_t>>(ws);
  compile_scans<plus<std::int64_t>>(ws);
  compile_scans<plus<float>>(ws);
  compile_scans<plus<double>>(ws);
  compile_scans<maximum<double>>(ws);
  compile_scans<compose>(ws);
  compile_scans<tripwire>(ws);
  compile_scans<long_compose>(ws);
  compile_scans<plus<std::int64_t>>(ws, static_cast<std::uint8_t const*>(nullptr));
  compile_scans<plus<std::uint32_t>>(ws, static_cast<std::uint8_t const*>(nullptr));
  compile_scans<plus<std::uint32_t>>(ws, static_cast<std::uint16_t const*>(nullptr));
  compile_scans<plus<float>>(ws, static_cast<std::uint16_t const*>(nullptr));
  compile_scans<plus<std::int32_t>>(ws, counting{});
  exclusive_binary_scan(ws, byte_mask{nullptr}, static_cast<std::int32_t*>(nullptr), 0);
  exclusive_binary_scan(ws, bit_mask{nullptr}, static_cast<std::int64_t*>(nullptr), 0);
}

template <class T, class Heads>
void compile_segmented_scans(workspace& ws, Heads heads) {
  auto* const items = static_cast<T*>(nullptr);
  segmented_scan<scan_kind::inclusive>(ws, items, items, heads, 0, plus<T>{});
  segmented_scan<scan_kind::exclusive>(ws, items, items, heads, 0, plus<T>{});
}

template <class T>
void compile_segmented_reductions(workspace& ws) {
  auto* const items = static_cast<T*>(nullptr);
  auto* const keys = static_cast<std::uint32_t*>(nullptr);
  segmented_reduce(ws, items, items, head_flags{nullptr}, 0, plus<T>{});
  segmented_reduce(ws, items, items, head_bits{nullptr}, 0, plus<T>{});
  segmented_reduce(ws, items, items, segment_offsets{static_cast<int const*>(nullptr), 0}, 0,
                   plus<T>{});
  reduce_by_key(ws, keys, items, keys, items, 0, plus<T>{}, static_cast<index_t*>(nullptr));
}

template <class T>
void compile_differences(workspace& ws) {
  adjacent_difference(ws, static_cast<T const*>(nullptr), static_cast<T*>(nullptr), 0);
}

void compile_differences(workspace& ws) {
  compile_differences<std::uint8_t>(ws);
  compile_differences<std::int32_t>(ws);
  compile_differences<double>(ws);
}

void compile_segmented_scans(workspace& ws) {
  segment_keys const keys{static_cast<std::uint32_t const*>(nullptr)};
  compile_segmented_scans<std::int32_t>(ws, head_flags{nullptr});
  compile_segmented_scans<std::int32_t>(ws, head_bits{nullptr});
  compile_segmented_scans<std::int32_t>(ws, keys);
  compile_segmented_scans<std::int32_t>(ws, segment_offsets{static_cast<int const*>(nullptr), 0});
  compile_segmented_scans<std::int64_t>(ws, keys);
  compile_segmented_reductions<std::int32_t>(ws);
  compile_segmented_reductions<double>(ws);
}

void compile_strategies(workspace& ws, scan_strategy which) {
  auto const* const in = static_cast<std::int32_t const*>(nullptr);
  auto* const out = static_cast<std::int32_t*>(nullptr);
  scan_with<scan_kind::inclusive>(which, ws, in, out, 0, plus<std::int32_t>{}, out, 0);
  scan_with<scan_kind::exclusive>(which, ws, in, out, 0, plus<std::int32_t>{}, out, 0);
}
