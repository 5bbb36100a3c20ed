// SPDX-License-Identifier: Apache-2.0
// Every operator of libscan/core/operators.hpp on every pair of edge values: against plain
// functions that share nothing with it, and against values written down here.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/half.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/oracle.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

/// out[i n + j] = op(x[i], x[j]); after these, identity op x[i], then x[i] op identity.
struct all_pairs_kernel {
  template <class T, class Op>
  __device__ void operator()(T const* x, T* out, int n, Op op) const {
    for (auto i = static_cast<int>(threadIdx.x); i < n; i += simt::warp_size) {
      for (int j = 0; j < n; ++j) out[i * n + j] = op(x[i], x[j]);
      out[n * n + i] = op(T(op.identity()), x[i]);
      out[n * n + n + i] = op(x[i], T(op.identity()));
    }
  }
};

/// out = the scan of 32 items, then their total, found in two ways.
struct warp_kernel {
  template <class T, class Op>
  __device__ void operator()(T const* in, T* out, Op op) const {
    T const item = in[threadIdx.x];
    auto const scanned = warp::inclusive_scan(item, op);
    T const total = warp::combine(item, op);
    out[threadIdx.x] = scanned.prefix;
    if (threadIdx.x == 0) {
      out[simt::warp_size] = scanned.total;
      out[simt::warp_size + 1] = total;
    }
  }
};

/// A quiet NaN of either sign; `payload` below 2^22.
template <class T>
T quiet_nan(bool negative, unsigned payload) {
  if constexpr (sizeof(T) == 4) {
    std::uint32_t const bits = 0x7fc00000U | payload | (negative ? 0x80000000U : 0U);
    return libscan::detail::bits_as<float>(bits);
  } else {
    std::uint64_t const bits =
        0x7ff8000000000000U | payload | (negative ? 0x8000000000000000U : 0U);
    return libscan::detail::bits_as<double>(bits);
  }
}

template <class T>
std::vector<T> edge_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    T const inf = limits::infinity();
    return {T(0),
            T(-0.0),
            T(1),
            T(-1),
            inf,
            -inf,
            limits::max(),
            limits::lowest(),
            limits::min(),
            -limits::min(),
            T(1.5),
            -T(1.5),
            limits::denorm_min(),
            -limits::denorm_min(),
            quiet_nan<T>(false, 0),
            quiet_nan<T>(true, 0),
            quiet_nan<T>(false, 0x12345),
            quiet_nan<T>(true, 0x3fffff)};
  } else {
    std::vector<T> values{limits::min(),
                          limits::max(),
                          T(0),
                          T(1),
                          T(2),
                          T(limits::max() - 1),
                          T(limits::min() + 1),
                          T(limits::max() / 2),
                          T(limits::max() / 2 + 1),
                          T(0x55),
                          T(0x2a),
                          static_cast<T>(-1),
                          static_cast<T>(-2)};
    for (T const random : make_input<T>(pattern::random, 7)) values.push_back(random);
    return values;
  }
}

template <class T, class Op>
std::vector<T> apply_to_pairs(std::vector<T> const& values, Op op) {
  auto const n = values.size();
  device_buffer<T> const in(values), out(n * n + 2 * n);
  simt::launch<all_pairs_kernel>({.blocks = 1, .threads = simt::warp_size},
                                 static_cast<T const*>(in.data()), out.data(), static_cast<int>(n),
                                 op);
  return out.copy();
}

/// op(x, y) is that of the plain operator, and the identity changes nothing.
template <class Op>
void require_as_plain(Op op) {
  using T = typename Op::value_type;
  std::vector<T> const values = edge_values<T>();
  std::vector<T> expected;
  for (T const x : values) {
    for (T const y : values) expected.push_back(oracle_of(op)(x, y));
  }
  for (int side = 0; side < 2; ++side)
    expected.insert(expected.end(), values.begin(), values.end());
  auto const got = apply_to_pairs(values, op);
  REQUIRE(difference(expected, got) == "");
  // Minima and maxima choose one of their operands; its bits too are those of one.
  constexpr bool chooses = std::is_same_v<Op, minimum<T>> || std::is_same_v<Op, maximum<T>>;
  if (chooses && !on_gpu) REQUIRE(bit_difference(expected, got) == "");
}

/// op(x, y) on the device.
template <class Op>
typename Op::value_type result_of(Op op, typename Op::value_type x, typename Op::value_type y) {
  using T = typename Op::value_type;
  return apply_to_pairs(std::vector<T>{x, y}, op)[1];
}

}  // namespace

TEMPLATE_TEST_CASE("operators on integers", "", std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                   long long, unsigned long long) {
  require_as_plain(plus<TestType>{});
  require_as_plain(minimum<TestType>{});
  require_as_plain(maximum<TestType>{});
  require_as_plain(bit_and<TestType>{});
  require_as_plain(bit_or<TestType>{});
  require_as_plain(bit_xor<TestType>{});
}

TEMPLATE_TEST_CASE("operators on floats", "", float, double) {
  require_as_plain(plus<TestType>{});
  require_as_plain(minimum<TestType>{});
  require_as_plain(maximum<TestType>{});
}

