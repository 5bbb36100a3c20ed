// SPDX-License-Identifier: Apache-2.0
// Tests of the test helpers: each reports nothing for right results, and finds a planted mistake.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <tests/support/catch.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/oracle.hpp>
#include <tests/support/sizes.hpp>

namespace libscan::test {
namespace {

static_assert(monoid<compose> && monoid<join_shears> && monoid<multiply>);
static_assert(monoid<keep_last> && monoid<tripwire>);
static_assert(sizeof(shear) == 12 && sizeof(interval) == 16 && sizeof(matrix) == 36);

bool holds(std::vector<index_t> const& sizes, index_t n) {
  return std::find(sizes.begin(), sizes.end(), n) != sizes.end();
}

TEST_CASE("the size ladder surrounds every edge, once") {
  auto const sizes = size_ladder(1024, 128);
  for (index_t const n : {0,    1,    2,    31,   32,    33,    127,   128,   129,   1023,   1024,
                          1025, 2047, 2048, 2049, 32767, 32768, 32769, 33792, 66560, 1000003}) {
    INFO(n);
    CHECK(holds(sizes, n));
  }
  CHECK(std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>{}) == sizes.end());
  CHECK(size_ladder(1024, 128, 2048).back() == 2048);
  auto const tiny = tiny_sizes();
  CHECK(tiny.size() == (!reduced() ? 201U : quick_types ? 31U : 48U));
  for (index_t const n : {0, 1, 31, 34, 200}) CHECK(holds(tiny, n));
}

TEST_CASE("inputs have the shape their name says") {
  auto const of = [](pattern p) { return make_input<std::int32_t>(p, 1000); };
  CHECK(of(pattern::random) == of(pattern::random));
  CHECK(of(pattern::random) != make_input<std::int32_t>(pattern::random, 1000, 1));
  CHECK(of(pattern::zeros) == std::vector<std::int32_t>(1000, 0));
  CHECK(of(pattern::ones) == std::vector<std::int32_t>(1000, 1));
  CHECK(of(pattern::constant) == std::vector<std::int32_t>(1000, of(pattern::constant)[0]));
  auto const sorted = make_input<std::uint8_t>(pattern::sorted, 1000);
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  CHECK(sorted.front() < sorted.back());
  auto const reversed = make_input<std::uint8_t>(pattern::reversed, 1000);
  CHECK(std::equal(sorted.begin(), sorted.end(), reversed.rbegin()));
  CHECK(of(pattern::alternating)[7] == 1);
  for (float const x : make_input<float>(pattern::small, 1000)) {
    CHECK((x == std::floor(x) && x >= -8 && x < 8));
  }
  auto const special = make_input<float>(pattern::special, 1000);
  auto const any = [&](auto predicate) {
    return std::any_of(special.begin(), special.end(), predicate);
  };
  CHECK(any([](float x) { return std::isnan(x); }));
  CHECK(any([](float x) { return std::isinf(x) && x < 0; }));
  CHECK(any([](float x) { return x == 0 && std::signbit(x); }));
}

TEST_CASE("affine composition keeps order, and keep-last needs an exact identity") {
  compose const then;
  affine const twice{2, 0};
  affine const plus_one{1, 1};
  CHECK(then(twice, plus_one) == affine{2, 1});
  CHECK(then(plus_one, twice) == affine{2, 2});
  affine const third{7, 5};
  CHECK(then(then(twice, plus_one), third) == then(twice, then(plus_one, third)));
  CHECK(then(compose::identity(), third) == third);
  CHECK(then(third, compose::identity()) == third);

  join_shears const after;
  shear const f{1, 2, 3}, g{4, 5, 6}, h{7, 8, 9};
  CHECK(after(f, g) == shear{5, 7, 14});
  CHECK(after(g, f) == shear{5, 7, 17});
  CHECK(after(after(f, g), h) == after(f, after(g, h)));
  CHECK(after(join_shears::identity(), h) == h);

  multiply const times;
  matrix const a{{1, 2, 3, 4, 5, 6, 7, 8, 9}}, b{{9, 7, 5, 3, 1, 8, 6, 4, 2}};
  CHECK(times(a, b) == matrix{{33, 21, 27, 87, 57, 72, 141, 93, 117}});
  CHECK_FALSE(times(b, a) == times(a, b));
  CHECK(times(a, multiply::identity()) == a);
  CHECK(times(multiply::identity(), a) == a);

  maybe const one{1, 1};
  CHECK(keep_last{}(one, keep_last::identity()) == one);
  CHECK(keep_last{}(one, maybe{0, 1}) == maybe{0, 1});
}

TEST_CASE("the tripwire notices each kind of wrong operand, and remembers it") {
  tripwire const op;
  auto const over = [](int begin, int end) { return interval::over(begin, end); };
  CHECK(op(over(0, 2), over(2, 5)) == over(0, 5));
  CHECK(op(tripwire::identity(), over(2, 5)) == over(2, 5));
  CHECK(op(over(2, 5), tripwire::identity()) == over(2, 5));

  CHECK(op(over(2, 5), over(0, 2)).found == fault::unordered);
  CHECK(op(over(0, 3), over(2, 5)).found == fault::overlapping);
  CHECK(op(over(0, 2), over(0, 2)).found == fault::overlapping);
  CHECK(op(over(0, 2), over(3, 5)).found == fault::gap);
  CHECK(op(over(0, 2), interval{}).found == fault::uninitialized);
  interval poisoned;
  std::memset(static_cast<void*>(&poisoned), 0xFF, sizeof poisoned);
  CHECK(op(poisoned, over(0, 2)).found == fault::uninitialized);

  auto const tripped = op(over(0, 2), over(3, 5));
  CHECK(op(tripped, over(5, 6)).found == fault::gap);
  CHECK(op(over(-1, 0), tripped).found == fault::gap);
  CHECK(to_string(fault::gap) == "items left out between operands");
}

TEST_CASE("a guarded buffer notices a byte before, after and within") {
  for (int const offset : {0, 1, 3, 16}) {
    INFO("offset " << offset);
    guarded_buffer<std::int16_t> buffer(10, offset);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 ==
          2U * static_cast<unsigned>(offset));
    CHECK(buffer.damage().empty());
    CHECK(buffer.written_from(0).empty());

    buffer.items()[9] = 0;
    CHECK(buffer.damage().empty());
    CHECK(buffer.written_from(9) == "item 9 was written");
    CHECK(buffer.written_from(10).empty());

    auto* const bytes = reinterpret_cast<unsigned char*>(buffer.data());
    for (int const at : {-256, -1, 20, 20 + 255}) {
      auto const set = [&](unsigned char value) {
        buffer.with_image([&](std::span<unsigned char>) { bytes[at] = value; });
      };
      set(0);
      INFO(at << ": " << buffer.damage());
      CHECK_FALSE(buffer.damage().empty());
      set(guarded_buffer<std::int16_t>::canary);
      CHECK(buffer.damage().empty());
    }
    buffer.with_image([&](std::span<unsigned char> image) {
      CHECK(image.data() + buffer.image_offset() == bytes);
    });
  }
  CHECK(guarded_buffer<int>(std::vector<int>{1, 2, 3}, 5).copy() == std::vector<int>{1, 2, 3});
  CHECK(guarded_buffer<int>(0).damage().empty());
}

