// SPDX-License-Identifier: Apache-2.0
// What tiles publish in tests of look-back and of the running prefix: values of each kind that the
// library's scans pass on, and how they combine, written once more for the host.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include <apps/filter/device/runs_work.cuh>
#include <libscan/device/segment_chain.cuh>
#include <libscan/device/tile_totals.cuh>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

using join_affine = device::join_segments<compose>;

struct plain_plus_packed_count {
  device::packed_count operator()(device::packed_count earlier, device::packed_count later) const {
    return {earlier.value + later.value};
  }
};
struct plain_join_runs {
  device::run_summary operator()(device::run_summary earlier, device::run_summary later) const {
    if (later.runs == 0) return {earlier.runs, earlier.open + later.open};
    return {earlier.runs + later.runs, later.open};
  }
};
struct plain_join_affine {
  using value_type = device::segment_summary<affine>;
  value_type operator()(value_type earlier, value_type later) const {
    if (later.segments == 0) return {earlier.segments, compose{}(earlier.open, later.open)};
    return {earlier.segments + later.segments, later.open};
  }
};

}  // namespace libscan::test

namespace libscan::reference {

template <>
struct oracle_op<device::plus_packed_count> {
  using type = test::plain_plus_packed_count;
};
template <>
struct oracle_op<device::join_runs> {
  using type = test::plain_join_runs;
};
template <>
struct oracle_op<test::join_affine> {
  using type = test::plain_join_affine;
};

}  // namespace libscan::reference

namespace libscan::test {

/// The total of each of n tiles, such that Op notices a tile left out, taken twice or out of order.
/// (Minima are of zeros of either sign, so that the first one counts.)
template <class Op>
std::vector<typename Op::value_type> tile_values(index_t n, std::uint64_t stream = 0) {
  using T = typename Op::value_type;
  std::vector<T> values;
  random_words words(stream + 77);
  auto const some_begun = [&]() -> index_t {
    std::uint64_t const kind = words.below(16);
    return kind == 0 ? 1 : kind == 1 ? static_cast<index_t>(words.below(1 << 20)) : 0;
  };
  if constexpr (std::is_same_v<T, device::packed_count>) {
    for (index_t k = 0; k < n; ++k) values.push_back({static_cast<index_t>(words.below(1 << 27))});
  } else if constexpr (std::is_same_v<T, device::run_summary>) {
    for (index_t k = 0; k < n; ++k) {
      values.push_back({some_begun(), static_cast<index_t>(words.below(1 << 20))});
    }
  } else if constexpr (std::is_same_v<T, device::segment_summary<affine>>) {
    for (affine const& map : make_items<affine>(n, stream)) values.push_back({some_begun(), map});
  } else if constexpr (std::is_same_v<Op, minimum<float>>) {
    float const kinds[] = {0.0F, -0.0F, 1.0F, std::numeric_limits<float>::infinity()};
    for (index_t k = 0; k < n; ++k) {
      values.push_back(kinds[words.below(64) == 0 ? words.below(2) : 2 + words.below(2)]);
    }
  } else {
    values = make_items<T>(n, stream);
  }
  return values;
}

/// For comparisons: all bits of a value.
template <class T>
std::vector<unsigned char> bytes_of(T const& value) {
  std::vector<unsigned char> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// The operators of these tests: sums in one order only and in any; of 4, 8, 12, 16 and 36 bytes.
using chained_operators =
    types_to_test<std::tuple<plus<float>, minimum<float>, compose, tripwire, device::join_runs>,
                  std::tuple<plus<std::int32_t>, plus<std::int64_t>, keep_last, join_shears,
                             multiply, device::plus_packed_count, join_affine>>;

}  // namespace libscan::test
