// SPDX-License-Identifier: Apache-2.0
// What the cuda workloads share: inputs and expected results on the device, their comparison there,
// the copy that all are measured by, and the operations, each in a file of its name.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <bench/cuda/calls.hpp>
#include <bench/distributions.hpp>
#include <bench/measure.hpp>
#include <libscan/device/buffer.cuh>

namespace libscan::bench::cuda {

/// Sets *different if the arrays differ anywhere.
template <class T>
struct compare_kernel {
  static constexpr int block_threads = 256;

  __device__ void operator()(T const* a, T const* b, index_t n, int* different) const {
    index_t const threads = index_t{gridDim.x} * block_threads;
    for (index_t i = index_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += threads) {
      if (!(a[i] == b[i])) *different = 1;
    }
  }
};

/// A copy of host items on the device, complete.
template <class T>
device::buffer<T> on_device(std::span<T const> items) {
  device::buffer<T> result{items};
  simt::synchronize();
  return result;
}

/// An output and what it must become.
template <class T>
class checked_output {
 public:
  explicit checked_output(std::span<T const> expected)
      : expected_(on_device(expected)), out_(expected_.size()), different_(1) {
    forget();
  }

  T* data() const { return out_.data(); }
  index_t size() const { return out_.size(); }

  /// Whether the output is as expected. Spoils it, so that the next contender must write it all.
  bool right() const {
    simt::fill_async(different_.data(), 0, sizeof(int));
    simt::launch<compare_kernel<T>>(
        {.blocks = 1024, .threads = 256}, static_cast<T const*>(expected_.data()),
        static_cast<T const*>(out_.data()), out_.size(), different_.data());
    int different = 1;
    different_.read_sync(&different, 1);
    forget();
    return different == 0;
  }

 private:
  void forget() const {
    simt::fill_async(out_.data(), 0xa5, static_cast<std::size_t>(out_.size()) * sizeof(T));
  }

  device::buffer<T> expected_;
  device::buffer<T> out_;
  device::buffer<int> different_;
};

/// "memcpy": reads and writes `bytes` in all. The source holds random words.
contender copy_of(double bytes);

/// "memset": writes `bytes`.
contender fill_of(double bytes);

/// Adds what everyone offers for a problem, verified by right().
template <class Problem, class Right>
void add_offers(workload& work, Problem const& problem, Right right) {
  for (implementation& each : all_offers(problem)) {
    work.contenders.push_back({std::move(each.name), std::move(each.run), right});
  }
}

/// Scans of every type and operator.
void run_scans(session const& now);

/// Scans within segments, by description and by lengths.
void run_segmented_scans(session const& now);

/// Reductions, scans of masks, and filters.
void run_reductions(session const& now);
void run_binary_scans(session const& now);
void run_filters(session const& now);

/// Every strategy of the catalogue at the sizes of the paper's Table 2, and the sequential CPU
/// scan.
void run_algorithms(session const& now);

}  // namespace libscan::bench::cuda
