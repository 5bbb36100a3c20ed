// SPDX-License-Identifier: Apache-2.0
// The implementation of `device_sort`: host memory in, the kernels of radix_sort.cuh,
// host memory out. Each file that includes it compiles it for some types of key. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <apps/radix_sort/host/sort_device.hpp>
#include <apps/radix_sort/host/sort_pieces.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/radix_sort.cuh>

namespace libscan::inline v1::detail {

/// A copy of n items on the device.
template <class T>
device::transfer_buffer<T> on_device(T const* items, index_t n) {
  return device::transfer_buffer<T>(std::span<T const>(items, static_cast<std::size_t>(n)));
}

/// Sorts keys with values of type Value, or to positions.
template <class Value, class Key>
void enqueue_with_values(workspace& ws, sort_call const& call, item_count n,
                         sort_order<Key> const& order) {
  auto const* const keys = static_cast<Key const*>(call.keys);
  auto* const values_out = static_cast<Value*>(call.values_out);
  if (call.values == nullptr) return libscan::argsort(ws, keys, values_out, n, order);
  libscan::sort_pairs(ws, keys, static_cast<Key*>(call.out), static_cast<Value const*>(call.values),
                      values_out, n, order);
}

template <class Machine, class Key>
void device_sort<Machine, Key>::enqueue(Machine on, queue_place const& place, sort_call const& call,
                                        sort_order<Key> const& order) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  item_count const n =
      call.d_n == nullptr ? item_count(call.n) : item_count::on_device(call.d_n, call.n);
  if (call.values_out == nullptr) {
    auto const stability =
        call.any_order ? device::sort_stability::any_order : device::sort_stability::stable;
    device::sort<void, sort_order<Key>, void>(
        ws, {static_cast<Key const*>(call.keys), static_cast<Key*>(call.out)}, {}, n, order,
        stability);
  } else if (call.value_bytes == sizeof(std::uint32_t)) {
    enqueue_with_values<std::uint32_t>(ws, call, n, order);
  } else {
    enqueue_with_values<std::uint64_t>(ws, call, n, order);
  }
}

template <class Machine, class Key>
std::size_t device_sort<Machine, Key>::workspace_bytes(index_t n, int value_bytes) {
  switch (value_bytes) {
    case 0:
      return sort_workspace_bytes<Key>(n);
    case sizeof(std::uint32_t):
      return argsort_workspace_bytes<Key, std::uint32_t>(n);
    default:
      return argsort_workspace_bytes<Key, std::uint64_t>(n);
  }
}

template <class Machine, class Key, class Value>
void sort_pairs_on(Machine on, Key const* keys, Key* out, Value const* values, Value* values_out,
                   index_t n, sort_order<Key> const& order) {
  device::on_machine const here(on);
  if (sorted_in_pieces(on, {keys, out, values, values_out, sizeof(Value), n}, order)) return;
  auto const d_keys = on_device(keys, n);
  auto const d_values = on_device(values, n);
  sort_call const call{.keys = d_keys.data(),
                       .out = d_keys.data(),
                       .values = d_values.data(),
                       .values_out = d_values.data(),
                       .value_bytes = sizeof(Value),
                       .n = n};
  device_sort<Machine, Key>::enqueue(on, {}, call, order);
  d_keys.read_sync(out, n);
  d_values.read_sync(values_out, n);
}

template <class Machine, class Key>
void device_sort<Machine, Key>::keys(Machine on, Key const* keys, Key* out, index_t n,
                                     sort_order<Key> const& order) {
  device::on_machine const here(on);
  if (sorted_in_pieces(on, {.keys = keys, .out = out, .n = n}, order)) return;
  auto const d_keys = on_device(keys, n);
  enqueue(on, {}, {.keys = d_keys.data(), .out = d_keys.data(), .n = n}, order);
  d_keys.read_sync(out, n);
}

template <class Machine, class Key>
void device_sort<Machine, Key>::pairs(Machine on, Key const* keys, Key* out,
                                      std::uint32_t const* values, std::uint32_t* values_out,
                                      index_t n, sort_order<Key> const& order) {
  sort_pairs_on(on, keys, out, values, values_out, n, order);
}

template <class Machine, class Key>
void device_sort<Machine, Key>::pairs(Machine on, Key const* keys, Key* out,
                                      std::uint64_t const* values, std::uint64_t* values_out,
                                      index_t n, sort_order<Key> const& order) {
  sort_pairs_on(on, keys, out, values, values_out, n, order);
}

template <class Word, class Machine, class Key>
void argsort_on(Machine on, Key const* keys, Word* positions, index_t n,
                sort_order<Key> const& order) {
  device::on_machine const here(on);
  if (sorted_in_pieces(on, {keys, nullptr, nullptr, positions, sizeof(Word), n}, order)) return;
  auto const d_keys = on_device(keys, n);
  device::transfer_buffer<Word> const d_positions(n);
  sort_call const call{
      .keys = d_keys.data(), .values_out = d_positions.data(), .value_bytes = sizeof(Word), .n = n};
  device_sort<Machine, Key>::enqueue(on, {}, call, order);
  d_positions.read_sync(positions, n);
}

template <class Machine, class Key>
void device_sort<Machine, Key>::positions(Machine on, Key const* keys, index_t* positions,
                                          index_t n, sort_order<Key> const& order) {
  argsort_on(on, keys, reinterpret_cast<std::uint64_t*>(positions), n, order);
}

template <class Machine, class Key>
void device_sort<Machine, Key>::positions(Machine on, Key const* keys, std::uint32_t* positions,
                                          index_t n, sort_order<Key> const& order) {
  argsort_on(on, keys, positions, n, order);
}

}  // namespace libscan::inline v1::detail
