// SPDX-License-Identifier: Apache-2.0
// When a result is what was expected, for every program's --verify and for scan-check.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include <apps/common/number.hpp>

namespace libscan::apps {

/// Which other floats than the expected one, bit by bit, are as good.
struct allowance {
  bool any_nan = false;  ///< any NaN for a NaN, whose payload nobody promises
  double off = 0;        ///< what is no further off, unless this is 0: then -0 is not +0
};

/// Whether `got` is what was expected.
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

/// What --verify says of a wrong item: "item 3 is 7, expected 8".
template <class T>
std::string wrong_item(std::size_t i, T got, T expected, char const* what = "item") {
  return std::string(what) + " " + std::to_string(i) + " is " + number_text(got) + ", expected " +
         number_text(expected);
}

}  // namespace libscan::apps
