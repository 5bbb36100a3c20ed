// SPDX-License-Identifier: Apache-2.0
// Whether ranges of memory overlap: checked before a call writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace libscan::inline v1::detail {

/// Whether `a` and `b` have a byte in common.
inline bool overlap(std::span<std::byte const> a, std::span<std::byte const> b) {
  if (a.empty() || b.empty()) return false;
  auto const from_a = reinterpret_cast<std::uintptr_t>(a.data());
  auto const from_b = reinterpret_cast<std::uintptr_t>(b.data());
  return from_a < from_b + b.size() && from_b < from_a + a.size();
}

}  // namespace libscan::inline v1::detail
