// SPDX-License-Identifier: Apache-2.0
// libscan's sort of keys with values, and its argsort.
#include <libscan/radix_sort.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(pair_sort_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  return {{"libscan", [=, p = problem] {
             if (p.indices) return argsort(*ws, p.keys, p.values_out, p.n);
             sort_pairs(*ws, p.keys, p.keys_out, p.values, p.values_out, p.n);
           }}};
}

}  // namespace libscan::bench::by_libscan
