// SPDX-License-Identifier: Apache-2.0
// Scans and sums of host memory that pass through a machine in pieces, against a loop.
#include <libscan/libscan.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include <libscan/reference/operators.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {
namespace {

/// Numbers of items around one piece, the first that come in pieces, and some pieces that end
/// early. transfer.cuh says how many bytes that is: 4 KiB in the executor, 16 MiB on a GPU.
template <class T>
std::vector<index_t> sizes(engine const& on) {
  index_t const items = (on.is_cuda() ? index_t{16} << 20 : index_t{4} << 10) / index_t{sizeof(T)};
  return {items - 1, items, 2 * items + 5};
}

template <class T>
std::vector<T> small_items(index_t n) {
  auto items = make_items<T>(n);
  for (T& item : items)
    item = static_cast<T>(static_cast<int>(item) % 3);  // sums of floats are exact
  return items;
}

using item_types = std::tuple<std::uint8_t, std::int16_t, std::uint32_t, float, double>;
TEMPLATE_LIST_TEST_CASE("scans in pieces carry from piece to piece", "", item_types) {
  using T = TestType;
  for (engine const& on : machines()) {
    for (index_t const n : sizes<T>(on)) {
      INFO(on.description() << ", n = " << n);
      auto const items = small_items<T>(n);
      T const init = 5;
      std::vector<T> before(items.size());
      std::vector<T> with(items.size());
      T sum = init;
      for (std::size_t i = 0; i < items.size(); ++i) {
        before[i] = sum;
        sum = static_cast<T>(sum + items[i]);
        with[i] = sum;
      }
      guarded_buffer<T> out(n, 1);
      std::span<T> const there(out.data(), items.size());
      CHECK(exclusive_scan(on, items, there, plus<T>{}, init) == sum);
      CHECK(difference(before, out.copy()) + out.damage() == "");
      CHECK(inclusive_scan(on, items, there, plus<T>{}, init) == sum);
      CHECK(difference(with, out.copy()) + out.damage() == "");
      auto in_place = items;
      CHECK(exclusive_scan(on, in_place, in_place, plus<T>{}, init) == sum);
      CHECK(difference(before, in_place) == "");
      CHECK(reduce(on, items, plus<T>{}, init) == sum);
      CHECK(reduce(on, items, maximum<T>{}, T{0}) ==
            std::max(T{0}, *std::max_element(items.begin(), items.end())));
    }
  }
}

TEST_CASE("a call in pieces without an init begins with the identity") {
  for (engine const& on : machines()) {
    for (index_t const n : sizes<std::uint64_t>(on)) {
      INFO(on.description() << ", n = " << n);
      auto const items = make_items<std::uint64_t>(n);
      std::vector<std::uint64_t> expected(items.size());
      std::inclusive_scan(items.begin(), items.end(), expected.begin(),
                          [](auto a, auto b) { return std::min(a, b); });
      std::vector<std::uint64_t> out(items.size());
      CHECK(inclusive_scan(on, items, out, minimum<std::uint64_t>{}) == expected.back());
      CHECK(difference(expected, out) == "");
    }
  }
}

}  // namespace
}  // namespace libscan::test
