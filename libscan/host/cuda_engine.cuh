// SPDX-License-Identifier: Apache-2.0
// The definitions of `cuda_scan_of` and `cuda_reduce_of`: host memory in, kernels of
// libscan/device, host memory out. The files cuda_engine_*.cu compile it for a few item types each.
#pragma once

#include <cstddef>
#include <span>

#include <libscan/buffer.cuh>
#include <libscan/host/cuda_engine.hpp>
#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>

namespace libscan::inline v1::detail {

template <class Item>
void cuda_items<Item>::scan(scan_call const& call) {
  detail::visit_operator_of<Item>(call.op, [&](auto op) {
    using T = typename decltype(op)::value_type;
    T const init = *static_cast<T const*>(call.init);
    if (call.n == 0) {
      *static_cast<T*>(call.total) = init;
      return;
    }
    device::buffer<T> const items(
        std::span<T const>(static_cast<T const*>(call.in), static_cast<std::size_t>(call.n)));
    device::buffer<T> const total(1);
    workspace ws;
    if (call.kind == scan_kind::exclusive) {
      libscan::exclusive_scan(ws, items.data(), items.data(), call.n, op, total.data(), init);
    } else {
      libscan::inclusive_scan(ws, items.data(), items.data(), call.n, op, total.data(), init);
    }
    items.read_sync(static_cast<T*>(call.out), call.n);
    total.read_sync(static_cast<T*>(call.total), 1);
  });
}

template <class Item>
void cuda_items<Item>::reduce(reduce_call const& call) {
  detail::visit_operator_of<Item>(call.op, [&](auto op) {
    using T = typename decltype(op)::value_type;
    device::buffer<T> const items(
        std::span<T const>(static_cast<T const*>(call.in), static_cast<std::size_t>(call.n)));
    device::buffer<T> const result(1);
    workspace ws;
    libscan::reduce(ws, items.data(), result.data(), call.n, op, *static_cast<T const*>(call.init));
    result.read_sync(static_cast<T*>(call.result), 1);
  });
}

}  // namespace libscan::inline v1::detail
