// SPDX-License-Identifier: Apache-2.0
// Shared and global accesses of known shape, one launch each, to compare what racecheck counts with
// what the GPU's own counters say: see README.md here. In the racecheck build it prints the counts;
// on a GPU it only runs, for ncu to watch.
#include <cstdio>
#include <libscan/buffer.cuh>

using namespace libscan;
using simt::threadIdx;

namespace {

struct words {
  int item[12000];
};

/// Reads shared memory, `stride` words from thread to thread, `N` words at once.
template <int N>
struct shared_read_kernel {
  __device__ void operator()(int* out, int stride) const {
    int* const items = simt::dynamic_shared<int>();
    int const thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < 12000; i += 32) items[i] = i;
    simt::sync_block();
    auto const read = simt::load_vector<N>(items + thread * stride);
    int sum = 0;
    for (int k = 0; k < N; ++k) sum += read.item[k];
    out[thread] = sum;
  }
};

/// Reads global memory, `stride` words from thread to thread.
struct global_read_kernel {
  __device__ void operator()(int const* in, int* out, int stride) const {
    out[threadIdx.x] = in[static_cast<int>(threadIdx.x) * stride];
  }
};

template <class Kernel, class... Args>
void measure(char const* what, int stride, Args... args) {
  simt::launch_config const config{
      .blocks = 1, .threads = 32, .dynamic_shared_bytes = sizeof(words)};
#ifdef LIBSCAN_TEST_RACECHECK
  simt::executor::counts counts;
  simt::executor::settings how;
  how.count = &counts;
  simt::executor::scoped_settings const counting(how);
  simt::launch<Kernel>(config, args...);
  auto const total = counts.total();
  std::printf("%-22s stride %2d: %4lld shared wavefronts, %3lld global sectors\n", what, stride,
              static_cast<long long>(total.shared_wavefronts),
              static_cast<long long>(total.global_sectors));
#else
  simt::launch<Kernel>(config, args...);
  simt::synchronize();
  std::printf("%-22s stride %2d\n", what, stride);
#endif
}

}  // namespace

int main() {
  device::buffer<int> const in(4096), out(64);
  for (int const stride : {0, 1, 2, 3, 4, 8, 16, 17, 32, 33}) {
    measure<shared_read_kernel<1>>("shared, 4 bytes", stride, out.data(), stride);
  }
  for (int const stride : {2, 4, 6, 34}) {
    measure<shared_read_kernel<2>>("shared, 8 bytes", stride, out.data(), stride);
  }
  for (int const stride : {4, 8, 12, 36}) {
    measure<shared_read_kernel<4>>("shared, 16 bytes", stride, out.data(), stride);
  }
  for (int const stride : {0, 1, 2, 3, 8, 32}) {
    measure<global_read_kernel>("global", stride, static_cast<int const*>(in.data()), out.data(),
                                stride);
  }
  measure<global_read_kernel>("global, misaligned", 1, static_cast<int const*>(in.data() + 3),
                              out.data(), 1);
}
