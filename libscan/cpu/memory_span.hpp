// SPDX-License-Identifier: Apache-2.0
// What calls of the cpu engine refuse before they write anything, as far as it is seen where items
// lie: outputs that share memory with what is read, and items that are not aligned. Behind
// iterators of items that need not lie side by side nothing is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// Bytes that a call reads or writes; none where that is not known.
using memory_span = std::span<std::byte const>;

/// Throws `invalid_argument` if items of T cannot lie at `at`: vector code and streaming stores
/// take their alignment for granted.
template <class T>
void require_aligned(T const* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0) return;
  throw invalid_argument(
      "items of " + std::to_string(sizeof(T)) + " bytes lie at an address that is no multiple of " +
      std::to_string(alignof(T)) + "; expected aligned memory (copy the items to some)");
}

/// Where n items lie: nowhere if there are none, or if they need not lie side by side. Throws
/// `invalid_argument` if they are not aligned as their type demands.
template <class It>
memory_span memory_of(It const& items, index_t n) {
  if constexpr (std::contiguous_iterator<It>) {
    if (n <= 0) return {};
    detail::require_aligned(std::to_address(items));
    return std::as_bytes(std::span(std::to_address(items), static_cast<std::size_t>(n)));
  } else {
    return {};
  }
}

/// Throws `invalid_argument` if two spans share memory.
inline void require_apart(char const* call, char const* what, memory_span a, memory_span b) {
  if (!libscan::detail::overlap(a, b)) return;
  throw invalid_argument(std::string(call) + ": " + what +
                         " share memory; expected separate buffers");
}

/// The same of input and output, which may be one.
inline void require_in_place_or_apart(char const* call, memory_span in, memory_span out) {
  bool const in_place = in.data() == out.data() && in.size() == out.size();
  if (in_place || !libscan::detail::overlap(in, out)) return;
  throw invalid_argument(
      std::string(call) +
      ": the output overlaps the input otherwise than exactly; expected the same "
      "items, or memory apart from them");
}

}  // namespace libscan::inline v1::cpu::detail
