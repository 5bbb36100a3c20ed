// SPDX-License-Identifier: Apache-2.0
// Checks of device calls before they launch anything, where the host knows the memory: outputs must
// not share memory with what is read. The memory of iterators other than pointers is unknown.
#pragma once

#include <cstdint>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Bytes that a call reads or writes; empty if the host does not know.
struct memory_span {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool has(std::uintptr_t byte) const { return begin <= byte && byte < end; }
  bool overlaps(memory_span const& other) const { return begin < other.end && other.begin < end; }
  bool operator==(memory_span const&) const = default;
};

/// The memory of n items; empty if the pointer is null.
template <class It>
memory_span memory_of(It const&, index_t) {
  return {};
}
template <class T>
memory_span memory_of(T* const& items, index_t n) {
  if (items == nullptr || n <= 0) return {};
  auto const begin = reinterpret_cast<std::uintptr_t>(items);
  return {begin, begin + static_cast<std::uintptr_t>(n) * sizeof(T)};
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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
