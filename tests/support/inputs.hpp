// SPDX-License-Identifier: Apache-2.0
// Inputs for tests: random ones from a single seed, and the regular ones that hide or reveal
// mistakes. The same on every machine.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::test {

/// The seed of all random inputs: environment variable LIBSCAN_TEST_SEED, else a constant.
inline std::uint64_t seed() {
  static std::uint64_t const value = [] {
    char const* const text = std::getenv("LIBSCAN_TEST_SEED");
    return text == nullptr ? std::uint64_t{20240229} : std::strtoull(text, nullptr, 0);
  }();
  return value;
}

/// A stream of random 64-bit words (splitmix64: a counter, then a mixing function).
class random_words {
 public:
  /// `stream` separates inputs of one seed.
  explicit random_words(std::uint64_t stream = 0) : state_(mix(seed() + mix(stream))) {}

  std::uint64_t operator()() { return mix(state_ += 0x9e3779b97f4a7c15U); }

  /// In [0, bound), for bound > 0 (very nearly evenly).
  std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

/// The pattern of an input's items.
enum class pattern : std::uint8_t {
  random,    ///< any bits for integers; evenly in [-1, 1) for floats
  small,     ///< integers in [-8, 8), or [0, 8) for unsigned: floating-point sums of 2^20 are exact
  constant,  ///< one random item, repeated
  zeros,     ///< all 0
  ones,      ///< all 1
  sorted,    ///< 0, 1, 2, ..., stretched so that they do not wrap
  reversed,  ///< the same backwards
  alternating,  ///< 0, 1, 0, 1, ...
  low_entropy,  ///< bitwise and of four random words (for floats: few different values)
  special,      ///< floats: NaN, -0, +0, -inf, +inf among others; integers: the limits among others
};

/// All patterns; `special` is last.
inline std::vector<pattern> all_patterns() {
  return {pattern::random,      pattern::small,  pattern::constant, pattern::zeros,
          pattern::ones,        pattern::sorted, pattern::reversed, pattern::alternating,
          pattern::low_entropy, pattern::special};
}

namespace detail {

template <class T>
T random_item(random_words& words) {
  if constexpr (std::is_floating_point_v<T>) {
    // Full precision of T, so that sums must be rounded.
    constexpr int bits = std::numeric_limits<T>::digits;
    constexpr auto half = std::int64_t{1} << (bits - 1);
    return static_cast<T>(static_cast<std::int64_t>(words() >> (64 - bits)) - half) /
           static_cast<T>(half);
  } else {
    return static_cast<T>(words());
  }
}

template <class T>
T special_item(random_words& words) {
  using limits = std::numeric_limits<T>;
  switch (words.below(8)) {
    case 0:
      return T(-0.0);
    case 1:
      return T(0);
    case 2:
      return limits::has_quiet_NaN ? limits::quiet_NaN() : limits::max();
    case 3:
      return limits::has_infinity ? limits::infinity() : limits::max();
    case 4:
      return limits::has_infinity ? -limits::infinity() : limits::lowest();
    case 5:
      return limits::denorm_min() != T(0) ? limits::denorm_min() : T(1);
    default:
      return random_item<T>(words);
  }
}

/// The k-th of n ascending items.
template <class T>
T ascending_item(index_t k, index_t n) {
  if constexpr (sizeof(T) >= 4) {
    return static_cast<T>(k);
  } else {
    index_t const top = static_cast<index_t>(std::numeric_limits<T>::max());
    return n <= top ? static_cast<T>(k) : static_cast<T>(k / (n / top + 1));
  }
}

template <class T>
T item(pattern p, index_t k, index_t n, T constant, random_words& words) {
  switch (p) {
    case pattern::random:
      return random_item<T>(words);
    case pattern::small:
      return static_cast<T>(static_cast<int>(words.below(std::is_signed_v<T> ? 16 : 8)) -
                            (std::is_signed_v<T> ? 8 : 0));
    case pattern::constant:
      return constant;
    case pattern::zeros:
      return T(0);
    case pattern::ones:
      return T(1);
    case pattern::sorted:
      return ascending_item<T>(k, n);
    case pattern::reversed:
      return ascending_item<T>(n - 1 - k, n);
    case pattern::alternating:
      return static_cast<T>(k % 2);
    case pattern::low_entropy: {
      auto const bits = words() & words() & words() & words();
      return static_cast<T>(std::is_floating_point_v<T> ? bits & 0xff : bits);
    }
    case pattern::special:
      return special_item<T>(words);
  }
  return T(0);
}

}  // namespace detail

/// n items of an arithmetic type T in pattern `p`. Random ones depend on `seed()`, n, `p` and
/// `stream`.
template <class T>
std::vector<T> make_input(pattern p, index_t n, std::uint64_t stream = 0) {
  random_words words(stream * 1000003 + static_cast<std::uint64_t>(n) * 16 +
                     static_cast<std::uint64_t>(p));
  T const constant = detail::random_item<T>(words);
  std::vector<T> items;
  items.reserve(static_cast<std::size_t>(n));
  for (index_t k = 0; k < n; ++k) items.push_back(detail::item<T>(p, k, n, constant, words));
  return items;
}

}  // namespace libscan::test
