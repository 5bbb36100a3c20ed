// SPDX-License-Identifier: Apache-2.0
// The implementation of segmented_sort_device.hpp: host memory in, the kernels of
// segmented_sort.cuh, host memory out. Each file that includes it compiles it for some words.
// Internal.
#pragma once

#include <type_traits>

#include <apps/radix_sort/host/segmented_sort_device.hpp>
#include <libscan/buffer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/segmented_sort.cuh>

namespace libscan::inline v1::detail {

/// Sorts keys with values of type Value, or without if that is void.
template <class Value, class Word>
void enqueue_in_segments(workspace& ws, sort_call const& call,
                         sort_order<Word, number_bits<Word>> const& order) {
  device::sort_buffers<Value> values;
  if constexpr (!std::is_void_v<Value>) {
    values = {static_cast<Value const*>(call.values), static_cast<Value*>(call.values_out)};
  }
  device::segmented_sort<void, sort_order<Word, number_bits<Word>>, Value>(
      ws, {static_cast<Word const*>(call.keys), static_cast<Word*>(call.out)}, values, call.n,
      call.offsets, call.segments, order);
}

template <class Machine, class Word>
void device_segmented_sort<Machine, Word>::enqueue(
    Machine on, queue_place const& place, sort_call const& call,
    sort_order<Word, number_bits<Word>> const& order) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  if (call.values_out == nullptr) {
    enqueue_in_segments<void>(ws, call, order);
  } else if (call.value_bytes == sizeof(std::uint32_t)) {
    enqueue_in_segments<std::uint32_t>(ws, call, order);
  } else {
    enqueue_in_segments<std::uint64_t>(ws, call, order);
  }
}

template <class Machine, class Word>
std::size_t device_segmented_sort<Machine, Word>::workspace_bytes(index_t n, int value_bytes) {
  switch (value_bytes) {
    case 0:
      return segmented_sort_workspace_bytes<Word>(n);
    case sizeof(std::uint32_t):
      return segmented_sort_workspace_bytes<Word, std::uint32_t>(n);
    default:
      return segmented_sort_workspace_bytes<Word, std::uint64_t>(n);
  }
}

/// Sorts keys that are copied to the device, with values that are there already.
template <class Machine, class Word>
void sort_segments_on(device_segmented_sort<Machine, Word> const& sort, void const* values,
                      void* values_out, int value_bytes) {
  device::buffer<Word> const in{std::span<Word const>(sort.keys, static_cast<std::size_t>(sort.n))};
  device::buffer<Word> const out(sort.n);
  device::buffer<index_t> const offsets{sort.offsets};
  sort_call const call{.keys = in.data(),
                       .out = out.data(),
                       .values = values,
                       .values_out = values_out,
                       .value_bytes = value_bytes,
                       .n = sort.n,
                       .offsets = offsets.data(),
                       .segments = static_cast<index_t>(sort.offsets.size()) - 1};
  sort.enqueue(sort.on, {}, call, sort.order);
  if (sort.out != nullptr) out.read_sync(sort.out, sort.n);
}

template <class Machine, class Word, class Value>
void sort_segments_with(device_segmented_sort<Machine, Word> const& sort, Value const* values,
                        Value* values_out) {
  device::on_machine const here(sort.on);
  device::buffer<Value> const in{std::span<Value const>(values, static_cast<std::size_t>(sort.n))};
  device::buffer<Value> const moved(sort.n);
  sort_segments_on(sort, in.data(), moved.data(), sizeof(Value));
  moved.read_sync(values_out, sort.n);
}

template <class Machine, class Word>
void device_segmented_sort<Machine, Word>::alone() const {
  device::on_machine const here(on);
  sort_segments_on(*this, nullptr, nullptr, 0);
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
