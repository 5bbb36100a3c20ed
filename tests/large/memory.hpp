// SPDX-License-Identifier: Apache-2.0
// Sizes of the large tests, and the memory they take.
#pragma once

#include <cstddef>
#include <cstdio>

#include <libscan/simt/simt.cuh>
#include <tests/support/device_buffer.hpp>
#include <tests/support/device_formula.hpp>
#include <tests/support/machine.hpp>

namespace libscan::test {

/// The size requested, on a GPU; a small odd or even one in the executor.
constexpr index_t large(index_t n) { return on_gpu ? n : 5000 + n % 2; }

inline constexpr index_t two_31 = index_t{1} << 31;
inline constexpr index_t two_32 = index_t{1} << 32;
inline constexpr index_t two_33 = index_t{1} << 33;

/// Whether the GPU has so many bytes to spare; says so if not, for CTest to report a skipped test.
inline bool has_memory(index_t bytes) {
#ifdef __CUDACC__
  std::size_t unused = 0, all = 0;
  LIBSCAN_CHECK(cudaDeviceSynchronize());  // what was freed before is given back now
  LIBSCAN_CHECK(cudaMemGetInfo(&unused, &all));
  if (unused < static_cast<std::size_t>(bytes) + (std::size_t{1} << 30)) {
    std::printf("skipped: not enough device memory (%zu bytes free, %lld needed)\n", unused,
                static_cast<long long>(bytes));
    return false;
  }
#else
  (void)bytes;
#endif
  return true;
}

/// n items of T on the device, made by the formula.
template <class T, class Formula>
device_buffer<T> filled(index_t n, Formula formula) {
  device_buffer<T> items(static_cast<std::size_t>(n));
  fill_by(items.data(), n, formula);
  return items;
}

}  // namespace libscan::test
