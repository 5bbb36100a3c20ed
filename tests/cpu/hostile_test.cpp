// SPDX-License-Identifier: Apache-2.0
// The cpu engine's calls with types whose namespace has a greedy function of every name that
// libscan uses: a call that argument-dependent lookup could take elsewhere does not compile.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <libscan/cpu/binary_scan.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/histogram.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/segmented_sort.hpp>
#include <libscan/cpu/split_by_key.hpp>
#include <libscan/cpu/spmv.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/hostile.hpp>

using namespace libscan;
using hostile::number;

namespace {

constexpr index_t n = 20'000;
constexpr index_t chunk = 1000;
using numbers = std::vector<number>;

/// 0 0 0 0 1 1 1 1 ... 99 99 99 99 0 0 ...
numbers some_numbers() {
  numbers items;
  for (index_t i = 0; i < n; ++i) items.push_back(number(static_cast<int>(i / 4 % 100)));
  return items;
}

int sum_of(numbers const& items, index_t begin, index_t end) {
  int sum = 0;
  for (index_t i = begin; i < end; ++i) sum += items[static_cast<std::size_t>(i)].value;
  return sum;
}

}  // namespace

TEMPLATE_TEST_CASE("Scans and reductions call no foreign functions", "", hostile::add,
                   hostile::add_any, plus<number>) {
  auto const items = some_numbers();
  int const sum = sum_of(items, 0, n);
  numbers out(items);
  TestType const op;
  number const zero(0);
  for (index_t const count : {index_t{40}, n}) {
    int const expected = sum_of(items, 0, count);
    CHECK(cpu::reduce(2, items.data(), count, op, zero, chunk).value == expected);
    CHECK(cpu::inclusive_scan(2, items.begin(), out.begin(), count, op, zero, chunk).value ==
          expected);
    CHECK(cpu::exclusive_scan(2, items.data(), out.data(), count, op, zero, chunk).value ==
          expected);
    CHECK(out[static_cast<std::size_t>(count) - 1].value == sum_of(items, 0, count - 1));
  }
  CHECK(cpu::inclusive_scan(2, out.data(), out.data(), n, op).value != sum);
}

namespace {

/// A scan and totals of segments by `heads`, which begin every four items.
template <class Op, class Heads>
void require_segments(Op op, Heads const& heads) {
  auto const items = some_numbers();
  numbers out(items), totals(items.size());
  for (auto const direction : {scan_direction::forward, scan_direction::reverse}) {
    cpu::segmented_scan<scan_kind::inclusive>(2, direction, items.begin(), out.begin(), heads, n,
                                              op, number(0), chunk);
    bool const forward = direction == scan_direction::forward;
    CHECK(out[4 * 7].value == (forward ? 7 : 28));
    CHECK(out[4 * 7 + 3].value == (forward ? 28 : 7));
  }
  cpu::exclusive_segmented_scan(2, items.data(), out.data(), heads, n, op, number(0), chunk);
  CHECK(out[4 * 7 + 3].value == 21);
  CHECK(cpu::segmented_reduce(2, items.data(), totals.data(), heads, n, op, number(0), chunk) ==
        n / 4);
  CHECK(totals[7].value == 28);
}

}  // namespace

TEMPLATE_TEST_CASE("Calls over segments call no foreign functions", "", hostile::add,
                   hostile::add_any, plus<number>) {
  TestType const op;
  auto const keys = some_numbers();
  std::vector<int> offsets;
  for (int begin = 0; begin <= n; begin += 4) offsets.push_back(begin);
  require_segments(op, segment_keys{keys.begin()});
  require_segments(op, segment_keys{keys.data(), hostile::is_same{}});
  require_segments(op, equal_segments{4});
  require_segments(op, segment_offsets{offsets.data(), n / 4});
  require_segments(op, segment_ranges<int>::between(offsets.data(), n / 4));
  numbers unique(keys), totals(keys);
  CHECK(cpu::reduce_by_key(2, keys.begin(), keys.begin(), unique.begin(), totals.begin(), n, op,
                           number(0), chunk) == n / 4);
  CHECK(totals[8].value == 32);
  CHECK(cpu::reduce_by_key(2, keys.data(), keys.data(), unique.data(), totals.data(), n, op,
                           hostile::is_same{}, number(0), chunk) == n / 4);
  CHECK(unique[8].value == 8);
  numbers over(keys);
  cpu::inclusive_segmented_scan(2, keys.data(), over.data(), segment_keys{over.data()}, n, op,
                                number(0), chunk);
  CHECK(over[4 * 7 + 3].value == 28);
}

namespace hostile {

/// Every other item.
struct every_other {
  void mark(libscan::index_t begin, libscan::index_t end, std::uint64_t* to) const {
    for (auto i = begin; i < end; i += 64) {
      auto const left = static_cast<int>(std::min<libscan::index_t>(64, end - i));
      auto const word = begin % 2 == 0 ? 0x5555555555555555u : 0xaaaaaaaaaaaaaaaau;
      *to++ = left == 64 ? word : word & ((std::uint64_t{1} << left) - 1);
    }
  }
};

}  // namespace hostile

