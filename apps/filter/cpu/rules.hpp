// SPDX-License-Identifier: Apache-2.0
// The rules by which a filter on a CPU keeps items: a predicate, flags, bits, or the previous item.
// Each marks a block of items at once, in loops that do not branch on the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>

namespace libscan::inline v1::cpu {

/// The most items that are marked at once, before any of them is packed.
inline constexpr index_t mark_items = 512;

namespace detail {

template <class T>
memory_span bytes_of(T const* begin, T const* end) {
  return {begin, end - begin, sizeof(T)};
}

/// flags[j] = bit j, for the eight bits of a byte.
inline void spread_bits(std::uint64_t byte, std::uint8_t* flags) {
  // A copy of the byte in each flag; flag j keeps only bit j, and an addition carries it to the
  // top.
  std::uint64_t const own = byte * 0x0101010101010101u & 0x8040201008040201u;
  std::uint64_t const ones = (own + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
  for (int j = 0; j < 8; ++j) flags[j] = static_cast<std::uint8_t>(ones >> 8 * j);
}

}  // namespace detail

/// Every rule has two functions. mark(begin, items, flags) sets flags[k] to 1 if item begin + k is
/// kept, to 0 if not, for k < items <= mark_items; or, if none is kept, returns false and may leave
/// the flags unset. memory(begin, end) is what it reads of those items, for `read_ahead`, or
/// nothing. A rule that also reads the item before `begin` has a static constant `looks_back`.
///
/// This rule keeps what a predicate accepts.
template <class In, class Keep>
struct keep_where {
  In in;
  Keep keep;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    // As variables: the compiler assumes that flags, which are bytes, may overwrite members.
    In const from = in + begin;
    Keep const accepts = keep;
    for (index_t k = 0; k < items; ++k) flags[k] = accepts(from[k]) ? 1 : 0;
    return true;
  }

  detail::memory_span memory(index_t begin, index_t end) const {
    if constexpr (std::contiguous_iterator<In>) {
      return detail::bytes_of(std::to_address(in) + begin, std::to_address(in) + end);
    } else {
      return {};
    }
  }
};
/// clang++ deduces aggregates from version 17 on.
template <class In, class Keep>
keep_where(In, Keep) -> keep_where<In, Keep>;

/// Keeps items whose byte is nonzero.
struct keep_flagged {
  std::uint8_t const* bytes;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    std::uint8_t const* const from = bytes + begin;
    for (index_t k = 0; k < items; ++k) flags[k] = from[k] != 0 ? 1 : 0;
    return true;
  }

  detail::memory_span memory(index_t begin, index_t end) const {
    return detail::bytes_of(bytes + begin, bytes + end);
  }
};

/// Keeps items whose bit is set: bit i % 32 of word i / 32.
struct keep_masked {
  std::uint32_t const* words;

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    detail::require_aligned(words);
    std::uint32_t any = 0;
    for (index_t w = begin / 32; w < ceil_div(begin + items, index_t{32}); ++w) any |= words[w];
    if (any == 0) return false;
    for (index_t k = 0; k < items;) {
      index_t const i = begin + k;
      std::uint32_t const word = words[i / 32] >> i % 32;
      index_t const here = std::min(items - k, 32 - i % 32);
      if (here == 32) {
        for (int j = 0; j < 32; j += 8) detail::spread_bits(word >> j & 0xff, flags + k + j);
      } else {
        for (index_t j = 0; j < here; ++j) flags[k + j] = word >> j & 1u;
      }
      k += here;
    }
    return true;
  }

  detail::memory_span memory(index_t begin, index_t end) const {
    return detail::bytes_of(words + begin / 32, words + ceil_div(end, index_t{32}));
  }
};

/// Keeps items that are not equal to the previous one, and the first item. `equal(earlier, later)`
/// is called for neighbors only.
template <class In, class Equal = equal_values>
struct keep_heads {
  static constexpr bool looks_back = true;
  In in;
  Equal equal{};

  bool mark(index_t begin, index_t items, std::uint8_t* flags) const {
    // As variables: see `keep_where`.
    In const from = in + begin;
    Equal const same = equal;
    if (begin == 0) flags[0] = 1;
    for (index_t k = begin == 0 ? 1 : 0; k < items; ++k) {
      flags[k] = same(from[k - 1], from[k]) ? 0 : 1;
    }
    return true;
  }

  detail::memory_span memory(index_t begin, index_t end) const {
    return detail::memory_of(in + begin, end - begin);
  }
};
/// Items compared by ==.
template <class In>
keep_heads(In) -> keep_heads<In>;
/// Items compared by `equal`.
template <class In, class Equal>
keep_heads(In, Equal) -> keep_heads<In, Equal>;

}  // namespace libscan::inline v1::cpu
