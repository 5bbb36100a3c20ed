// SPDX-License-Identifier: Apache-2.0
// Large memory that is used for the first time: a page at a time the system gives it out more
// slowly than a core writes it.
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

/// Wishes that the huge pages that lie wholly in [at, at + bytes), untouched so far, be given out
/// as such. It changes nothing else, and nothing where the system has none.
inline void wish_for_huge_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  auto const address = reinterpret_cast<std::uintptr_t>(at);
  std::uintptr_t const begin = ceil_div(address, std::uintptr_t{huge_page}) * huge_page;
  std::uintptr_t const end = (address + bytes) / huge_page * huge_page;
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace libscan::inline v1::cpu
