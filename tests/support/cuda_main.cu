// SPDX-License-Identifier: Apache-2.0
// The main function of tests that need a GPU. Without one they are skipped (exit code 77), not
// passed.
#include <cuda_runtime_api.h>

#include <cstdio>

#include <tests/support/run_tests.hpp>

int main(int argc, char** argv) {
  int devices = 0;
  cudaError_t const code = cudaGetDeviceCount(&devices);
  if (code != cudaSuccess || devices == 0) {
    std::printf("skipped: no usable GPU (%s)\n",
                code != cudaSuccess ? cudaGetErrorString(code) : "none found");
    return 77;
  }
  return run_tests(argc, argv);
}