#ifdef LIBSCAN_TEST_ASAN
TEST_CASE("under AddressSanitizer canaries are poisoned while nothing reads them") {
  guarded_buffer<unsigned char> buffer(5, 3);
  auto const poisoned = [&](int i) { return __asan_address_is_poisoned(buffer.data() + i) != 0; };
  auto const check = [&] {
    CHECK(poisoned(5));
    CHECK(poisoned(5 + 255));
    CHECK(poisoned(-256));
    CHECK_FALSE(poisoned(0));
    CHECK_FALSE(poisoned(4));
  };
  check();
  CHECK(buffer.damage().empty());
  check();
  CHECK(buffer.with_image([&](std::span<unsigned char>) { return !poisoned(5) && !poisoned(-1); }));
  check();
}
#endif

namespace {

struct ended {
  int status;
  std::string output;
};

/// Runs a test case of this program with such a variable in the environment.
ended run_case(std::string const& variable, std::string const& name) {
  char program[4096] = {};
  REQUIRE(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
  std::string const command = variable + " '" + std::string(program) + "' '" + name + "' 2>&1";
  std::FILE* const child = popen(command.c_str(), "r");
  REQUIRE(child != nullptr);
  ended result{};
  for (int next = 0; (next = std::fgetc(child)) != EOF;) result.output += static_cast<char>(next);
  result.status = pclose(child);
  return result;
}

}  // namespace

TEST_CASE("a test case that never ends is named, and ends its program with a failure") {
  auto const [status, output] =
      run_case("LIBSCAN_TEST_CASE_SECONDS=1", "for the parent: never ends");
  INFO(output);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(output.find(
            "test case \"for the parent: never ends\", section \"a part\" still runs after ") !=
        std::string::npos);
}

TEST_CASE("a program can end at its first failure") {
  auto const all = run_case("env -u LIBSCAN_TEST_FIRST_FAILURE", "for the parent: fails twice");
  INFO(all.output);
  CHECK(all.output.find("1 == 2") != std::string::npos);
  CHECK(all.output.find("3 == 4") != std::string::npos);
  auto const first = run_case("LIBSCAN_TEST_FIRST_FAILURE=1", "for the parent: fails twice");
  INFO(first.output);
  CHECK(first.output.find("1 == 2") != std::string::npos);
  CHECK(first.output.find("3 == 4") == std::string::npos);
  CHECK(WEXITSTATUS(first.status) == 1);
}

TEST_CASE("for the parent: fails twice", "[.]") {
  CHECK(1 == 2);
  CHECK(3 == 4);
}

TEST_CASE("for the parent: never ends", "[.]") {
  SECTION("a part") {
    REQUIRE(std::getenv("LIBSCAN_TEST_CASE_SECONDS") != nullptr);
    for (int volatile rounds = 0;;) rounds = (rounds + 1) % 1000;
  }
}

TEST_CASE("the oracle scans as written by hand, in the operator's type") {
  std::vector<std::int8_t> const in{1, 2, 3};
  auto const inclusive = scan_oracle(scan_kind::inclusive, in, plus<int>{}, 10);
  CHECK(inclusive.out == std::vector<int>{11, 13, 16});
  CHECK(inclusive.total == 16);
  auto const exclusive = scan_oracle(scan_kind::exclusive, in, plus<int>{}, 10);
  CHECK(exclusive.out == std::vector<int>{10, 11, 13});
  CHECK(exclusive.total == 16);
  std::vector<std::uint8_t> const wrapping{200, 100};
  CHECK(scan_oracle(scan_kind::inclusive, wrapping, plus<std::uint8_t>{}, std::uint8_t{0}).total ==
        44);
  CHECK(scan_oracle(scan_kind::inclusive, std::vector<int>{}, plus<int>{}, 7).total == 7);
}

TEST_CASE("comparisons find a single wrong item, sign, size or total") {
  std::vector<int> const right{1, 2, 3};
  CHECK(difference(right, right).empty());
  CHECK(difference(right, {1, 5, 3}) == "item 1: expected 2, got 5");
  CHECK(difference(right, {1, 2}) == "3 items expected, got 2");
  CHECK(difference(scan_result<int>{right, 6}, scan_result<int>{right, 7}) ==
        "total: expected 6, got 7");

  float const nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(difference<float>({nan}, {-nan}).empty());
  CHECK_FALSE(difference<float>({nan}, {1}).empty());
  CHECK_FALSE(difference<float>({0.0F}, {-0.0F}).empty());
  CHECK_FALSE(bit_difference<float>({nan}, {-nan}).empty());
  CHECK(bit_difference<float>({nan}, {nan}).empty());
  CHECK_FALSE(bit_difference<float>({1, 2}, {1, std::nextafter(2.0F, 3.0F)}).empty());
  CHECK_FALSE(difference<interval>({interval::over(0, 1)}, {interval::over(0, 2)}).empty());
  CHECK_FALSE(difference<affine>({{1, 2}}, {{1, 3}}).empty());
}

TEMPLATE_TEST_CASE("the error bound accepts another association, not another sum", "", float,
                   double) {
  auto const in = make_input<TestType>(pattern::random, 500);
  for (auto const kind : {scan_kind::inclusive, scan_kind::exclusive}) {
    TestType const init = 3;
    auto result = scan_oracle(kind, in, plus<TestType>{}, init);
    CHECK(sum_error(kind, in, init, result).empty());

    // The same sums, associated from both ends of halves.
    TestType half = 0;
    for (std::size_t i = 0; i < 250; ++i) half += in[i];
    TestType other = 0;
    for (std::size_t i = 250; i < 500; ++i) other += in[i];
    result.total = init + (half + other);
    CHECK(sum_error(kind, in, init, result).empty());

    result.total += 1;
    CHECK(sum_error(kind, in, init, result).substr(0, 5) == "total");
    result.total -= 1;
    result.out[7] += TestType(0.001);
    CHECK(sum_error(kind, in, init, result).substr(0, 6) == "item 7");
    result.out[7] = std::numeric_limits<TestType>::quiet_NaN();
    CHECK_FALSE(sum_error(kind, in, init, result).empty());
    result.out.pop_back();
    CHECK_FALSE(sum_error(kind, in, init, result).empty());
  }
}

}  // namespace
}  // namespace libscan::test