TEST_CASE("operators on integers, by example") {
  CHECK(result_of(plus<std::int32_t>{}, std::numeric_limits<std::int32_t>::max(), 1) ==
        std::numeric_limits<std::int32_t>::min());
  CHECK(result_of(plus<std::int32_t>{}, -5, 3) == -2);
  CHECK(result_of(plus<std::uint8_t>{}, 255, 2) == 1);
  CHECK(result_of(plus<std::int64_t>{}, std::numeric_limits<std::int64_t>::min(), -1) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(result_of(minimum<std::int32_t>{}, -1, 0) == -1);
  CHECK(result_of(minimum<std::uint32_t>{}, 0xffffffffU, 0) == 0);
  CHECK(result_of(maximum<std::int32_t>{}, -1, 0) == 0);
  CHECK(result_of(maximum<std::uint32_t>{}, 0xffffffffU, 0) == 0xffffffffU);
  CHECK(result_of(bit_and<std::int16_t>{}, 0x0f3c, 0x55aa) == 0x0528);
  CHECK(result_of(bit_or<std::int16_t>{}, 0x0f3c, 0x55aa) == 0x5fbe);
  CHECK(result_of(bit_xor<std::int16_t>{}, 0x0f3c, 0x55aa) == 0x5a96);
}

TEMPLATE_TEST_CASE("operators on floats, by example", "", float, double) {
  using T = TestType;
  T const inf = std::numeric_limits<T>::infinity();
  T const nan = std::numeric_limits<T>::quiet_NaN();
  for (T const x : {T(0), T(-1), inf, -inf, nan}) {
    CHECK(std::isnan(result_of(minimum<T>{}, nan, x)));
    CHECK(std::isnan(result_of(minimum<T>{}, x, nan)));
    CHECK(std::isnan(result_of(maximum<T>{}, nan, x)));
    CHECK(std::isnan(result_of(maximum<T>{}, x, nan)));
    CHECK(std::isnan(result_of(plus<T>{}, x, nan)));
  }
  // The earlier of two zeros.
  CHECK_FALSE(std::signbit(result_of(minimum<T>{}, T(0), T(-0.0))));
  CHECK(std::signbit(result_of(minimum<T>{}, T(-0.0), T(0))));
  CHECK_FALSE(std::signbit(result_of(maximum<T>{}, T(0), T(-0.0))));
  CHECK(std::signbit(result_of(maximum<T>{}, T(-0.0), T(0))));
  CHECK_FALSE(std::signbit(result_of(plus<T>{}, T(0), T(-0.0))));
  CHECK(std::signbit(result_of(plus<T>{}, T(-0.0), T(-0.0))));
  CHECK(result_of(minimum<T>{}, T(-2), T(1)) == T(-2));
  CHECK(result_of(maximum<T>{}, T(-2), T(1)) == T(1));
  CHECK(result_of(minimum<T>{}, inf, -inf) == -inf);
  CHECK(result_of(maximum<T>{}, -inf, inf) == inf);
  CHECK(std::isnan(result_of(plus<T>{}, inf, -inf)));
}

TEMPLATE_TEST_CASE("a warp's scan and sum of special values", "", minimum<float>, maximum<float>,
                   minimum<double>, maximum<double>, plus<std::int32_t>, minimum<std::int32_t>,
                   maximum<std::uint32_t>, bit_and<std::uint16_t>, bit_or<std::int64_t>,
                   bit_xor<std::uint8_t>) {
  using T = typename TestType::value_type;
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    auto const items = make_input<T>(pattern::special, simt::warp_size, stream);
    auto const expected =
        scan_oracle(scan_kind::inclusive, items, TestType{}, TestType::identity());
    device_buffer<T> const in(items), out(simt::warp_size + 2);
    simt::launch<warp_kernel>({.blocks = 1, .threads = simt::warp_size},
                              static_cast<T const*>(in.data()), out.data(), TestType{});
    std::vector<T> all = expected.out;
    all.insert(all.end(), 2, expected.total);
    REQUIRE(difference(all, out.copy()) == "");
  }
}

TEST_CASE("what scans may assume of operators") {
  CHECK(exactly_associative<plus<std::int32_t>>);
  CHECK_FALSE(exactly_associative<plus<float>>);
  CHECK_FALSE(exactly_associative<plus<double>>);
  CHECK(exactly_associative<minimum<float>>);
  CHECK(exactly_associative<maximum<double>>);
  CHECK(exactly_associative<bit_xor<std::uint8_t>>);
  CHECK_FALSE(exactly_associative<compose>);
  CHECK(commutative<plus<float>>);
  CHECK(commutative<minimum<std::int32_t>>);
  CHECK_FALSE(commutative<minimum<float>>);  // -0 and +0 compare equal
  CHECK_FALSE(commutative<maximum<double>>);
  CHECK(commutative<bit_or<std::uint16_t>>);
  CHECK_FALSE(commutative<compose>);
}

TEST_CASE("oracles have operators of their own") {
  CHECK_FALSE(std::is_same_v<oracle_op<plus<int>>::type, plus<int>>);
  CHECK_FALSE(std::is_same_v<oracle_op<minimum<float>>::type, minimum<float>>);
  CHECK_FALSE(std::is_same_v<oracle_op<maximum<float>>::type, maximum<float>>);
  CHECK_FALSE(std::is_same_v<oracle_op<bit_and<int>>::type, bit_and<int>>);
  CHECK_FALSE(std::is_same_v<oracle_op<bit_or<int>>::type, bit_or<int>>);
  CHECK_FALSE(std::is_same_v<oracle_op<bit_xor<int>>::type, bit_xor<int>>);
  CHECK(std::is_same_v<oracle_op<compose>::type, compose>);
  CHECK(equal_values{}(1, 1));
  CHECK_FALSE(equal_values{}(1, 2));
}
