// SPDX-License-Identifier: Apache-2.0
// Memory for the radix sort on CPU threads: uninitialized, aligned to cache lines, in huge pages if
// the system has them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/cpu/huge_pages.hpp>

namespace libscan::inline v1::cpu::detail {

/// Uninitialized space for `count` items of a trivial type. Untouched pages take no memory.
template <class T>
class sort_memory {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  sort_memory() = default;

  /// Throws std::bad_alloc.
  explicit sort_memory(index_t count) {
    if (count == 0) return;
    constexpr std::size_t line = 64;
    std::size_t const bytes = static_cast<std::size_t>(count) * sizeof(T);
    std::size_t const unit = bytes < 4 * huge_page ? line : huge_page;
    std::size_t const rounded = ceil_div(bytes, unit) * unit;
    items_.reset(static_cast<T*>(std::aligned_alloc(unit, rounded)));
    if (!items_) throw std::bad_alloc();
    if (unit == huge_page) cpu::advise_huge_pages(items_.get(), rounded);
  }

  T* data() const { return items_.get(); }
  bool empty() const { return !items_; }

 private:
  struct release {
    void operator()(void* at) const { std::free(at); }
  };
  std::unique_ptr<T, release> items_;
};

}  // namespace libscan::inline v1::cpu::detail
