// SPDX-License-Identifier: Apache-2.0
// libscan's sort within segments, of keys and of keys with values.
#include <libscan/segmented_sort.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(segmented_sort_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  return {{"libscan", [=, p = problem] {
             if (p.values == nullptr) {
               return segmented_sort_keys(*ws, p.keys, p.keys_out, p.n, p.offsets, p.segments);
             }
             segmented_sort_pairs(*ws, p.keys, p.keys_out, p.values, p.values_out, p.n, p.offsets,
                                  p.segments);
           }}};
}

}  // namespace libscan::bench::by_libscan
