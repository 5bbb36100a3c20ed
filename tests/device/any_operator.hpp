// SPDX-License-Identifier: Apache-2.0
// Several operators in one type, chosen at run time, for tests of kernels that would else be
// compiled once for each.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <libscan/core/operators.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>

namespace libscan::test {

/// Operators of tests, as one type: kernels are compiled once for all of them.
enum class behavior : std::uint8_t { sum, composition, last, watched };
inline constexpr behavior all_behaviors[] = {behavior::sum, behavior::composition, behavior::last,
                                             behavior::watched};

/// A value of any of them.
struct any_value {
  std::uint32_t word[4];
  bool operator==(any_value const&) const = default;

  template <class T>
  LIBSCAN_HOST_DEVICE static any_value of(T value) {
    any_value result{};
    memcpy(&result, &value, sizeof(T));
    return result;
  }
  template <class T>
  LIBSCAN_HOST_DEVICE T as() const {
    T value;
    memcpy(&value, this, sizeof(T));
    return value;
  }
};

struct any_operator {
  using value_type = any_value;
  behavior which;

  /// Calls body(Op{}).
  template <class Body>
  LIBSCAN_HOST_DEVICE any_value with(Body body) const {
    if (which == behavior::sum) return body(plus<std::int32_t>{});
    if (which == behavior::composition) return body(compose{});
    if (which == behavior::last) return body(keep_last{});
    return body(tripwire{});
  }
  LIBSCAN_HOST_DEVICE any_value identity() const {
    return with([](auto op) { return any_value::of(op.identity()); });
  }
  LIBSCAN_HOST_DEVICE any_value operator()(any_value earlier, any_value later) const {
    return with([&](auto op) {
      using T = typename decltype(op)::value_type;
      return any_value::of(op(earlier.as<T>(), later.as<T>()));
    });
  }

  /// What comes before item 0.
  any_value init() const {
    if (which == behavior::sum) return any_value::of(7);
    if (which == behavior::composition) return any_value::of(affine{3, 5});
    if (which == behavior::last) return any_value::of(maybe{42, 1});
    return any_value::of(interval::over(-5, 0));
  }
  std::vector<any_value> items(index_t n) const {
    if (which == behavior::sum) return wrapped(make_items<std::int32_t>(n));
    if (which == behavior::composition) return wrapped(make_items<affine>(n));
    if (which == behavior::last) return wrapped(make_items<maybe>(n));
    return wrapped(make_items<interval>(n));
  }

 private:
  template <class T>
  static std::vector<any_value> wrapped(std::vector<T> const& items) {
    std::vector<any_value> result;
    for (T const& item : items) result.push_back(any_value::of(item));
    return result;
  }
};

}  // namespace libscan::test
