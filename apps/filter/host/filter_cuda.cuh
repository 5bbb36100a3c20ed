// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the filter of the host API: host memory in, the kernel of filter.cuh, host
// memory out. The files filter_cuda_*.cu compile it for a few item types each. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <apps/filter/device/expensive_programs.cuh>
#include <apps/filter/host/filter_cuda.hpp>
#include <libscan/buffer.cuh>
#include <libscan/filter.cuh>
#include <libscan/simt/cuda/selected_device.cuh>

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

template <class T>
index_t cuda_filter<T>::values(int device, std::span<T const> values, std::span<T> out,
                               predicate<T> const& keep) {
  simt::selected_device const here(device);
  auto const n = static_cast<index_t>(values.size());
  device::buffer<T> const kept(n);
  index_t const count = run_filter(
      values, keep, [&](workspace& ws, auto const& items, auto const& test, index_t* d_count) {
        filter(ws, items.data(), kept.data(), n, test, d_count);
      });
  read_kept(kept, out, count);
  return count;
}

template <class T>
index_t cuda_filter<T>::indices(int device, std::span<T const> values, std::span<index_t> out,
                                predicate<T> const& keep) {
  simt::selected_device const here(device);
  auto const n = static_cast<index_t>(values.size());
  device::buffer<index_t> const kept(n);
  index_t const count = run_filter(
      values, keep, [&](workspace& ws, auto const& items, auto const& test, index_t* d_count) {
        filter_indices(ws, items.data(), kept.data(), n, test, d_count);
      });
  read_kept(kept, out, count);
  return count;
}

template <class T>
index_t cuda_filter<T>::count(int device, std::span<T const> values, predicate<T> const& keep) {
  simt::selected_device const here(device);
  auto const n = static_cast<index_t>(values.size());
  return run_filter(values, keep,
                    [&](workspace& ws, auto const& items, auto const& test, index_t* d_count) {
                      count_if(ws, items.data(), n, test, d_count);
                    });
}

}  // namespace libscan::inline v1::detail
