// SPDX-License-Identifier: Apache-2.0
// When a result counts as right, for every program's --verify and for scan-check.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include <apps/common/number.hpp>

namespace libscan::apps {

/// Which floats other than the expected one are also right.
struct allowance {
  bool any_nan = false;  ///< any NaN for a NaN: its payload is unspecified
  double off = 0;        ///< values at most this far off; with 0, -0 is not +0
};

/// Whether `got` is right.
template <class T>
bool agree(T expected, T got, allowance allowed = {}) {
  if (std::memcmp(&expected, &got, sizeof(T)) == 0) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (allowed.any_nan && std::isnan(expected) && std::isnan(got)) return true;
    double const off = std::abs(static_cast<double>(got) - static_cast<double>(expected));
    return allowed.off != 0 && off <= allowed.off;
  }
  return false;
}

/// The words of --verify for a wrong item: "item 3 is 7, expected 8".
template <class T>
std::string wrong_item(std::size_t i, T got, T expected, char const* what = "item") {
  return std::string(what) + " " + std::to_string(i) + " is " + number_text(got) + ", expected " +
         number_text(expected);
}

}  // namespace libscan::apps
