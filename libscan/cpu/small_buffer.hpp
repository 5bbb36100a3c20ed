// SPDX-License-Identifier: Apache-2.0
// A thread's working memory: on its stack if it is small, so that calls for few items allocate
// nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <libscan/core/light_memory.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>

namespace libscan::inline v1::cpu::detail {

/// Bytes that need no allocation.
inline constexpr std::size_t small_bytes = 8192;

/// Space for some items, default-initialized if they have a default, else to be copied to. Up to
/// `Bytes` bytes are inside the object; more are allocated.
template <class T, std::size_t Bytes = small_bytes>
class small_buffer {
  static_assert(std::is_default_constructible_v<T> || std::is_trivially_copyable_v<T>);

 public:
  /// Throws std::bad_alloc.
  explicit small_buffer(index_t count) : count_(static_cast<std::size_t>(count)) {
    if (count_ > Bytes / sizeof(T)) {
      items_ = allocated_.allocate(count_);
    } else {
      items_ = reinterpret_cast<T*>(own_);
    }
    if constexpr (std::is_default_constructible_v<T>) {
      std::uninitialized_default_construct_n(items_, count_);
    }
  }
  small_buffer(small_buffer const&) = delete;
  small_buffer& operator=(small_buffer const&) = delete;
  ~small_buffer() { std::destroy_n(items_, count_); }

  T* data() const { return items_; }
  T& operator[](index_t i) const { return items_[i]; }

 private:
  /// Space for items, if there is any; freed with this object.
  struct allocation {
    T* items = nullptr;
    std::size_t count = 0;

    T* allocate(std::size_t n) {
      items = std::allocator<T>().allocate(n);
      count = n;
      return items;
    }
    ~allocation() {
      if (items != nullptr) std::allocator<T>().deallocate(items, count);
    }
  };

  std::size_t count_;
  T* items_;
  allocation allocated_;
  alignas(T) alignas(cache_line) std::byte own_[Bytes];
};

}  // namespace libscan::inline v1::cpu::detail
