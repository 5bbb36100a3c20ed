// SPDX-License-Identifier: Apache-2.0
// The version of CUB that this folder was compiled with.
#include <cub/version.cuh>

#include <bench/cuda/calls.hpp>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

std::string version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
