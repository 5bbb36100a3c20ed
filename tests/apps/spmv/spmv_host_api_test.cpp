// SPDX-License-Identifier: Apache-2.0
// The host API of sparse matrices on the cuda engine, against loops and the cpu engine.
#include <libscan/spmv.hpp>
#include <tests/apps/spmv/lists.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

template <class T>
coo_matrix<T> view_of(host_coo<T> const& host) {
  return {host.rows,           host.columns,       host.entries(), host.row_indices.data(),
          host.indices.data(), host.values.data(), host.kind};
}

}  // namespace

TEMPLATE_TEST_CASE("the cuda engine builds and multiplies as loops do", "", float, double,
                   std::int64_t) {
  using T = TestType;
  engine const on = engine::cuda();
  for (symmetry const kind : {symmetry::general, symmetry::symmetric, symmetry::skew}) {
    for (index_t const n : {0, 1, 1000, 300000}) {
      INFO(n << " entries, kind " << static_cast<int>(kind));
      auto const host = make_coo<T>(20000, 20000, n, kind);
      auto const expected = coo_oracle<std::int64_t>(host);
      auto const matrix = to_rows(on, view_of(host));
      REQUIRE(matrix.offsets == expected.offsets);
      REQUIRE(matrix.indices == expected.indices);
      REQUIRE(matrix.values == expected.values);
      auto const x = make_input<T>(pattern::small, 20000, 1);
      auto const y = make_input<T>(pattern::small, 20000, 2);
      T const alpha = 2, beta = -3;
      auto got = y;
      REQUIRE(spmv<T>(on, matrix, x, got, {.alpha = alpha, .beta = beta}) >= 0);
      REQUIRE(got == spmv_oracle(expected, x, y, plus_times<T>{}, alpha, beta));
      spmv<T>(on, matrix, x, got, {.semiring = semiring_kind::min_plus});
      REQUIRE(got == spmv_oracle(expected, x, y, min_plus<T>{}));
      spmv<T>(on, matrix, x, got, {.semiring = semiring_kind::max_times});
      REQUIRE(got == spmv_oracle(expected, x, y, max_times<T>{}));
      coo_matrix<T> places = view_of(host);
      places.values = nullptr;
      auto const links = to_rows(on, places);
      REQUIRE(links.indices == expected.indices);
      spmv<T>(on, links, x, got, {.semiring = semiring_kind::or_and});
      host_csr<no_values> const pattern_only{20000, 20000, links.offsets, links.indices, {}};
      REQUIRE(got == spmv_oracle(pattern_only, x, y, or_and<T>{}));
    }
  }
}

TEMPLATE_TEST_CASE("a matrix prepared on the cuda engine multiplies as one made for one product",
                   "", float, double, std::int64_t) {
  using T = TestType;
  engine const on = engine::cuda();
  auto const host = make_coo<T>(9000, 7000, 200000);
  auto const matrix = to_rows(on, view_of(host));
  auto const expected = coo_oracle<std::int64_t>(host);
  prepared_matrix<T> first(on, matrix), other(on, matrix);
  prepared_matrix<T> ready = std::move(first);
  T const alpha = 2, beta = -3;
  auto y = make_input<T>(pattern::small, 9000, 2);
  for (std::uint64_t round = 0; round < 3; ++round) {
    auto const x = make_input<T>(pattern::small, 7000, round);
    auto const before = y;
    ready.multiply(x, y, {.alpha = alpha, .beta = beta});
    REQUIRE(y == spmv_oracle(expected, x, before, plus_times<T>{}, alpha, beta));
    // Neither the other's vectors nor those of the last call are taken for this one's.
    std::vector<T> apart(9000, T(77));
    other.multiply(x, apart, {.semiring = semiring_kind::min_plus});
    REQUIRE(apart == spmv_oracle(expected, x, before, min_plus<T>{}));
    ready.multiply(x, apart);
    REQUIRE(apart == spmv_oracle(expected, x, before, plus_times<T>{}));
    for (T& component : y) component = component < 0 ? T(-1) : T(1);
  }
}

TEST_CASE("the cuda engine's sums are within the bound, and the same every time") {
  engine const on = engine::cuda();
  auto const host = make_csr<double>(
      30000, 500, [](index_t r) { return r == 77 ? 400000 : r % 13; }, pattern::random);
  sparse_matrix<double> const matrix{host.rows, host.columns, host.offsets, host.indices,
                                     host.values};
  auto const x = make_input<double>(pattern::random, 500, 1);
  std::vector<double> const y(30000, 0.5);
  auto got = y, again = y;
  spmv<double>(on, matrix, x, got);
  spmv<double>(on, matrix, x, again);
  REQUIRE(spmv_error(host, x, y, 1.0, 0.0, got) == "");
  REQUIRE(bit_difference(got, again) == "");
}
