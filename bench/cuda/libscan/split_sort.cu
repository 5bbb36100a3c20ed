// SPDX-License-Identifier: Apache-2.0
// The textbook sort of keys: one split per bit.
#include <libscan/split_sort.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations textbook_sorts(sort_problem const& problem) {
  if (problem.type != "u32" || problem.n != index_t{1} << 24) return {};
  auto const ws = std::make_shared<workspace>();
  auto* const out = static_cast<std::uint32_t*>(problem.out);
  return {{"split-sort", [=, keys = problem.keys, n = problem.n] {
             // It sorts in place.
             simt::copy_async(out, keys, static_cast<std::size_t>(n) * sizeof *out);
             split_sort(*ws, out, n);
           }}};
}

}  // namespace libscan::bench::by_libscan
