// SPDX-License-Identifier: Apache-2.0
// The implementation of segmented_sort_device.hpp: host memory in, the kernels of
// segmented_sort.cuh, host memory out. Each file that includes it compiles it for some words.
// Internal.
#pragma once

#include <apps/radix_sort/host/segmented_sort_device.hpp>
#include <libscan/buffer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/segmented_sort.cuh>

namespace libscan::inline v1::detail {

/// Sorts keys, and values between these buffers if there are any.
template <class Value, class Machine, class Word>
void sort_segments_on(device_segmented_sort<Machine, Word> const& call,
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

template <class Machine, class Word, class Value>
void sort_segments_with(device_segmented_sort<Machine, Word> const& call, Value const* values,
                        Value* values_out) {
  device::on_machine const here(call.on);
  device::buffer<Value> const in{std::span<Value const>(values, static_cast<std::size_t>(call.n))};
  device::buffer<Value> const moved(call.n);
  sort_segments_on<Value>(call, {in.data(), moved.data()});
  moved.read_sync(values_out, call.n);
}

template <class Machine, class Word>
void device_segmented_sort<Machine, Word>::alone() const {
  device::on_machine const here(on);
  sort_segments_on<void>(*this, {});
}

template <class Machine, class Word>
void device_segmented_sort<Machine, Word>::with(std::uint32_t const* values,
                                                std::uint32_t* values_out) const {
  sort_segments_with(*this, values, values_out);
}

template <class Machine, class Word>
void device_segmented_sort<Machine, Word>::with(std::uint64_t const* values,
                                                std::uint64_t* values_out) const {
  sort_segments_with(*this, values, values_out);
}

}  // namespace libscan::inline v1::detail
