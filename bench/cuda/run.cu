// SPDX-License-Identifier: Apache-2.0
// Which file measures which operation on the GPU, their common measures, and the facts about the
// GPU.
#include <cuda_runtime_api.h>

#include <fstream>
#include <memory>
#include <sstream>

#include <bench/cuda/timer.cuh>
#include <bench/cuda/workloads.cuh>

namespace libscan::bench {

namespace cuda {

namespace {

/// Words that do not compress.
struct random_words_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(std::uint64_t* words, index_t n) const {
    index_t const threads = index_t{gridDim.x} * block_threads;
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += threads) {
      words[i] = random_word(3, i);
    }
  }
};

using bytes_buffer = device::buffer<std::uint64_t>;

}  // namespace

contender copy_of(double bytes) {
  // Large amounts in pieces: a sort's passes also move the same memory again and again.
  constexpr double most = 4e9;
  int const times = static_cast<int>(bytes / 2 / most) + 1;
  auto const moved = static_cast<std::size_t>(bytes / 2 / times);
  auto const words = static_cast<index_t>(moved / sizeof(std::uint64_t) + 1);
  auto const from = std::make_shared<bytes_buffer>(words),
             to = std::make_shared<bytes_buffer>(words);
  simt::launch<random_words_kernel>({.blocks = 1024, .threads = 256}, from->data(), words);
  return {"memcpy",
          [=] {
            for (int k = 0; k < times; ++k) simt::copy_async(to->data(), from->data(), moved);
          },
          {}};
}

contender fill_of(double bytes) {
  auto const moved = static_cast<std::size_t>(bytes);
  auto const to =
      std::make_shared<bytes_buffer>(static_cast<index_t>(moved / sizeof(std::uint64_t) + 1));
  return {"memset", [=] { simt::fill_async(to->data(), 1, moved); }, {}};
}

namespace {

bool usable_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

/// "13.0" for 13000.
std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The kernel module's version, "580.65.06"; empty if unknown.
std::string driver_version() {
  std::ifstream reported("/proc/driver/nvidia/version");
  for (std::string word; reported >> word;) {
    bool const number = word.find_first_not_of("0123456789.") == std::string::npos;
    if (number && word.find('.') != std::string::npos) return word;
  }
  return "";
}

}  // namespace

}  // namespace cuda

void run_cuda_workloads(options const& wanted, report const& tell) {
  if (!cuda::usable_device()) return;
  event_timer const timer;
  session const now{wanted, std::cref(timer), tell};
  if (wanted.operation == "scan") cuda::run_scans(now);
  if (wanted.operation == "reverse-scan") cuda::run_reverse_scans(now);
  if (wanted.operation == "segmented-scan") cuda::run_segmented_scans(now);
  if (wanted.operation == "segmented-reduce") cuda::run_segmented_reductions(now);
  if (wanted.operation == "reduce") cuda::run_reductions(now);
  if (wanted.operation == "binary-scan") cuda::run_binary_scans(now);
  if (wanted.operation == "filter") cuda::run_filters(now);
  if (wanted.operation == "split") cuda::run_splits(now);
  if (wanted.operation == "runs") cuda::run_runs(now);
  if (wanted.operation == "sort") cuda::run_sorts(now);
  if (wanted.operation == "segmented-sort") cuda::run_segmented_sorts(now);
  if (wanted.operation == "split-by-key") cuda::run_splits_by_key(now);
  if (wanted.operation == "histogram") cuda::run_histograms(now);
  if (wanted.operation == "spmv") cuda::run_products(now);
  if (wanted.operation == "coo-to-csr") cuda::run_builds(now);
  if (wanted.operation == "spans") cuda::run_spans(now);
  if (wanted.operation == "algorithms") cuda::run_algorithms(now);
  if (wanted.operation == "block-scans") cuda::run_block_scans(now);
  if (wanted.operation == "chapter") run_chapter_workloads(wanted, now.time, tell);
}

facts cuda_facts() {
  if (!cuda::usable_device()) return {};
  auto const attribute = [](cudaDeviceAttr which) {
    int value = 0;
    LIBSCAN_CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
  };
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0;
  LIBSCAN_CHECK(cudaGetDeviceProperties(&properties, 0));
  LIBSCAN_CHECK(cudaDriverGetVersion(&driver));
  LIBSCAN_CHECK(cudaRuntimeGetVersion(&runtime));
  facts known{{"GPU", properties.name},
              {"SM MHz", std::to_string(attribute(cudaDevAttrClockRate) / 1000)},
              {"memory MHz", std::to_string(attribute(cudaDevAttrMemoryClockRate) / 1000)},
              {"driver", cuda::driver_version()},
              {"driver's CUDA", cuda::dotted(driver)},
              {"toolkit", cuda::dotted(runtime)},
              {"CUB", by_cub::version()},
              {"host", cpu_facts(0).front().second}};
#ifdef LIBSCAN_BENCH_NEWEST_CUB
  known.push_back({"newest CUB", by_newest_cub::version()});
#endif
  return known;
}

}  // namespace libscan::bench
