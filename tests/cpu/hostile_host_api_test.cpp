// SPDX-License-Identifier: Apache-2.0
// The host API, and threads for the cpu engine, with ranges and callables whose namespace has a
// greedy function of every name that libscan uses: a call that argument-dependent lookup could take
// elsewhere does not compile.
#include <cstdint>
#include <span>
#include <vector>

#include <libscan/cpu/workers.hpp>
#include <libscan/filter.hpp>
#include <libscan/histogram.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate_parser.hpp>
#include <libscan/radix_sort.hpp>
#include <libscan/segmented_sort.hpp>
#include <libscan/selection.hpp>
#include <libscan/split_by_key.hpp>
#include <libscan/spmv.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/hostile.hpp>

namespace hostile {

/// Items of some type.
template <class T>
struct row : std::vector<T> {
  using std::vector<T>::vector;
};

/// Sets what it points to.
struct setting {
  int* to;
  void operator()() const { *to = 7; }
};
struct giving {
  number operator()() const { return number(7); }
};

}  // namespace hostile

using namespace libscan;
using hostile::row;

namespace {
engine const on = engine::cpu(2);
}

TEST_CASE("The host API's scans call no foreign functions") {
  row<int> const items{3, 1, 2};
  row<int> out(3);
  CHECK(libscan::inclusive_scan(on, items, out) == 6);
  CHECK(out == row<int>{3, 4, 6});
  CHECK(libscan::exclusive_scan(on, items, out, maximum<int>{}, 2) == 3);
  CHECK(out == row<int>{2, 3, 3});
  CHECK(libscan::reduce(on, items, minimum<int>{}) == 1);
}

TEST_CASE("The host API's filters call no foreign functions") {
  row<int> const items{3, 1, 1, 2};
  row<int> out(4), rejected(4);
  row<index_t> places(4);
  row<std::uint8_t> const marks{0, 1, 1, 0};
  auto const keep = libscan::parse_predicate<int>("> 1");
  item_mask const mask = item_mask::of_flags(marks);
  CHECK(libscan::filter<int>(on, items, out, keep) == 2);
  CHECK(libscan::filter<int>(on, items, out, mask) == 2);
  CHECK(libscan::filter_indices<int>(on, items, places, keep) == 2);
  CHECK(libscan::filter_with_indices<int>(on, items, out, places, keep) == 2);
  CHECK(places[1] == 3);
  CHECK(libscan::count_if<int>(on, items, keep) == 2);
  CHECK(libscan::mask_indices(on, mask, places) == 2);
  CHECK(libscan::split<int>(on, items, out, rejected, keep) == 2);
  CHECK(rejected[1] == 1);
  CHECK(libscan::split<int>(on, items, out, mask) == 2);
  CHECK(libscan::split_by_bit<int>(on, items, out, 0) == 1);
  CHECK(libscan::unique<int>(on, items, out) == 3);
  CHECK(libscan::run_length_encode<int>(on, items, out, places) == 3);
  CHECK(places[1] == 2);
  row<index_t> offsets(4);
  CHECK(libscan::run_length_encode<int>(on, items, out, places, offsets, 2) == 1);
  CHECK(libscan::filter<int>(on, items, keep).size() == 2);
  CHECK(libscan::filter<int>(on, items, mask).size() == 2);
  CHECK(libscan::unique<int>(on, items).size() == 3);
  CHECK(libscan::run_length_encode<int>(on, items, 2).values.size() == 1);
}

TEST_CASE("The host API's sorts call no foreign functions") {
  row<int> const keys{3, 1, 2}, values{30, 10, 20};
  row<int> out(3), values_out(3);
  row<index_t> places(3);
  row<index_t> const offsets{0, 1, 3};
  libscan::sort_keys(on, keys, out);
  CHECK(out == row<int>{1, 2, 3});
  libscan::sort_pairs(on, keys, out, values, values_out);
  CHECK(values_out == row<int>{10, 20, 30});
  libscan::argsort(on, keys, places);
  CHECK(places == row<index_t>{1, 2, 0});
  libscan::segmented_sort_keys(on, keys, out, offsets);
  CHECK(out == row<int>{3, 1, 2});
  libscan::segmented_sort_pairs(on, keys, out, values, values_out, offsets);
  CHECK(values_out == row<int>{30, 10, 20});
  libscan::segmented_sort_keys(on, keys, out, segmentation::of_length(2));
  CHECK(out == row<int>{1, 3, 2});
  libscan::segmented_argsort(on, keys, places, offsets);
  CHECK(places == row<index_t>{0, 1, 2});
  row<index_t> begins(5);
  libscan::split_by_key(on, keys, out, begins);
  CHECK(begins == row<index_t>{0, 0, 1, 2, 3});
  libscan::split_by_key(on, keys, out, values, values_out, begins);
  CHECK(values_out == row<int>{10, 20, 30});
}

TEST_CASE("The host API's histograms and products call no foreign functions") {
  row<float> const samples{0.5F, 2.5F, 2.75F, 7};
  row<float> const weights{1, 2, 3, 4};
  row<float> const edges{0, 1, 3, 4};
  row<std::uint32_t> counts(3);
  row<double> sums(3);
  edge_bins<float> const rule(edges.data(), 3);
  CHECK(libscan::histogram(on, samples, counts, rule).above == 1);
  CHECK(counts == row<std::uint32_t>{1, 2, 0});
  CHECK(libscan::histogram(on, samples, counts, even_bins<float>(0, 3, 3)).inside == 3);
  CHECK(libscan::weighted_histogram(on, samples, weights, sums, rule).inside == 3);
  CHECK(sums == row<double>{1, 5, 0});

  row<std::int32_t> const rows{1, 0, 1}, columns{0, 1, 0};
  row<float> const entries{2, 3, 4}, x{5, 7};
  row<float> y(2);
  coo_matrix<float> const list{2, 2, 3, rows.data(), columns.data(), entries.data()};
  auto const matrix = libscan::to_rows(on, list);
  CHECK(matrix.nonzeros() == 2);
  libscan::spmv<float>(on, matrix, x, y);
  CHECK(y == row<float>{21, 30});
}

TEST_CASE("Threads call no foreign functions") {
  int set = 0;
  cpu::run_workers(1, hostile::setting{&set});
  CHECK(set == 7);
  set = 0;
  cpu::with_workers(1, hostile::setting{&set});
  CHECK(set == 7);
  CHECK(cpu::with_workers(2, hostile::giving{}) == hostile::number(7));
}
