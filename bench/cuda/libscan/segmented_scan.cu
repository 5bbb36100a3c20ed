// SPDX-License-Identifier: Apache-2.0
// libscan's scan within segments, by each description of them.
#include <libscan/segmented_scan.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

namespace {

template <scan_kind Kind, class T>
std::function<void()> scan(segmented_problem const& problem) {
  auto const* const in = static_cast<T const*>(problem.in);
  auto* const out = static_cast<T*>(problem.out);
  auto const ws = std::make_shared<workspace>();
  auto const by = [=, n = problem.n](auto descriptor) -> std::function<void()> {
    return [=] { segmented_scan<Kind>(*ws, in, out, descriptor, n, plus<T>{}); };
  };
  if (problem.heads == "flags") return by(head_flags{problem.flags});
  if (problem.heads == "bits") return by(head_bits{problem.bits});
  if (problem.heads == "keys") return by(segment_keys<std::uint32_t const*>{problem.keys});
  return by(segment_offsets<std::int32_t>{problem.offsets, problem.segments});
}

template <class T>
std::function<void()> scan(segmented_problem const& problem) {
  return problem.kind == scan_kind::inclusive ? scan<scan_kind::inclusive, T>(problem)
                                              : scan<scan_kind::exclusive, T>(problem);
}

}  // namespace

implementations offers(segmented_problem const& problem) {
  if (problem.type == "u32") return {{"libscan", scan<std::uint32_t>(problem)}};
  if (problem.type == "f32") return {{"libscan", scan<float>(problem)}};
  return {};
}

}  // namespace libscan::bench::by_libscan
