// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_heads.hpp, through Highway: compares whole vectors and combines the
// results into words.
#include <libscan/cpu/vector_heads.hpp>

#include <cstring>
#include <type_traits>
#include <utility>

#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_heads.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using lanes = hn::CappedTag<T, 64>;

/// The prefetch distance: in a long run the core's own prefetcher stops at each page.
inline constexpr std::uintptr_t bytes_ahead = 1024;

/// A bit per lane, the first one the lowest.
template <class T>
HWY_INLINE head_word bits_of(hn::Mask<lanes<T>> mask) {
  constexpr std::size_t width = hn::MaxLanes(lanes<T>());
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(lanes<T>(), mask, bytes);
  head_word bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return width == 64 ? bits : bits & ((head_word{1} << width % 64) - 1);
}

/// Sets the bits of those of n items that differ from vector_at(i), or from item_at(i) where they
/// fill no word.
template <class T, class VectorAt, class ItemAt>
HWY_INLINE void mark_different(T const* items, index_t n, head_word* to, VectorAt vector_at,
                               ItemAt item_at) {
  lanes<T> const d;
  constexpr auto width = static_cast<index_t>(hn::MaxLanes(lanes<T>()));
  index_t i = 0;
  for (; i + word_heads <= n; i += word_heads) {
    // As a number: it may not be a valid address.
    auto const ahead = reinterpret_cast<std::uintptr_t>(items + i) + bytes_ahead;
    for (std::size_t line = 0; line < word_heads * sizeof(T); line += 64) {
      __builtin_prefetch(reinterpret_cast<void const*>(ahead + line));
    }
    head_word same = 0;
    for (index_t k = 0; k < word_heads; k += width) {
      same |= bits_of<T>(hn::Eq(hn::LoadU(d, items + i + k), vector_at(i + k))) << k;
    }
    *to++ = ~same;
  }
  mark_one_by_one(n - i, to, [=](index_t k) { return !(items[i + k] == item_at(i + k)); });
}

void mark_flags(std::uint8_t const* flags, index_t n, head_word* to) {
  mark_different(
      flags, n, to, [](index_t) HWY_ATTR { return hn::Zero(lanes<std::uint8_t>()); },
      [](index_t) { return 0; });
}

template <class Key>
void mark_changes(void const* of_keys, index_t n, head_word* to) {
  auto const keys = static_cast<Key const*>(of_keys);
  mark_different(
      keys, n, to, [keys](index_t i) HWY_ATTR { return hn::LoadU(lanes<Key>(), keys + i - 1); },
      [keys](index_t i) { return keys[i - 1]; });
}

using number = hn::CappedTag<std::uint64_t, 8>;

HWY_INLINE hn::Vec<number> numbers_at(std::uint64_t const* at) { return hn::LoadU(number(), at); }
HWY_INLINE hn::Vec<number> numbers_at(std::uint32_t const* at) {
  return hn::PromoteTo(number(), hn::LoadU(hn::Rebind<std::uint32_t, number>(), at));
}

template <class Offset>
index_t mark_offsets(void const* numbers, index_t count, index_t begin, index_t words,
                     head_word* to) {
  number const d;
  auto const first_number = static_cast<Offset const*>(numbers);
  auto at = first_number;
  auto const last = at + count;
  auto const past = [&](Offset offset) { return static_cast<index_t>(offset) - begin; };
  constexpr auto width = static_cast<index_t>(hn::MaxLanes(d));
  auto const one = hn::Set(d, 1), bits = hn::Set(d, word_heads);
  for (index_t w = 0; w < words; ++w, begin += word_heads) {
    auto const first = hn::Set(d, static_cast<std::uint64_t>(begin));
    auto marks = hn::Zero(d);
    // A vector may reach into the next word, and is processed again there: numbers before a word
    // become huge when its first item is subtracted.
    for (; last - at >= width; at += width) {
      auto const k = hn::Sub(numbers_at(at), first);
      auto const mark = hn::Shl(one, hn::And(k, hn::Sub(bits, one)));
      marks = hn::Or(marks, hn::IfThenElseZero(hn::Lt(k, bits), mark));
      if (past(at[width - 1]) >= word_heads) break;
    }
    alignas(64) head_word parts[width];
    hn::Store(marks, d, parts);
    head_word word = 0;
    for (head_word const part : parts) word |= part;
    if (last - at < width) {
      for (; at != last && past(*at) < word_heads; ++at) {
        if (past(*at) >= 0) word |= head_word{1} << past(*at);
      }
    }
    *to++ = word;
  }
  return at - first_number;
}

