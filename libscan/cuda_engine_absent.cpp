// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none, and every call says so.
#include <libscan/cuda_engine.hpp>

#include <libscan/core/error.hpp>

namespace libscan::inline v1::detail {

namespace {

[[noreturn]] void refuse() {
  throw engine_unavailable(
      "libscan was built without the cuda engine (no nvcc was found, or LIBSCAN_CUDA=OFF); use the "
      "cpu engine, or build with the CUDA toolkit");
}

}  // namespace

int cuda_devices() { return 0; }

void require_cuda_device(int) { refuse(); }

std::string cuda_device_name(int) { refuse(); }

void cuda_scan(int, scan_call const&) { refuse(); }

void cuda_reduce(int, reduce_call const&) { refuse(); }

}  // namespace libscan::inline v1::detail
