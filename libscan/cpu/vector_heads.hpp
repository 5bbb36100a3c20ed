// SPDX-License-Identifier: Apache-2.0
// Finds in vector registers which flags are set, which items offsets point to, and which keys
// differ from the one before, as bits; and whether offsets ascend, and how. Compiled for several
// instruction sets in vector_heads.cpp; the best one is chosen at run time.
#pragma once

#include <concepts>
#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/cpu/stream_copy.hpp>

namespace libscan::inline v1::cpu {

/// Head flags of 64 items: bit i is 1 if a segment begins at the i-th.
using head_word = std::uint64_t;

/// Head flags in a word.
inline constexpr index_t word_heads = 64;

/// Memory that will be read soon.
struct memory_piece {
  void const* from = nullptr;
  index_t bytes = 0;
};

namespace detail {

/// Sets bit i % 64 of to[i / 64] for the nonzero ones of n bytes, and clears all other bits of the
/// words.
using flag_marker = void (*)(std::uint8_t const* flags, index_t n, head_word* to);

/// The same for those of n keys that differ from the key before; reads keys[-1].
using change_marker = void (*)(void const* keys, index_t n, head_word* to);

/// Sets bit k of to[w] to whether item begin + 64 w + k is among `count` ascending non-negative
/// numbers, for `words` words; the first number is not less than `begin`, or only slightly. Returns
/// the number of them before the next item after the words. The time is proportional to that
/// number.
using offset_marker = index_t (*)(void const* numbers, index_t count, index_t begin, index_t words,
                                  head_word* to);

/// What is true of neighboring offsets.
struct ascent {
  bool ascend;      ///< no offset is less than the one before, or negative
  bool equal_step;  ///< each offset is by a given step more than the one before
};

/// Finds it for `count` > 0 numbers. Those of 4 bytes are unsigned, those of 8 bytes are signed.
using ascent_check = ascent (*)(void const* numbers, index_t count, index_t step);

/// The available vector code of head flags.
struct vector_heads {
  flag_marker flags;
  offset_marker offsets_of_4_bytes, offsets_of_8_bytes;
  ascent_check ascent_of_4_bytes, ascent_of_8_bytes;
  change_marker keys_of_1_byte, keys_of_2_bytes, keys_of_4_bytes, keys_of_8_bytes, floats, doubles;
  index_t vector_bytes;
};

/// For the best instruction set of this CPU among those that Highway may currently use.
vector_heads current_vector_heads();

/// The same, cached.
vector_heads const& best_vector_heads();

/// Sets bit i % 64 of to[i / 64] to is_head(i), 0 or 1, and clears all other bits of the words.
template <class IsHead>
void mark_one_by_one(index_t n, head_word* to, IsHead is_head) {
  for (index_t i = 0; i < n; i += word_heads) {
    head_word word = 0;
    for (index_t k = i; k < n && k < i + word_heads; ++k) {
      word |= static_cast<head_word>(is_head(k)) << (k - i);
    }
    *to++ = word;
  }
}

/// Keys for which there is a `change_marker`.
template <class Key>
concept vector_key = std::same_as<Key, float> || std::same_as<Key, double> ||
    (std::integral<Key> && sizeof(Key) <= 8);

template <vector_key Key>
void mark_changes(Key const* keys, index_t n, head_word* to) {
  vector_heads const& code = best_vector_heads();
  if constexpr (std::same_as<Key, float>) {
    code.floats(keys, n, to);
  } else if constexpr (std::same_as<Key, double>) {
    code.doubles(keys, n, to);
  } else if constexpr (sizeof(Key) == 1) {
    code.keys_of_1_byte(keys, n, to);
  } else if constexpr (sizeof(Key) == 2) {
    code.keys_of_2_bytes(keys, n, to);
  } else if constexpr (sizeof(Key) == 4) {
    code.keys_of_4_bytes(keys, n, to);
  } else {
    code.keys_of_8_bytes(keys, n, to);
  }
}

/// ranks[i] = before + the number of ones among bits 0 ... i (inclusive) or 0 ... i - 1
/// (exclusive), for n bits, bit i % 64 of bits[i / 64]. Wraps around.
template <class Rank>
using ranker = void (*)(scan_kind kind, head_word const* bits, index_t n, Rank before, Rank* ranks,
                        store_policy policy);

/// The available vector code of ranks.
struct vector_ranks {
  ranker<std::uint32_t> of_4_bytes;
  ranker<std::uint64_t> of_8_bytes;
};

/// For the best instruction set of this CPU among those that Highway may currently use.
vector_ranks current_vector_ranks();

/// The same, cached.
vector_ranks const& best_vector_ranks();

}  // namespace detail

}  // namespace libscan::inline v1::cpu
