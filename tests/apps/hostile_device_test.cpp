// SPDX-License-Identifier: Apache-2.0
// The applications' device calls with types whose namespace has a greedy function of every name
// that libscan uses: a call that argument-dependent lookup could take elsewhere does not compile.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <apps/radix_sort/device/tiny_tuning.hpp>
#include <libscan/coo_to_csr.cuh>
#include <libscan/filter.cuh>
#include <libscan/histogram.cuh>
#include <libscan/radix_sort.cuh>
#include <libscan/runs.cuh>
#include <libscan/segmented_sort.cuh>
#include <libscan/sorted_histogram.cuh>
#include <libscan/split.cuh>
#include <libscan/split_by_key.cuh>
#include <libscan/split_sort.cuh>
#include <libscan/spmv.cuh>
#include <tests/support/catch.hpp>
#include <tests/support/hostile_device.hpp>

using namespace libscan;
using hostile::number;
using libscan::test::device_buffer;

namespace {

constexpr index_t n = 3000;

/// 0 0 0 0 1 1 1 1 ... 99 99 99 99 0 0 ...
std::vector<number> some_numbers() {
  std::vector<number> items;
  for (index_t i = 0; i < n; ++i) items.push_back(number(static_cast<int>(i / 4 % 100)));
  return items;
}

/// Items, and space for as many results.
struct one_case {
  std::vector<number> host = some_numbers();
  device_buffer<number> in{host}, out{host}, values{host};
  device_buffer<index_t> places{host.size()}, count{1};
  hostile::items<number const> const from{in.data()};
  hostile::items<number> const to{out.data()};
  workspace ws;

  index_t counted() { return count.copy()[0]; }
};

}  // namespace

TEST_CASE("Device filters call no foreign functions") {
  one_case c;
  hostile::is_odd const odd;
  libscan::filter(c.ws, c.in.data(), c.out.data(), n, odd, c.count.data());
  CHECK(c.counted() == 1500);
  CHECK(c.out.copy()[4] == number(3));
  libscan::filter(c.ws, c.from, c.to, n, odd, c.count.data());
  CHECK(c.counted() == 1500);
  libscan::filter<tiny_tuning>(c.ws, c.in.data(), c.out.data(), n, odd, c.count.data());
  CHECK(c.out.copy()[4] == number(3));
  libscan::filter<tiny_pipeline_tuning>(c.ws, c.in.data(), c.out.data(), n, odd, c.count.data());
  CHECK(c.out.copy()[4] == number(3));
  device_buffer<std::uint8_t> const flags(std::vector<std::uint8_t>(c.host.size(), 1));
  libscan::filter(c.ws, c.in.data(), c.out.data(), n, libscan::byte_mask{flags.data()},
                  c.count.data());
  CHECK(c.counted() == n);
  device_buffer<std::uint32_t> const words(
      std::vector<std::uint32_t>(c.host.size() / 32 + 1, 0x11111111u));
  libscan::filter(c.ws, c.in.data(), c.out.data(), n, libscan::bit_mask{words.data()},
                  c.count.data());
  CHECK(c.counted() == n / 4);
  libscan::filter_indices(c.ws, c.in.data(), c.places.data(), n, odd, c.count.data());
  CHECK(c.places.copy()[4] == 12);
  libscan::filter_with_indices(c.ws, c.in.data(), c.out.data(), c.places.data(), n, odd,
                               c.count.data());
  CHECK(c.places.copy()[4] == 12);
  CHECK(c.out.copy()[4] == number(3));
  libscan::count_if(c.ws, c.in.data(), n, odd, c.count.data());
  CHECK(c.counted() == 1500);
  libscan::split(c.ws, c.in.data(), c.out.data(), c.values.data(), n, odd, c.count.data());
  CHECK(c.values.copy()[4] == number(2));
  libscan::split(c.ws, c.from, c.to, n, odd, c.count.data());
  CHECK(c.out.copy()[1500] == number(0));
}

TEST_CASE("Device calls on runs call no foreign functions") {
  one_case c;
  libscan::unique(c.ws, c.in.data(), c.out.data(), n, c.count.data(), hostile::is_same{});
  CHECK(c.counted() == n / 4);
  CHECK(c.out.copy()[7] == number(7));
  libscan::unique(c.ws, c.from, c.to, n, c.count.data());
  CHECK(c.counted() == n / 4);
  libscan::run_length_encode(c.ws, c.in.data(), c.out.data(), c.places.data(), no_output{}, n,
                             c.count.data(), hostile::is_same{});
  CHECK(c.counted() == n / 4);
  CHECK(c.places.copy()[7] == 4);
}

