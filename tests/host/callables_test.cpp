// SPDX-License-Identifier: Apache-2.0
// The host API with operators, items and results that are not compiled: on the cpu engine by the
// code of callables.hpp, and refused in words elsewhere.
#include <libscan/callables.hpp>

#include <complex>
#include <functional>
#include <numeric>
#include <vector>

#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

/// x -> factor x + offset. Composition does not commute.
struct line {
  unsigned factor, offset;
  bool operator==(line const&) const = default;
};
constexpr auto then = [](line first, line second) {
  return line{first.factor * second.factor, first.offset * second.factor + second.offset};
};

std::vector<line> lines(std::size_t n) {
  std::vector<line> result;
  for (std::size_t i = 0; i < n; ++i) {
    result.push_back({static_cast<unsigned>(2 * i + 1), static_cast<unsigned>(i)});
  }
  return result;
}

TEST_CASE("an operator that does not commute scans forwards and from the end, in memory's order") {
  line const unit{1, 0};
  for (std::size_t const n : {0U, 1U, 5U, 70000U}) {
    auto const in = lines(n);
    std::vector<line> expected(n), out(n);
    for (int const threads : {1, 3}) {
      engine const on = engine::cpu(threads);
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), then, unit);
      line const total = inclusive_scan(on, in, out, then, unit);
      CHECK(out == expected);
      CHECK(total == (n == 0 ? unit : expected.back()));
      CHECK(reduce(on, in, then, unit) == total);
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), unit, then);
      exclusive_scan(on, in, out, then, unit);
      CHECK(out == expected);
      line after = unit;
      for (std::size_t i = n; i-- > 0;) after = expected[i] = then(in[i], after);
      CHECK(reverse_inclusive_scan(on, in, out, then, unit) == total);
      CHECK(out == expected);
    }
  }
}

TEST_CASE("own operators within segments and by key") {
  auto const in = lines(5000);
  std::vector<std::int64_t> keys(in.size());
  std::vector<line> scanned(in.size()), expected(in.size()), sums;
  line sum{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    keys[i] = static_cast<std::int64_t>(i / 7 * i / 900);
    bool const begins = i == 0 || keys[i] != keys[i - 1];
    if (begins && i > 0) sums.push_back(sum);
    expected[i] = sum = begins ? in[i] : then(sum, in[i]);
  }
  sums.push_back(sum);
  engine const on = engine::cpu(2);
  inclusive_segmented_scan(on, in, scanned, segmentation::of_keys(keys), then);
  CHECK(scanned == expected);
  std::vector<line> totals(in.size());
  auto const count = static_cast<index_t>(sums.size());
  CHECK(segmented_reduce(on, in, totals, segmentation::of_keys(keys), then, line{1, 0}) == count);
  totals.resize(sums.size());
  CHECK(totals == sums);
  std::vector<std::int64_t> unique(in.size());
  std::vector<line> by_key(in.size());
  CHECK(reduce_by_key(on, keys, in, unique, by_key, then) == count);
  by_key.resize(sums.size());
  CHECK(by_key == sums);
  auto const same = [](std::int64_t a, std::int64_t b) { return a == b; };
  std::vector<line> by_own(in.size());
  CHECK(reduce_by_key(on, keys, in, unique, by_own, then, same) == count);
  by_own.resize(sums.size());
  CHECK(by_own == sums);
  // Outputs for as many runs as there are suffice, and no fewer.
  unique.resize(sums.size());
  std::fill(by_own.begin(), by_own.end(), line{});
  CHECK(reduce_by_key(on, keys, in, unique, by_own, then, same) == count);
  CHECK(by_own == sums);
  auto const few = std::span(unique).first(unique.size() - 1);
  CHECK_THROWS_WITH(reduce_by_key(on, keys, in, few, by_own, then),
                    Contains("expected at least " + std::to_string(sums.size())));
  auto const fewer_keys = std::span(keys).first(keys.size() - 1);
  CHECK_THROWS_WITH(reduce_by_key(on, fewer_keys, in, unique, by_own, then),
                    Contains("4999 keys, but 5000 items"));
}

