// SPDX-License-Identifier: Apache-2.0
// A scan that gets item 77 wrong, but only of 100 items or more. Linked into scan-check in place of
// the real one, it shows that a fault is found and made small.
#include <cstddef>

#include <libscan/host/scan_call.hpp>
#include <libscan/libscan.hpp>
#include <tests/apps/check/scan_by_loop.hpp>

namespace libscan::inline v1::detail {

void run_scan(engine const&, scan_call const& call, index_t) {
  libscan::detail::visit_operator_of(call, [&]<class Op>(Op op) {
    using T = typename Op::value_type;
    auto const* const in = static_cast<T const*>(call.in);
    auto* const out = static_cast<T*>(call.out);
    T const init = *static_cast<T const*>(call.init);
    *static_cast<T*>(call.total) = test::scan_by_loop(call.kind, in, out, call.n, op, init);
    if (call.n >= 100) reinterpret_cast<std::byte*>(out + 78)[-1] ^= std::byte{0x40};
  });
}

void run_reduce(engine const&, reduce_call const& call) { test::reduce_by_loop(call); }

void run_difference(engine const&, difference_call const& call, index_t) {
  test::difference_by_loop(call);
}

}  // namespace libscan::inline v1::detail
