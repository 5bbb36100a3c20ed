// SPDX-License-Identifier: Apache-2.0
// libscan's reductions.
#include <libscan/reduce.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(reduce_problem const& problem) {
  implementations result;
  with_types(reductions{}, problem.type, problem.op, [&](auto types) {
    using each = decltype(types);
    auto const* const in = static_cast<typename each::in const*>(problem.in);
    auto* const out = static_cast<typename each::out*>(problem.out);
    auto const ws = std::make_shared<workspace>();
    result.push_back(
        {"libscan", [=, n = problem.n] { reduce(*ws, in, out, n, typename each::op{}); }});
  });
  return result;
}

}  // namespace libscan::bench::by_libscan