TEST_CASE("operators of the standard library are the compiled ones, on every engine") {
  std::vector<int> const in{3, 1, 4};
  for (engine const& on : engines()) {
    std::vector<int> out(3);
    CHECK(exclusive_scan(on, in, out, std::plus<>{}) == 8);
    CHECK(out == std::vector<int>{0, 3, 4});
    CHECK(reduce(on, in, std::bit_xor<int>{}) == 6);
  }
}

TEST_CASE("products run on the cpu engine, and a machine with kernels says where else") {
  std::vector<int> const in{3, 1, 4};
  for (engine const& on : engines()) {
    if (on.runs_kernels()) {
      CHECK_THROWS_WITH(reduce(on, in, std::multiplies<>{}),
                        Contains("run on the cpu engine only") && Contains("libscan/scan.cuh"));
    } else {
      CHECK(reduce(on, in, std::multiplies<>{}) == 12);
    }
  }
}

TEST_CASE("outputs that are too short are refused") {
  auto const in = lines(9);
  std::vector<line> out(8, line{7, 7});
  engine const on = engine::cpu(1);
  CHECK_THROWS_WITH(inclusive_scan(on, in, out, then), Contains("8 items, but in has 9"));
  CHECK_THROWS_WITH(segmented_reduce(on, in, std::span(out).first(2), segmentation::of_length(3),
                                     then, line{1, 0}),
                    Contains("expected at least 3"));
  CHECK(out == std::vector<line>(8, line{7, 7}));
}

