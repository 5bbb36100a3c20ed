// SPDX-License-Identifier: Apache-2.0
// What docs/tour.md shows of the host API, against results worked out by hand.
#include <cstdint>
#include <vector>

#include <examples/host/device_filter.hpp>
#include <examples/host/device_memory.hpp>
#include <examples/host/gpus.hpp>
#include <examples/host/groups.hpp>
#include <examples/host/histogram.hpp>
#include <examples/host/own_operator.hpp>
#include <examples/host/rank_products.hpp>
#include <examples/host/ranks.hpp>
#include <examples/host/segments.hpp>
#include <examples/host/sort.hpp>
#include <examples/host/spmv.hpp>
#include <tests/support/catch.hpp>

namespace {

TEST_CASE("README's sorts") {
  auto const got =
      examples::sort_tables(libscan::engine::cpu(), {2, 8, 5, 8}, {3, 1, 2, 1}, {10, 11, 12, 13});
  CHECK(got.prices == std::vector<float>{8, 8, 5, 2});
  CHECK(got.keys == std::vector<int>{1, 1, 2, 3});
  CHECK(got.rows == std::vector<int>{11, 13, 12, 10});
  CHECK(got.positions == std::vector<libscan::index_t>{0, 2, 1, 3});
}

TEST_CASE("README's groups") {
  auto const got =
      examples::rank_scores(libscan::engine::cpu(), {2, 0, 2, 0, 0}, {5, 1, 7, 3, 2}, 3);
  CHECK(got.scores == std::vector<float>{3, 2, 1, 7, 5});
  CHECK(got.begins == std::vector<libscan::index_t>{0, 3, 3, 5});
}

TEST_CASE("the tour's segments, wider sums and ranks") {
  auto const got =
      examples::sum_rows(libscan::engine::cpu(), {1, 2, 3, 4}, {0, 1, 1, 4}, {200, 0, 100});
  CHECK(got.sums == std::vector<float>{1, 2, 5, 9});
  CHECK(got.totals.front() == 1);
  CHECK(got.totals.back() == 4);
  CHECK(got.wide == std::vector<long>{200, 200, 300});
  CHECK(got.places == std::vector<std::uint32_t>{0, 1, 1});
}

TEST_CASE("the tour's calls on device memory, in the executor") {
  try {
    auto const on = libscan::engine::executor();
    std::vector<float> const values{1, 2, 3, 4};
    std::vector<libscan::index_t> const offsets{0, 1, 1, 4};
    std::vector<float> sums(4);
    examples::sum_rows_on(on, nullptr, {}, values.data(), sums.data(), 4, offsets.data(), 3);
    CHECK(sums == std::vector<float>{1, 2, 5, 9});
    std::vector<float> const mixed{7, 1, 5, 2, 6};
    std::vector<float> kept(5), sorted(5);
    libscan::index_t count = 0;
    examples::sort_kept_on(on, nullptr, mixed.data(), kept.data(), sorted.data(), 5, &count);
    CHECK(count == 3);
    CHECK(sorted == std::vector<float>{5, 6, 7, 0, 0});
  } catch (libscan::engine_unavailable const&) {
    // A build without the executor.
  }
}

TEST_CASE("the sums and the sort of docs/distributed.md, on one rank") {
  auto const got =
      examples::sum_and_sort(libscan::communicator::self(), {3, 1, 4}, {0.5, 2}, {7, 1, 5});
  CHECK(got.offsets == std::vector<std::int64_t>{0, 3, 4});
  CHECK(got.total == 8);
  CHECK(got.sum == 2.5);
  CHECK(got.sorted == std::vector<std::uint32_t>{1, 5, 7});
}

TEST_CASE("the walks of docs/distributed.md, on one rank") {
  // A path of three nodes: 4 walks of one step, 6 of two, 8 of three.
  std::vector<std::int32_t> const from{0, 1, 1, 2}, to{1, 0, 2, 1};
  std::vector<double> const ones(4, 1);
  libscan::coo_matrix<double> const edges{3, 3, 4, from.data(), to.data(), ones.data()};
  auto const walks = [&](int steps) {
    return examples::count_walks(libscan::communicator::self(), edges, steps);
  };
  CHECK(walks(1) == 4);
  CHECK(walks(2) == 6);
  CHECK(walks(3) == 8);
}

TEST_CASE("the sort on several GPUs of docs/distributed.md, on two ranks") {
  std::vector<std::uint32_t> keys{7, 1, 5, 3, 2};
  examples::sort_on_all({libscan::engine::cpu(1), libscan::engine::cpu(1)}, keys);
  CHECK(keys == std::vector<std::uint32_t>{1, 2, 3, 5, 7});
}

TEST_CASE("the tour's own operator") {
  CHECK(examples::growth_of({2, 3, 0.5}) == std::vector<double>{2, 6, 3});
}

TEST_CASE("README's histogram") {
  std::vector<std::int64_t> counts(50), expected(50);
  expected[0] = 2;
  expected[1] = 1;
  expected[49] = 2;
  auto const totals =
      examples::count_prices(libscan::engine::cpu(), {-1, 0, 1, 2, 99.5f, 100, 101}, counts);
  CHECK(counts == expected);
  CHECK(totals.inside == 5);
}

TEST_CASE("README's sparse products") {
  // The matrix of rows 1 2 and 0 3, whose 3 is of two entries.
  std::vector<std::int32_t> const row{0, 0, 1, 1}, column{0, 1, 1, 1};
  std::vector<double> const value{1, 2, 1, 2};
  std::vector<double> y(2), z(2);
  examples::multiply_twice(libscan::engine::cpu(),
                           {2, 2, 4, row.data(), column.data(), value.data()}, {10, 100}, y, z);
  CHECK(y == std::vector<double>{210, 300});
  CHECK(z == std::vector<double>{810, 900});
}

}  // namespace
