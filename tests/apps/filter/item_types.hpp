// SPDX-License-Identifier: Apache-2.0
// The ten item types of the filter, and the values of each at which comparisons go wrong.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace libscan::test {

/// Calls f.template operator()<T>() for each of the ten item types.
template <class F>
void for_each_item_type(F&& f) {
  f.template operator()<std::int8_t>();
  f.template operator()<std::uint8_t>();
  f.template operator()<std::int16_t>();
  f.template operator()<std::uint16_t>();
  f.template operator()<std::int32_t>();
  f.template operator()<std::uint32_t>();
  f.template operator()<std::int64_t>();
  f.template operator()<std::uint64_t>();
  f.template operator()<float>();
  f.template operator()<double>();
}

/// "int16", "float64", ...
template <class T>
std::string item_type_name() {
  std::string const bits = std::to_string(8 * sizeof(T));
  if (std::is_floating_point_v<T>) return "float" + bits;
  return (std::is_signed_v<T> ? "int" : "uint") + bits;
}

/// Limits, small numbers, powers of two and their neighbors; of floats also infinities, NaN,
/// denormals and -0.
template <class T>
std::vector<T> edge_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values{T(0), T(1), T(2), T(7), limits::min(), limits::max(), limits::lowest()};
  for (int power = 1; power < limits::digits; ++power) {
    T const two = static_cast<T>(std::ldexp(1.0L, power));
    values.insert(values.end(), {two, static_cast<T>(two + 1), static_cast<T>(two - 1)});
  }
  if constexpr (std::is_floating_point_v<T>) {
    T const infinity = limits::infinity();
    std::vector<T> const more{infinity,
                              limits::quiet_NaN(),
                              limits::denorm_min(),
                              limits::epsilon(),
                              std::nextafter(limits::min(), T(0)),
                              std::nextafter(limits::max(), T(0)),
                              T(0.1),
                              T(4.5),
                              std::ldexp(T(1), 63),
                              std::ldexp(T(1), 64),
                              T(1e30)};
    values.insert(values.end(), more.begin(), more.end());
    std::vector<T> const so_far = values;
    for (T const x : so_far) {
      values.insert(values.end(), {-x, std::nextafter(x, infinity), std::nextafter(x, -infinity)});
    }
  } else {
    std::vector<T> const so_far = values;
    for (T const x : so_far) values.push_back(static_cast<T>(~x));
  }
  return values;
}

}  // namespace libscan::test