TEST_CASE("Filters and runs call no foreign functions") {
  auto const items = some_numbers();
  numbers out(items), others(items);
  std::vector<index_t> places(items.size());
  hostile::is_odd const odd;
  cpu::keep_where<number const*, hostile::is_odd> const odds{items.data(), odd};
  CHECK(cpu::filter(2, items.begin(), out.begin(), n, odd, cpu::unlimited, chunk) == n / 2);
  CHECK(out[4] == number(3));
  CHECK(cpu::filter(2, items.data(), out.data(), n, odd) == n / 2);
  CHECK(cpu::filter_by(2, items.data(), out.data(), n, cpu::keep_heads{items.data()}) == n / 4);
  CHECK(cpu::indices_by(2, places.data(), n, odds) == n / 2);
  CHECK(cpu::filter_indices(2, items.data(), places.data(), n, odd) == n / 2);
  CHECK(cpu::count_if(2, items.data(), n, odd) == n / 2);
  CHECK(cpu::count_by(2, n, odds) == n / 2);
  cpu::split_outputs<number*> const parts{out.data(), n, others.data(), n};
  CHECK(cpu::split(2, items.data(), parts, n, odd) == n / 2);
  CHECK(others[4] == number(2));
  cpu::indexed_outputs<number*> const both{out.data(), n, places.data(), n};
  CHECK(cpu::filter_with_indices_by(2, items.data(), both, n, odds) == n / 2);
  CHECK(places[0] == 4);
  CHECK(cpu::unique(2, items.begin(), out.begin(), n) == n / 4);
  CHECK(cpu::unique(2, items.data(), out.data(), n, hostile::is_same{}) == n / 4);
  std::vector<index_t> lengths(items.size());
  cpu::run_outputs const runs{out.data(), n, lengths.data(), n};
  CHECK(cpu::run_length_encode(2, items.data(), runs, n, hostile::is_same{}) == n / 4);
  CHECK(lengths[3] == 4);
  CHECK(cpu::exclusive_binary_scan(2, hostile::every_other{}, places.data(), n) == n / 2);
  CHECK(places[4] == 2);
}

TEMPLATE_TEST_CASE("Sorts call no foreign functions", "", hostile::word_of, hostile::word_pair_of) {
  auto const keys = some_numbers();
  numbers sorted(keys), expected(keys), values(keys);
  std::stable_sort(expected.begin(), expected.end());
  std::vector<std::int32_t> positions(keys.size()), segments{0, 4000, n};
  sort_order<number, TestType> const order;
  cpu::sort_keys(2, keys.data(), sorted.data(), n, order);
  CHECK(sorted == expected);
  cpu::sort_pairs(2, keys.data(), sorted.data(), keys.data(), values.data(), n, order);
  CHECK(values == expected);
  cpu::argsort(2, keys.data(), positions.data(), n, order);
  CHECK(positions[4] == 400);
  cpu::sort_keys_in_segments(2, keys.data(), sorted.data(), n, segments.data(), 2, order);
  CHECK(sorted[4] == number(0));
  CHECK(sorted[4000] == number(0));
  cpu::sort_pairs_in_segments(2, keys.data(), sorted.data(), keys.data(), values.data(), n,
                              segments.data(), 2, order);
  CHECK(values == sorted);
  cpu::argsort_in_segments(2, keys.data(), positions.data(), n, segments.data(), 2, order);
  CHECK(positions[4004] == 4400);
}

TEST_CASE("Sorts of numbers move values and call no foreign functions") {
  auto const items = some_numbers();
  numbers values(items);
  std::vector<int> keys, sorted(items.size());
  for (number const item : items) keys.push_back(-item.value);
  std::vector<int> const segments{0, 4000, n};
  cpu::sort_pairs(2, keys.data(), sorted.data(), items.data(), values.data(), n);
  CHECK(values[0] == number(99));
  cpu::sort_pairs_in_segments(2, keys.data(), sorted.data(), items.data(), values.data(), n,
                              segments.data(), 2);
  CHECK(values[4000] == number(99));
  numbers grouped(items);
  std::vector<index_t> offsets(4);
  cpu::split_by_key(2, items.data(), grouped.data(), items.data(), values.data(), offsets.data(), n,
                    3, hostile::bucket_of{});
  CHECK(grouped == values);
  CHECK(grouped[0] == number(0));
  cpu::split_by_key(2, items.data(), grouped.data(), offsets.data(), n, 3, hostile::bucket_of{});
  CHECK(grouped == values);
}

TEST_CASE("Histograms and products call no foreign functions") {
  auto const items = some_numbers();
  std::vector<std::uint32_t> counts(100);
  cpu::histogram(2, items.data(), counts.data(), hostile::bin_of{}, n);
  CHECK(counts[17] == n / 100);
  std::vector<double> const weights(items.size(), 0.5);
  std::vector<double> sums(100);
  cpu::weighted_histogram(2, items.data(), weights.data(), sums.data(), hostile::bin_of{}, n);
  CHECK(sums[17] == n / 200);
  std::vector<std::int32_t> const offsets{0, 2, 200}, indices(200, 1);
  std::vector<float> const entries(200, 3), x(2, 5);
  std::vector<float> y(2);
  csr_matrix<float, std::int32_t> const matrix{
      2, 2, 200, offsets.data(), indices.data(), entries.data()};
  cpu::spmv(2, matrix, x.data(), y.data(), hostile::times{}, 1.0F, 0.0F);
  CHECK(y[0] == 30);
  CHECK(y[1] == 198 * 15);
}
