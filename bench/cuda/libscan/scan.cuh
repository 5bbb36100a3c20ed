// SPDX-License-Identifier: Apache-2.0
// libscan's scans of a list of types; instantiated list by list, in files of their own.
#pragma once

#include <memory>

#include <bench/cuda/calls.hpp>
#include <libscan/scan.cuh>

namespace libscan::bench::by_libscan {

/// The library's scan, if the list has the types.
template <class List>
implementations scans(scan_problem const& problem) {
  implementations result;
  with_types(List{}, problem.type, problem.op, [&](auto types) {
    using each = decltype(types);
    auto const* const in = static_cast<typename each::in const*>(problem.in);
    auto* const out = static_cast<typename each::out*>(problem.out);
    auto const ws = std::make_shared<workspace>();
    index_t const n = problem.n;
    if (problem.kind == scan_kind::exclusive) {
      result.push_back({"libscan", [=] { exclusive_scan(*ws, in, out, n, typename each::op{}); }});
    } else if constexpr (each::inclusive_too) {
      result.push_back({"libscan", [=] { inclusive_scan(*ws, in, out, n, typename each::op{}); }});
    }
  });
  return result;
}

}  // namespace libscan::bench::by_libscan
