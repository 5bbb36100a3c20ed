// SPDX-License-Identifier: Apache-2.0
// Host memory for large results. A fresh std::vector writes its items once before the call does,
// and gets its memory in small pages: a scan into it takes several times as long as into a buffer.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/huge_pages.hpp>

namespace libscan::inline v1 {

/// `size` items of a trivial type in host memory, uninitialized; 8 MiB or more in huge pages, if
/// the system has them. A contiguous range, so every call of the host API takes it. Move-only.
///
///   libscan::buffer<double> sums(n);
///   libscan::inclusive_scan(engine, values, sums);
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "libscan::buffer: items are copied by their bytes, and not constructed");
  static_assert(alignof(T) <= 64);

 public:
  buffer() = default;

  /// Throws `invalid_argument` if size < 0, and std::bad_alloc.
  explicit buffer(index_t size) : size_(size) {
    if (size < 0) {
      throw invalid_argument("buffer: size is " + std::to_string(size) + "; expected >= 0");
    }
    constexpr std::size_t max_size = static_cast<std::size_t>(-1) / 2 / sizeof(T);
    if (static_cast<std::size_t>(size) > max_size) throw std::bad_alloc();
    items_ = static_cast<T*>(cpu::allocate_pages(static_cast<std::size_t>(size) * sizeof(T)));
  }

  buffer(buffer&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer&& other) noexcept {
    buffer taken((std::move)(other));
    std::swap(items_, taken.items_);
    std::swap(size_, taken.size_);
    return *this;
  }
  ~buffer() { cpu::free_pages(items_); }

  /// Keeps the first `size` items. Their memory stays where it is; pages that were never written
  /// take none. Throws `invalid_argument` unless 0 <= size <= size().
  void truncate(index_t size) {
    if (size < 0 || size > size_) {
      throw invalid_argument("buffer: truncated to " + std::to_string(size) + " of " +
                             std::to_string(size_) + " items; expected 0 to that many");
    }
    size_ = size;
  }

  T* data() { return items_; }
  T const* data() const { return items_; }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  bool empty() const { return size_ == 0; }

  T* begin() { return data(); }
  T* end() { return data() + size_; }
  T const* begin() const { return data(); }
  T const* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  T const& operator[](std::size_t i) const { return data()[i]; }

 private:
  // Not std::unique_ptr: <memory> takes longer to compile than all calls of libscan.hpp.
  T* items_ = nullptr;
  index_t size_ = 0;
};

/// An allocator of such memory for containers: std::vector<T, page_allocator<T>> grows into huge
/// pages, and its resize(n) leaves new items of a trivial type uninitialized.
template <class T>
class page_allocator {
 public:
  using value_type = T;

  page_allocator() = default;
  template <class U>
  page_allocator(page_allocator<U> const&) noexcept {}

  /// Throws std::bad_alloc.
  T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    static_assert(alignof(T) <= 64);
    return static_cast<T*>(cpu::allocate_pages(n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) noexcept { cpu::free_pages(memory); }

  /// Default initialization, which leaves a trivial item as it is.
  template <class U>
  void construct(U* at) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }

  template <class U>
  bool operator==(page_allocator<U> const&) const noexcept {
    return true;
  }
};

}  // namespace libscan::inline v1
