// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the segmented sort of the host API: host memory in, the kernels of
// segmented_sort.cuh, host memory out. Each file that includes it compiles it for some words.
// Internal.
#pragma once

#include <apps/radix_sort/host/segmented_sort_cuda.hpp>
#include <libscan/buffer.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/simt/cuda/selected_device.cuh>

namespace libscan::inline v1::detail {

/// Sorts keys, and values between these buffers if there are any.
template <class Value, class Word>
void sort_segments_by_cuda(cuda_segmented_sort<Word> const& call,
                           device::sort_buffers<Value> const& values) {
  device::buffer<Word> const in{std::span<Word const>(call.keys, static_cast<std::size_t>(call.n))};
  device::buffer<Word> const out(call.n);
  device::buffer<index_t> const offsets{call.offsets};
  workspace ws;
  device::segmented_sort<void, decltype(call.order), Value>(
      ws, {in.data(), out.data()}, values, call.n, static_cast<index_t const*>(offsets.data()),
      static_cast<index_t>(call.offsets.size()) - 1, call.order);
  if (call.out != nullptr) out.read_sync(call.out, call.n);
}

template <class Word, class Value>
void sort_segments_with(cuda_segmented_sort<Word> const& call, Value const* values,
                        Value* values_out) {
  simt::selected_device const here(call.device);
  device::buffer<Value> const in{std::span<Value const>(values, static_cast<std::size_t>(call.n))};
  device::buffer<Value> const moved(call.n);
  sort_segments_by_cuda<Value>(call, {in.data(), moved.data()});
  moved.read_sync(values_out, call.n);
}

template <class Word>
void cuda_segmented_sort<Word>::alone() const {
  simt::selected_device const here(device);
  sort_segments_by_cuda<void>(*this, {});
}

template <class Word>
void cuda_segmented_sort<Word>::with(std::uint32_t const* values, std::uint32_t* values_out) const {
  sort_segments_with(*this, values, values_out);
}

template <class Word>
void cuda_segmented_sort<Word>::with(std::uint64_t const* values, std::uint64_t* values_out) const {
  sort_segments_with(*this, values, values_out);
}

}  // namespace libscan::inline v1::detail
