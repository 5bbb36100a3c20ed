// SPDX-License-Identifier: Apache-2.0
// The implementation of `device_split`: host memory in, the kernels of split_by_key.cuh,
// host memory out. The files that include it compile it for keys of some sizes each. Internal.
#pragma once

#include <span>

#include <apps/radix_sort/host/sort_device.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/split_by_key.cuh>

namespace libscan::inline v1::detail {

/// Splits keys with values of type Value, or without if that is void.
template <class Value, class Word>
void enqueue_split_of(workspace& ws, split_call const& call) {
  device::sort_buffers<Value> values;
  if constexpr (!std::is_void_v<Value>) {
    values = {static_cast<Value const*>(call.values), static_cast<Value*>(call.values_out)};
  }
  item_count const n =
      call.d_n == nullptr ? item_count(call.n) : item_count::on_device(call.d_n, call.n);
  device::split_by_key<void, Word, Value>(
      ws, {static_cast<Word const*>(call.keys), static_cast<Word*>(call.out)}, values, call.offsets,
      n, call.buckets, device::its_bucket{});
}

template <class Machine, class Word>
void device_split<Machine, Word>::enqueue(Machine on, queue_place const& place,
                                          split_call const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  if (call.values_out == nullptr) {
    enqueue_split_of<void, Word>(ws, call);
  } else if (call.value_bytes == sizeof(std::uint32_t)) {
    enqueue_split_of<std::uint32_t, Word>(ws, call);
  } else {
    enqueue_split_of<std::uint64_t, Word>(ws, call);
  }
}

template <class Machine, class Word>
std::size_t device_split<Machine, Word>::workspace_bytes(split_call const& call) {
  switch (call.value_bytes) {
    case 0:
      return split_by_key_workspace_bytes<Word>(call.n);
    case sizeof(std::uint32_t):
      return split_by_key_workspace_bytes<Word, std::uint32_t>(call.n);
    default:
      return split_by_key_workspace_bytes<Word, std::uint64_t>(call.n);
  }
}

/// Splits host keys, with `values` of any type of their size, or their positions if that is null,
/// into `values_out`, unless that is null.
template <class Value, class Machine, class Word>
void split_copies(Machine on, split_keys<Word> const& keys, Value const* values,
                  Value* values_out) {
  device::on_machine const here(on);
  auto const size = static_cast<std::size_t>(keys.n);
  device::transfer_buffer<Word> const in(std::span<Word const>(keys.in_bucket, size));
  device::transfer_buffer<Word> const grouped(keys.n);
  device::transfer_buffer<index_t> const offsets(keys.buckets + 1);
  device::transfer_buffer<Value> const from(
      std::span<Value const>(values, values == nullptr ? 0 : size));
  device::transfer_buffer<Value> const moved(values_out == nullptr ? 0 : keys.n);
  device_split<Machine, Word>::enqueue(
      on, {},
      {.key_bytes = sizeof(Word),
       .keys = in.data(),
       .out = grouped.data(),
       .values = values == nullptr ? nullptr : from.data(),
       .values_out = values_out == nullptr ? nullptr : moved.data(),
       .value_bytes = values_out == nullptr ? 0 : static_cast<int>(sizeof(Value)),
       .n = keys.n,
       .offsets = offsets.data(),
       .buckets = keys.buckets});
  offsets.read_sync(keys.offsets, keys.buckets + 1);
  if (values_out != nullptr) moved.read_sync(values_out, keys.n);
}

template <class Machine, class Word>
void device_split<Machine, Word>::values(Machine on, split_keys<Word> const& keys,
                                         std::uint32_t const* values, std::uint32_t* out) {
  split_copies(on, keys, values, out);
}

template <class Machine, class Word>
void device_split<Machine, Word>::values(Machine on, split_keys<Word> const& keys,
                                         std::uint64_t const* values, std::uint64_t* out) {
  split_copies(on, keys, values, out);
}

}  // namespace libscan::inline v1::detail
