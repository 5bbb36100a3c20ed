// SPDX-License-Identifier: Apache-2.0
// What --verify of scan-spmv compares: every row, from the first to the last, in every semiring.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <apps/spmv/program/verify.hpp>
#include <tests/support/catch.hpp>

using libscan::coo_matrix;
using libscan::index_t;
using libscan::symmetry;
namespace apps = libscan::apps;

namespace {

// 2 . 3    1     11
// . . .  x 2  =   0    and with a fifth entry, 4 in the middle
// 5 7 .    3     19
std::vector<std::int32_t> const rows{2, 0, 2, 0, 1}, columns{1, 0, 0, 2, 1};

template <class T>
coo_matrix<T> list_of(std::vector<T> const& values, symmetry kind = symmetry::general) {
  auto const entries = static_cast<index_t>(values.empty() ? 4 : values.size());
  return {3,   3, entries, rows.data(), columns.data(), values.empty() ? nullptr : values.data(),
          kind};
}

/// Each row of `right` made a little wrong must be named.
template <class S, class T>
void check_rows(S semiring, coo_matrix<T> const& list, std::vector<T> const& right, T off) {
  std::vector<T> const x{1, 2, 3};
  CHECK(apps::verify_product(semiring, list, x, right) == "");
  for (std::size_t r = 0; r < right.size(); ++r) {
    for (T const wrong : {static_cast<T>(right[r] + off), static_cast<T>(right[r] - off)}) {
      auto y = right;
      y[r] = wrong;
      CHECK(apps::verify_product(semiring, list, x, y)
                .starts_with("item " + std::to_string(r) + " is "));
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("--verify compares every row", "", float, double, std::int64_t) {
  using T = TestType;
  auto const off = static_cast<T>(std::is_integral_v<T> ? 1 : 0.001);
  std::vector<T> const values{7, 2, 5, 3};
  check_rows(libscan::plus_times<T>{}, list_of<T>(values), {11, 0, 19}, off);
  // Entries of a pattern are ones.
  check_rows(libscan::plus_times<T>{}, list_of<T>({}), {4, 0, 3}, off);
}

TEMPLATE_TEST_CASE("--verify compares every row in every semiring", "", float, double,
                   std::int64_t) {
  using T = TestType;
  std::vector<T> const values{7, 2, 5, 3, 4};
  check_rows(libscan::plus_times<T>{}, list_of<T>(values), {11, 8, 19}, T(1));
  check_rows(libscan::min_plus<T>{}, list_of<T>(values), {3, 6, 6}, T(1));
  check_rows(libscan::max_times<T>{}, list_of<T>(values), {9, 8, 14}, T(1));
  check_rows(libscan::or_and<T>{}, list_of<T>(values), {1, 1, 1}, T(1));
}

TEST_CASE("--verify compares rows of symmetric lists") {
  std::vector<std::int64_t> const values{7, 2, 5, 3};
  // (2, 1), (0, 0), (2, 0) and (0, 2), the places of the latter two in both orders.
  check_rows<libscan::plus_times<std::int64_t>, std::int64_t>(
      {}, list_of(values, symmetry::symmetric), {2 + 24, 21, 14 + 8}, 1);
}

TEST_CASE("--verify allows rounding and no more") {
  std::vector<float> const values{7, 2, 5, 3}, x{1, 2, 3};
  auto const list = list_of(values);
  libscan::plus_times<float> const semiring;
  CHECK(apps::verify_product(semiring, list, x, std::vector<float>{11.000001F, 0, 19}) == "");
  CHECK(apps::verify_product(semiring, list, x, std::vector<float>{11.001F, 0, 19}) ==
        "item 0 is 11.001, expected 11");
  CHECK(apps::verify_product(semiring, list, x, std::vector<float>{11, 1e-30F, 19}) != "");
}
