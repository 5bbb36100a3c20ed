// SPDX-License-Identifier: Apache-2.0
// A PyTorch extension in plain C++: the running sums of a CUDA tensor within ragged rows, on
// PyTorch's stream and in its memory. setup.py builds it; no nvcc.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include <libscan/device_calls.hpp>

namespace {

/// Temporary memory from PyTorch's allocator.
libscan::memory_functions torch_memory() {
  namespace pool = c10::cuda::CUDACachingAllocator;
  return {[](std::size_t bytes, void* stream, void*) {
            return pool::raw_alloc_with_stream(bytes, static_cast<cudaStream_t>(stream));
          },
          [](void* memory, std::size_t, void*, void*) { pool::raw_delete(memory); }, nullptr};
}

template <class T>
void sum_rows(libscan::device_queue const& queue, at::Tensor const& values, at::Tensor& sums,
              libscan::segmentation const& rows) {
  libscan::inclusive_segmented_scan(
      queue, libscan::device_span{values.const_data_ptr<T>(), values.numel()},
      sums.mutable_data_ptr<T>(), rows);
}

/// values: float32, float64, int32 or int64 on a GPU; offsets: int64 there, from 0 to their number.
at::Tensor ragged_cumsum(at::Tensor const& values, at::Tensor const& offsets) {
  TORCH_CHECK(values.is_cuda() && values.is_contiguous(),
              "values: expected contiguous CUDA memory");
  TORCH_CHECK(offsets.device() == values.device() && offsets.is_contiguous() &&
                  offsets.scalar_type() == at::kLong && offsets.numel() > 0,
              "offsets: expected contiguous int64 on the device of values, one more than rows");
  c10::cuda::CUDAGuard const here(values.device());
  at::Tensor sums = at::empty_like(values);
  libscan::device_queue const queue{
      .on = libscan::engine::cuda(values.device().index()),
      .stream = c10::cuda::getCurrentCUDAStream(values.device().index()).stream(),
      .memory = torch_memory()};
  auto const rows = libscan::segmentation::of_offsets(
      std::span(offsets.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(offsets.numel())));
  switch (values.scalar_type()) {
    case at::kFloat:
      sum_rows<float>(queue, values, sums, rows);
      break;
    case at::kDouble:
      sum_rows<double>(queue, values, sums, rows);
      break;
    case at::kInt:
      sum_rows<std::int32_t>(queue, values, sums, rows);
      break;
    case at::kLong:
      sum_rows<std::int64_t>(queue, values, sums, rows);
      break;
    default:
      TORCH_CHECK(false, "values: expected float32, float64, int32 or int64");
  }
  return sums;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("ragged_cumsum", &ragged_cumsum, "Running sums within ragged rows");
}
