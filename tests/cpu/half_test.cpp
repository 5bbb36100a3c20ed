// SPDX-License-Identifier: Apache-2.0
// Tests of floats of 16 bits: every one of them widened, every border between two of them rounded,
// by each instruction set; and scans and sums that take and leave them, and accumulate in float.
#include <libscan/core/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/vector_halves.hpp>
#include <tests/cpu/thread_counts.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/cpu_targets.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/segments.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

template <class Half>
constexpr int fraction_of = std::is_same_v<Half, float16> ? 10 : 7;

/// The half with these bits is infinite or no number.
template <class Half>
constexpr unsigned infinity_of = std::is_same_v<Half, float16> ? 0x7c00 : 0x7f80;

template <class Half>
Half half_of(unsigned bits) {
  return Half::of_bits(static_cast<std::uint16_t>(bits));
}

/// Sign, exponent and fraction taken apart: what the format says.
template <class Half>
float value_by_fields(unsigned bits) {
  constexpr int fraction_bits = fraction_of<Half>;
  constexpr int bias = (1 << (14 - fraction_bits)) - 1;
  int const fraction = static_cast<int>(bits & ((1U << fraction_bits) - 1));
  int const exponent = static_cast<int>((bits & 0x7fffU) >> fraction_bits);
  float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - bias - fraction_bits)
                              : std::ldexp(static_cast<float>(fraction + (1 << fraction_bits)),
                                           exponent - bias - fraction_bits);
  if ((bits & 0x7fffU) >= infinity_of<Half>) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  }
  return std::copysign(value, (bits & 0x8000U) != 0 ? -1.0F : 1.0F);
}

template <class Half>
std::vector<Half> all_halves() {
  std::vector<Half> all;
  for (unsigned bits = 0; bits < 0x10000; ++bits) all.push_back(half_of<Half>(bits));
  return all;
}

/// Floats at, next to and between all neighboring halves, of both signs, and what each becomes.
template <class Half>
struct borders {
  std::vector<float> floats;
  std::vector<Half> nearest;

  borders() {
    for (unsigned bits = 0; bits < infinity_of<Half>; ++bits) {
      float const here = value_by_fields<Half>(bits);
      // After the largest as if halves went on.
      float const step = bits + 1 == infinity_of<Half> ? here - value_by_fields<Half>(bits - 1)
                                                       : value_by_fields<Half>(bits + 1) - here;
      float const middle = here + step / 2;
      add(here, bits);
      add(std::nextafter(middle, 0.0F), bits);
      add(middle, bits + bits % 2);
      add(std::nextafter(middle, std::numeric_limits<float>::infinity()), bits + 1);
    }
    add(std::numeric_limits<float>::max(), infinity_of<Half>);
    add(std::numeric_limits<float>::infinity(), infinity_of<Half>);
    add(std::numeric_limits<float>::denorm_min(), 0);
  }

 private:
  void add(float number, unsigned bits) {
    floats.insert(floats.end(), {number, -number});
    nearest.insert(nearest.end(), {half_of<Half>(bits), half_of<Half>(bits | 0x8000U)});
  }
};

template <class Half>
std::vector<Half> rounded(std::vector<float> const& floats) {
  std::vector<Half> halves(floats.size());
  std::copy(floats.begin(), floats.end(), halves.begin());
  return halves;
}

static_assert(static_cast<float>(float16::of_bits(0x3c01)) == 1 + 0x1p-10F);
static_assert(static_cast<double>(bfloat16::of_bits(0xc040)) == -3.0);
// A cast takes the number, whatever its type, never its bits.
static_assert(static_cast<float16>(1).bits == 0x3c00 && static_cast<float16>(-0.5).bits == 0xb800);
static_assert(static_cast<bfloat16>(std::uint16_t{1}).bits == 0x3f80);
static_assert((float16{} = 65519.0F).bits == 0x7bff && (bfloat16{} = 1.0F).bits == 0x3f80);
static_assert(std::is_trivially_copyable_v<float16> && sizeof(bfloat16) == 2);
static_assert(std::is_same_v<accumulator_t<float16>, float>);

}  // namespace

TEMPLATE_TEST_CASE("scans of other numbers store the nearest halves", "", float16, bfloat16) {
  std::vector<double> const numbers{1, 0.25, -3.5, 100};
  std::vector<TestType> halves(4);
  cpu::inclusive_scan(1, numbers.begin(), halves.begin(), 4, plus<double>{}, 0.0);
  CHECK(halves == rounded<TestType>({1.0F, 1.25F, -2.25F, 97.75F}));
  std::vector<std::int64_t> const counts{1, 2, 3, 1000};
  cpu::inclusive_scan(1, counts.begin(), halves.data(), 4, plus<std::int64_t>{}, std::int64_t{0});
  CHECK(halves == rounded<TestType>({1.0F, 3.0F, 6.0F, 1006.0F}));
}

