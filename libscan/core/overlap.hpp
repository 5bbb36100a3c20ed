// SPDX-License-Identifier: Apache-2.0
// Whether ranges of memory overlap: checked before a call writes, on every engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// Bytes that a call reads or writes; empty if there are none, or if their place is unknown.
struct memory_span {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  memory_span() = default;
  memory_span(void const* items, index_t n, std::size_t item_bytes) {
    if (items == nullptr || n <= 0) return;
    begin = reinterpret_cast<std::uintptr_t>(items);
    end = begin + static_cast<std::uintptr_t>(n) * item_bytes;
  }
  memory_span(std::span<std::byte const> bytes)  // NOLINT(google-explicit-constructor): it is one
      : memory_span(bytes.data(), static_cast<index_t>(bytes.size()), 1) {}

  index_t bytes() const { return static_cast<index_t>(end - begin); }
  bool has(std::uintptr_t byte) const { return begin <= byte && byte < end; }
  bool overlaps(memory_span const& other) const { return begin < other.end && other.begin < end; }
  bool operator==(memory_span const&) const = default;
};

/// Throws `invalid_argument` if `at` is misaligned for T: vector code, streaming stores and GPUs
/// require alignment.
template <class T>
void require_aligned(T const* at) {
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(T) == 0) return;
  throw invalid_argument(
      "items of " + std::to_string(sizeof(T)) + " bytes lie at an address that is no multiple of " +
      std::to_string(alignof(T)) + "; expected aligned memory (copy the items to some)");
}

/// Throws `invalid_argument` unless items that kernels move as words of 2, 4 or 8 bytes lie at a
/// multiple of their size.
inline void require_aligned_words(void const* items, std::size_t bytes) {
  if (bytes == 2) detail::require_aligned(static_cast<std::uint16_t const*>(items));
  if (bytes == 4) detail::require_aligned(static_cast<std::uint32_t const*>(items));
  if (bytes == 8) detail::require_aligned(static_cast<std::uint64_t const*>(items));
}

/// Throws `invalid_argument` if two spans overlap.
inline void require_no_overlap(char const* call, char const* what, memory_span const& a,
                               memory_span const& b) {
  if (!a.overlaps(b)) return;
  throw invalid_argument(std::string(call) + ": " + what +
                         " share memory; expected separate buffers");
}

/// The same for input and output, which may be equal.
inline void require_in_place_or_no_overlap(char const* call, memory_span const& in,
                                           memory_span const& out) {
  if (in == out || !in.overlaps(out)) return;
  throw invalid_argument(
      std::string(call) +
      ": the output overlaps the input otherwise than exactly; expected the same "
      "items, or memory separate from them");
}

}  // namespace libscan::inline v1::detail
