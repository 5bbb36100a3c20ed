// SPDX-License-Identifier: Apache-2.0
// A PyTorch extension in plain C++: the running sums of a tensor within ragged rows, on the CPU or
// on a GPU, there on PyTorch's stream and in its memory. setup.py builds it; no nvcc.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <libscan/device_calls.hpp>
#include <libscan/segmented.hpp>

namespace {

/// Temporary memory from PyTorch's allocator.
libscan::memory_functions torch_memory() {
  namespace pool = c10::cuda::CUDACachingAllocator;
  return {[](std::size_t bytes, void* stream, void*) {
            return pool::raw_alloc_with_stream(bytes, static_cast<cudaStream_t>(stream));
          },
          [](void* memory, std::size_t, void*, void*) { pool::raw_delete(memory); }, nullptr};
}

/// On the device of the values, which a CUDA guard has made the current one.
template <class T>
void sum_rows(at::Tensor const& values, at::Tensor& sums, libscan::segmentation const& rows) {
  T const* const from = values.const_data_ptr<T>();
  T* const to = sums.mutable_data_ptr<T>();
  if (values.is_cpu()) {
    auto const n = static_cast<std::size_t>(values.numel());
    libscan::inclusive_segmented_scan(libscan::engine::cpu(), std::span(from, n), std::span(to, n),
                                      rows, libscan::plus<T>{});
    return;
  }
  libscan::device_queue const queue{
      .on = libscan::engine::cuda(values.device().index()),
      .stream = c10::cuda::getCurrentCUDAStream(values.device().index()).stream(),
      .memory = torch_memory()};
  libscan::inclusive_segmented_scan(queue, libscan::device_span{from, values.numel()}, to, rows);
}

/// values: float32, float64, int32 or int64; offsets: int64 on the same device, from 0 to their
/// number. On a GPU offsets are not checked.
at::Tensor ragged_cumsum(at::Tensor const& values, at::Tensor const& offsets) {
  TORCH_CHECK(values.is_cpu() || values.is_cuda(),
              "values: expected memory of a CPU or of CUDA, not ", values.device());
  TORCH_CHECK(values.is_contiguous(), "values: expected contiguous memory");
  TORCH_CHECK(offsets.device() == values.device() && offsets.is_contiguous() &&
                  offsets.scalar_type() == at::kLong && offsets.numel() > 0,
              "offsets: expected contiguous int64 on the device of values, one more than rows");
  c10::cuda::OptionalCUDAGuard const here(values.is_cuda() ? std::make_optional(values.device())
                                                           : std::nullopt);
  at::Tensor sums = at::empty_like(values);
  auto const rows = libscan::segmentation::of_offsets(
      std::span(offsets.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(offsets.numel())));
  switch (values.scalar_type()) {
    case at::kFloat:
      sum_rows<float>(values, sums, rows);
      break;
    case at::kDouble:
      sum_rows<double>(values, sums, rows);
      break;
    case at::kInt:
      sum_rows<std::int32_t>(values, sums, rows);
      break;
    case at::kLong:
      sum_rows<std::int64_t>(values, sums, rows);
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
