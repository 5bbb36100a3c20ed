// SPDX-License-Identifier: Apache-2.0
// What a sort should give, from std::stable_sort and a comparison that knows nothing of words.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/types.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {

/// Keys of the types that are sorted as numbers are.
using number_keys =
    types_to_test<std::tuple<std::int8_t, std::uint32_t, double>,
                  std::tuple<std::int64_t, bfloat16>,
                  std::tuple<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint64_t,
                             float, float16, long long>>;

/// A value of a size that no sort carries along as it is.
struct name {
  char letters[3];
  bool operator==(name const&) const = default;
};

/// A float of 16 bits as a double.
inline double value_of(float16 x) {
  int const exponent = x.bits >> 10 & 31;
  int const fraction = x.bits & 1023;
  double magnitude = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 0) magnitude = std::ldexp(fraction, -24);
  if (exponent == 31) magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
  return x.bits >> 15 != 0 ? -magnitude : magnitude;
}
inline double value_of(bfloat16 x) {
  auto const bits = static_cast<std::uint32_t>(x.bits) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
T value_of(T x) {
  return x;
}

/// Whether `a` comes before `b` in ascending order.
template <class T>
bool comes_before(T const& a, T const& b) {
  auto const x = value_of(a);
  auto const y = value_of(b);
  if constexpr (std::is_floating_point_v<decltype(value_of(a))>) {
    if (std::isnan(x)) return false;
    if (std::isnan(y)) return true;
  }
  return x < y;
}

/// The positions of `keys` in stably sorted order.
template <class T, class Less>
std::vector<index_t> sorted_positions(std::vector<T> const& keys, bool descending, Less less) {
  std::vector<index_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), index_t{0});
  std::stable_sort(positions.begin(), positions.end(), [&](index_t a, index_t b) {
    T const& x = keys[static_cast<std::size_t>(a)];
    T const& y = keys[static_cast<std::size_t>(b)];
    return descending ? less(y, x) : less(x, y);
  });
  return positions;
}

/// The items at these positions.
template <class T>
std::vector<T> items_at(std::vector<T> const& items, std::vector<index_t> const& positions) {
  std::vector<T> result;
  result.reserve(positions.size());
  for (index_t const p : positions) result.push_back(items[static_cast<std::size_t>(p)]);
  return result;
}

/// n keys of any type of the host API in pattern `p`.
template <class T>
std::vector<T> make_keys(pattern p, index_t n, std::uint64_t stream = 0) {
  if constexpr (std::is_arithmetic_v<T>) {
    return make_input<T>(p, n, stream);
  } else {
    std::vector<T> keys;
    for (auto const bits : make_input<std::uint16_t>(p, n, stream)) {
      keys.push_back(T::of_bits(bits));
    }
    return keys;
  }
}

/// NaNs of either sign and several payloads, infinities, both zeros, limits, and few numbers, each
/// many times: floats at which orders go wrong.
template <class T>
std::vector<T> odd_floats(index_t n) {
  using limits = std::numeric_limits<T>;
  std::vector<T> const odd{T(-0.0),
                           T(0),
                           limits::quiet_NaN(),
                           -limits::quiet_NaN(),
                           std::copysign(limits::signaling_NaN(), T(-1)),
                           limits::infinity(),
                           -limits::infinity(),
                           limits::max(),
                           limits::lowest(),
                           limits::denorm_min(),
                           -limits::denorm_min(),
                           T(1),
                           T(-1)};
  random_words words(17);
  std::vector<T> keys;
  for (index_t i = 0; i < n; ++i) keys.push_back(odd[words.below(odd.size())]);
  return keys;
}

}  // namespace libscan::test
