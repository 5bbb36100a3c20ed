// SPDX-License-Identifier: Apache-2.0
// Which flags are set, where offsets point, which keys differ from the one before, as bits, found
// in vector registers. Compiled for several instruction sets in vector_heads.cpp; the best one is
// chosen at run time.
#pragma once

#include <concepts>
#include <cstdint>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu {

/// Heads of 64 items: bit i is 1 where a segment begins at the i-th.
using head_word = std::uint64_t;

/// Heads in a word.
inline constexpr index_t word_heads = 64;

/// Memory that will be read soon.
struct memory_piece {
  void const* from = nullptr;
  index_t bytes = 0;
};

namespace detail {

/// Sets bit i % 64 of to[i / 64] to 1 for those of n bytes that are not 0, and all other bits of
/// the words to 0.
using flag_marker = void (*)(std::uint8_t const* flags, index_t n, head_word* to);

/// The same for those of n keys that are not equal to the key before; keys[-1] is read.
using change_marker = void (*)(void const* keys, index_t n, head_word* to);

/// Sets bit k of to[w] to whether item begin + 64 w + k is among `count` ascending numbers, none of
/// them negative, for `words` words; the first is not less than `begin`, or not by much. Returns
/// how many come before the item behind. Takes as long as there are such numbers.
using offset_marker = index_t (*)(void const* numbers, index_t count, index_t begin, index_t words,
                                  head_word* to);

/// The vector code there is.
struct vector_heads {
  flag_marker flags;
  offset_marker offsets_of_4_bytes, offsets_of_8_bytes;
  change_marker keys_of_1_byte, keys_of_2_bytes, keys_of_4_bytes, keys_of_8_bytes, floats, doubles;
};

/// For the best instruction set this CPU has, among those that Highway is told to use at the
/// moment.
vector_heads current_vector_heads();

/// The same, found once.
vector_heads const& best_vector_heads();

/// Sets bit i % 64 of to[i / 64] to is_head(i), 0 or 1, and all other bits of the words to 0.
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

/// Keys that there is a `change_marker` for.
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

}  // namespace detail

}  // namespace libscan::inline v1::cpu
