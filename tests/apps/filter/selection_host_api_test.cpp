// SPDX-License-Identifier: Apache-2.0
// The host API of masks, splits and runs on the cuda engine against plain loops: all types, sizes
// below and beyond those of the pipeline, and what is refused.
#include <libscan/filter.hpp>
#include <libscan/predicate_parser.hpp>
#include <tests/apps/filter/item_types.hpp>
#include <tests/apps/filter/selection_host_api_cases.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class T>
void require_selected(engine const& on, index_t n, int per_mille, int offset) {
  INFO(item_type_name<T>() << " n " << n << " per mille " << per_mille);
  auto const in = make_input<T>(pattern::special, n);
  choice const chosen(n, per_mille);
  division<T> const by_mask(in, [&](std::size_t i) { return chosen.flags[i] != 0; });
  REQUIRE(mask_error(on, in, chosen.as_flags(), by_mask, offset) == "");
  REQUIRE(mask_error(on, in, chosen.as_bits(), by_mask, offset) == "");
  for (char const* const text : {"> 0", "== 0 or == 2 or > 9"}) {
    auto const keep = parse_predicate<T>(text);
    division<T> const by_value(in, [&](std::size_t i) { return keep(in[i]); });
    REQUIRE(split_error(on, in, keep, by_value, offset) == "");
    guarded_buffer<T> kept(n, offset);
    guarded_buffer<index_t> at(n, offset);
    REQUIRE(filter_with_indices(on, in, kept.items(), at.items(), keep) == by_value.count());
    REQUIRE(wrong(kept, by_value.kept) == "");
    REQUIRE(wrong(at, by_value.positions) == "");
  }
  if constexpr (std::is_integral_v<T>) REQUIRE(bit_split_error(on, in, offset) == "");
  REQUIRE(runs_error(on, in, expected_runs<T>(in), offset) == "");
  for (index_t const longest : {1, 3, 1000}) {
    auto const runs = runs_of<T>(n, longest);
    expected_runs<T> const expected(runs);
    REQUIRE(runs_error(on, runs, expected, offset) == "");
    REQUIRE(long_runs_error(on, runs, 2, expected.of_at_least(2), offset) == "");
  }
}

}  // namespace

TEST_CASE("the cuda engine selects as loops do, for every type") {
  engine const on = engine::cuda();
  for_each_item_type([&]<class T>() {
    for (index_t const n : {0, 1, 33, 1000, 100001}) {
      require_selected<T>(on, n, 300, static_cast<int>(n % 17));
    }
  });
}

TEMPLATE_TEST_CASE("the cuda engine selects many items as loops do", "", std::uint8_t, std::int32_t,
                   double) {
  require_selected<TestType>(engine::cuda(), 5000003, 500, 1);
}

TEST_CASE("the cuda engine writes nothing after an output that is too short") {
  engine const on = engine::cuda();
  auto const in = runs_of<int>(1000, 1);
  guarded_buffer<int> narrow(10), out(1000);
  guarded_buffer<index_t> narrow_lengths(10), lengths(1000);
  CHECK_THROWS_WITH(run_length_encode<int>(on, in, narrow.items(), lengths.items()),
                    "run_length_encode: 1000 items are first of a run, but out holds only 10");
  CHECK_THROWS_WITH(run_length_encode<int>(on, in, out.items(), narrow_lengths.items()),
                    "run_length_encode: 1000 items are first of a run, but lengths holds only 10");
  CHECK_THROWS_WITH(split(on, in, narrow.items(), parse_predicate<int>("> 1")),
                    "split: 1000 items are split, but out holds only 10");
  CHECK(narrow.damage() + narrow_lengths.damage() + out.damage() + lengths.damage() == "");
}
