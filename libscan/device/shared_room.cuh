// SPDX-License-Identifier: Apache-2.0
// How much shared memory a block of the current device may have.
#pragma once

#include <cstddef>

#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Bytes, at least 64 KiB on every GPU the library is for; as many as on an H200 in the executor.
inline std::size_t shared_room() {
#ifdef __CUDACC__
  int device = 0, room = 0;
  LIBSCAN_CHECK(cudaGetDevice(&device));
  LIBSCAN_CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return static_cast<std::size_t>(room);
#else
  return simt::executor::most_shared_bytes;
#endif
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
