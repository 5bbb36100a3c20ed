// SPDX-License-Identifier: Apache-2.0
// CUB's scans of a list of types; instantiated list by list, in files of their own.
#pragma once

#include <cub/device/device_scan.cuh>

#include <bench/cuda/cub/call.cuh>
#include <bench/cuda/cub/operators.cuh>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

/// CUB's scan, if the list has the types. The accumulator is the type of the initial value.
template <class List>
implementations scans(scan_problem const& problem) {
  implementations result;
  with_types(List{}, problem.type, problem.op, [&](auto types) {
    using each = decltype(types);
    using in_type = typename each::in;
    using out_type = typename each::out;
    using op_type = typename each::op;
    auto const* const in = static_cast<in_type const*>(problem.in);
    auto* const out = static_cast<out_type*>(problem.out);
    if (problem.kind == scan_kind::exclusive) {
      add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
        using T = typename op_type::value_type;
        if constexpr (each::sum && std::is_same_v<in_type, T> && std::is_same_v<out_type, T>) {
          return api::DeviceScan::ExclusiveSum(memory, bytes, in, out, n);
        } else {
          return api::DeviceScan::ExclusiveScan(memory, bytes, in, out, known(op_type{}),
                                                T(op_type::identity()), n);
        }
      });
    } else if constexpr (each::inclusive_too) {
      add_calls(result, problem.n, [=](void* memory, std::size_t& bytes, auto n) {
        return api::DeviceScan::InclusiveSum(memory, bytes, in, out, n);
      });
    }
  });
  return result;
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
