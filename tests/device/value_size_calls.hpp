// SPDX-License-Identifier: Apache-2.0
// Every device call over values of one size. The executor's test runs them; nvcc compiles them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <libscan/filter.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/reduce.cuh>
#include <libscan/runs.cuh>
#include <libscan/scan.cuh>
#include <libscan/segmented_reduce.cuh>
#include <libscan/segmented_scan.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/split.cuh>
#include <tests/support/few_types.hpp>

namespace libscan::test {

/// A value of `Bytes` bytes, aligned as such structures are.
template <int Bytes>
struct value_of {
  using part = std::conditional_t<Bytes % 8 == 0, std::uint64_t,
                                  std::conditional_t<Bytes % 4 == 0, std::uint32_t, std::uint8_t>>;
  part at[static_cast<std::size_t>(Bytes) / sizeof(part)];

  /// With `number` in all parts.
  LIBSCAN_HOST_DEVICE static constexpr value_of of(unsigned number) {
    value_of value{};
    for (part& each : value.at) each = static_cast<part>(number);
    return value;
  }
  LIBSCAN_HOST_DEVICE constexpr bool operator==(value_of const& other) const {
    return at[0] == other.at[0];
  }
};

/// The later of two values that are not 0. Associative, does not commute.
template <int Bytes>
struct last_value {
  using value_type = value_of<Bytes>;
  LIBSCAN_HOST_DEVICE static constexpr value_type identity() { return {}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type const& earlier,
                                                      value_type const& later) const {
    return later.at[0] != 0 ? later : earlier;
  }
};

/// Keeps values whose number is odd.
struct keep_odd {
  template <int Bytes>
  LIBSCAN_HOST_DEVICE constexpr bool operator()(value_of<Bytes> const& value) const {
    return value.at[0] % 2 != 0;
  }
};

/// Memory of a call, on the device.
template <int Bytes>
struct value_buffers {
  value_of<Bytes> const* in;
  value_of<Bytes>* out;
  value_of<Bytes>* more;
  std::uint32_t const* keys;
  std::uint32_t* keys_out;
  std::int32_t const* offsets;
  index_t segments;
  index_t* count;
  index_t n;
};

/// Calls after(name) after each call with its result in `out`; `out` and `more` are overwritten.
template <int Bytes, class After>
void call_scans(workspace& ws, value_buffers<Bytes> const& b, After after) {
  last_value<Bytes> const op{};
  segment_offsets<std::int32_t> const heads{b.offsets, b.segments};
  reduce(ws, b.in, b.out, b.n, op);
  after("reduce");
  inclusive_scan(ws, b.in, b.out, b.n, op);
  after("inclusive_scan");
  reverse_inclusive_scan(ws, b.in, b.out, b.n, op);
  after("reverse_inclusive_scan");
  inclusive_segmented_scan(ws, b.in, b.out, heads, b.n, op);
  after("inclusive_segmented_scan");
  segmented_reduce(ws, b.in, b.out, heads, b.n, op);
  after("segmented_reduce");
  reduce_by_key(ws, b.in, b.in, b.more, b.out, b.n, op, b.count);
  after("reduce_by_key");
}

/// The same of calls that move items.
template <int Bytes, class After>
void call_moves(workspace& ws, value_buffers<Bytes> const& b, After after) {
  filter(ws, b.in, b.out, b.n, keep_odd{}, b.count);
  after("filter");
  split(ws, b.in, b.out, b.n, keep_odd{}, b.count);
  after("split");
  unique(ws, b.in, b.out, b.n, b.count);
  after("unique");
  run_length_encode(ws, b.in, b.out, b.keys_out, no_output{}, b.n, b.count);
  after("run_length_encode");
  sort_pairs(ws, b.keys, b.keys_out, b.in, b.out, b.n);
  after("sort_pairs");
  segmented_sort_pairs(ws, b.keys, b.keys_out, b.in, b.out, b.n, b.offsets, b.segments);
  after("segmented_sort_pairs");
}

/// All sizes; builds of few types have fewer.
using all_sizes =
    types_to_test<std::tuple<std::integral_constant<int, 36>>,
                  std::tuple<std::integral_constant<int, 3>, std::integral_constant<int, 256>>,
                  std::tuple<std::integral_constant<int, 1>, std::integral_constant<int, 12>,
                             std::integral_constant<int, 16>, std::integral_constant<int, 20>,
                             std::integral_constant<int, 24>, std::integral_constant<int, 64>,
                             std::integral_constant<int, 1024>, std::integral_constant<int, 2048>>>;

}  // namespace libscan::test
