// SPDX-License-Identifier: Apache-2.0
// libscan's split into many buckets.
#include <libscan/split_by_key.cuh>

#include <memory>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::by_libscan {

implementations offers(bucket_problem const& problem) {
  auto const ws = std::make_shared<workspace>();
  return {{"libscan", [=, p = problem] {
             split_by_key(*ws, p.keys, p.keys_out, p.values, p.values_out, p.offsets, p.n,
                          p.buckets);
           }}};
}

}  // namespace libscan::bench::by_libscan
