// SPDX-License-Identifier: Apache-2.0
// Tests of the host API and its choice of engines: every type and operator it is compiled for,
// the ranges it takes, and what it refuses. On the CPU engine; cuda_host_api_test.cpp runs the
// former on a GPU.
#include <libscan/libscan.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <tests/cpu/host_api_cases.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <tests/support/guarded_buffer.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

using item_types =
    types_to_test<std::tuple<std::int8_t, std::uint32_t, std::int64_t, double, unsigned long long>,
                  std::tuple<std::int16_t, std::int32_t, std::uint8_t, std::uint16_t, std::uint64_t,
                             float, char, long, unsigned long, long long>>;
TEMPLATE_LIST_TEST_CASE("the host API scans and sums every type with every operator", "",
                        item_types) {
  check_every_operator<TestType>(engine::cpu(2));
}

TEST_CASE("the operator defaults to the sum and init to its identity") {
  auto const on = engine::cpu();
  std::vector<int> const lengths{3, 1, 4};
  std::vector<int> offsets(3);
  CHECK(exclusive_scan(on, lengths, offsets) == 8);
  CHECK(offsets == std::vector<int>{0, 3, 4});
  CHECK(reduce(on, lengths) == 8);
  CHECK(reduce(on, lengths, maximum<int>{}) == 4);
  CHECK(inclusive_scan(on, lengths, offsets, maximum<int>{}) == 4);
  CHECK(offsets == std::vector<int>{3, 3, 4});
  // An operator over a type of the same size and signedness is as good.
  std::vector<long long> const wide{1, 2};
  std::vector<long long> sums(2);
  CHECK(inclusive_scan(on, wide, sums, plus<std::int64_t>{}) == 3);
}

TEST_CASE("anything contiguous will do") {
  auto const on = engine::cpu(1);
  std::array<float, 3> const in{1, 2, 3};
  float out[4] = {0, 0, 0, 9};
  CHECK(inclusive_scan(on, in, out) == 6);
  CHECK((out[1] == 3 && out[2] == 6 && out[3] == 9));
  auto const owned = std::make_unique<float[]>(3);
  CHECK(exclusive_scan(on, std::span(in).first(2), std::span(owned.get(), 3)) == 3);
  CHECK(owned[1] == 1);
  CHECK(exclusive_scan(on, std::span<int>{}, std::span<int>{}, plus<int>{}, 5) == 5);
}

template <class Out>
concept accepted_as_output = requires(engine on, std::vector<int> in, Out&& out) {
  inclusive_scan(on, in, static_cast<Out&&>(out));
};
static_assert(accepted_as_output<std::vector<int>&>);
static_assert(accepted_as_output<std::span<int>>);
static_assert(!accepted_as_output<std::vector<int>>);
static_assert(!accepted_as_output<int*>);

TEST_CASE("an output that is too short or overlaps the input is refused, and not touched") {
  auto const on = engine::cpu(1);
  std::vector<int> in{1, 2, 3, 4};
  std::vector<int> const before(in);
  std::vector<int> out(3, -1);
  CHECK_THROWS_AS(inclusive_scan(on, in, out), invalid_argument);
  CHECK_THROWS_WITH(
      exclusive_scan(on, in, out),
      "exclusive_scan: out holds 3 items, but in has 4; out must be at least as long");
  CHECK(out == std::vector<int>(3, -1));

  std::span<int> const all(in);
  CHECK_THROWS_WITH(
      inclusive_scan(on, all.first(3), all.subspan(1)),
      "inclusive_scan: out overlaps in, 4 bytes after its start; out must be in itself or separate "
      "from it");
  CHECK_THROWS_WITH(inclusive_scan(on, all.subspan(1), all),
                    "inclusive_scan: out overlaps in, 4 bytes before its start; out must be in "
                    "itself or separate from it");
  CHECK(in == before);
  CHECK_NOTHROW(inclusive_scan(on, all.first(2), all.subspan(2)));
  CHECK(in == std::vector<int>{1, 2, 1, 3});
}

TEMPLATE_TEST_CASE("an output that shares the last item with the input is refused", "", std::int8_t,
                   std::uint16_t, float, double, std::int64_t) {
  std::vector<TestType> items(9);
  std::span<TestType> const all(items);
  auto const on = engine::cpu(1);
  // The words are those of the host API, whose engines check once more.
  std::string const begin =
      "inclusive_scan: out overlaps in, " + std::to_string(4 * sizeof(TestType)) + " bytes ";
  std::string const end = " its start; out must be in itself or separate from it";
  CHECK_THROWS_WITH(inclusive_scan(on, all.first(5), all.subspan(4)), begin + "after" + end);
  CHECK_THROWS_WITH(inclusive_scan(on, all.subspan(4), all.first(5)), begin + "before" + end);
  CHECK_NOTHROW(inclusive_scan(on, all.first(4), all.subspan(4)));
}

TEST_CASE("misaligned items and results are refused, and not touched") {
  auto const on = engine::cpu(2);
  std::vector<double> items(41, 1.0), other(40, 2.0);
  auto* const crooked = reinterpret_cast<double*>(reinterpret_cast<std::byte*>(items.data()) + 1);
  std::span<double> const bad(crooked, 40), good(other);
  CHECK_THROWS_WITH(inclusive_scan(on, bad, good), Contains("no multiple of 8"));
  CHECK_THROWS_WITH(exclusive_scan(on, good, bad), Contains("no multiple of 8"));
  CHECK_THROWS_WITH(inclusive_scan(on, bad, bad), Contains("no multiple of 8"));
  CHECK_THROWS_WITH(reduce(on, bad), Contains("no multiple of 8"));
  CHECK(items == std::vector<double>(41, 1.0));
  CHECK(other == std::vector<double>(40, 2.0));
}

TEST_CASE("engines have names, threads and descriptions") {
  CHECK(engine::cpu().threads() >= 1);
  CHECK(engine::cpu(3).threads() == 3);
  CHECK(engine::cpu(3).which() == engine::kind::cpu);
  CHECK(engine::cpu(3).device() == -1);
  CHECK(engine::cpu(3).description() == "cpu, 3 threads");
  CHECK(engine::cpu(1).description() == "cpu, 1 thread");
  CHECK(engine::named("cpu", 5).threads() == 5);
  CHECK_NOTHROW(engine::best());
  CHECK(engine::named("auto").which() == engine::best().which());
  CHECK_THROWS_AS(engine::cpu(-1), invalid_argument);
  CHECK_THROWS_AS(engine::named("auto", -1), invalid_argument);
  CHECK_THROWS_WITH(engine::named("gpu"),
                    Contains("expected auto, cpu, cuda or executor, got 'gpu'"));
}

TEST_CASE("the cuda engine is there and works, or names the reason why not") {
  try {
    auto const on = engine::cuda();
    CHECK(on.is_cuda());
    CHECK(on.threads() == 0);
    CHECK_THAT(on.description(), Contains("cuda, "));
  } catch (engine_unavailable const& absent) {
    std::string const reason = absent.what();
    INFO(reason);
    CHECK(reason.size() > 20);
    CHECK_THROWS_AS(engine::named("cuda"), engine_unavailable);
    CHECK_FALSE(engine::best().is_cuda());
    CHECK(engine::named("auto", 4).threads() == 4);
  }
  CHECK_THROWS_AS(engine::cuda(-1), engine_unavailable);
  CHECK_THROWS_AS(engine::cuda(1000), engine_unavailable);
}

}  // namespace
}  // namespace libscan::test
