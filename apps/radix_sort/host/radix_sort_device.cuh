// SPDX-License-Identifier: Apache-2.0
// The implementation of radix_sort_device.hpp: host memory in, the kernels of radix_sort.cuh,
// host memory out. Each file that includes it compiles it for some types of key. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <apps/radix_sort/host/radix_sort_device.hpp>
#include <libscan/buffer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/radix_sort.cuh>

namespace libscan::inline v1::detail {

/// A copy of n items on the device.
template <class T>
device::buffer<T> on_device(T const* items, index_t n) {
  return device::buffer<T>(std::span<T const>(items, static_cast<std::size_t>(n)));
}

template <class Machine, class Key, class Value>
void sort_pairs_on(Machine on, Key const* keys, Key* out, Value const* values, Value* values_out,
                   index_t n, sort_order<Key> const& order) {
  device::on_machine const here(on);
  auto const d_keys = on_device(keys, n);
  auto const d_values = on_device(values, n);
  workspace ws;
  sort_pairs(ws, static_cast<Key const*>(d_keys.data()), d_keys.data(),
             static_cast<Value const*>(d_values.data()), d_values.data(), n, order);
  d_keys.read_sync(out, n);
  d_values.read_sync(values_out, n);
}

template <class Machine, class Key>
void device_sort<Machine, Key>::keys(Machine on, Key const* keys, Key* out, index_t n,
                                     sort_order<Key> const& order) {
  device::on_machine const here(on);
  auto const d_keys = on_device(keys, n);
  workspace ws;
  sort_keys(ws, static_cast<Key const*>(d_keys.data()), d_keys.data(), n, order);
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
  auto const d_keys = on_device(keys, n);
  device::buffer<Word> const d_positions(n);
  workspace ws;
  argsort(ws, static_cast<Key const*>(d_keys.data()), d_positions.data(), n, order);
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
