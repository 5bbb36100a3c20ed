// SPDX-License-Identifier: Apache-2.0
// The device-wide reduction against a sequential loop, and reductions that take their items
// from elsewhere: transformed, or converted from 16-bit floats.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <libscan/reduce.cuh>
#include <libscan/scan.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/machine.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>
#include <tests/support/transformed.hpp>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

using namespace libscan;
using namespace libscan::test;

namespace {

/// Two warps, two batches of two rows of a few items.
struct small_tuning {
  static constexpr int block_threads = 64;
  [[maybe_unused]] static constexpr int resident_blocks = 1;
  static constexpr int items_per_thread = 8;
  static constexpr int loads_per_thread = 4;
};

/// No tuning: the library chooses.
using automatic = void;

template <class Tuning, class Op, class Item>
typename Op::value_type reduce_on_device(std::vector<Item> const& items, Op op,
                                         typename Op::value_type init, int offset = 0) {
  workspace ws;
  device_image<Item> in(items, offset);
  device_image<typename Op::value_type> result(1, offset);
  reduce<Tuning>(ws, in.data(), result.data(), static_cast<index_t>(items.size()), op, init);
  auto const got = result.read()[0];
  REQUIRE(bit_difference(items, in.read()) == "");
  REQUIRE(in.damage() == "");
  REQUIRE(result.damage() == "");
  return got;
}

template <class Tuning, class Op, class Item>
void require_reduce(std::vector<Item> const& items, Op op, typename Op::value_type init,
                    int offset = 0) {
  using T = typename Op::value_type;
  INFO("n = " << items.size());
  std::vector<T> const expected{scan_oracle(scan_kind::inclusive, items, op, init).total};
  std::vector<T> const got{reduce_on_device<Tuning>(items, op, init, offset)};
  REQUIRE(difference(expected, got) == "");
}

/// Items that are all `common`, except for one: the first, the last, or one between them.
template <class Op>
void require_with_one(Op op, typename Op::value_type common, typename Op::value_type one) {
  using T = typename Op::value_type;
  for (index_t const n : {1, 513, 1000}) {
    for (index_t const at : {index_t{0}, n / 2, n - 1}) {
      INFO("item " << at);
      std::vector<T> items(static_cast<std::size_t>(n), common);
      items[static_cast<std::size_t>(at)] = one;
      require_reduce<small_tuning>(items, op, op.identity());
    }
  }
}

/// The value of a 16-bit float: 5 bits of exponent and 10 of fraction, or 8 and 7.
template <int FractionBits>
float half_value(std::uint16_t bits) {
  constexpr int exponent_bits = 15 - FractionBits;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  int const exponent = bits >> FractionBits & ((1 << exponent_bits) - 1);
  int const fraction = bits & ((1 << FractionBits) - 1);
  int const significand = exponent == 0 ? fraction : fraction | 1 << FractionBits;
  float const size = std::ldexp(static_cast<float>(significand),
                                (exponent == 0 ? 1 : exponent) - bias - FractionBits);
  return bits >> 15 != 0 ? -size : size;
}

/// A 16-bit float of a user's own, converted where it is loaded.
struct own_half {
  std::uint16_t bits;
  LIBSCAN_HOST_DEVICE operator float() const {
    // Normal numbers only: the exponent's bias is 15 here, 127 there.
    auto const wide = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
    unsigned const word = static_cast<unsigned>(bits & 0x8000) << 16 | (wide + (112u << 23));
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
  }
};

/// Finite normal numbers near 1, with few bits, so that sums in float are exact.
template <int FractionBits>
std::vector<std::uint16_t> half_bits(index_t n) {
  random_words words(16);
  std::vector<std::uint16_t> bits;
  constexpr unsigned bias = (1u << (14 - FractionBits)) - 1;
  for (index_t i = 0; i < n; ++i) {
    unsigned const sign = words.below(2) == 0 ? 0x8000u : 0u;
    unsigned const exponent = static_cast<unsigned>(bias + words.below(3)) << FractionBits;
    unsigned const fraction = static_cast<unsigned>(words.below(8)) << (FractionBits - 3);
    bits.push_back(static_cast<std::uint16_t>(sign | exponent | fraction));
  }
  return bits;
}

template <class Half, int FractionBits>
void require_sums_of_halves() {
  auto const bits = half_bits<FractionBits>(20000);
  std::vector<float> values;
  for (std::uint16_t const b : bits) values.push_back(half_value<FractionBits>(b));
  auto const expected = scan_oracle(scan_kind::exclusive, values, plus<float>{}, 0.0f);
  device_image<std::uint16_t> image(bits, 1);
  auto const* const in = reinterpret_cast<Half const*>(image.data());
  device_image<float> out(static_cast<index_t>(bits.size())), total(1), sum(1);
  workspace ws;
  auto const n = static_cast<index_t>(bits.size());
  exclusive_scan(ws, in, out.data(), n, plus<float>{}, total.data(), 0.0f);
  reduce(ws, in, sum.data(), n, plus<float>{}, 0.0f);
  REQUIRE(difference(expected, {out.read(), total.read()[0]}) == "");
  REQUIRE(sum.read()[0] == expected.total);
}

}  // namespace

