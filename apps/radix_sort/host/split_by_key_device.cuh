// SPDX-License-Identifier: Apache-2.0
// The implementation of split_by_key_device.hpp: host memory in, the kernels of
// split_by_key.cuh, host memory out.
#include <span>

#include <apps/radix_sort/host/split_by_key_device.hpp>
#include <libscan/buffer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/split_by_key.cuh>

namespace libscan::inline v1::detail {

namespace {

/// A copy of n items on the device.
template <class T>
device::buffer<T> on_device(T const* items, index_t n) {
  return device::buffer<T>(std::span<T const>(items, static_cast<std::size_t>(n)));
}

/// Splits in_bucket, and values if there are any; if `values_in` is null, values are positions.
template <class Value, class Machine>
void split(device_split<Machine> const& call, device::sort_buffers<Value> const& values) {
  auto const keys = on_device(call.in_bucket, call.n);
  device::buffer<std::uint8_t> const grouped(call.n);
  device::buffer<index_t> const offsets(call.buckets + 1);
  workspace ws;
  device::split_by_key<void, std::uint8_t, Value>(ws, {keys.data(), grouped.data()}, values,
                                                  offsets.data(), call.n, call.buckets,
                                                  device::its_bucket{});
  offsets.read_sync(call.offsets, call.buckets + 1);
}

template <class Machine, class Value>
void split_values(device_split<Machine> const& call, Value const* values, Value* out) {
  device::on_machine const here(call.on);
  auto const in = on_device(values, call.n);
  device::buffer<Value> const moved(call.n);
  split<Value>(call, {in.data(), moved.data()});
  moved.read_sync(out, call.n);
}

}  // namespace

template <class Machine>
void device_split<Machine>::keys() const {
  device::on_machine const here(on);
  split<void>(*this, {});
}

template <class Machine>
void device_split<Machine>::values(std::uint32_t const* values, std::uint32_t* out) const {
  split_values(*this, values, out);
}

template <class Machine>
void device_split<Machine>::values(std::uint64_t const* values, std::uint64_t* out) const {
  split_values(*this, values, out);
}

template <class Machine>
void device_split<Machine>::positions(std::uint64_t* out) const {
  device::on_machine const here(on);
  device::buffer<std::uint64_t> const moved(n);
  split<std::uint64_t>(*this, {nullptr, moved.data()});
  moved.read_sync(out, n);
}

template struct device_split<device::this_machine>;

}  // namespace libscan::inline v1::detail
