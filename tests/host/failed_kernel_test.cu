// SPDX-License-Identifier: Apache-2.0
// What the cuda engine says once a kernel has failed, after which the process cannot use the GPU: a
// program of its own.
#include <string>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <tests/support/catch.hpp>

namespace {

__global__ void write_to(int* place) { *place = 1; }

}  // namespace

TEST_CASE("after a failed kernel the engine names its error, and the best one is the CPU's") {
  write_to<<<1, 1>>>(nullptr);
  REQUIRE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  std::string words;
  try {
    (void)libscan::engine::cuda();
  } catch (libscan::engine_unavailable const& error) {
    words = error.what();
  }
  CHECK(words.find("cudaErrorIllegalAddress") != std::string::npos);
  CHECK(words.find("architecture") == std::string::npos);
  CHECK_FALSE(libscan::engine::best().runs_kernels());
}
