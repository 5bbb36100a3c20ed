// SPDX-License-Identifier: Apache-2.0
// A user's program for libscan's kernels: built by nvcc for a GPU, or by a C++ compiler for the
// executor. Exit code 77: no GPU to run on.
#include <cstdio>
#include <vector>

#include <libscan/scan.cuh>

namespace {

bool can_run() {
#ifdef __CUDACC__
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
#else
  return true;
#endif
}

}  // namespace

int main() {
  if (!can_run()) {
    std::puts("no CUDA device");
    return 77;
  }
  std::vector<int> const lengths(100000, 3);
  int const n = static_cast<int>(lengths.size());
  std::size_t const bytes = lengths.size() * sizeof(int);

  libscan::workspace ws;
  int* const d_lengths = static_cast<int*>(libscan::simt::allocate(bytes));
  int* const d_offsets = static_cast<int*>(libscan::simt::allocate(bytes));
  int* const d_total = static_cast<int*>(libscan::simt::allocate(sizeof(int)));
  libscan::simt::copy_async(d_lengths, lengths.data(), bytes);
  libscan::exclusive_scan(ws, d_lengths, d_offsets, n, libscan::plus<int>{}, d_total);

  std::vector<int> offsets(lengths.size());
  int total = 0;
  libscan::simt::copy_async(offsets.data(), d_offsets, bytes);
  libscan::simt::copy_async(&total, d_total, sizeof(int));
  libscan::simt::synchronize();
  libscan::simt::deallocate(d_lengths);
  libscan::simt::deallocate(d_offsets);
  libscan::simt::deallocate(d_total);

  for (int i = 0; i < n; ++i) {
    if (offsets[static_cast<std::size_t>(i)] != 3 * i) {
      std::printf("offset %d is %d\n", i, offsets[static_cast<std::size_t>(i)]);
      return 1;
    }
  }
  std::printf("total %d\n", total);
  return total == 3 * n ? 0 : 1;
}
