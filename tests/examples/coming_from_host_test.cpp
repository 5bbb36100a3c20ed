// SPDX-License-Identifier: Apache-2.0
// The calls that docs/coming-from.md names beside NumPy's and PyTorch's, against results worked out
// by hand, on every engine that this machine has. tree.readme compares the page with this text.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <libscan/buffer.hpp>
#include <libscan/callables.hpp>
#include <libscan/device_calls.hpp>
#include <libscan/filter.hpp>
#include <libscan/filter_callables.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/histogram.hpp>
#include <libscan/histogram_device_calls.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented.hpp>
#include <libscan/selection.hpp>
#include <libscan/sort_device_calls.hpp>
#include <libscan/spmv.hpp>
#include <libscan/spmv_device_calls.hpp>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>

namespace coming_from_numpy {
namespace {

using namespace libscan;  // as a page's reader would
using test::device_memory;
using ints = std::vector<int>;
using floats = std::vector<float>;
using places = std::vector<index_t>;

TEST_CASE("coming from NumPy: sums and neighbors") {
  using T = int;
  ints const in{3, 1, 7, 0};
  ints out(4);
  std::vector<std::int64_t> wide(4), counts(3);
  bool const flags[] = {true, false, true};
  std::vector<std::complex<double>> const numbers{{1, 2}, {3, 4}};
  std::vector<std::complex<double>> sums(2);
  for (engine const& on : test::engines()) {
    INFO(on.description());
    inclusive_scan(on, in, out);
    CHECK(out == ints{3, 4, 11, 11});
    inclusive_scan(on, in, wide, plus<std::int64_t>{});
    CHECK(wide == std::vector<std::int64_t>{3, 4, 11, 11});
    inclusive_scan(on, numbers, sums);
    CHECK(sums[1] == std::complex<double>(4, 6));
    inclusive_scan(on, flags, counts);
    CHECK(counts == std::vector<std::int64_t>{1, 1, 2});
    inclusive_scan(on, in, out, maximum<T>{});
    CHECK(out == ints{3, 3, 7, 7});
    reverse_inclusive_scan(on, in, out);
    CHECK(out == ints{11, 8, 7, 0});
    adjacent_difference(on, in, out, bit_xor<T>{});
    CHECK(out == ints{3, 2, 6, 7});
    adjacent_difference(on, in, out);
    CHECK(out == ints{3, -2, 6, -7});
  }
  auto const op = [](int a, int b) { return a * b; };
  inclusive_scan(engine::cpu(), in, out, op);
  CHECK(out == ints{3, 3, 21, 0});
  std::vector<std::uint8_t> const bytes{200, 100};
  std::vector<std::uint8_t> wrapped(2);
  inclusive_scan(engine::cpu(), bytes, wrapped);
  CHECK(wrapped[1] == 44);
  float const nan = std::numeric_limits<float>::quiet_NaN();
  floats const with_nan{1, nan, 2};
  floats largest(3);
  inclusive_scan(engine::cpu(), with_nan, largest, maximum<float>{});
  CHECK((largest[0] == 1 && std::isnan(largest[1]) && std::isnan(largest[2])));
}

TEST_CASE("coming from NumPy: segments and masks") {
  ints const in{3, 1, 7, 0, 4};
  ints out(5), totals(3);
  places const offsets{0, 2, 2, 5};
  ints const keys{9, 9, 4, 4, 9};
  std::uint8_t const mask[] = {1, 0, 1, 1, 0};
  places ranks(5);
  index_t const columns = 2;
  for (engine const& on : test::engines()) {
    INFO(on.description());
    segmented_reduce(on, in, totals, segmentation::of_offsets(offsets));
    CHECK(totals == ints{4, 0, 11});
    inclusive_segmented_scan(on, in, out, segmentation::of_length(columns));
    CHECK(out == ints{3, 4, 7, 7, 4});
    inclusive_segmented_scan(on, in, out, segmentation::of_keys(keys));
    CHECK(out == ints{3, 4, 7, 7, 4});
    auto const equal = [](int a, int b) { return a % 2 == b % 2; };
    inclusive_segmented_scan(on, in, out, segmentation::of_keys(keys, equal));
    CHECK(out == ints{3, 4, 7, 7, 4});
    plus<int> const op;
    ints unique(5), sums(5);
    CHECK(reduce_by_key(on, keys, in, unique, sums, op, equal, 10) == 3);
    CHECK(sums[1] == 17);
    exclusive_binary_scan(on, item_mask::of_flags(mask), ranks);
    CHECK(ranks == places{0, 1, 1, 2, 3});
  }
}

TEST_CASE("coming from NumPy: filters, sorts and runs") {
  ints const in{5, 5, 1, 7, 0, 0};
  ints out(6);
  places lengths(6), offsets(6), positions(6);
  index_t const k = 2;
  predicate<int> const keep = parse_predicate<int>("> 0");
  for (engine const& on : test::engines()) {
    INFO(on.description());
    auto const kept = filter(on, in, keep);
    CHECK(ints(kept.begin(), kept.end()) == ints{5, 5, 1, 7});
    CHECK(filter_indices(on, in, positions, keep) == 4);
    CHECK((positions[0] == 0 && positions[3] == 3));
    CHECK(run_length_encode(on, in, out, lengths, offsets, k) == 2);
    CHECK((out[0] == 5 && out[1] == 0 && lengths[0] == 2 && offsets[1] == 4));
    argsort(on, in, positions);
    CHECK(positions == places{4, 5, 2, 0, 1, 3});
    sort_keys(on, in, out);
    CHECK(out == ints{0, 0, 1, 5, 5, 7});
    auto const unique_items = unique(on, out);
    CHECK(ints(unique_items.begin(), unique_items.end()) == ints{0, 1, 5, 7});
    // NaNs, of either sign, are last; each is a run of its own.
    float const nan = std::numeric_limits<float>::quiet_NaN();
    floats const with_nan{nan, 1, -nan, -1};
    floats sorted(4);
    sort_keys(on, with_nan, sorted);
    CHECK((sorted[0] == -1 && sorted[1] == 1 && std::isnan(sorted[2]) && std::isnan(sorted[3])));
    CHECK(unique(on, sorted).size() == 4);
  }
  auto const odd = [](int x) { return x % 2 != 0; };
  auto const chosen = filter(engine::cpu(), in, odd);
  CHECK(ints(chosen.begin(), chosen.end()) == ints{5, 5, 1, 7});
}

TEST_CASE("coming from NumPy and SciPy: histograms, memory and matrices") {
  using T = float;
  floats const samples{0, 1, 2, 5, std::numeric_limits<float>::quiet_NaN()};
  T const lo = 0, hi = 2;
  std::vector<std::uint64_t> counts(2), some(5);
  places filled(5);
  std::vector<std::int32_t> const rows{0, 0, 1}, columns{1, 1, 0};
  floats const values{1, 2, 3};
  coo_matrix<T> const list{2, 2, 3, rows.data(), columns.data(), values.data()};
  floats const x{10, 1};
  floats y(2);
  buffer<T> const memory(100);
  CHECK(memory.size() == 100);
  for (engine const& on : test::engines()) {
    INFO(on.description());
    auto const outside = histogram(on, samples, counts, even_bins<T>(lo, hi, 2));
    CHECK(counts == std::vector<std::uint64_t>{1, 2});
    CHECK((outside.above == 1 && outside.nan == 1 && outside.below == 0));
    sparse_histogram(on, samples, filled, some, even_bins<T>(lo, hi, 2));
    CHECK((filled[1] == 1 && some[1] == 2));
    auto const matrix = to_rows(on, list);
    spmv(on, matrix, x, y);
    CHECK(y == floats{3, 30});
  }
}

TEST_CASE("coming from PyTorch: sums and segments") {
  using T = float;
  for (engine const& on : test::machines()) {
    INFO(on.description());
    device_memory<T> const items(on, floats{3, 1, 7, 0, 4}), results(on, 5), sums(on, 3),
        sum(on, 1);
    device_memory<std::complex<T>> const pairs(on, {{1, 2}, {3, 4}}), pair_sums(on, 2);
    device_memory<index_t> const bounds(on, places{0, 2, 2, 5});
    device_queue const queue{on};
    device_span<T> const x{items.data(), 5};
    device_span<std::complex<T>> const z{pairs.data(), 2};
    T *const out = results.data(), *const totals = sums.data(), *const d_result = sum.data();
    std::complex<T>* const complex_out = pair_sums.data();
    std::span<index_t const> const offsets(bounds.data(), 4);
    inclusive_scan(queue, x, out);
    CHECK(results.copy() == floats{3, 4, 11, 11, 15});
    device_memory<std::int8_t> const small(on, {100, 100, 100});
    device_memory<std::int64_t> const wide_sums(on, 3);
    device_span<std::int8_t> const bytes{small.data(), 3};
    auto* const wide = wide_sums.data();
    inclusive_scan(queue, bytes, wide, plus<std::int64_t>{});
    CHECK(wide_sums.copy() == std::vector<std::int64_t>{100, 200, 300});
    inclusive_scan(queue, z, complex_out);
    CHECK(pair_sums.copy()[1] == std::complex<T>(4, 6));
    inclusive_scan(queue, x, out, maximum<T>{});
    CHECK(results.copy() == floats{3, 3, 7, 7, 7});
    reduce(queue, x, d_result);
    CHECK(sum.copy() == floats{15});
    inclusive_segmented_scan(queue, x, out, segmentation::of_offsets(offsets));
    CHECK(results.copy() == floats{3, 4, 7, 7, 11});
    segmented_reduce(queue, x, totals, segmentation::of_offsets(offsets));
    CHECK(sums.copy() == floats{4, 0, 11});
    reverse_inclusive_scan(queue, x, out);
    CHECK(results.copy() == floats{15, 12, 11, 4, 4});
  }
}

TEST_CASE("coming from PyTorch: filters and sorts") {
  using T = float;
  predicate<T> const keep = parse_predicate<T>(">= 4.5");
  for (engine const& on : test::machines()) {
    INFO(on.description());
    device_memory<T> const items(on, floats{5, 5, 1, 7, 0}), results(on, 5);
    device_memory<std::uint8_t> const bytes(on, {1, 0, 1, 0, 1});
    device_memory<index_t> const of_runs(on, 5), at(on, 5), count(on, 1);
    device_queue const queue{on};
    device_span<T> const x{items.data(), 5};
    T* const out = results.data();
    index_t *const positions = at.data(), *const lengths = of_runs.data();
    index_t *const d_count = count.data(), *const d_runs = count.data();
    auto const mask = item_mask::of_flags({bytes.data(), 5});
    filter(queue, x, out, keep, d_count);
    CHECK(front(results, 3) == floats{5, 5, 7});
    filter(queue, x, out, mask, d_count);
    CHECK(front(results, 3) == floats{5, 1, 0});
    mask_indices(queue, mask, positions, d_count);
    CHECK(front(at, 3) == places{0, 2, 4});
    run_length_encode(queue, x, out, lengths, d_runs);
    CHECK(count.copy() == places{4});
    CHECK(front(of_runs, 4) == places{2, 1, 1, 1});
    sort_keys(queue, x, out);
    CHECK(results.copy() == floats{0, 1, 5, 5, 7});
    argsort(queue, x, positions);
    CHECK(at.copy() == places{4, 2, 0, 1, 3});

    device_memory<std::uint32_t> const numbers(on, {2, 0, 2, 0}), groups(on, 4);
    device_memory<T> const of_tokens(on, floats{1, 2, 3, 4}), moved(on, 4);
    device_memory<index_t> const begins(on, 4);
    device_span<std::uint32_t> const experts{numbers.data(), 4};
    std::uint32_t* const grouped = groups.data();
    T *const tokens = of_tokens.data(), *const by_expert = moved.data();
    std::span<index_t> const offsets(begins.data(), 4);
    split_by_key(queue, experts, grouped, tokens, by_expert, offsets);
    CHECK(moved.copy() == floats{2, 4, 1, 3});
    CHECK(begins.copy() == places{0, 2, 2, 4});
  }
}

TEST_CASE("coming from PyTorch: histograms and sparse tensors") {
  using T = float;
  for (engine const& on : test::machines()) {
    INFO(on.description());
    device_memory<T> const items(on, floats{0, 1, 2, 5}), vector(on, floats{10, 1}), product(on, 2);
    device_memory<std::uint64_t> const counted(on, 2);
    device_memory<sample_totals> const all(on, 1);
    device_queue const queue{on};
    device_span<T> const x{items.data(), 4};
    std::uint64_t* const counts = counted.data();
    sample_totals* const d_totals = all.data();
    T const lo = 0, hi = 2;
    index_t const bins = 2;
    histogram(queue, x, counts, even_bins<T>(lo, hi, bins), d_totals);
    CHECK(counted.copy() == std::vector<std::uint64_t>{1, 2});
    CHECK(all.copy()[0].above == 1);

    device_memory<std::int32_t> const rows(on, {0, 0, 1}), columns(on, {1, 1, 0}), of_rows(on, 3);
    device_memory<T> const entries(on, floats{1, 2, 3}), row_entries(on, 3);
    device_memory<std::int64_t> const begins(on, 3);
    coo_matrix<T> const list{2, 2, 3, rows.data(), columns.data(), entries.data()};
    std::int64_t* const offsets = begins.data();
    std::int32_t* const indices = of_rows.data();
    T* const values = row_entries.data();
    coo_to_csr(queue, list, offsets, indices, values);
    CHECK(begins.copy() == std::vector<std::int64_t>{0, 1, 2});
    csr_matrix<T> const matrix{2, 2, 2, offsets, indices, values};
    T const* const v = vector.data();
    T* const y = product.data();
    spmv(queue, matrix, v, y);
    CHECK(product.copy() == floats{3, 30});
    device_prepared_matrix<T> ready(queue, matrix);
    ready.multiply(queue, v, y);
    CHECK(product.copy() == floats{3, 30});
  }
}

}  // namespace
}  // namespace coming_from_numpy