TEMPLATE_TEST_CASE("every float of 16 bits is the float that its fields say", "", float16,
                   bfloat16) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    float const expected = value_by_fields<TestType>(bits);
    auto const half = half_of<TestType>(bits);
    float const got = static_cast<float>(half);
    TestType back{};
    back = got;
    bool const nan = std::isnan(expected);
    if (!detail::same(expected, got) ||
        (nan ? !std::isnan(static_cast<float>(back)) : back != half)) {
      FAIL_CHECK("bits " << bits << ": " << got << " for " << expected);
    }
#if defined(__FLT16_MANT_DIG__) && !defined(__clang__)  // which names it where it has none
    if constexpr (std::is_same_v<TestType, float16>) {
      _Float16 own;
      std::memcpy(&own, &half, sizeof(own));
      if (!detail::same(static_cast<float>(own), got)) FAIL_CHECK("bits " << bits << ": _Float16");
    }
#endif
  }
}

TEMPLATE_TEST_CASE("floats are rounded to the nearest of 16 bits, ties to even", "", float16,
                   bfloat16) {
  borders<TestType> const at;
  CHECK(bit_difference(at.nearest, rounded<TestType>(at.floats)) == "");
}

TEMPLATE_TEST_CASE("each instruction set converts floats of 16 bits alike", "", float16, bfloat16) {
  auto const halves = all_halves<TestType>();
  borders<TestType> at;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  at.floats.insert(at.floats.begin(), {nan, -nan});  // the rest is then not where vectors begin
  // NaNs of all lengths of payload: a small one must not be lost, a large one not carry.
  for (std::uint32_t const payload :
       {1U, 0x7fffU, 0x8000U, 0x10000U, 0x3fffffU, 0x400001U, 0x7f8000U, 0x7fffffU}) {
    for (std::uint32_t const sign : {0U, 0x80000000U}) {
      at.floats.push_back(libscan::detail::bits_as<float>(sign | 0x7f800000U | payload));
    }
  }
  at.floats.insert(at.floats.end(), 16, 1.0F);  // and none of them in a rest of no whole vector
  auto const nearest = rounded<TestType>(at.floats);
  for_each_target([&] {
    auto const current = cpu::detail::current_vector_halves();
    cpu::detail::vector_halves_of<TestType> code;
    if constexpr (std::is_same_v<TestType, float16>) {
      code = current.of_float16;
    } else {
      code = current.of_bfloat16;
    }
    std::vector<float> expected;
    for (auto const half : halves) expected.push_back(static_cast<float>(half));
    for (index_t const n : {index_t{0}, index_t{1}, index_t{7}, index_t{17}, index_t{0x10000}}) {
      guarded_buffer<float> wide(n, 3);
      code.widen(halves.data(), n, wide.data());
      CHECK(bit_difference({expected.begin(), expected.begin() + n}, wide.copy()) == "");
      CHECK(wide.damage() == "");
    }
    auto const many = static_cast<index_t>(nearest.size());
    for (index_t const n : {index_t{0}, index_t{1}, index_t{7}, index_t{17}, many}) {
      guarded_buffer<TestType> narrow(n, 3);
      code.narrow(at.floats.data(), n, narrow.data());
      CHECK(bit_difference({nearest.begin(), nearest.begin() + n}, narrow.copy()) == "");
      CHECK(narrow.damage() == "");
    }
  });
}

namespace {

/// Multiples of 1/8 near 0, whose float sums are exact, and need more bits than halves have.
template <class Half>
std::vector<Half> some_halves(index_t n) {
  auto numbers = make_input<float>(pattern::small, n);
  for (float& number : numbers) number /= 8;
  return rounded<Half>(numbers);
}

/// An operator that there is no vector code for.
struct own_plus : plus<float> {};

template <class Half, class Op>
void check_scans(int threads, index_t n, index_t chunk_items, Op op) {
  INFO(threads << " threads, n = " << n << ", chunks of " << chunk_items);
  auto const in = some_halves<Half>(n);
  for (scan_kind const kind : {scan_kind::inclusive, scan_kind::exclusive}) {
    auto const expected = scan_oracle(kind, in, op, 0.25F);
    auto const check = [&](auto const* from, auto* out) {
      float const total = kind == scan_kind::inclusive
                              ? cpu::inclusive_scan(threads, from, out, n, op, 0.25F, chunk_items)
                              : cpu::exclusive_scan(threads, from, out, n, op, 0.25F, chunk_items);
      CHECK(total == expected.total);
    };
    guarded_buffer<Half> source(in, 1), halves(n, 3);
    guarded_buffer<float> floats(n, 1);
    check(in.data(), halves.data());
    check(in.data(), floats.data());
    check(source.data(), source.data());
    CHECK(difference(rounded<Half>(expected.out), halves.copy()) == "");
    CHECK(difference(expected.out, floats.copy()) == "");
    CHECK(difference(rounded<Half>(expected.out), source.copy()) == "");
    CHECK(halves.damage() + floats.damage() + source.damage() == "");
    CHECK(cpu::reduce(threads, in.data(), n, op, 0.25F, chunk_items) == expected.total);
  }
}

/// Within segments said by `heads`, in both directions and kinds, and their totals.
template <class Half, class Heads, class Op>
void check_segments(int threads, std::vector<Half> const& in, std::vector<index_t> const& offsets,
                    Heads const& heads, index_t chunk_items, Op op) {
  auto const n = static_cast<index_t>(in.size());
  for (scan_direction const direction : {scan_direction::forward, scan_direction::reverse}) {
    std::vector<float> expected;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      std::vector<Half> part(in.begin() + offsets[s], in.begin() + offsets[s + 1]);
      bool const reverse = direction == scan_direction::reverse;
      if (reverse) std::reverse(part.begin(), part.end());
      auto of_part = scan_oracle(scan_kind::inclusive, part, op, 0.25F).out;
      if (reverse) std::reverse(of_part.begin(), of_part.end());
      expected.insert(expected.end(), of_part.begin(), of_part.end());
    }
    guarded_buffer<Half> halves(n, 3);
    guarded_buffer<float> floats(n, 1);
    cpu::segmented_scan<scan_kind::inclusive>(threads, direction, in.data(), halves.data(), heads,
                                              n, op, 0.25F, chunk_items);
    cpu::segmented_scan<scan_kind::inclusive>(threads, direction, in.data(), floats.data(), heads,
                                              n, op, 0.25F, chunk_items);
    CHECK(difference(rounded<Half>(expected), halves.copy()) == "");
    CHECK(difference(expected, floats.copy()) == "");
    CHECK(halves.damage() + floats.damage() == "");
  }
  auto const totals = segment_totals_oracle(in, offsets, op, 0.25F);
  guarded_buffer<Half> got(static_cast<index_t>(totals.size()), 3);
  cpu::segmented_reduce(threads, in.data(), got.data(), heads, n, op, 0.25F, chunk_items);
  CHECK(difference(rounded<Half>(totals), got.copy()) == "");
  CHECK(got.damage() == "");
}

