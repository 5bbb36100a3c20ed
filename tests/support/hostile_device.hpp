// SPDX-License-Identifier: Apache-2.0
// The hostile namespace's iterators of device memory, and buffers of its numbers.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/workspace.cuh>
#include <tests/support/device_buffer.hpp>
#include <tests/support/hostile.hpp>

namespace hostile {

/// A pointer that is not known to be one.
template <class T>
struct items {
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  using iterator_category = std::random_access_iterator_tag;

  T* first;
  __device__ T& operator[](libscan::index_t i) const { return first[i]; }
  __device__ items operator+(libscan::index_t distance) const { return {first + distance}; }
};
template <class T>
items(T*) -> items<T>;

}  // namespace hostile
