// SPDX-License-Identifier: Apache-2.0
// Large memory at its first use: page by page the system provides it more slowly than a core writes
// it.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>

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

}  // namespace libscan::inline v1::cpu
