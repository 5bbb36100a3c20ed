// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_text.hpp, through Highway.
#include <apps/common/vector_text.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#define LIBSCAN_VECTORS_UP_TO_AVX2
#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "apps/common/vector_text.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::apps {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t word_bits = 64;

/// The marks of 64 characters.
HWY_INLINE void mark_word(char const* text, char a, char b, std::uint64_t& line_ends,
                          std::uint64_t& separators) {
#if HWY_TARGET == HWY_SCALAR
  line_ends = separators = 0;
  for (std::size_t i = 0; i < word_bits; ++i) {
    bool const ends = text[i] == '\n', separates = ends || text[i] == a || text[i] == b;
    line_ends |= std::uint64_t{ends} << i;
    separators |= std::uint64_t{separates} << i;
  }
#else
  hn::CappedTag<std::uint8_t, word_bits> const d;
  auto const same = [&](auto characters, char one) HWY_ATTR {
    return hn::Eq(characters, hn::Set(d, static_cast<std::uint8_t>(one)));
  };
  std::uint8_t ends[2 * sizeof(std::uint64_t)], all[2 * sizeof(std::uint64_t)];
  for (std::size_t i = 0; i < word_bits; i += hn::Lanes(d)) {
    auto const some = hn::LoadU(d, reinterpret_cast<std::uint8_t const*>(text + i));
    auto const end = same(some, '\n');
    hn::StoreMaskBits(d, end, ends + i / 8);
    hn::StoreMaskBits(d, hn::Or(end, hn::Or(same(some, a), same(some, b))), all + i / 8);
  }
  std::memcpy(&line_ends, ends, sizeof line_ends);
  std::memcpy(&separators, all, sizeof separators);
  if constexpr (std::endian::native == std::endian::big) {
    line_ends = __builtin_bswap64(line_ends);
    separators = __builtin_bswap64(separators);
  }
#endif
}

void mark_characters(char const* text, std::size_t size, char a, char b, std::uint64_t* line_ends,
                     std::uint64_t* separators) {
  for (; size >= word_bits; size -= word_bits, text += word_bits) {
    mark_word(text, a, b, *line_ends++, *separators++);
  }
  if (size == 0) return;
  char last[word_bits] = {};
  std::copy_n(text, size, last);
  mark_word(last, a, b, *line_ends, *separators);
}

/// Writes eight places at once, without a branch that depends on the marks.
std::size_t list_marks(std::uint64_t const* words, std::size_t count, std::uint32_t first,
                       std::uint32_t* to) {
  std::uint32_t* const begin = to;
  for (std::size_t w = 0; w < count; ++w) {
    std::uint64_t left = words[w];
    int const marks = std::popcount(left);
    std::uint32_t* next = to;
    for (int done = 0; done < marks; done += int{listed_beyond}) {
      for (std::size_t i = 0; i < listed_beyond; ++i) {
        *next++ = first + static_cast<std::uint32_t>(w * word_bits) +
                  static_cast<std::uint32_t>(std::countr_zero(left));
        left &= left - 1;
      }
    }
    to += marks;
  }
  return static_cast<std::size_t>(to - begin);
}

/// Copies a line, and bytes after it. Returns its size with the LF; 0: it reaches `to_end`.
HWY_INLINE std::size_t copy_line(char const* from, char* to, char const* to_end) {
  hn::CappedTag<std::uint8_t, line_slack> const d;
  auto const line_end = hn::Set(d, static_cast<std::uint8_t>('\n'));
  for (std::size_t i = 0; to + i < to_end; i += hn::Lanes(d)) {
    auto const some = hn::LoadU(d, reinterpret_cast<std::uint8_t const*>(from + i));
    hn::StoreU(some, d, reinterpret_cast<std::uint8_t*>(to + i));
    std::intptr_t const at = hn::FindFirstTrue(d, hn::Eq(some, line_end));
    if (at >= 0) return i + static_cast<std::size_t>(at) + 1;
  }
  return 0;
}

copied_lines copy_lines(char const* text, std::uint32_t end, std::span<std::uint32_t const> begins,
                        std::span<char> to) {
  constexpr std::size_t ahead = 32;           // lines are at random places
  constexpr std::ptrdiff_t usual_bytes = 24;  // they often reach the next cache line
  copied_lines done;
  char const* const to_end = to.data() + to.size() - line_slack;
  for (; done.lines < begins.size(); ++done.lines) {
    if (done.lines + ahead < begins.size()) {
      char const* const later = text + begins[done.lines + ahead];
      __builtin_prefetch(later);
      __builtin_prefetch(later + usual_bytes);
    }
    std::uint32_t const begin = begins[done.lines];
    if (begin >= end) break;
    std::size_t const size = copy_line(text + begin, to.data() + done.bytes, to_end);
    if (size == 0) break;
    done.bytes += size;
  }
  return done;
}

void choose(text_code& to) { to = {mark_characters, list_marks, copy_lines}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::apps
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::apps {

LIBSCAN_VECTOR_TABLE(text_code, choose)

}  // namespace libscan::apps
#endif
