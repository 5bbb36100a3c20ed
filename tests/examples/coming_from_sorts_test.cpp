// SPDX-License-Identifier: Apache-2.0
// The sorts, histograms and products that docs/coming-from.md names beside CUB's and cuSPARSE's,
// against results worked out by hand. tree.readme compares the page with this text.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <libscan/histogram.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/split_by_key.cuh>
#include <libscan/spmv.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/device_buffer.hpp>

namespace coming_from_cub_sorts {

using namespace libscan;  // as a page's reader would
using libscan::test::device_buffer;
using T = float;
using items = std::vector<T>;
using places = std::vector<index_t>;

TEST_CASE("coming from CUB: sorts") {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  device_buffer<T> const input(items{3, -nan, 0, -7}), output(4), spare(4);
  device_buffer<std::uint32_t> const numbers(std::vector<std::uint32_t>{9, 8, 7, 6}), moved(4);
  device_buffer<index_t> const bounds(places{0, 1, 4});
  T *const in = input.data(), *const out = output.data();
  std::uint32_t const* const values = numbers.data();
  std::uint32_t* const values_out = moved.data();
  index_t const* const offsets = bounds.data();
  index_t const n = 4, segments = 2;
  workspace ws;
  sort_keys(ws, in, out, n);
  items got = output.copy();
  CHECK((got[0] == -7 && got[1] == 0 && got[2] == 3 && std::isnan(got[3])));
  sort_pairs(ws, in, out, values, values_out, n);
  CHECK(moved.copy() == std::vector<std::uint32_t>{6, 7, 9, 8});
  segmented_sort_keys(ws, in, out, n, offsets, segments);
  got = output.copy();
  CHECK((got[0] == 3 && got[1] == -7 && got[2] == 0 && std::isnan(got[3])));
  double_buffer<T> buffers{in, spare.data()};
  sort_keys(ws, buffers, n);
  auto const& sorted = buffers.current == in ? input : spare;
  CHECK(sorted.copy()[0] == -7);
}

TEST_CASE("coming from CUB: groups, counts and products") {
  device_buffer<std::uint32_t> const input(std::vector<std::uint32_t>{2, 0, 2, 1}), output(4);
  device_buffer<index_t> const begins(4);
  std::uint32_t const* const keys = input.data();
  std::uint32_t* const out = output.data();
  index_t* const offsets = begins.data();
  index_t const n = 4;
  int const buckets = 3;
  workspace ws;
  split_by_key(ws, keys, out, offsets, n, buckets);
  CHECK(output.copy() == std::vector<std::uint32_t>{0, 1, 2, 2});
  CHECK(begins.copy() == places{0, 1, 2, 4});

  device_buffer<T> const of_samples(items{1, 2, 4, 9});
  device_buffer<std::uint64_t> const counted(2);
  device_buffer<sample_totals> const all(1);
  T const* const samples = of_samples.data();
  std::uint64_t* const d_counts = counted.data();
  sample_totals* const d_totals = all.data();
  T const lo = 0, hi = 4;
  int const bins = 2;
  histogram(ws, samples, d_counts, even_bins<T>(lo, hi, bins), n, d_totals);
  CHECK(counted.copy() == std::vector<std::uint64_t>{1, 2});
  CHECK(all.copy()[0].above == 1);

  device_buffer<std::int64_t> const rows(std::vector<std::int64_t>{0, 2, 2, 3});
  device_buffer<std::int32_t> const columns(std::vector<std::int32_t>{0, 1, 1});
  device_buffer<T> const entries(items{2, 3, 4}), vector(items{10, 1}), product(3);
  csr_matrix<T> const matrix{3, 2, 3, rows.data(), columns.data(), entries.data()};
  T const* const x = vector.data();
  T* const y = product.data();
  spmv(ws, matrix, x, y);
  CHECK(product.copy() == items{23, 0, 4});
}

}  // namespace coming_from_cub_sorts
