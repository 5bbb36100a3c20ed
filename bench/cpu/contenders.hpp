// SPDX-License-Identifier: Apache-2.0
// The ways to scan on a CPU, into items of the same or a wider type: libscan, the loop, the
// standard library, oneTBB.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

#include <algorithm>
#include <execution>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <bench/cpu/libraries.hpp>
#include <bench/cpu/machine.hpp>
#include <bench/oracles.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/libscan.hpp>

namespace libscan::bench::cpu {

/// Sets `out` to the requested prefix. With `?:`, maps of two fields would pass through the stack,
/// and a loop would take five times as long.
template <class T>
void store(scan_kind kind, T const& inclusive, T const& exclusive, T& out) {
  if (kind == scan_kind::inclusive) {
    out = inclusive;
  } else {
    out = exclusive;
  }
}

/// in -> out by the loop that defines the scan.
template <class In, class T, class Op>
void sequential_scan(scan_kind kind, host_array<In> const& in, host_array<T> const& out, Op op) {
  T sum = op.identity();
  for (index_t i = 0; i < in.size; ++i) {
    T const next = op(sum, static_cast<T>(in[i]));
    store(kind, next, sum, out[i]);
    sum = next;
  }
}

/// in -> out by tbb::parallel_scan.
template <class In, class T, class Op>
void tbb_scan(scan_kind kind, host_array<In> const& in, host_array<T> const& out, Op op) {
  tbb::parallel_scan(
      tbb::blocked_range<index_t>(0, in.size), T(op.identity()),
      [&](auto const& part, T sum, bool final) {
        for (index_t i = part.begin(); i < part.end(); ++i) {
          T const next = op(sum, static_cast<T>(in[i]));
          if (final) store(kind, next, sum, out[i]);
          sum = next;
        }
        return sum;
      },
      op);
}

/// in -> out by the standard library, under a policy or without one: policy... is one or none.
template <class In, class T, class Op, class... Policy>
void std_scan(scan_kind kind, host_array<In> const& in, host_array<T> const& out, Op op,
              Policy&&... policy) {
  if (kind == scan_kind::inclusive) {
    // Without a first value it would accumulate in the type of the items.
    std::inclusive_scan(policy..., in.begin(), in.end(), out.begin(), op, T(op.identity()));
  } else {
    std::exclusive_scan(policy..., in.begin(), in.end(), out.begin(), T(op.identity()), op);
  }
}

/// in -> out by the host API; by the engine if items are widened or are no numbers, for which the
/// host API is not compiled.
template <class In, class T, class Op>
void our_scan(engine const& on, scan_kind kind, host_array<In> const& in, host_array<T> const& out,
              Op op) {
  bool const inclusive = kind == scan_kind::inclusive;
  if constexpr (std::is_same_v<In, T> && std::is_arithmetic_v<T>) {
    std::span<T> const results(out.begin(), out.end());
    inclusive ? inclusive_scan(on, in.view(), results, op)
              : exclusive_scan(on, in.view(), results, op);
  } else {
    T const first = op.identity();
    inclusive
        ? libscan::cpu::inclusive_scan(on.threads(), in.begin(), out.begin(), in.size, op, first)
        : libscan::cpu::exclusive_scan(on.threads(), in.begin(), out.begin(), in.size, op, first);
  }
}

/// All of them, with the copy first. The arrays must outlive the contenders.
template <class In, class T, class Op>
std::vector<contender> scan_contenders(engine const& on, scan_kind kind, host_array<In> const& in,
                                       host_array<T> const& out, host_array<T> const& expected,
                                       Op op) {
  auto const right = [&] { return std::equal(out.begin(), out.end(), expected.begin()); };
  std::vector<contender> all{
      copy_of(static_cast<double>(in.size) * (sizeof(In) + sizeof(T))),
      {"libscan", [&, on, kind, op] { our_scan(on, kind, in, out, op); }, right},
      {"sequential", [&, kind, op] { sequential_scan(kind, in, out, op); }, right},
      {"std", [&, kind, op] { std_scan(kind, in, out, op); }, right},
      {"std par_unseq", [&, kind, op] { std_scan(kind, in, out, op, std::execution::par_unseq); },
       right},
      {"tbb", [&, kind, op] { tbb_scan(kind, in, out, op); }, right}};
  for (library const& other : other_libraries()) {
    auto const scan = std::is_same_v<Op, plus<T>> ? other.scan_of<In, T>() : nullptr;
    if (scan == nullptr) continue;
    all.push_back(
        {other.name, [&, kind, scan] { scan(kind, in.begin(), out.begin(), in.size); }, right});
  }
  return all;
}

}  // namespace libscan::bench::cpu
