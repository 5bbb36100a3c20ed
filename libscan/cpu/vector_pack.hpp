// SPDX-License-Identifier: Apache-2.0
// Packs wanted items in vector registers: one core's part of a filter. Compiled for several
// instruction sets in vector_pack.cpp; the best one is chosen at run time.
#pragma once

#include <cstdint>
#include <type_traits>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// to[k] = the k-th of items[0..n-1] whose flag (0 or 1) is `wanted`; returns their number. May
/// write any of to[0..n-1]; `to` must not overlap what is read.
using item_packer = index_t (*)(void const* items, std::uint8_t const* flags, std::uint8_t wanted,
                                index_t n, void* to);

/// The available vector code.
struct vector_packs {
  item_packer items_of_1_byte, items_of_2_bytes, items_of_4_bytes, items_of_8_bytes;
  /// to[k] = first + the position of the k-th of n flags that is 1; otherwise as `item_packer`.
  index_t (*positions)(std::uint32_t first, std::uint8_t const* flags, index_t n,
                       std::uint32_t* to);
};

/// For the best instruction set of this CPU among those that Highway may currently use.
vector_packs current_vector_packs();

/// The same, cached.
vector_packs const& best_vector_packs();

/// As `item_packer`, for items of any size.
template <class T>
index_t pack_items(T const* items, std::uint8_t const* flags, std::uint8_t wanted, index_t n,
                   T* to) {
  static_assert(std::is_trivially_copyable_v<T>);
  vector_packs const& code = best_vector_packs();
  if constexpr (sizeof(T) == 1) return code.items_of_1_byte(items, flags, wanted, n, to);
  if constexpr (sizeof(T) == 2) return code.items_of_2_bytes(items, flags, wanted, n, to);
  if constexpr (sizeof(T) == 4) return code.items_of_4_bytes(items, flags, wanted, n, to);
  if constexpr (sizeof(T) == 8) return code.items_of_8_bytes(items, flags, wanted, n, to);
  index_t packed = 0;
  for (index_t i = 0; i < n; ++i) {
    to[packed] = items[i];
    packed += flags[i] == wanted ? 1 : 0;
  }
  return packed;
}

}  // namespace libscan::inline v1::cpu::detail