TEST_CASE("outputs over the description of segments are refused") {
  auto const add = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
  auto const refused = [](auto& described, auto const& call) {
    auto const before = described;
    CHECK_THROWS_WITH(call(), Contains("description of segments share memory") ||
                                  Contains("ends of segments share memory"));
    CHECK(described == before);
  };
  engine const on = engine::cpu(2);
  for (std::size_t const n : {100u, 70'000u}) {
    std::vector<std::uint8_t> const bytes(n, 1);
    std::vector<std::uint32_t> const items(n, 1);
    std::vector<std::uint8_t> flags(n, 1);
    refused(flags, [&] {
      inclusive_segmented_scan(on, bytes, std::span(flags), segmentation::of_flags(flags), add);
    });
    refused(flags, [&] {
      exclusive_segmented_scan(on, bytes, std::span(flags), segmentation::of_flags(flags), add,
                               std::uint8_t{0});
    });
    std::vector<std::uint32_t> words(n, 1);
    refused(words, [&] {
      auto const bits =
          segmentation::of_bits(std::span(words).last(n / 2), static_cast<index_t>(n));
      inclusive_segmented_scan(on, items, std::span(words), bits, add);
    });
    std::vector<std::uint32_t> offsets{0, 10, 20, static_cast<std::uint32_t>(n)};
    std::vector<std::uint32_t> ends{10, 20, static_cast<std::uint32_t>(n)};
    refused(offsets, [&] {
      segmented_reduce(on, items, std::span(offsets), segmentation::of_offsets(offsets), add, 0u);
    });
    refused(ends, [&] {
      auto const ranges = segmentation::of_ranges(std::span(offsets).first(3), ends);
      segmented_reduce(on, items, std::span(ends), ranges, add, 0u);
    });
    refused(words, [&] {
      auto const keys = segmentation::of_keys(words);
      segmented_reduce(on, items, std::span(words), keys, add, 0u);
    });
  }
}

/// Complex numbers whose sums are exact in any order.
template <class Number>
std::vector<Number> small_numbers(index_t n) {
  std::vector<Number> in;
  for (index_t i = 0; i < n; ++i) {
    in.emplace_back(static_cast<float>(i % 7), static_cast<float>(-i % 5));
  }
  return in;
}

TEMPLATE_TEST_CASE("complex numbers are summed on every engine, forwards and from the end", "",
                   std::complex<float>, std::complex<double>) {
  using number = TestType;
  number const init(3, -2);
  for (index_t const n : {0, 1, 3000}) {
    auto const in = small_numbers<number>(n);
    std::vector<number> inclusive(in.size()), exclusive(in.size()), from_end(in.size());
    std::inclusive_scan(in.begin(), in.end(), inclusive.begin(), std::plus<>{}, init);
    std::exclusive_scan(in.begin(), in.end(), exclusive.begin(), init);
    std::exclusive_scan(in.rbegin(), in.rend(), from_end.rbegin(), number());
    number const total = std::accumulate(in.begin(), in.end(), init);
    for (engine const& on : engines()) {
      INFO(on.description() << ", " << n << " items");
      std::vector<number> out(in.size());
      CHECK(inclusive_scan(on, in, out, std::plus<>{}, init) == total);
      CHECK(out == inclusive);
      CHECK(reverse_exclusive_scan(on, in, out) == total - init);
      CHECK(out == from_end);
      CHECK(reduce(on, in, std::plus<number>{}, init) == total);
      auto in_place = in;
      CHECK(exclusive_scan(on, in_place, in_place, plus<number>{}, init) == total);
      CHECK(in_place == exclusive);
    }
  }
}

TEST_CASE("complex numbers are summed within segments and by key on every engine") {
  using wide = std::complex<double>;
  auto const in = small_numbers<std::complex<float>>(3000);
  std::vector<index_t> const offsets{1, 2, 2, 2000, 2999}, begins{2000, 0}, ends{2999, 2};
  std::vector<wide> within(in.size(), wide(9, 9)), totals;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    wide sum(1, 0);
    for (index_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      within[static_cast<std::size_t>(i)] = sum += wide(in[static_cast<std::size_t>(i)]);
    }
    totals.push_back(sum);
  }
  std::vector<short> keys, firsts;
  std::vector<wide> by_key;
  for (std::size_t i = 0; i < in.size(); ++i) {
    keys.push_back(static_cast<short>(i / 7 * i / 900));
    if (i == 0 || keys[i] != keys[i - 1]) {
      firsts.push_back(keys[i]);
      by_key.emplace_back();
    }
    by_key.back() += wide(in[i]);
  }
  for (engine const& on : engines()) {
    INFO(on.description());
    std::vector<wide> out(in.size(), wide(9, 9)), sums(4), runs(in.size());
    auto const segments = segmentation::of_offsets(offsets);
    inclusive_segmented_scan(on, in, out, segments, plus<wide>{}, wide(1, 0));
    CHECK(out == within);
    CHECK(segmented_reduce(on, in, sums, segments, plus<wide>{}, wide(1, 0)) == 4);
    CHECK(sums == totals);
    CHECK(segmented_reduce(on, in, sums, segmentation::of_ranges(begins, ends), plus<wide>{}) == 2);
    CHECK(sums[0] == totals[3] - wide(1, 0));
    std::vector<short> unique(in.size());
    CHECK(reduce_by_key(on, keys, in, unique, runs, plus<wide>{}) ==
          static_cast<index_t>(firsts.size()));
    unique.resize(firsts.size());
    runs.resize(firsts.size());
    CHECK(unique == firsts);
    CHECK(runs == by_key);
  }
}

TEST_CASE("complex numbers: what is refused, on every engine") {
  auto in = small_numbers<std::complex<float>>(9);
  auto const before = in;
  std::vector<std::complex<float>> totals(3);
  for (engine const& on : engines()) {
    INFO(on.description());
    CHECK_THROWS_AS(inclusive_scan(on, std::span(in).first(8), std::span(in).last(8)),
                    invalid_argument);
    CHECK_THROWS_AS(inclusive_scan(on, in, totals), invalid_argument);
    CHECK_THROWS_AS(segmented_reduce(on, in, totals, segmentation::of_length(2)), invalid_argument);
    CHECK_THROWS_AS(segmented_reduce(on, in, in, segmentation::of_length(3)), invalid_argument);
    CHECK(in == before);
    if (on.runs_kernels()) {
      CHECK_THROWS_WITH(reduce(on, in, std::multiplies<>{}, std::complex<float>(1)),
                        Contains("cpu engine only (except sums of complex numbers)"));
    }
  }
}

}  // namespace
}  // namespace libscan::test
