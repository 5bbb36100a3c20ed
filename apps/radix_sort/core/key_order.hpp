// SPDX-License-Identifier: Apache-2.0
// The order of keys, as words: every key maps to unsigned words with the order of the key. Sorts
// move the keys unchanged and only use bits of those words, so the same order holds on every
// engine.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/half.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// From the smallest key to the largest, or in reverse; equal keys keep their order in both.
enum class sort_direction : std::uint8_t { ascending, descending };

namespace detail {

/// The most bits of a digit of sorts on the device.
inline constexpr int sort_digit_bits = 8;

template <std::size_t Bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};

/// Bits of the fraction of a floating-point key type; 0 for other types.
template <class Key>
inline constexpr int fraction_bits = 0;
template <>
inline constexpr int fraction_bits<float16> = 10;
template <>
inline constexpr int fraction_bits<bfloat16> = 7;
template <>
inline constexpr int fraction_bits<__half> = 10;
template <>
inline constexpr int fraction_bits<__nv_bfloat16> = 7;
template <>
inline constexpr int fraction_bits<float> = 23;
template <>
inline constexpr int fraction_bits<double> = 52;

/// A decomposition's words, as an array that device code may index.
template <class Words>
struct decomposed {
  static_assert(std::unsigned_integral<Words>,
                "a decomposition is an unsigned integer or a std::array of unsigned integers");
  using word_type = Words;
  static constexpr int words = 1;
  static LIBSCAN_HOST_DEVICE Words pick(Words const& all, int) { return all; }
};
template <std::unsigned_integral Word, std::size_t Count>
struct decomposed<std::array<Word, Count>> {
  using word_type = Word;
  static constexpr int words = static_cast<int>(Count);
  /// Word `w` from the least significant.
  static LIBSCAN_HOST_DEVICE Word pick(std::array<Word, Count> const& all, int w) {
    // Through memory, since device code may not call the members of std::array.
    Word word[Count];
    ::memcpy(word, &all, sizeof(word));
    Word picked = word[Count - 1];
    for (int i = 1; i < words; ++i) {
      if (i == w) picked = word[words - 1 - i];
    }
    return picked;
  }
};

}  // namespace detail

/// The order of numbers: integers by value; floats -inf < ... < -0 = +0 < ... < +inf < NaN, with
/// all NaNs equal, of either sign.
template <class Key>
struct number_order {
  static_assert(std::is_integral_v<Key> || detail::fraction_bits<Key> != 0,
                "libscan: keys of a type of your own need a decomposition into unsigned words");
  using word_type = typename detail::unsigned_of<sizeof(Key)>::type;

  /// The word with the order of the key.
  LIBSCAN_HOST_DEVICE word_type operator()(Key const& key) const {
    word_type bits;
    ::memcpy(&bits, &key, sizeof(bits));
    constexpr auto sign = static_cast<word_type>(word_type{1} << (8 * sizeof(Key) - 1));
    if constexpr (detail::fraction_bits<Key> != 0) {
      constexpr auto magnitude = static_cast<word_type>(sign - 1);
      constexpr auto infinity =
          static_cast<word_type>(magnitude - ((word_type{1} << detail::fraction_bits<Key>)-1));
      if ((bits & magnitude) > infinity) return static_cast<word_type>(~word_type{0});
      if (bits == sign) bits = 0;
      return static_cast<word_type>((bits & sign) != 0 ? ~bits : bits | sign);
    } else if constexpr (std::is_signed_v<Key>) {
      return static_cast<word_type>(bits ^ sign);
    } else {
      return bits;
    }
  }

  /// The key of a word; one of them, if equal keys are not identical.
  LIBSCAN_HOST_DEVICE Key key(word_type word) const {
    constexpr auto sign = static_cast<word_type>(word_type{1} << (8 * sizeof(Key) - 1));
    word_type bits = word;
    if constexpr (detail::fraction_bits<Key> != 0) {
      bits = static_cast<word_type>((word & sign) != 0 ? word ^ sign : ~word);
    } else if constexpr (std::is_signed_v<Key>) {
      bits = static_cast<word_type>(word ^ sign);
    }
    Key key;
    ::memcpy(&key, &bits, sizeof(key));
    return key;
  }
};

