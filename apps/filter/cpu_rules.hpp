// SPDX-License-Identifier: Apache-2.0
// What decides on a CPU whether a filter keeps an item: a predicate, flags, bits, or the item
// before it. Each marks a block of items at once, in loops that do not branch on the data.
#pragma once

#include <algorithm>
#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu {

/// Every rule has mark(begin, items, flags): sets flags[k] to 1 if item begin + k is kept, to 0 if
/// not, for k < items; or returns false, and may leave the flags as they are, if none is kept.
///
/// This one keeps what a predicate accepts.
template <class In, class Keep>
struct keep_where {
  In in;
  Keep keep;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    // As variables: the compiler takes it that flags, which are bytes, may overwrite members.
    In const from = in + begin;
    Keep const accepts = keep;
    for (index_t k = 0; k < items; ++k) flags[k] = accepts(from[k]) ? 1 : 0;
    return true;
  }
};

/// Keeps items whose byte is nonzero.
struct keep_flagged {
  std::uint8_t const* bytes;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    std::uint8_t const* const from = bytes + begin;
    for (index_t k = 0; k < items; ++k) flags[k] = from[k] != 0 ? 1 : 0;
    return true;
  }
};

/// Keeps items whose bit is set: bit i % 32 of word i / 32.
struct keep_masked {
  std::uint32_t const* words;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    std::uint32_t any = 0;
    for (index_t w = begin / 32; w < ceil_div(begin + items, index_t{32}); ++w) any |= words[w];
    if (any == 0) return false;
    for (index_t k = 0; k < items;) {
      index_t const i = begin + k;
      std::uint32_t const word = words[i / 32] >> i % 32;
      index_t const here = std::min(items - k, 32 - i % 32);
      for (index_t j = 0; j < here; ++j) flags[k + j] = word >> j & 1u;
      k += here;
    }
    return true;
  }
};

/// Keeps items that do not equal (==) the one before them, and the first.
template <class T>
struct keep_heads {
  T const* in;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    T const* const from = in + begin;
    if (begin == 0) flags[0] = 1;
    for (index_t k = begin == 0 ? 1 : 0; k < items; ++k) flags[k] = from[k - 1] == from[k] ? 0 : 1;
    return true;
  }
};

}  // namespace libscan::inline v1::cpu
