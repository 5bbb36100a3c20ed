// SPDX-License-Identifier: Apache-2.0
// The vector code that tests items against an interval, for every instruction set that this CPU has
// and Highway compiled for, against the test of one item.
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include <libscan/cpu/vector_targets.hpp>

#include <hwy/highway.h>

#include <apps/filter/cpu/vector_predicate.hpp>
#include <libscan/core/operators.hpp>
#include <tests/apps/filter/item_types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>

using namespace libscan;
using namespace libscan::test;

TEST_CASE("all instruction sets mark the same items") {
  for_each_item_type([]<class T>() {
    std::vector<T> items;
    for (int round = 0; items.size() < 300; ++round) {
      for (T const x : edge_values<T>()) items.push_back(plus<T>{}(x, T(round)));
    }
    for (std::int64_t const target : hwy::SupportedAndGeneratedTargets()) {
      INFO(hwy::TargetName(target));
      hwy::SetSupportedTargetsForTest(target);
      auto const mark =
          std::get<cpu::detail::interval_marker<T>>(cpu::detail::current_interval_markers());
      hwy::SetSupportedTargetsForTest(0);
      for (int choice = 0; choice < 8; ++choice) {
        in_interval<T> test{T(3), T(101)};
        test.outside = choice % 2 == 1;
        if constexpr (std::is_integral_v<T>) {
          if (choice / 2 == 1) test.mask = T(0x66);
          if (choice / 2 == 2) test.lo = std::numeric_limits<T>::min();
          if (choice / 2 == 3) test.hi = std::numeric_limits<T>::max();
        } else {
          test.keeps_nan = choice / 2 % 2 == 1;
          if (choice / 4 == 1) test.lo = -std::numeric_limits<T>::infinity();
        }
        for (index_t const n : {index_t{0}, index_t{1}, index_t{15}, index_t{65}, index_t{299}}) {
          guarded_buffer<std::uint8_t> flags(n, choice);
          mark(test, items.data(), n, flags.data());
          CHECK(flags.damage() == "");
          auto const got = flags.copy();
          for (std::size_t i = 0; i < got.size(); ++i) REQUIRE((got[i] == 1) == test(items[i]));
        }
      }
    }
  });
}
