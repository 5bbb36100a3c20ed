// SPDX-License-Identifier: Apache-2.0
// One bool per item, in two forms: a byte each, or 32 packed in a word. Read as bits, a
// piece of the items at a time.
#pragma once

#include <concepts>
#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu {

/// The requirements on a mask: mask.mark(begin, end, to) sets bit k % 64 of to[k / 64] to whether
/// item begin + k is true, for all items of [begin, end), at least one, and the last word's further
/// bits to 0. It is called concurrently.
template <class Mask>
concept item_marks = std::copy_constructible<Mask> &&
    requires(Mask const mask, index_t item, head_word* to) {
  mask.mark(item, item, to);
};

/// A byte per item; nonzero is true.
struct byte_mask {
  std::uint8_t const* bytes;

  void mark(index_t begin, index_t end, head_word* to) const {
    detail::best_vector_heads().flags(bytes + begin, end - begin, to);
  }
  /// The memory that `mark` will read, for prefetching.
  memory_piece read_for(index_t begin, index_t end) const { return {bytes + begin, end - begin}; }
};

/// A bit per item: bit i of word w is item 32 w + i. n items have ceil(n / 32) words; bits after
/// the last item are ignored.
struct bit_mask {
  std::uint32_t const* words;

  void mark(index_t begin, index_t end, head_word* to) const {
    index_t const last = (end - 1) / 32;
    int const shift = static_cast<int>(begin % 32);
    for (index_t w = begin / 32; begin < end; begin += word_heads, w += 2) {
      head_word word = words[w] >> shift;
      if (w + 1 <= last) word |= head_word{words[w + 1]} << (32 - shift);
      if (shift != 0 && w + 2 <= last) word |= head_word{words[w + 2]} << (64 - shift);
      index_t const beyond = word_heads - (end - begin);
      *to++ = beyond > 0 ? word & ~head_word{0} >> beyond : word;
    }
  }
  memory_piece read_for(index_t begin, index_t end) const {
    return {words + begin / 32, (end - begin) / 8};
  }
};

namespace detail {

inline memory_span memory_of(byte_mask const& mask, index_t n) { return memory_of(mask.bytes, n); }
inline memory_span memory_of(bit_mask const& mask, index_t n) {
  return memory_of(mask.words, ceil_div(n, index_t{32}));
}

}  // namespace detail

}  // namespace libscan::inline v1::cpu
