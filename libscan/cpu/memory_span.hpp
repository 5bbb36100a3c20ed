// SPDX-License-Identifier: Apache-2.0
// What calls of the cpu engine refuse before they write anything, if they know the addresses:
// outputs that overlap what is read, and misaligned items. Iterators of items that need not be
// contiguous are not checked.
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

/// Bytes that a call reads or writes; empty if unknown.
using memory_span = std::span<std::byte const>;

/// Throws `invalid_argument` if `at` is misaligned for T: vector code and streaming stores require
/// alignment.
template <class T>
void require_aligned(T const* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0) return;
  throw invalid_argument(
      "items of " + std::to_string(sizeof(T)) + " bytes lie at an address that is no multiple of " +
      std::to_string(alignof(T)) + "; expected aligned memory (copy the items to some)");
}

/// The memory of n items; empty if there are none, or if they need not be contiguous. Throws
/// `invalid_argument` if they are misaligned.
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

/// Throws `invalid_argument` if two spans overlap.
inline void require_no_overlap(char const* call, char const* what, memory_span a, memory_span b) {
  if (!libscan::detail::overlap(a, b)) return;
  throw invalid_argument(std::string(call) + ": " + what +
                         " share memory; expected separate buffers");
}

/// The same for input and output, which may be equal.
inline void require_in_place_or_no_overlap(char const* call, memory_span in, memory_span out) {
  bool const in_place = in.data() == out.data() && in.size() == out.size();
  if (in_place || !libscan::detail::overlap(in, out)) return;
  throw invalid_argument(
      std::string(call) +
      ": the output overlaps the input otherwise than exactly; expected the same "
      "items, or memory separate from them");
}

}  // namespace libscan::inline v1::cpu::detail
