// SPDX-License-Identifier: Apache-2.0
// Large memory at its first use: page by page the system provides it more slowly than a core writes
// it.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
/// Throws std::bad_alloc. Free it by std::free.
inline void* allocate_pages(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  constexpr std::size_t line = 64;
  if (bytes > static_cast<std::size_t>(-1) / 2) throw std::bad_alloc();
  std::size_t const unit = bytes < 4 * huge_page ? line : huge_page;
  std::size_t const rounded = ceil_div(bytes, unit) * unit;
  void* const memory = std::aligned_alloc(unit, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (unit == huge_page) cpu::advise_huge_pages(memory, rounded);
  return memory;
}

}  // namespace libscan::inline v1::cpu
