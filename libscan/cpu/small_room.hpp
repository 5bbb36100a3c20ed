// SPDX-License-Identifier: Apache-2.0
// Room for what a thread works with: on its stack where little will do, so that calls for few items
// allocate nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>

namespace libscan::inline v1::cpu::detail {

/// Bytes that need not be allocated.
inline constexpr std::size_t small_bytes = 8192;

/// Room for some items, default-initialised: up to `Bytes` bytes within the object, more of them
/// allocated.
template <class T, std::size_t Bytes = small_bytes>
class small_room {
 public:
  /// Throws std::bad_alloc.
  explicit small_room(index_t count) : count_(static_cast<std::size_t>(count)) {
    if (count_ > Bytes / sizeof(T)) {
      allocated_ = std::make_unique_for_overwrite<T[]>(count_);
      items_ = allocated_.get();
    } else {
      items_ = reinterpret_cast<T*>(own_);
      std::uninitialized_default_construct_n(items_, count_);
    }
  }
  small_room(small_room const&) = delete;
  small_room& operator=(small_room const&) = delete;
  ~small_room() {
    if (!allocated_) std::destroy_n(items_, count_);
  }

  T* data() const { return items_; }
  T& operator[](index_t i) const { return items_[i]; }

 private:
  std::size_t count_;
  T* items_;
  std::unique_ptr<T[]> allocated_;
  alignas(T) alignas(cache_line) std::byte own_[Bytes];
};

}  // namespace libscan::inline v1::cpu::detail
