// SPDX-License-Identifier: Apache-2.0
// Every operator of the host API against a loop, on an engine.
#pragma once

#include <type_traits>
#include <vector>

#include <libscan/libscan.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {

/// Both scans and the sum by one operator, in place and not.
template <class T, class Op>
void check_operator(engine const& on, Op op, T init) {
  for (index_t const n : {0, 1, 1000, 70000}) {
    auto const in = make_input<T>(pattern::small, n);
    guarded_buffer<T> out(n + 3);
    T total = inclusive_scan(on, in, out.items(), op, init);
    auto expected = scan_oracle(scan_kind::inclusive, in, op, init);
    CHECK(out.damage() + out.written_from(n) == "");
    auto written = out.copy();
    written.resize(in.size());
    CHECK(difference(expected, {written, total}) == "");

    CHECK(difference({expected.total}, std::vector<T>{reduce(on, in, op, init)}) == "");

    std::vector<T> exclusive(in);
    total = exclusive_scan(on, exclusive, exclusive, op, init);
    expected = scan_oracle(scan_kind::exclusive, in, op, init);
    CHECK(difference(expected, {exclusive, total}) == "");
  }
}

/// Scans and sums of T by the operators there are for it.
template <class T>
void check_every_operator(engine const& on) {
  check_operator<T>(on, plus<T>{}, T(7));
  check_operator<T>(on, minimum<T>{}, minimum<T>::identity());
  check_operator<T>(on, maximum<T>{}, maximum<T>::identity());
  if constexpr (std::is_integral_v<T>) {
    check_operator<T>(on, bit_and<T>{}, bit_and<T>::identity());
    check_operator<T>(on, bit_or<T>{}, T(8));
    check_operator<T>(on, bit_xor<T>{}, T(1));
  }
}

}  // namespace libscan::test