template <class Half, class Op>
void check_all(int threads, index_t n, index_t chunk_items, Op op) {
  check_scans<Half>(threads, n, chunk_items, op);
  auto const in = some_halves<Half>(n);
  for (segment_shape const shape : all_segment_shapes()) {
    INFO(to_string(shape) << ", n = " << n);
    auto const offsets = without_empty(make_offsets(shape, n));
    auto const flags = flags_of(offsets);
    auto const segments = static_cast<index_t>(offsets.size()) - 1;
    check_segments(threads, in, offsets, segment_offsets{offsets.data(), segments}, chunk_items,
                   op);
    check_segments(threads, in, offsets, head_flags{flags.data()}, chunk_items, op);
  }
}

}  // namespace

using half_operators =
    types_to_test<std::tuple<plus<float>, own_plus>, std::tuple<minimum<float>>, no_types>;
TEMPLATE_LIST_TEST_CASE("scans of floats of 16 bits accumulate in float", "", half_operators) {
  // Vector code for the one, in builds of few types, and loops for the other.
  using second = std::conditional_t<quick_types, float16, bfloat16>;
  TestType const op;
  for (index_t const n : sized_list<index_t>({1, 2, 17, 100, 200}, {1, 17, 200})) {
    for (index_t const chunk_items : {index_t{1}, index_t{9}, cpu::default_chunk_items}) {
      check_all<float16>(2, n, chunk_items, op);
      check_all<second>(1, n, chunk_items, op);
    }
  }
  for (index_t const n : sized_list<index_t>({1000, 4096, 9001, 100003}, {1000, 20011})) {
    check_all<float16>(2, n, cpu::staged_chunk_items, op);
    check_all<second>(2, n, 512, op);
  }
}

TEMPLATE_TEST_CASE("scans of floats of 16 bits are the same with any number of threads", "",
                   float16, bfloat16) {
  index_t const n = 300007;
  auto const in = rounded<TestType>(make_input<float>(pattern::random, n));
  with_threads(16, [&] {
    std::vector<TestType> first(in.size()), out(in.size());
    float const total =
        cpu::inclusive_scan(1, in.data(), first.data(), n, plus<float>{}, 0.0F, 1000);
    float const sum = cpu::reduce(1, in.data(), n, plus<float>{}, 0.0F, 1000);
    for (int const threads : thread_counts) {
      CHECK(total ==
            cpu::inclusive_scan(threads, in.data(), out.data(), n, plus<float>{}, 0.0F, 1000));
      CHECK(bit_difference(first, out) == "");
      CHECK(sum == cpu::reduce(threads, in.data(), n, plus<float>{}, 0.0F, 1000));
    }
  });
}

TEST_CASE("many floats of 16 bits are written past the caches") {
  index_t const n = cpu::non_temporal_bytes / 4 + 5001;
  if (reduced()) return;
  auto const in = some_halves<float16>(n);
  auto const expected = scan_oracle(scan_kind::exclusive, in, maximum<float>{}, -1.0F);
  guarded_buffer<float16> out(n, 5);
  CHECK(cpu::exclusive_scan(2, in.data(), out.data(), n, maximum<float>{}, -1.0F) ==
        expected.total);
  CHECK(difference(rounded<float16>(expected.out), out.copy()) == "");
  CHECK(out.damage() == "");
}

}  // namespace libscan::test
