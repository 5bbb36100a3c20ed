// SPDX-License-Identifier: Apache-2.0
// A scan by the loop that anyone would write: what wrong scans are made of.
#pragma once

#include <libscan/host/scan_call.hpp>
#include <libscan/libscan.hpp>

namespace libscan::test {

/// A right reduction: of a program that links a wrong scan, the library's object with both is out.
inline void reduce_by_loop(detail::reduce_call const& call) {
  detail::visit_operator_of(call, [&]<class Op>(Op op) {
    using T = typename Op::value_type;
    T x = *static_cast<T const*>(call.init);
    for (index_t i = 0; i < call.n; ++i) x = op(x, static_cast<T const*>(call.in)[i]);
    *static_cast<T*>(call.result) = x;
  });
}

/// The same of differences of neighbors.
inline void difference_by_loop(detail::difference_call const& call) {
  visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
    auto const* const in = static_cast<T const*>(call.in);
    auto* const out = static_cast<T*>(call.out);
    auto const combine = [&](auto op) {
      for (index_t i = call.n; i-- > 1;) out[i] = op(in[i - 1], in[i]);
    };
    if (call.combine.subtracts) {
      combine(later_minus_earlier{});
    } else {
      visit_operator<T>(call.combine.op, combine);
    }
    if (call.n > 0) out[0] = in[0];
  });
}

/// Scans in[0..n-1] into out[0..n-1], and returns the total.
template <class T, class Op>
T scan_by_loop(scan_kind kind, T const* in, T* out, index_t n, Op op, T init) {
  T x = init;
  for (index_t i = 0; i < n; ++i) {
    T const next = op(x, in[i]);
    out[i] = kind == scan_kind::inclusive ? next : x;
    x = next;
  }
  return x;
}

}  // namespace libscan::test
