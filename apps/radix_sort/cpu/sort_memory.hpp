// SPDX-License-Identifier: Apache-2.0
// Memory for the radix sort on CPU threads: uninitialized, aligned to cache lines, in huge pages if
// the system has them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
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
    items_.reset(static_cast<T*>(cpu::allocate_pages(static_cast<std::size_t>(count) * sizeof(T))));
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
