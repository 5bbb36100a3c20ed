// SPDX-License-Identifier: Apache-2.0
// Between items of a type known at run time and an array of accumulators on a device, in the order
// of a scan. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include <libscan/device/item_count.cuh>
#include <libscan/host/host_call.hpp>
#include <libscan/host/input_types.hpp>
#include <libscan/host/transfer.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Item i of an array of `type`, as a T.
template <class T>
__device__ T item_at(void const* items, libscan::detail::input_type type, index_t i) {
  switch (type) {
#define LIBSCAN_ITEM_AT(name, item)       \
  case libscan::detail::input_type::name: \
    return static_cast<T>(static_cast<item const*>(items)[i]);
    LIBSCAN_INPUT_TYPES(LIBSCAN_ITEM_AT)
#undef LIBSCAN_ITEM_AT
  }
  return T{};
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
  __device__ void operator()(void const* items, libscan::detail::input_type type, item_count count,
                             bool reverse, T* to) const {
    index_t const n = count.get();
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

/// to[i] = floats[i], rounded.
struct round_kernel {
  static constexpr int block_threads = 256;
  template <class Half>
  __device__ void operator()(float const* floats, item_count n, Half* to) const {
    each_item(n.get(), [=](index_t i) { to[i] = static_cast<Half>(floats[i]); });
  }
};

/// A launch of enough blocks for n items.
inline simt::launch_config spread(index_t n) {
  index_t const max_blocks = index_t{16} * simt::multiprocessor_count();
  return {.blocks =
              static_cast<unsigned>(std::clamp<index_t>(ceil_div(n, index_t{1024}), 1, max_blocks)),
          .threads = 256};
}

/// Copies n items of `type` from host memory to `to` on the device, converted, in the order of a
/// scan.
template <class T>
void upload(libscan::detail::input_type type, void const* from, index_t n, bool reverse, T* to) {
  std::size_t const bytes = static_cast<std::size_t>(n) * libscan::detail::size_of(type);
  if (type == libscan::detail::input_type_of<T>::value && !reverse) {
    return libscan::detail::transfer<this_machine>::to_device(to, from, bytes);
  }
  device::transfer_buffer<std::byte> const items(
      std::span<std::byte const>(static_cast<std::byte const*>(from), bytes));
  simt::launch<convert_kernel>(spread(n), static_cast<void const*>(items.data()), type,
                               item_count(n), reverse, to);
}

/// Copies n results on the device, in the order of a scan, to host memory as `type`, and waits.
template <class T>
void download_sync(T* results, index_t n, bool reverse, libscan::detail::input_type type,
                   void* to) {
  if (n == 0) return;
  if (reverse) simt::launch<turn_round_kernel>(spread(n / 2), results, n);
  if constexpr (std::is_same_v<T, float>) {
    auto const rounded = [&]<class Half>(std::type_identity<Half>) {
      device::transfer_buffer<Half> const halves(n);
      simt::launch<round_kernel>(spread(n), static_cast<float const*>(results), item_count(n),
                                 halves.data());
      halves.read_sync(static_cast<Half*>(to), n);
    };
    if (type == libscan::detail::input_type::f16) return rounded(std::type_identity<float16>{});
    if (type == libscan::detail::input_type::bf16) return rounded(std::type_identity<bfloat16>{});
  }
  libscan::detail::transfer<this_machine>::to_host(to, results,
                                                   static_cast<std::size_t>(n) * sizeof(T));
}

/// Converts items in device memory to accumulators of T, or accumulators to results.
template <class T>
void convert_in_memory(libscan::detail::item_conversion const& all, simt::stream stream) {
  simt::launch_config how = spread(all.n);
  how.on = stream;
  auto const n = all.d_n == nullptr ? item_count(all.n) : item_count::on_device(all.d_n, all.n);
  if (all.to_type == libscan::detail::input_type_of<T>::value) {
    return simt::launch<convert_kernel>(how, all.from, all.from_type, n, false,
                                        static_cast<T*>(all.to));
  }
  if constexpr (std::is_same_v<T, float>) {
    auto const* const floats = static_cast<float const*>(all.from);
    if (all.to_type == libscan::detail::input_type::f16) {
      simt::launch<round_kernel>(how, floats, n, static_cast<float16*>(all.to));
    } else {
      simt::launch<round_kernel>(how, floats, n, static_cast<bfloat16*>(all.to));
    }
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
