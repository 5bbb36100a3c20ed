// SPDX-License-Identifier: Apache-2.0
// What headers use of <memory>, without it: it takes longer to compile than all calls of
// libscan.hpp. Internal.
#pragma once

#include <cstddef>
#include <new>
#include <span>    // and so std::to_address and iterators
#include <vector>  // and so std::allocator, std::construct_at, std::destroy_n

namespace libscan::inline v1::detail {

/// An object that `new` made, or none; deleted with this one.
template <class T>
class owned_object {
 public:
  owned_object() = default;
  ~owned_object() { delete at_; }
  owned_object(owned_object const&) = delete;
  owned_object& operator=(owned_object const&) = delete;

  /// Sets it, if there is none yet.
  void set(T* made) { at_ = made; }
  bool empty() const { return at_ == nullptr; }
  T& operator*() const { return *at_; }

 private:
  T* at_ = nullptr;
};

/// An array that `new T[n]` made, or none; deleted with this object.
template <class T>
class owned_array {
 public:
  owned_array() = default;
  ~owned_array() { delete[] items_; }
  owned_array(owned_array const&) = delete;
  owned_array& operator=(owned_array const&) = delete;

  /// Sets it, if there is none yet.
  void set(T* made) { items_ = made; }
  T* get() const { return items_; }

 private:
  T* items_ = nullptr;
};

/// Aligned bytes, or none; freed with this object.
class owned_bytes {
 public:
  owned_bytes() = default;
  ~owned_bytes() {
    if (bytes_ != nullptr) ::operator delete[](bytes_, alignment_);
  }
  owned_bytes(owned_bytes const&) = delete;
  owned_bytes& operator=(owned_bytes const&) = delete;

  /// Allocates, if there are none yet. Throws std::bad_alloc.
  void allocate(std::size_t bytes, std::align_val_t alignment) {
    bytes_ = new (alignment) std::byte[bytes];
    alignment_ = alignment;
  }
  std::byte* get() const { return bytes_; }

 private:
  std::byte* bytes_ = nullptr;
  std::align_val_t alignment_{};
};

}  // namespace libscan::inline v1::detail
