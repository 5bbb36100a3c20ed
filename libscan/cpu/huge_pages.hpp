// SPDX-License-Identifier: Apache-2.0
// Large memory at its first use: page by page the system provides it more slowly than a core writes
// it.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu {

/// Bytes of a huge page.
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Advises the system to use huge pages for those that are entirely in [at, at + bytes) and still
/// untouched. Has no other effect, and none if the system has no huge pages.
inline void advise_huge_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  auto const address = reinterpret_cast<std::uintptr_t>(at);
  std::uintptr_t const begin = ceil_div(address, std::uintptr_t{huge_page}) * huge_page;
  std::uintptr_t const end = (address + bytes) / huge_page * huge_page;
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

/// At least `bytes` bytes, uninitialized and aligned to cache lines; from 8 MiB on aligned to huge
/// pages, which the system is advised to use. Untouched pages take no memory. Null for 0 bytes.
/// Throws std::bad_alloc. Give it to `free_pages`.
///
/// std::aligned_alloc of glibc before 2.38 does not find the memory that was freed: a loop of
/// allocations would take several times what it needs.
inline void* allocate_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  constexpr std::size_t line = 64;
  if (bytes > static_cast<std::size_t>(-1) / 2) throw std::bad_alloc();
  std::size_t const unit = bytes < 4 * huge_page ? line : huge_page;
  void* const allocated = ::operator new(bytes + unit);  // aligned for pointers, at least
  std::size_t const to_boundary = unit - reinterpret_cast<std::uintptr_t>(allocated) % unit;
  auto* const memory = static_cast<std::byte*>(allocated) + to_boundary;
  std::memcpy(memory - sizeof allocated, &allocated, sizeof allocated);
  if (unit == huge_page) cpu::advise_huge_pages(memory, bytes);
  return memory;
}

/// Frees what `allocate_pages` returned.
inline void free_pages(void* memory) noexcept {
  if (memory == nullptr) return;
  void* allocated;
  std::memcpy(&allocated, static_cast<std::byte*>(memory) - sizeof allocated, sizeof allocated);
  ::operator delete(allocated);
}

}  // namespace libscan::inline v1::cpu
