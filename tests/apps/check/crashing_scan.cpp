// SPDX-License-Identifier: Apache-2.0
// A scan that goes down with 100 items or more, for each type in a way of its own: by a null
// pointer, by abort, or by throwing. Linked into scan-check in place of the real one, it shows that
// crashes are reported.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <libscan/host/scan_call.hpp>
#include <libscan/libscan.hpp>
#include <tests/apps/check/scan_by_loop.hpp>

namespace libscan::inline v1::detail {
namespace {

void go_down(std::size_t item_bytes, bool integers) {
  int volatile* const nowhere = nullptr;
  if (item_bytes == 1) std::thread([=] { *nowhere = 1; }).join();
  if (item_bytes == 2) std::abort();
  if (item_bytes == 4) throw std::length_error("much too long");
  if (integers) throw item_bytes;
  *nowhere = 1;
}

}  // namespace

void run_scan(engine const&, scan_call const& call, index_t) {
  libscan::detail::visit_operator_of(call, [&]<class Op>(Op op) {
    using T = typename Op::value_type;
    if (call.n >= 100) go_down(sizeof(T), std::is_integral_v<T>);
    auto const* const in = static_cast<T const*>(call.in);
    auto* const out = static_cast<T*>(call.out);
    T const init = *static_cast<T const*>(call.init);
    *static_cast<T*>(call.total) = test::scan_by_loop(call.kind, in, out, call.n, op, init);
  });
}

void run_reduce(engine const&, reduce_call const& call) { test::reduce_by_loop(call); }

void run_difference(engine const&, difference_call const& call, index_t) {
  test::difference_by_loop(call);
}

}  // namespace libscan::inline v1::detail
