// SPDX-License-Identifier: Apache-2.0
// libscan's sort of keys.
#include <libscan/radix_sort.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

namespace {

template <class Key>
implementations sort(sort_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  return {{"libscan", [=] {
             sort_keys(*ws, static_cast<Key const*>(problem.keys), static_cast<Key*>(problem.out),
                       problem.n);
           }}};
}

}  // namespace

implementations offers(sort_problem const& problem) {
  if (problem.type == "u16") return sort<std::uint16_t>(problem);
  if (problem.type == "u32") return sort<std::uint32_t>(problem);
  if (problem.type == "u64") return sort<std::uint64_t>(problem);
  return {};
}

}  // namespace libscan::bench::by_libscan
