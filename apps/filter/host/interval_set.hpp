// SPDX-License-Identifier: Apache-2.0
// Sets of numbers of a type as sorted disjoint intervals of ordinals: the place of a number among
// all numbers of its type, with one place for -0 and +0. On ordinals integers and floats are alike,
// and neighbors differ by one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <libscan/core/half.hpp>

namespace libscan::inline v1::detail {

using ordinal_t = std::uint64_t;

/// Unsigned integer with the bits of T.
template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// A type with infinities, NaN and a sign bit.
template <class T>
concept float_number = std::is_floating_point_v<T> || half_float<T>;

template <float_number T>
T infinity_of() {
  return static_cast<T>(std::numeric_limits<double>::infinity());
}

/// The place of x, which is not NaN, among the numbers of its type, from 0.
template <class T>
ordinal_t ordinal(T x) {
  if constexpr (float_number<T>) {
    using bits = bits_of<T>;
    bits const infinity = std::bit_cast<bits>(detail::infinity_of<T>());
    bits const sign = bits{1} << (8 * sizeof(T) - 1);
    bits const all = std::bit_cast<bits>(x);
    bits const magnitude = all & ~sign;
    return (all & sign) != 0 ? ordinal_t{infinity} - magnitude : ordinal_t{infinity} + magnitude;
  } else {
    return static_cast<ordinal_t>(x) - static_cast<ordinal_t>(std::numeric_limits<T>::min());
  }
}

/// The number at a place; +0 for the one of the zeros.
template <class T>
T number_at(ordinal_t place) {
  if constexpr (float_number<T>) {
    using bits = bits_of<T>;
    ordinal_t const infinity = std::bit_cast<bits>(detail::infinity_of<T>());
    if (place >= infinity) return std::bit_cast<T>(static_cast<bits>(place - infinity));
    bits const sign = bits{1} << (8 * sizeof(T) - 1);
    return std::bit_cast<T>(static_cast<bits>(sign | (infinity - place)));
  } else {
    return static_cast<T>(place + static_cast<ordinal_t>(std::numeric_limits<T>::min()));
  }
}

/// The last place of a type: that of its largest number or +infinity.
template <class T>
ordinal_t last_ordinal() {
  if constexpr (float_number<T>) {
    return libscan::detail::ordinal(detail::infinity_of<T>());
  } else {
    return libscan::detail::ordinal(std::numeric_limits<T>::max());
  }
}

/// A set of the numbers of a type with places 0..last, and whether NaN belongs to it.
class interval_set {
 public:
  /// Places first..last, both included.
  struct interval {
    ordinal_t first;
    ordinal_t last;
  };

  /// No number; NaN if `nan`.
  explicit interval_set(ordinal_t last, bool nan = false) : last_(last), nan_(nan) {}

  /// The places `first`..`end` of 0..last, without NaN. Requires first <= end <= last.
  interval_set(ordinal_t last, ordinal_t first, ordinal_t end)
      : last_(last), intervals_{{first, end}} {}

  /// All numbers and NaN that are not in this set.
  interval_set complement() const;

  /// What is in both sets.
  interval_set intersection(interval_set const& other) const;

  /// What is in at least one set.
  interval_set union_with(interval_set const& other) const;

  /// Sorted, disjoint, not touching one another.
  std::vector<interval> const& intervals() const { return intervals_; }

  bool has_nan() const { return nan_; }

 private:
  ordinal_t last_;
  bool nan_ = false;
  std::vector<interval> intervals_;
};

inline interval_set interval_set::complement() const {
  interval_set result(last_, !nan_);
  ordinal_t next = 0;  // first place not yet decided
  for (auto const& taken : intervals_) {
    if (taken.first > next) result.intervals_.push_back({next, taken.first - 1});
    if (taken.last == last_) return result;
    next = taken.last + 1;
  }
  result.intervals_.push_back({next, last_});
  return result;
}

inline interval_set interval_set::intersection(interval_set const& other) const {
  interval_set result(last_, nan_ && other.nan_);
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    ordinal_t const first = std::max(a->first, b->first);
    ordinal_t const last = std::min(a->last, b->last);
    if (first <= last) result.intervals_.push_back({first, last});
    if (a->last < b->last) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

inline interval_set interval_set::union_with(interval_set const& other) const {
  return complement().intersection(other.complement()).complement();
}

}  // namespace libscan::inline v1::detail
