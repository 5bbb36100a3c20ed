// SPDX-License-Identifier: Apache-2.0
// Space for a result of unknown size: memory that only exists where it was written.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

namespace libscan::apps {

/// Asks for huge pages in a large range of memory: they are first touched much faster. The kernel
/// may ignore this.
inline void advise_huge_pages(void* at, std::size_t bytes) {
  constexpr std::size_t large = std::size_t{4} << 20;
  constexpr std::uintptr_t page = 4096;
  auto const address = reinterpret_cast<std::uintptr_t>(at);
  std::uintptr_t const begin = (address + page - 1) / page * page;
  if (bytes < large) return;
  (void)::madvise(reinterpret_cast<void*>(begin), bytes - (begin - address), MADV_HUGEPAGE);
}

/// Space for `count` items of T. Items read as zeros until written. Untouched pages take no memory,
/// so the buffer may be far larger than its content or than the machine's memory.
template <class T>
class lazy_buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Throws std::bad_alloc if the address space, or a limit on it, is too small.
  explicit lazy_buffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    void* const at = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    // A large result is first touched much faster in huge pages; the kernel may ignore this.
    (void)::madvise(at, count * sizeof(T), MADV_HUGEPAGE);
    items_ = static_cast<T*>(at);
  }

  ~lazy_buffer() {
    if (items_ != nullptr) ::munmap(items_, count_ * sizeof(T));
  }
  lazy_buffer(lazy_buffer const&) = delete;
  lazy_buffer& operator=(lazy_buffer const&) = delete;

  std::span<T> items() { return {items_, count_}; }

 private:
  T* items_ = nullptr;
  std::size_t count_;
};

}  // namespace libscan::apps