TEST_CASE("every n from 0 to 600 agrees with a loop, with the smallest tiles") {
  each_schedule(scaled(2, 1), [](std::string const& schedule) {
    INFO(schedule);
    for (index_t n = 0; n <= 600; n += n < 140 ? 1 : scaled(1, 37)) {
      require_reduce<small_tuning>(make_items<std::int32_t>(n), plus<std::int32_t>{}, 7);
      require_reduce<small_tuning>(make_items<affine>(n), compose{}, affine{3, 5});
      require_reduce<small_tuning>(make_items<maybe>(n), keep_last{}, maybe{42, 1});
      require_reduce<small_tuning>(make_items<interval>(n), tripwire{}, interval::over(-5, 0));
    }
    require_reduce<small_tuning>(make_items<affine>(99999), compose{}, affine{3, 5});
  });
}

TEST_CASE("more totals than a tile holds are reduced by a second kernel") {
  constexpr index_t tile = index_t{small_tuning::block_threads} * small_tuning::items_per_thread;
  for (index_t const n : {tile * tile, tile * tile + 1, tile * (tile + 2) + 3}) {
    require_reduce<small_tuning>(make_items<affine>(n), compose{}, affine{3, 5});
  }
}

using ladder_operators = types_to_test<std::tuple<plus<std::uint8_t>, compose>,
                                       std::tuple<minimum<std::int64_t>, tripwire>,
                                       std::tuple<plus<std::int32_t>, plus<std::uint64_t>,
                                                  maximum<std::int16_t>, bit_xor<std::uint32_t>>>;
TEMPLATE_LIST_TEST_CASE("the size ladder agrees with a loop, in every type and operator", "",
                        ladder_operators) {
  using T = typename TestType::value_type;
  using tuning = device::reduce_tuning<T>;
  index_t const tile = index_t{tuning::block_threads} * tuning::items_per_thread;
  index_t const limit = on_gpu ? 2000000 : scaled(600000, 20000);
  for (index_t const n : size_ladder(tile, tuning::block_threads, limit)) {
    require_reduce<automatic>(make_items<T>(n), TestType{}, TestType::identity());
    require_reduce<tuning>(make_items<T>(n), TestType{}, TestType::identity());
  }
  if (!on_gpu) return;
  for (index_t const n : {index_t{1} << 21, (index_t{1} << 21) + 1, index_t{5000000}}) {
    require_reduce<automatic>(make_items<T>(n), TestType{}, TestType::identity());
  }
}

TEST_CASE("minima and maxima keep NaN, infinities and negative zeros") {
  float const inf = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (float const sign : {1.0f, -1.0f}) {
    std::vector<std::pair<float, float>> const cases{{2.0f, nan}, {nan, 2.0f}, {2.0f, inf},
                                                     {inf, inf},  {-inf, inf}, {0.0f, 0.0f}};
    for (auto const& [common, one] : cases) {
      INFO(sign << " * " << common << " and " << one);
      require_with_one(minimum<float>{}, sign * common, sign * one);
      require_with_one(maximum<float>{}, sign * common, sign * one);
    }
  }
  require_reduce<small_tuning>(std::vector<float>(700, 2.0f), minimum<float>{}, nan);
  require_reduce<small_tuning>(std::vector<float>(700, 2.0f), maximum<float>{}, nan);
}

TEST_CASE("bits of a single item come through and, or and exclusive or") {
  for (std::uint32_t const common : {0u, ~0u, 0x5555aaaau}) {
    for (std::uint32_t const other : {0x80000001u, ~0u}) {
      INFO(common << " and " << (common ^ other));
      require_with_one(bit_and<std::uint32_t>{}, common, common ^ other);
      require_with_one(bit_or<std::uint32_t>{}, common, common ^ other);
      require_with_one(bit_xor<std::uint32_t>{}, common, common ^ other);
    }
  }
}

