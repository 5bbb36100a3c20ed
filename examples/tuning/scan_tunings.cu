// SPDX-License-Identifier: Apache-2.0
// Times exclusive sums of n 32-bit integers with several tunings, and with libscan's own choice.
//   nvcc -O3 -std=c++20 -arch=native -I LIBSCAN examples/tuning/scan_tunings.cu && ./a.out [n]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <libscan/scan.cuh>

namespace {

template <int BlockThreads, int ItemsPerThread, int ResidentBlocks>
struct candidate {
  static constexpr libscan::scan_algorithm algorithm = libscan::scan_algorithm::look_back;
  static constexpr int block_threads = BlockThreads;
  static constexpr int items_per_thread = ItemsPerThread;
  static constexpr int resident_blocks = ResidentBlocks;  // per multiprocessor
};

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory of n integers.
struct integers {
  explicit integers(std::size_t n) { check(cudaMalloc(&data, n * sizeof *data)); }
  ~integers() { cudaFree(data); }
  integers(integers const&) = delete;
  integers& operator=(integers const&) = delete;
  std::uint32_t* data = nullptr;
};

class sweep {
 public:
  explicit sweep(std::size_t n) : n_(n), in_(n), out_(n), flushed_(flushed_items) {
    std::vector<std::uint32_t> ones(n, 1);
    check(cudaMemcpy(in_.data, ones.data(), n * sizeof ones[0], cudaMemcpyHostToDevice));
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }

  /// Prints the median time of a tuning, `void` for libscan's own choice, and the rate of items.
  template <class Tuning>
  void time(char const* name) {
    std::vector<float> times;
    for (int repeat = 0; repeat < 21; ++repeat) {
      check(cudaMemset(flushed_.data, repeat, flushed_items * sizeof *flushed_.data));
      check(cudaEventRecord(begin_));
      libscan::exclusive_scan<Tuning>(workspace_, in_.data, out_.data,
                                      static_cast<libscan::index_t>(n_),
                                      libscan::plus<std::uint32_t>{});
      check(cudaEventRecord(end_));
      check(cudaEventSynchronize(end_));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin_, end_));
      if (repeat > 0) times.push_back(milliseconds);  // the first one allocates
    }
    require_ranks();
    std::nth_element(times.begin(), times.begin() + 10, times.end());
    std::printf("%-40s %9.4f ms %7.2f billion items/s\n", name, times[10],
                static_cast<double>(n_) / times[10] / 1e6);
  }

 private:
  static constexpr std::size_t flushed_items = std::size_t{64} << 20;  // more than an L2 cache

  void require_ranks() const {
    std::vector<std::uint32_t> out(n_);
    check(cudaMemcpy(out.data(), out_.data, n_ * sizeof out[0], cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < n_; ++i) {
      if (out[i] == i) continue;
      std::fprintf(stderr, "item %zu is %u, expected %zu\n", i, out[i], i);
      std::exit(1);
    }
  }

  std::size_t n_;
  integers in_, out_, flushed_;
  libscan::workspace workspace_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t const n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 26;
  sweep s(n);
  s.time<void>("libscan's choice");
  s.time<libscan::look_back_tuning<std::uint32_t>>("look_back_tuning: 256 x 16, 4 blocks");
  s.time<candidate<128, 16, 8>>("128 x 16, 8 blocks");
  s.time<candidate<256, 8, 4>>("256 x 8, 4 blocks");
  s.time<candidate<256, 16, 2>>("256 x 16, 2 blocks");
  s.time<candidate<256, 16, 8>>("256 x 16, 8 blocks");
  s.time<candidate<256, 24, 4>>("256 x 24, 4 blocks");
  s.time<candidate<512, 16, 2>>("512 x 16, 2 blocks");
  s.time<candidate<512, 16, 4>>("512 x 16, 4 blocks");
}
