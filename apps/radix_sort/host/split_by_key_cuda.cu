// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the split by key of the host API: host memory in, the kernels of
// split_by_key.cuh, host memory out.
#include <span>

#include <apps/radix_sort/host/split_by_key_cuda.hpp>
#include <libscan/buffer.cuh>
#include <libscan/simt/cuda/selected_device.cuh>
#include <libscan/split_by_key.cuh>

namespace libscan::inline v1::detail {

namespace {

/// A copy of n items on the device.
template <class T>
device::buffer<T> on_device(T const* items, index_t n) {
  return device::buffer<T>(std::span<T const>(items, static_cast<std::size_t>(n)));
}

/// Splits in_bucket, and values if there are any; if `values_in` is null, values are positions.
template <class Value>
void split(cuda_split const& call, device::sort_buffers<Value> const& values) {
  auto const keys = on_device(call.in_bucket, call.n);
  device::buffer<std::uint8_t> const grouped(call.n);
  device::buffer<index_t> const offsets(call.buckets + 1);
  workspace ws;
  device::split_by_key<void, std::uint8_t, Value>(ws, {keys.data(), grouped.data()}, values,
                                                  offsets.data(), call.n, call.buckets,
                                                  device::its_bucket{});
  offsets.read_sync(call.offsets, call.buckets + 1);
}

template <class Value>
void split_values(cuda_split const& call, Value const* values, Value* out) {
  simt::selected_device const here(call.device);
  auto const in = on_device(values, call.n);
  device::buffer<Value> const moved(call.n);
  split<Value>(call, {in.data(), moved.data()});
  moved.read_sync(out, call.n);
}

}  // namespace

void cuda_split::keys() const {
  simt::selected_device const here(device);
  split<void>(*this, {});
}

void cuda_split::values(std::uint32_t const* values, std::uint32_t* out) const {
  split_values(*this, values, out);
}

void cuda_split::values(std::uint64_t const* values, std::uint64_t* out) const {
  split_values(*this, values, out);
}

void cuda_split::positions(std::uint64_t* out) const {
  simt::selected_device const here(device);
  libscan::device::buffer<std::uint64_t> const moved(n);
  split<std::uint64_t>(*this, {nullptr, moved.data()});
  moved.read_sync(out, n);
}

}  // namespace libscan::inline v1::detail
