// SPDX-License-Identifier: Apache-2.0
// A segmented scan is a scan: of pairs of a value and a head flag, under an operator that forgets
// what lies before a head (Schwartz 1980; Blelloch 1990, 1.5).
#pragma once

#include <libscan/core/operators.hpp>

namespace libscan::inline v1 {

/// A value, and whether a segment begins at it or has begun among the values it sums.
template <class T>
struct flagged {
  T value;
  bool head;
};

/// `Op` within segments. Associative if Op is; never commutes.
template <monoid Op>
struct segmented {
  using value_type = flagged<typename Op::value_type>;
  Op op{};

  LIBSCAN_HOST_DEVICE constexpr value_type identity() const { return {op.identity(), false}; }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type earlier, value_type later) const {
    return {later.head ? later.value : op(earlier.value, later.value), earlier.head || later.head};
  }
};

}  // namespace libscan::inline v1
