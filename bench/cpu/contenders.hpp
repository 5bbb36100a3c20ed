// SPDX-License-Identifier: Apache-2.0
// The ways to scan on a CPU: libscan's facade, the loop, the standard library, oneTBB.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

#include <algorithm>
#include <execution>
#include <numeric>
#include <utility>
#include <vector>

#include <bench/cpu/libraries.hpp>
#include <bench/cpu/machine.hpp>
#include <bench/oracles.hpp>
#include <libscan/libscan.hpp>

namespace libscan::bench::cpu {

/// in -> out by the loop that defines the scan.
template <class T, class Op>
void sequential_scan(scan_kind kind, host_array<T> const& in, host_array<T> const& out, Op op) {
  T sum = op.identity();
  for (index_t i = 0; i < in.size; ++i) {
    T const next = op(sum, in[i]);
    out[i] = kind == scan_kind::inclusive ? next : sum;
    sum = next;
  }
}

/// in -> out by tbb::parallel_scan.
template <class T, class Op>
void tbb_scan(scan_kind kind, host_array<T> const& in, host_array<T> const& out, Op op) {
  tbb::parallel_scan(
      tbb::blocked_range<index_t>(0, in.size), T(op.identity()),
      [&](auto const& part, T sum, bool final) {
        for (index_t i = part.begin(); i < part.end(); ++i) {
          T const next = op(sum, in[i]);
          if (final) out[i] = kind == scan_kind::inclusive ? next : sum;
          sum = next;
        }
        return sum;
      },
      op);
}

/// in -> out by the standard library under a policy, or without one: policy... is one or none.
template <class T, class Op, class... Policy>
void std_scan(scan_kind kind, host_array<T> const& in, host_array<T> const& out, Op op,
              Policy&&... policy) {
  if (kind == scan_kind::inclusive) {
    std::inclusive_scan(policy..., in.begin(), in.end(), out.begin(), op);
  } else {
    std::exclusive_scan(policy..., in.begin(), in.end(), out.begin(), T(op.identity()), op);
  }
}

/// in -> out by the facade.
template <class T, class Op>
void facade_scan(engine const& on, scan_kind kind, host_array<T> const& in,
                 host_array<T> const& out, Op op) {
  std::span<T> const results(out.begin(), out.end());
  if (kind == scan_kind::inclusive) {
    inclusive_scan(on, in.view(), results, op);
  } else {
    exclusive_scan(on, in.view(), results, op);
  }
}

/// All of them, with the copy first. The arrays must outlive the contenders.
template <class T, class Op>
std::vector<contender> scan_contenders(engine const& on, scan_kind kind, host_array<T> const& in,
                                       host_array<T> const& out, host_array<T> const& expected,
                                       Op op) {
  auto const right = [&] { return std::equal(out.begin(), out.end(), expected.begin()); };
  auto const bytes = static_cast<std::size_t>(in.size) * sizeof(T);
  std::vector<contender> all{
      {"memcpy", [&, bytes] { parallel_memcpy(out.begin(), in.begin(), bytes); }, {}},
      {"libscan", [&, on, kind, op] { facade_scan(on, kind, in, out, op); }, right},
      {"sequential", [&, kind, op] { sequential_scan(kind, in, out, op); }, right},
      {"std", [&, kind, op] { std_scan(kind, in, out, op); }, right},
      {"std par_unseq", [&, kind, op] { std_scan(kind, in, out, op, std::execution::par_unseq); },
       right},
      {"tbb", [&, kind, op] { tbb_scan(kind, in, out, op); }, right}};
  for (library const& other : other_libraries()) {
    auto const scan = std::is_same_v<Op, plus<T>> ? other.scan_of<T>() : nullptr;
    if (scan == nullptr) continue;
    all.push_back(
        {other.name, [&, kind, scan] { scan(kind, in.begin(), out.begin(), in.size); }, right});
  }
  return all;
}

}  // namespace libscan::bench::cpu
