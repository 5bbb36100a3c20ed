// SPDX-License-Identifier: Apache-2.0
// Adjacent differences of the host API on every engine, against a loop.
#include <libscan/callables.hpp>

#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <libscan/reference/operators.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

using item_types = std::tuple<std::int8_t, std::uint16_t, std::int32_t, long, long long,
                              std::uint64_t, float, double>;
TEMPLATE_LIST_TEST_CASE("differences agree with a loop on every engine", "", item_types) {
  for (engine const& on : engines()) {
    for (index_t const n : {0, 1, 2, 1000, 70001}) {
      INFO(on.description() << ", n = " << n);
      auto items = make_items<TestType>(n);
      auto const expected = reference::adjacent_difference(items);
      guarded_buffer<TestType> out(n, 1);
      adjacent_difference(on, items, std::span(out.data(), items.size()));
      CHECK(difference(expected, out.copy()) + out.damage() == "");
      adjacent_difference(on, items, items);
      CHECK(difference(expected, items) == "");
    }
  }
}

/// An operator of the list over the items, called as a loop would.
template <class Item>
struct combined {
  template <class Op>
  static std::vector<Item> by(std::vector<Item> const& items, Op op) {
    std::vector<Item> out = items;
    for (std::size_t i = 1; i < items.size(); ++i) out[i] = op(items[i - 1], items[i]);
    return out;
  }
};

TEMPLATE_TEST_CASE("neighbors are combined by operators of the list on every engine", "",
                   std::int8_t, std::uint16_t, std::int32_t, long long, float, double) {
  auto const check = [](auto op, auto oracle) {
    for (engine const& on : engines()) {
      for (index_t const n : {0, 1, 2, 1000, 20001}) {
        INFO(on.description() << ", n = " << n << ", " << typeid(op).name());
        auto items = make_items<TestType>(n);
        auto const expected = combined<TestType>::by(items, oracle);
        guarded_buffer<TestType> out(n, 1);
        adjacent_difference(on, items, std::span(out.data(), items.size()), op);
        CHECK(difference(expected, out.copy()) + out.damage() == "");
      }
    }
  };
  check(minimum<TestType>{}, [](TestType a, TestType b) { return b < a ? b : a; });
  check(maximum<TestType>{}, [](TestType a, TestType b) { return a < b ? b : a; });
  if constexpr (std::is_integral_v<TestType>) {
    using word = std::make_unsigned_t<TestType>;
    check(plus<TestType>{}, [](TestType a, TestType b) {
      return static_cast<TestType>(static_cast<word>(static_cast<word>(a) + static_cast<word>(b)));
    });
    check(bit_and<TestType>{}, [](TestType a, TestType b) { return static_cast<TestType>(a & b); });
    check(bit_or<TestType>{}, [](TestType a, TestType b) { return static_cast<TestType>(a | b); });
    check(std::bit_xor<>{}, [](TestType a, TestType b) { return static_cast<TestType>(a ^ b); });
  } else {
    check(std::plus<>{}, [](TestType a, TestType b) { return a + b; });
  }
}

TEST_CASE("a short output and one that overlaps are refused") {
  std::vector<int> items(10), out(9);
  for (engine const& on : engines()) {
    CHECK_THROWS_WITH(adjacent_difference(on, items, out),
                      Contains("adjacent_difference: out holds 9 items, but in has 10"));
    CHECK_THROWS_WITH(adjacent_difference(on, std::span(items).first(9), std::span(items).last(9)),
                      Contains("adjacent_difference: out overlaps in"));
  }
}

TEST_CASE("operators of your own run on the cpu engine") {
  std::vector<std::uint8_t> const items{7, 9, 4};
  std::vector<int> out(4, -1);
  auto const ratio = [](int earlier, int later) { return 100 * later / earlier; };
  adjacent_difference(engine::cpu(2), items, out, ratio);
  CHECK(out == std::vector<int>{7, 128, 44, -1});
  std::vector<float16> const halves{float16(2.0F), float16(0.5F)};
  std::vector<float> floats(2);
  adjacent_difference(engine::cpu(1), halves, floats);
  CHECK(floats == std::vector<float>{2.0F, -1.5F});
  for (engine const& on : machines()) {
    CHECK_THROWS_WITH(adjacent_difference(on, items, out, ratio),
                      Contains("run on the cpu engine"));
  }
  CHECK_THROWS_WITH(adjacent_difference(engine::cpu(1), items, std::span(out).first(2), ratio),
                    Contains("adjacent_difference: an output or the keys hold 2 items"));
}

}  // namespace
}  // namespace libscan::test