/// The order of a sort. `decompose`: a copyable functor, callable on host and device, from a key to
/// an unsigned integer, or to a std::array of them with the most significant first; numbers have a
/// default. Only bits [first_bit, end_bit) are compared, counted from the lowest of the least
/// significant word; `end_bit` < 0 means all. Keys equal in those bits keep their order. A
/// decomposition into one word of the key's size may also have `key(word)`, a `Key` with that word:
/// it makes sorts of keys without values within segments faster.
///
///   sort_keys(ws, in, out, n, {.direction = sort_direction::descending, .end_bit = 24});
template <class Key, class Decompose = number_order<Key>>
struct sort_order {
  using key_type = Key;
  using decomposition = detail::decomposed<std::invoke_result_t<Decompose, Key>>;
  using word_type = typename decomposition::word_type;
  static constexpr int words = decomposition::words;
  static constexpr int word_bits = 8 * static_cast<int>(sizeof(word_type));
  static constexpr int bits = words * word_bits;
  /// Whether a word determines the key, or at least an equal one.
  static constexpr bool invertible = words == 1 && sizeof(Key) == sizeof(word_type) &&
                                     requires(Decompose const& d, word_type word) {
    { d.key(word) } -> std::same_as<Key>;
  };

  sort_direction direction = sort_direction::ascending;
  int first_bit = 0;
  int end_bit = -1;
  Decompose decompose{};

  /// One past the last compared bit.
  LIBSCAN_HOST_DEVICE int end() const { return end_bit < 0 ? bits : end_bit; }

  /// Word `w` of the key, from the least significant, such that smaller words come first in the
  /// sort's direction. Includes bits that are not compared.
  LIBSCAN_HOST_DEVICE word_type word(Key const& key, int w = 0) const {
    word_type const up = decomposition::pick(decompose(key), w);
    return direction == sort_direction::descending ? static_cast<word_type>(~up) : up;
  }

  /// The key of a word, if all bits are compared; one of them, if equal keys are not identical.
  LIBSCAN_HOST_DEVICE Key key(word_type word) const requires invertible {
    return decompose.key(direction == sort_direction::descending ? static_cast<word_type>(~word)
                                                                 : word);
  }

  /// Whether all bits are compared.
  LIBSCAN_HOST_DEVICE bool has_all_bits() const { return first_bit == 0 && end() == bits; }

  /// The compared bits of word `w`.
  LIBSCAN_HOST_DEVICE word_type counting(int w) const {
    int const first = first_bit - w * word_bits;
    int const last = end() - w * word_bits;
    if (last <= 0 || first >= word_bits) return 0;
    constexpr auto all = static_cast<word_type>(~word_type{0});
    auto const up = static_cast<word_type>(first > 0 ? all << first : all);
    return last >= word_bits ? up : static_cast<word_type>(up & ~(all << last));
  }

  /// Whether `a` must come before `b`, independent of their places.
  LIBSCAN_HOST_DEVICE bool operator()(Key const& a, Key const& b) const {
    for (int w = words - 1; w >= 0; --w) {
      auto const x = static_cast<word_type>(word(a, w) & counting(w));
      auto const y = static_cast<word_type>(word(b, w) & counting(w));
      if (x != y) return x < y;
    }
    return false;
  }

  /// Throws `invalid_argument` unless 0 <= first_bit <= end() <= bits.
  void check_bits() const {
    if (first_bit >= 0 && first_bit <= end() && end() <= bits) return;
    throw invalid_argument("sort by bits [" + std::to_string(first_bit) + ", " +
                           std::to_string(end()) + "); expected a range within [0, " +
                           std::to_string(bits) + "]");
  }
};

/// Whether keys that compare equal in all their bits are identical: true for integers, but not for
/// floats, which have two zeros and many NaNs.
template <class Order>
inline constexpr bool equal_is_identical = false;
template <std::integral Key>
inline constexpr bool equal_is_identical<sort_order<Key, number_order<Key>>> = true;

}  // namespace libscan::inline v1

namespace libscan::inline v1::detail {

/// Refuses orders that cannot sort keys of type Key.
template <class Key, class Order>
constexpr void refuse_order() {
  constexpr bool sorts = requires(Order const& order) {
    requires std::is_same_v<typename Order::key_type, Key>;
    order.counting(0);
  };
  static_assert(sorts,
                "libscan: keys are sorted by a sort_order of their own type, not by a comparison "
                "such as std::greater: sort_order<Key>(sort_direction::descending), or "
                "sort_order<Key, Decomposition> for keys of a type of your own");
}

}  // namespace libscan::inline v1::detail

// Runs of sorted keys in device memory, which are merged two by two.
namespace libscan::inline v1::detail {

/// The values of a merge of keys only.
struct keys_only {};

/// Sorted keys in device memory, also of another device that this one reaches, and their values.
template <class Key>
struct sorted_run {
  Key const* keys;
  void const* values;
  index_t size;
};

/// Two runs to be merged, where the result goes, and the first tile of their merge.
template <class Key>
struct merged_pair {
  sorted_run<Key> a, b;
  index_t target;
  index_t first_tile;
};

}  // namespace libscan::inline v1::detail
