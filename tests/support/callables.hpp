// SPDX-License-Identifier: Apache-2.0
// Callables that are not operators of libscan: without value_type and identity(), like those of
// std, CUDA and CUB. Also the expected results, by a loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::test {

/// Like the old cub::Min: a template call, on two types that may differ.
struct smaller_of {
  template <class T, class U>
  LIBSCAN_HOST_DEVICE constexpr auto operator()(T&& t, U&& u) const
      -> std::decay_t<decltype(t < u ? t : u)> {
    return u < t ? u : t;
  }
};

/// Like cuda::std::plus<>: the operands' own sum.
struct transparent_plus {
  template <class T, class U>
  LIBSCAN_HOST_DEVICE constexpr auto operator()(T&& t, U&& u) const
      -> decltype(std::forward<T>(t) + std::forward<U>(u)) {
    return std::forward<T>(t) + std::forward<U>(u);
  }
};

/// Like std::max: returns a reference to one of its operands.
struct larger_of {
  template <class T>
  LIBSCAN_HOST_DEVICE constexpr T const& operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};

/// Associative, has no identity, and does not commute.
struct first_of {
  LIBSCAN_HOST_DEVICE constexpr int operator()(int earlier, int) const { return earlier; }
};
/// The same from the other end.
inline int last_of(int, int later) { return later; }
inline int gcd_of(int a, int b) { return b == 0 ? (a < 0 ? -a : a) : gcd_of(b, a % b); }

/// An identity that depends on the object.
struct modular_plus {
  using value_type = int;
  int modulus;
  LIBSCAN_HOST_DEVICE constexpr int identity() const { return modulus - modulus; }
  LIBSCAN_HOST_DEVICE constexpr int operator()(int a, int b) const { return (a + b) % modulus; }
};

/// The results of every call on items in segments.
struct called {
  std::vector<int> exclusive, inclusive, from_last, from_last_exclusive;
  std::vector<int> segmented, segmented_exclusive, totals;
  int total;
};

/// By loops that only use op(earlier, later).
template <class Op>
called call_oracle(std::vector<int> const& in, std::vector<std::int32_t> const& offsets, Op op,
                   int init) {
  called result{};
  auto const n = in.size();
  result.total = init;
  for (int const item : in) {
    result.exclusive.push_back(result.total);
    result.total = op(result.total, item);
    result.inclusive.push_back(result.total);
  }
  int sum = init;
  result.from_last = result.from_last_exclusive = in;
  for (auto i = n; i-- > 0;) {
    result.from_last_exclusive[i] = sum;
    sum = op(in[i], sum);
    result.from_last[i] = sum;
  }
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    sum = init;
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i) {
      result.segmented_exclusive.push_back(sum);
      sum = op(sum, in[static_cast<std::size_t>(i)]);
      result.segmented.push_back(sum);
    }
    result.totals.push_back(sum);
  }
  return result;
}

/// Offsets of some segments of n items, one of them empty.
inline std::vector<std::int32_t> some_offsets(int n) {
  std::vector<std::int32_t> offsets{0, 0};
  for (int at = 0, step = 1; at < n; step = step % 97 * 2 + 1) {
    at = at + step < n ? at + step : n;
    offsets.push_back(at);
  }
  return offsets;
}

/// Items from 1 to 48, so that products of two are exact in every type.
inline std::vector<int> some_items(int n) {
  std::vector<int> items;
  for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) {
    items.push_back(static_cast<int>(i * 2654435761U >> 8 & 15) * 3 + 1);
  }
  return items;
}

}  // namespace libscan::test
