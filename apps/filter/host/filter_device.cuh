// SPDX-License-Identifier: Apache-2.0
// The implementation of filter_device.hpp: host memory in, the kernel of filter.cuh, host memory
// out. The files filter_device_*.cu compile it for a few item types each. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <apps/filter/device/expensive_programs.cuh>
#include <apps/filter/host/filter_device.hpp>
#include <libscan/buffer.cuh>
#include <libscan/filter.cuh>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

/// Runs filter(workspace, device items, test, device count) and returns the count.
template <class T, class Filter>
index_t run_filter(std::span<T const> values, predicate<T> const& keep, Filter filter) {
  device::buffer<T> const items{values};
  device::buffer<index_t> const count(1);
  workspace ws;
  visit_predicate(keep, [&](auto const& test) { filter(ws, items, test, count.data()); });
  index_t kept = 0;
  count.read_sync(&kept, 1);
  return kept;
}

template <class Item>
void read_kept(device::buffer<Item> const& kept, std::span<Item> out, index_t count) {
  kept.read_sync(out.data(), std::min(count, static_cast<index_t>(out.size())));
}

template <class Machine, class T>
index_t device_filter<Machine, T>::values(Machine on, std::span<T const> values, std::span<T> out,
                                          predicate<T> const& keep) {
  device::on_machine const here(on);
  auto const n = static_cast<index_t>(values.size());
  device::buffer<T> const kept(n);
  index_t const count = run_filter(
      values, keep, [&](workspace& ws, auto const& items, auto const& test, index_t* d_count) {
        filter(ws, items.data(), kept.data(), n, test, d_count);
      });
  read_kept(kept, out, count);
  return count;
}

template <class Machine, class T>
index_t device_filter<Machine, T>::indices(Machine on, std::span<T const> values,
                                           std::span<index_t> out, predicate<T> const& keep) {
  device::on_machine const here(on);
  auto const n = static_cast<index_t>(values.size());
  device::buffer<index_t> const kept(n);
  index_t const count = run_filter(
      values, keep, [&](workspace& ws, auto const& items, auto const& test, index_t* d_count) {
        filter_indices(ws, items.data(), kept.data(), n, test, d_count);
      });
  read_kept(kept, out, count);
  return count;
}

template <class Machine, class T>
index_t device_filter<Machine, T>::count(Machine on, std::span<T const> values,
                                         predicate<T> const& keep) {
  device::on_machine const here(on);
  auto const n = static_cast<index_t>(values.size());
  return run_filter(values, keep,
                    [&](workspace& ws, auto const& items, auto const& test, index_t* d_count) {
                      count_if(ws, items.data(), n, test, d_count);
                    });
}

}  // namespace libscan::inline v1::detail
