// SPDX-License-Identifier: Apache-2.0
// The right results of scans, by a loop that shares nothing with the library, and comparisons that
// report where and how an output differs. Every check returns "" if all is right.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/reference/operators.hpp>
#include <tests/support/operators.hpp>

namespace libscan::test {

using reference::oracle_of;
using reference::oracle_op;

/// The output and the total of a scan.
template <class T>
struct scan_result {
  std::vector<T> out;
  T total;
};

/// A scan, one item after the other, in Op::value_type, with `init` before the first. It replaces
/// the library's operators by plain ones.
template <class Op, class Item>
scan_result<typename Op::value_type> scan_oracle(scan_kind kind, std::vector<Item> const& in, Op op,
                                                 typename Op::value_type init) {
  using T = typename Op::value_type;
  auto const plain = oracle_of(op);
  scan_result<T> result{{}, init};
  result.out.reserve(in.size());
  for (Item const& item : in) {
    T const before = result.total;
    result.total = plain(before, static_cast<T>(item));
    result.out.push_back(kind == scan_kind::inclusive ? result.total : before);
  }
  return result;
}

namespace detail {

template <class T>
void print(std::ostream& os, T const& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    os.precision(std::numeric_limits<T>::max_digits10);
    os << +value;
  } else if constexpr (std::is_same_v<T, interval>) {
    os << "[" << value.begin << ", " << value.end << ") " << to_string(value.found);
  } else {
    os << "bytes" << std::hex;
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (unsigned const byte : bytes) os << ' ' << byte;
    os << std::dec;
  }
}

/// -0.0 and +0.0 differ; any two NaNs are the same, since operators do not specify payloads.
template <class T>
bool same(T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

template <class T>
std::string mismatch(std::string const& where, T const& expected, T const& got) {
  std::ostringstream message;
  message << where << ": expected ";
  print(message, expected);
  message << ", got ";
  print(message, got);
  return message.str();
}

}  // namespace detail

namespace detail {

/// Whether two arrays of one size have the same bytes: fast to find, even in a build that is not
/// optimized. False for items that bytes do not distinguishes.
template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  } else {
    return false;
  }
}

}  // namespace detail

/// Empty if `got` holds exactly `expected` (see `same`); else the first difference.
template <class T>
std::string difference(std::vector<T> const& expected, std::vector<T> const& got) {
  if (expected.size() != got.size()) {
    return std::to_string(expected.size()) + " items expected, got " + std::to_string(got.size());
  }
  if (detail::same_bytes(expected, got)) return "";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!detail::same(expected[i], got[i])) {
      return detail::mismatch("item " + std::to_string(i), expected[i], got[i]);
    }
  }
  return "";
}

/// The same for a whole scan.
template <class T>
std::string difference(scan_result<T> const& expected, scan_result<T> const& got) {
  auto const found = difference(expected.out, got.out);
  if (!found.empty()) return found;
  if (detail::same(expected.total, got.total)) return "";
  return detail::mismatch("total", expected.total, got.total);
}

/// Empty if the bytes of both agree, NaN payloads included; else the first difference. For
/// repeatability.
template <class T>
std::string bit_difference(std::vector<T> const& expected, std::vector<T> const& got) {
  if (expected.size() != got.size()) return difference(expected, got);
  if (detail::same_bytes(expected, got)) return "";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&expected[i], &got[i], sizeof(T)) != 0) {
      return detail::mismatch("bits of item " + std::to_string(i), expected[i], got[i]);
    }
  }
  return "";
}

/// Empty if a floating-point sum scan of finite items is as close to the exact one as any order of
/// association guarantees: item i within k eps sum |x| of the k terms it covers, `init` included.
/// The exact sums are computed in a wider type.
template <class T>
std::string sum_error(scan_kind kind, std::vector<T> const& in, T init, scan_result<T> const& got) {
  using wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  if (in.size() != got.out.size()) {
    return std::to_string(in.size()) + " items expected, got " + std::to_string(got.out.size());
  }
  wide sum = init;
  wide magnitude = std::abs(static_cast<wide>(init));
  wide terms = 1;
  auto const outside = [&](T value) {
    wide const bound = terms * std::numeric_limits<T>::epsilon() * magnitude;
    return !(std::abs(static_cast<wide>(value) - sum) <= bound);
  };
  auto const add = [&](T item) {
    sum += item;
    magnitude += std::abs(static_cast<wide>(item));
    terms += 1;
  };
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (kind == scan_kind::inclusive) add(in[i]);
    if (outside(got.out[i])) {
      return detail::mismatch("item " + std::to_string(i), static_cast<T>(sum), got.out[i]);
    }
    if (kind == scan_kind::exclusive) add(in[i]);
  }
  if (outside(got.total)) return detail::mismatch("total", static_cast<T>(sum), got.total);
  return "";
}

}  // namespace libscan::test
