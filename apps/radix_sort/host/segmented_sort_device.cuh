// SPDX-License-Identifier: Apache-2.0
// The implementation of `device_segmented_sort`: host memory in, the kernels of
// segmented_sort.cuh, host memory out. Each file that includes it compiles it for some words.
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
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

inline namespace LIBSCAN_MACHINE {

/// items[i] = i.
struct number_items_kernel {
  static constexpr int block_threads = 256;

  template <class Position>
  __device__ void operator()(Position* items, index_t n) const {
    index_t const i = index_t{blockIdx.x} * block_threads + threadIdx.x;
    if (i < n) items[i] = static_cast<Position>(i);
  }
};

/// Parts of the workspace of a sort within segments to positions: all positions, the sorted keys,
/// which are unused, and the workspace of the sort.
template <class Word, class Position>
struct positions_layout {
  std::size_t keys, sort, bytes;

  explicit constexpr positions_layout(index_t n)
      : keys(device::sort_layout::aligned(static_cast<std::size_t>(n) * sizeof(Position))),
        sort(keys + device::sort_layout::aligned(static_cast<std::size_t>(n) * sizeof(Word))),
        bytes(sort + segmented_sort_workspace_bytes<Word, Position>(n)) {}
};

}  // namespace LIBSCAN_MACHINE

/// Sorts keys with values, or to positions.
template <class Value, class Word>
void enqueue_values_in_segments(workspace& ws, sort_call const& call,
                                sort_order<Word, number_bits<Word>> const& order) {
  if (call.values != nullptr || call.n == 0) return enqueue_in_segments<Value>(ws, call, order);
  positions_layout<Word, Value> const layout(call.n);
  std::byte* const memory = ws.reserve(layout.bytes);
  auto* const all = reinterpret_cast<Value*>(memory);
  auto const blocks =
      static_cast<unsigned>(ceil_div(call.n, index_t{number_items_kernel::block_threads}));
  simt::launch<number_items_kernel>(
      {.blocks = blocks, .threads = number_items_kernel::block_threads, .on = ws.stream()}, all,
      call.n);
  sort_call moved = call;
  moved.out = memory + layout.keys;
  moved.values = all;
  workspace rest(memory + layout.sort, layout.bytes - layout.sort, ws.stream());
  enqueue_in_segments<Value>(rest, moved, order);
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
    enqueue_values_in_segments<std::uint32_t>(ws, call, order);
  } else {
    enqueue_values_in_segments<std::uint64_t>(ws, call, order);
  }
}

inline namespace LIBSCAN_MACHINE {

/// Bytes of workspace for values, or positions, of type Value.
template <class Word, class Value>
std::size_t values_in_segments_bytes(sort_call const& call) {
  if (call.values == nullptr) return positions_layout<Word, Value>(call.n).bytes;
  return segmented_sort_workspace_bytes<Word, Value>(call.n);
}

}  // namespace LIBSCAN_MACHINE

template <class Machine, class Word>
std::size_t device_segmented_sort<Machine, Word>::workspace_bytes(sort_call const& call) {
  switch (call.value_bytes) {
    case 0:
      return segmented_sort_workspace_bytes<Word>(call.n);
    case sizeof(std::uint32_t):
      return values_in_segments_bytes<Word, std::uint32_t>(call);
    default:
      return values_in_segments_bytes<Word, std::uint64_t>(call);
  }
}

/// Sorts keys that are copied to the device, with values that are there already.
template <class Machine, class Word>
void sort_segments_on(device_segmented_sort<Machine, Word> const& sort, void const* values,
                      void* values_out, int value_bytes) {
  device::transfer_buffer<Word> const in{
      std::span<Word const>(sort.keys, static_cast<std::size_t>(sort.n))};
  device::transfer_buffer<Word> const out(sort.n);
  device::transfer_buffer<index_t> const offsets{sort.offsets};
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
  device::transfer_buffer<Value> const in{
      std::span<Value const>(values, static_cast<std::size_t>(sort.n))};
  device::transfer_buffer<Value> const moved(sort.n);
  sort_segments_on(sort, in.data(), moved.data(), sizeof(Value));
  moved.read_sync(values_out, sort.n);
}

template <class Machine, class Word>
void device_segmented_sort<Machine, Word>::sort_words_only() const {
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