TEST_CASE("items are converted to the accumulator before the first addition, at any alignment") {
  std::vector<std::uint8_t> const bytes(30000, 255);
  auto const words = make_items<std::int32_t>(9001);
  for (int offset = 0; offset <= 16; ++offset) {
    INFO("offset " << offset);
    require_reduce<automatic>(bytes, plus<std::uint32_t>{}, 0u, offset);
    require_reduce<automatic>(words, plus<std::int64_t>{}, 1, offset);
  }
}

TEST_CASE("a floating sum repeats bit for bit, also if the count lies on the device") {
  auto const items = make_input<float>(pattern::random, 70000);
  float const first = reduce_on_device<automatic>(items, plus<float>{}, 0.5f);
  double exact = 0.5;
  double magnitude = 0.5;
  for (float const x : items) {
    exact += x;
    magnitude += std::abs(x);
  }
  REQUIRE(std::abs(first - exact) <= 70000 * 0x1p-23 * magnitude);
  each_schedule(scaled(6, 2), [&](std::string const& schedule) {
    INFO(schedule);
    REQUIRE(reduce_on_device<automatic>(items, plus<float>{}, 0.5f) == first);
    device_image<float> in(items), result(1);
    device_image<index_t> length(std::vector<index_t>{70000});
    workspace ws;
    reduce(ws, in.data(), result.data(), item_count::on_device(length.data(), 70000), plus<float>{},
           0.5f);
    REQUIRE(result.read()[0] == first);
  });
  std::vector<float> const zeros(100, -0.0f);
  REQUIRE(std::signbit(reduce_on_device<automatic>(zeros, plus<float>{}, -0.0f)));
}

TEST_CASE("the number of items may lie in device memory") {
  auto const items = make_items<std::int32_t>(5000);
  device_image<std::int32_t> in(items);
  for (index_t const n : {-3, 0, 1, 512, 513, 5000, 9999}) {
    INFO("n on the device = " << n);
    index_t const taken = n < 0 ? 0 : n > 5000 ? 5000 : n;
    device_image<index_t> length(std::vector<index_t>{n});
    device_image<std::int32_t> result(1);
    workspace ws;
    reduce<small_tuning>(ws, in.data(), result.data(), item_count::on_device(length.data(), 5000),
                         plus<std::int32_t>{}, 9);
    std::vector<std::int32_t> const part(items.begin(), items.begin() + taken);
    REQUIRE(result.read()[0] ==
            scan_oracle(scan_kind::inclusive, part, plus<std::int32_t>{}, 9).total);
  }
}

TEST_CASE("a dirty workspace is harmless, one too small is refused") {
  auto const items = make_items<std::int64_t>(100000);
  std::size_t const bytes = reduce_workspace_bytes<std::int64_t>(100000);
  device::buffer<std::byte> const memory(static_cast<index_t>(bytes));
  simt::fill_async(memory.data(), 0xff, bytes);
  workspace ws(memory.data(), bytes);
  device_image<std::int64_t> in(items), result(1);
  for (int k = 0; k < 2; ++k) {
    reduce(ws, in.data(), result.data(), 100000, plus<std::int64_t>{});
    REQUIRE(result.read()[0] ==
            scan_oracle(scan_kind::inclusive, items, plus<std::int64_t>{}, 0).total);
  }
  workspace small(memory.data(), 8);
  REQUIRE_THROWS_WITH(reduce(small, in.data(), result.data(), 100000, plus<std::int64_t>{}),
                      Catch::Contains("workspace of 8 bytes, but the call needs"));
}

TEST_CASE("items are transformed as they are loaded") {
  each_schedule(1, [](std::string const& schedule) {
    INFO(schedule);
    for (index_t const n : {0, 1, 700, 9001, on_gpu ? 3000001 : 20001}) {
      auto const items = make_items<std::int16_t>(n);
      auto const expected = scan_oracle(scan_kind::inclusive, transform_all(items, squared{}),
                                        plus<std::int64_t>{}, 5);
      device_image<std::int16_t> in(items);
      device_image<std::int64_t> result(1);
      workspace ws;
      transformed const first{static_cast<std::int16_t const*>(in.data()), squared{}};
      reduce(ws, first, result.data(), n, plus<std::int64_t>{}, 5);
      REQUIRE(result.read()[0] == expected.total);
      REQUIRE(result.damage() == "");
    }
  });
}

TEST_CASE("16-bit floats are summed in float") {
  require_sums_of_halves<own_half, 10>();
#ifdef __CUDACC__
  require_sums_of_halves<__half, 10>();
  require_sums_of_halves<__nv_bfloat16, 7>();
#endif
}