/// Of 32 bytes: longer ones, whose neighbors begin next to them, would all cross cache lines.
template <class Number>
using ascending = hn::CappedTag<Number, 32 / sizeof(Number)>;

/// Not 0 in lanes whose number `here` is less than the one before, as unsigned numbers.
HWY_INLINE hn::Vec<ascending<std::uint32_t>> descent(hn::Vec<ascending<std::uint32_t>> before,
                                                     hn::Vec<ascending<std::uint32_t>> here) {
  return hn::Xor(hn::Max(before, here), here);
}

/// Negative in lanes whose number `here` is negative or less than the one before, which is not.
HWY_INLINE hn::Vec<ascending<std::int64_t>> descent(hn::Vec<ascending<std::int64_t>> before,
                                                    hn::Vec<ascending<std::int64_t>> here) {
  return hn::Or(here, hn::Sub(here, before));
}

HWY_INLINE bool is_descent(std::uint32_t x) { return x != 0; }
HWY_INLINE bool is_descent(std::int64_t x) { return x < 0; }

template <class Number>
ascent find_ascent(void const* numbers, index_t count, index_t step) {
  ascending<Number> const d;
  auto const from = static_cast<Number const*>(numbers);
  constexpr auto width = static_cast<index_t>(hn::MaxLanes(ascending<Number>()));
  constexpr index_t vectors = 4;
  auto const steps = hn::Set(d, static_cast<Number>(step));
  auto descents = hn::Zero(d), other_steps = hn::Zero(d);  // without leaving the loop early
  index_t i = 1;
  for (; i + vectors * width <= count; i += vectors * width) {
    // As a number: it may not be a valid address.
    auto const ahead = reinterpret_cast<std::uintptr_t>(from + i) + 2 * bytes_ahead;
    __builtin_prefetch(reinterpret_cast<void const*>(ahead));
    __builtin_prefetch(reinterpret_cast<void const*>(ahead + 64));
    for (index_t k = i; k < i + vectors * width; k += width) {
      auto const before = hn::LoadU(d, from + k - 1), here = hn::LoadU(d, from + k);
      descents = hn::Or(descents, descent(before, here));
      other_steps = hn::Or(other_steps, hn::Xor(hn::Sub(here, before), steps));
    }
  }
  alignas(64) Number descent_of[width], other_step_of[width];
  hn::Store(descents, d, descent_of);
  hn::Store(other_steps, d, other_step_of);
  ascent found{!std::cmp_less(from[0], 0), true};
  for (index_t lane = 0; lane < width; ++lane) {
    found.ascend = found.ascend && !is_descent(descent_of[lane]);
    found.equal_step = found.equal_step && other_step_of[lane] == 0;
  }
  for (; i < count; ++i) {
    using bits = std::make_unsigned_t<Number>;
    auto const difference = static_cast<bits>(from[i]) - static_cast<bits>(from[i - 1]);
    found.ascend = found.ascend && from[i] >= from[i - 1];
    found.equal_step = found.equal_step && difference == static_cast<bits>(step);
  }
  return found;
}

void choose_all(vector_heads& all) {
  all = {mark_flags,
         mark_offsets<std::uint32_t>,
         mark_offsets<std::uint64_t>,
         find_ascent<std::uint32_t>,
         find_ascent<std::int64_t>,
         mark_changes<std::uint8_t>,
         mark_changes<std::uint16_t>,
         mark_changes<std::uint32_t>,
         mark_changes<std::uint64_t>,
         mark_changes<float>,
         mark_changes<double>,
         static_cast<index_t>(hn::Lanes(hn::ScalableTag<std::uint8_t>()))};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

LIBSCAN_VECTOR_TABLE(vector_heads, choose_all)

}  // namespace libscan::inline v1::cpu::detail
#endif