TEMPLATE_TEST_CASE("Device sorts call no foreign functions", "", hostile::word_of,
                   hostile::word_pair_of) {
  one_case c;
  auto expected = c.host;
  std::stable_sort(expected.begin(), expected.end());
  sort_order<number, TestType> const order;
  libscan::sort_keys(c.ws, c.in.data(), c.out.data(), n, order);
  CHECK(c.out.copy() == expected);
  libscan::sort_keys<tiny_passes>(c.ws, c.in.data(), c.out.data(), n, order);
  CHECK(c.out.copy() == expected);
  libscan::sort_pairs(c.ws, c.in.data(), c.out.data(), c.in.data(), c.values.data(), n, order);
  CHECK(c.values.copy() == expected);
  libscan::argsort(c.ws, c.in.data(), c.places.data(), n, order);
  CHECK(c.places.copy()[4] == 400);
  device_buffer<int> const offsets(std::vector<int>{0, 1000, 1000, 1003, n});
  libscan::segmented_sort_keys(c.ws, c.in.data(), c.out.data(), n, offsets.data(), 4, order);
  CHECK(c.out.copy()[4] == number(0));
  CHECK(c.out.copy()[n - 1] == number(99));
  libscan::segmented_sort_pairs<tiny_segmented_sort>(c.ws, c.in.data(), c.out.data(), c.in.data(),
                                                     c.values.data(), n, offsets.data(), 4, order);
  CHECK(c.values.copy() == c.out.copy());
  if constexpr (std::is_same_v<TestType, hostile::word_of>) {
    libscan::split_sort(c.ws, c.values.data(), n, order);
    CHECK(c.values.copy() == expected);
  }
}

TEST_CASE("Device splits by key call no foreign functions") {
  one_case c;
  libscan::split_by_key(c.ws, c.in.data(), c.out.data(), c.in.data(), c.values.data(),
                        c.places.data(), n, 3, hostile::bucket_of{});
  CHECK(c.values.copy() == c.out.copy());
  CHECK(c.places.copy()[0] == 0);
  CHECK(c.places.copy()[3] == n);
  libscan::split_by_key(c.ws, c.in.data(), c.out.data(), c.places.data(), n, 3,
                        hostile::bucket_of{});
  CHECK(c.out.copy()[4] == number(3));
}

TEST_CASE("Device histograms call no foreign functions") {
  one_case c;
  device_buffer<std::uint32_t> const counts(100);
  device_buffer<sample_totals> const totals(1);
  hostile::bin_of const rule;
  auto const require = [&] {
    auto const found = counts.copy();
    CHECK(found[17] == 32);
    CHECK(found[60] == 28);
    CHECK(totals.copy()[0].inside == n);
  };
  libscan::histogram(c.ws, c.in.data(), counts.data(), rule, n, totals.data());
  require();
  libscan::sorted_histogram(c.ws, c.in.data(), counts.data(), rule, n, totals.data());
  require();
  device_buffer<double> const weights(std::vector<double>(c.host.size(), 0.5)), sums(100);
  libscan::weighted_histogram(c.ws, c.in.data(), weights.data(), sums.data(), rule, n,
                              totals.data());
  CHECK(sums.copy()[17] == 16);
  device_buffer<int> const bins(100);
  libscan::sparse_histogram(c.ws, c.in.data(), n, rule, bins.data(), counts.data(), c.count.data(),
                            totals.data());
  require();
}

TEST_CASE("Device products call no foreign functions") {
  workspace ws;
  device_buffer<std::int32_t> const offsets(std::vector<std::int32_t>{0, 2, 200});
  device_buffer<std::int32_t> const columns(std::vector<std::int32_t>(200, 1));
  device_buffer<float> const entries(std::vector<float>(200, 3)), x(std::vector<float>(2, 5)), y(2);
  csr_matrix<float, std::int32_t> const matrix{
      2, 2, 200, offsets.data(), columns.data(), entries.data()};
  hostile::times const s;
  auto const require = [&] {
    CHECK(y.copy()[0] == 30);
    CHECK(y.copy()[1] == 198 * 15);
  };
  libscan::spmv(ws, matrix, x.data(), y.data(), s, 1.0F, 0.0F);
  require();
  libscan::spmv<spmv_algorithm::segmented>(ws, matrix, x.data(), y.data(), s, 1.0F, 0.0F);
  require();
  libscan::spmv<spmv_algorithm::scalar>(ws, matrix, x.data(), y.data(), s, 1.0F, 0.0F);
  require();
  libscan::spmv<spmv_algorithm::vector>(ws, matrix, x.data(), y.data(), s, 1.0F, 0.0F);
  require();
  spmv_plan<float> const plan(matrix);
  libscan::spmv(ws, plan, matrix, x.data(), y.data(), s, 1.0F, 0.0F);
  require();
}
