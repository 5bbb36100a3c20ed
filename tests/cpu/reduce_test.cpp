// SPDX-License-Identifier: Apache-2.0
// Tests of the CPU's reductions against a loop: sizes, operators, conversions, threads, and the
// bits of floating-point results.
#include <libscan/cpu/reduce.hpp>

#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

/// What is wrong with the sum of n items after `init`; "" if nothing.
template <class Op>
std::string faults(int threads, index_t n, Op op, typename Op::value_type init,
                   index_t chunk_items) {
  using T = typename Op::value_type;
  auto const in = make_items<T>(n);
  T const expected = scan_oracle(scan_kind::inclusive, in, op, init).total;
  std::deque<T> const scattered(in.begin(), in.end());
  for (T const got : {cpu::reduce(threads, in.data(), n, op, init, chunk_items),
                      cpu::reduce(threads, scattered.begin(), n, op, init, chunk_items)}) {
    if (detail::same(expected, got)) continue;
    return detail::mismatch(std::to_string(threads) + " threads, n = " + std::to_string(n) +
                                ", chunks of " + std::to_string(chunk_items),
                            expected, got);
  }
  return "";
}

using reduced_operators =
    types_to_test<std::tuple<plus<std::int64_t>, minimum<float>, compose, tripwire>,
                  std::tuple<plus<std::uint8_t>, minimum<std::int32_t>, bit_and<std::uint16_t>>,
                  std::tuple<plus<std::int32_t>, maximum<std::uint8_t>, maximum<double>,
                             bit_or<std::uint32_t>, bit_xor<std::int64_t>, keep_last>>;
TEMPLATE_LIST_TEST_CASE("reductions agree with a serial loop", "", reduced_operators) {
  TestType const op;
  for (index_t const n : tiny_sizes()) {
    for (index_t const chunk_items : {1, 3, 4, 9, 32}) {
      CHECK(faults(1 + static_cast<int>(n % 2), n, op, op.identity(), chunk_items) == "");
    }
  }
  with_threads(16, [&] {
    for (int const threads : thread_counts) {
      for (index_t const n : size_ladder(512, 256, 40000)) {
        CHECK(faults(threads, n, op, op.identity(), 512) == "");
      }
    }
  });
}

TEST_CASE("large reductions agree with a serial loop, with an init") {
  for (index_t const n : {100003, 1000003}) {
    CHECK(faults(2, n, plus<std::int32_t>{}, 5, cpu::default_chunk_items) == "");
    CHECK(faults(2, n, minimum<double>{}, 7.0, cpu::default_chunk_items) == "");
    CHECK(faults(2, n, compose{}, {3, 5}, cpu::default_chunk_items) == "");
  }
}

TEST_CASE("parts of several chunks are summed in order, the last one of fewer, too") {
  // Up to 256 chunks are parts by themselves; then parts are of 2, 3 and 20 chunks.
  for (index_t const chunks : {255, 256, 257, 258, 511, 512, 513, 515, 5001}) {
    for (index_t const chunk_items : {1, 3}) {
      for (index_t const n : {chunks * chunk_items, chunks * chunk_items - chunk_items / 2}) {
        for (int const threads : {1, 2}) {
          CHECK(faults(threads, n, compose{}, {3, 5}, chunk_items) == "");
          CHECK(faults(threads, n, keep_last{}, keep_last::identity(), chunk_items) == "");
        }
      }
    }
  }
}

TEST_CASE("reductions convert items to the operator's type") {
  for (index_t const n : {1, 100, 5000, 100003}) {
    auto const bytes = make_input<std::int8_t>(pattern::random, n);
    auto const expected =
        scan_oracle(scan_kind::inclusive, bytes, plus<std::int64_t>{}, std::int64_t{-3}).total;
    CHECK(cpu::reduce(2, bytes.begin(), n, plus<std::int64_t>{}, -3) == expected);
    auto const least =
        scan_oracle(scan_kind::inclusive, bytes, minimum<float>{}, minimum<float>::identity());
    CHECK(cpu::reduce(2, bytes.begin(), n, minimum<float>{}) == least.total);
  }
}

TEMPLATE_TEST_CASE("floating sums are near the exact ones, the same bits for any threads", "",
                   float, double) {
  with_threads(16, [&] {
    plus<TestType> const op;
    for (index_t const chunk_items : {index_t{1000}, cpu::default_chunk_items}) {
      for (index_t const n : {1, 999, 1000, 33000, 100003, 1000003}) {
        auto const in = make_input<TestType>(pattern::random, n);
        TestType const sum = cpu::reduce(1, in.data(), n, op, TestType(3), chunk_items);
        auto const each = scan_oracle(scan_kind::inclusive, in, op, TestType(3)).out;
        CHECK(sum_error(scan_kind::inclusive, in, TestType(3), {each, sum}) == "");
        for (int const threads : thread_counts) {
          auto const again = cpu::reduce(threads, in.data(), n, op, TestType(3), chunk_items);
          CHECK(bit_difference<TestType>({sum}, {again}) == "");
        }
      }
    }
  });
}

TEMPLATE_TEST_CASE("of several NaNs the same one is found by any threads", "", minimum<float>,
                   maximum<float>, minimum<double>, maximum<double>) {
  using T = typename TestType::value_type;
  with_threads(16, [&] {
    index_t const n = 100003;
    auto in = make_input<T>(pattern::random, n);
    for (index_t const at : {7, 49919, 65582, 99000}) {
      in[static_cast<std::size_t>(at)] =
          std::copysign(std::numeric_limits<T>::quiet_NaN(), T(at % 2 == 0 ? -1 : 1));
    }
    T const found = cpu::reduce(1, in.data(), n, TestType{});
    CHECK(std::isnan(found));
    for (int const threads : thread_counts) {
      CHECK(bit_difference<T>({found}, {cpu::reduce(threads, in.data(), n, TestType{})}) == "");
    }
  });
}

TEST_CASE("no items reduce to init, negative zeros to one") {
  CHECK(cpu::reduce(2, static_cast<int const*>(nullptr), 0, plus<int>{}, 7) == 7);
  CHECK(cpu::reduce(2, static_cast<affine const*>(nullptr), 0, compose{}) == affine{1, 0});
  std::vector<float> const zeros(70000, -0.0F);
  CHECK(std::signbit(cpu::reduce(2, zeros.data(), 70000, plus<float>{})));
}

TEST_CASE("reductions refuse what makes no sense, and let errors pass") {
  std::vector<int> const in(1000, 1);
  CHECK_THROWS_AS(cpu::reduce(0, in.data(), 10, plus<int>{}), invalid_argument);
  CHECK_THROWS_AS(cpu::reduce(1, in.data(), -1, plus<int>{}), invalid_argument);
  CHECK_THROWS_AS(cpu::reduce(1, in.data(), 10, plus<int>{}, 0, 0), invalid_argument);
  struct throwing {
    using value_type = int;
    static int identity() { return 0; }
    int operator()(int, int) const { throw std::domain_error("never"); }
  };
  CHECK_THROWS_WITH(cpu::reduce(2, in.data(), 1000, throwing{}, 0, 10), "never");
}

}  // namespace
}  // namespace libscan::test
