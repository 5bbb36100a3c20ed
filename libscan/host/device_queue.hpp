// SPDX-License-Identifier: Apache-2.0
// Where calls on device memory run: a machine with kernels, a stream, and temporary memory. Plain
// C++, without headers of CUDA.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <libscan/core/engine.hpp>
#include <libscan/core/memory_functions.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// n items in device memory. With `d_size` the number is read there when the call runs, and `size`
/// is the most that it may be.
template <class T>
struct device_span {
  T* data = nullptr;
  index_t size = 0;
  index_t const* d_size = nullptr;

  /// The same items, read only.
  template <class Item>
  requires(!std::is_const_v<T> && std::same_as<Item, T const>) operator device_span<Item>() const {
    return {data, size, d_size};
  }
};
/// clang++ deduces aggregates from version 17 on.
template <class T>
device_span(T*, index_t) -> device_span<T>;
template <class T>
device_span(T*, index_t, index_t const*) -> device_span<T>;

/// The machine and the stream of a call, and where its temporary memory comes from: `workspace` if
/// that is not null, else `memory` if that has functions, else the stream's own pool. Only the
/// first may be captured in a CUDA graph. A small value.
struct device_queue {
  engine on;
  void* stream = nullptr;  ///< a cudaStream_t; null is the default stream
  memory_functions memory = {};
  void* workspace = nullptr;  ///< device memory, aligned to 256 bytes
  std::size_t workspace_bytes = 0;
};

}  // namespace libscan::inline v1
