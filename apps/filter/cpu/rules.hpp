// SPDX-License-Identifier: Apache-2.0
// The rules by which a filter on a CPU keeps items: a predicate, flags, bits, or the previous item.
// Each marks a block of items at once, in loops that do not branch on the data. And checks before
// anything is written: outputs must not share memory with what is read, or with one another.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/stream_copy.hpp>

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
  static constexpr bool compares_no_floats = true;
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
  static constexpr bool compares_no_floats = true;
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
  static constexpr bool compares_no_floats =
      std::integral<std::iter_value_t<In>> && std::same_as<Equal, equal_values>;
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

namespace libscan::inline v1::cpu::detail {

/// What `rule` reads for items [begin, end), if that is known. Unknown if the query throws: marking
/// the items throws again, where it is reported.
template <class Rule>
memory_span memory_read(Rule const& rule, index_t begin, index_t end) try {
  if (begin >= end) return {};
  return rule.memory(begin, end);
} catch (...) {
  return {};
}

/// Whether a rule reads the item before the one that it decides about.
template <class Rule>
inline constexpr bool looks_back = requires {
  requires Rule::looks_back;
};

/// Throws `invalid_argument` if the part of an output that may be written shares memory with the n
/// items that are read, or with what else the rule reads.
template <class In, class Rule, class Out>
void require_no_output_overlap(char const* call, In const& in, Rule const& rule, index_t n,
                               Out const& out, index_t capacity, bool may_be_input = false) {
  memory_span const items = detail::memory_of(in, n), read = detail::memory_read(rule, 0, n);
  memory_span const written = detail::memory_of(out, std::min(capacity, n));
  if (!may_be_input) require_no_overlap(call, "input and output", items, written);
  if (read == items) return;
  require_no_overlap(call, "an output and what decides", read, written);
}

/// Whether an output of the input's type begins where the input does.
template <class In, class Out>
bool goes_over(In const& in, Out const& out) {
  return std::same_as<std::iter_value_t<In>, std::iter_value_t<Out>> && detail::in_place(in, out);
}

/// The same for an output that may begin where input of its type does.
template <class In, class Rule, class Out>
void require_output_in_place_or_no_overlap(char const* call, In const& in, Rule const& rule,
                                           index_t n, Out const& out, index_t capacity) {
  detail::require_no_output_overlap(call, in, rule, n, out, capacity, detail::goes_over(in, out));
}

/// Throws if the parts of two outputs that may be written share memory.
template <class A, class B>
void require_no_overlap_of_outputs(char const* call, A const& a, index_t a_capacity, B const& b,
                                   index_t b_capacity, index_t n) {
  detail::require_no_overlap(call, "two outputs", detail::memory_of(a, std::min(a_capacity, n)),
                             detail::memory_of(b, std::min(b_capacity, n)));
}

}  // namespace libscan::inline v1::cpu::detail
