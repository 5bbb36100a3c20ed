// SPDX-License-Identifier: Apache-2.0
// Transfers of scan-prefix to a device and back: host memory in, an array of accumulators in the
// order of the scan on the device, host memory out.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <apps/common/dtype.hpp>
#include <apps/prefix/operators.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/buffer.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// Item i of an array of `type`, as a T.
template <class T>
__device__ T item_at(void const* items, dtype type, index_t i) {
  switch (type) {
    case dtype::i8:
      return static_cast<T>(static_cast<std::int8_t const*>(items)[i]);
    case dtype::u8:
      return static_cast<T>(static_cast<std::uint8_t const*>(items)[i]);
    case dtype::i16:
      return static_cast<T>(static_cast<std::int16_t const*>(items)[i]);
    case dtype::u16:
      return static_cast<T>(static_cast<std::uint16_t const*>(items)[i]);
    case dtype::i32:
      return static_cast<T>(static_cast<std::int32_t const*>(items)[i]);
    case dtype::u32:
      return static_cast<T>(static_cast<std::uint32_t const*>(items)[i]);
    case dtype::i64:
      return static_cast<T>(static_cast<std::int64_t const*>(items)[i]);
    case dtype::u64:
      return static_cast<T>(static_cast<std::uint64_t const*>(items)[i]);
    case dtype::f32:
      return static_cast<T>(static_cast<float const*>(items)[i]);
    case dtype::f64:
      break;
  }
  return static_cast<T>(static_cast<double const*>(items)[i]);
}

/// Calls body(i) for each i in [0, n), spread over the grid.
template <class Body>
__device__ void each_item(index_t n, Body body) {
  index_t const step = index_t{gridDim.x} * blockDim.x;
  for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) body(i);
}

/// to[i] = item i, or item n - 1 - i in reverse, converted to T.
struct convert_kernel {
  static constexpr int block_threads = 256;
  template <class T>
  __device__ void operator()(void const* items, dtype type, index_t n, bool reverse, T* to) const {
    each_item(n, [=](index_t i) { to[i] = item_at<T>(items, type, reverse ? n - 1 - i : i); });
  }
};

/// Reverses items[0..n-1].
struct turn_round_kernel {
  static constexpr int block_threads = 256;
  template <class T>
  __device__ void operator()(T* items, index_t n) const {
    each_item(n / 2, [=](index_t i) {
      T const first = items[i];
      items[i] = items[n - 1 - i];
      items[n - 1 - i] = first;
    });
  }
};

/// A launch of enough blocks for n items.
inline simt::launch_config spread(index_t n) {
  index_t const most = index_t{16} * simt::multiprocessor_count();
  return {.blocks = static_cast<unsigned>(std::clamp<index_t>(ceil_div(n, index_t{1024}), 1, most)),
          .threads = 256};
}

/// Copies the items of `call` to `to` on the device, in the order of the scan.
template <class T>
void upload(prefix_call const& call, T* to) {
  std::size_t const bytes = visit_item_type(call.type, [&](auto tag) {
    return static_cast<std::size_t>(call.n) * sizeof(typename decltype(tag)::type);
  });
  bool const reverse = call.direction == scan_direction::reverse;
  if (call.type == dtype_of<T>() && !reverse) return simt::copy_async(to, call.in, bytes);
  device::buffer<std::byte> const items(
      std::span<std::byte const>(static_cast<std::byte const*>(call.in), bytes));
  simt::launch<convert_kernel>(spread(call.n), static_cast<void const*>(items.data()), call.type,
                               call.n, reverse, to);
}

/// Uploads, calls scan(items, op, init), which scans in place on the device, and downloads. Signed
/// integers are scanned as unsigned ones, to compile half as many kernels.
template <class T, class Scan>
void scan_on_device(prefix_call const& call, Scan scan) {
  if (call.n == 0) return;
  device::buffer<T> const items(call.n);
  upload(call, items.data());
  T const init = *static_cast<T const*>(call.init);
  if constexpr (std::signed_integral<T>) {
    using word = std::make_unsigned_t<T>;
    word const sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1));
    scan(reinterpret_cast<word*>(items.data()), chosen_operator<word>{call.op, sign},
         static_cast<word>(init));
  } else {
    scan(items.data(), chosen_operator<T>{call.op}, init);
  }
  if (call.direction == scan_direction::reverse) {
    simt::launch<turn_round_kernel>(spread(call.n / 2), items.data(), call.n);
  }
  items.read_sync(static_cast<T*>(call.out), call.n);
}

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
