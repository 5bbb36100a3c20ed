// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of device memory from plain C++ and C, against plain loops: in the executor, and
// on a GPU if there is one.
#include <libscan/spmv_device_calls.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <libscan/c_api.h>
#include <tests/host/device_memory.hpp>
#include <tests/host/engines.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

namespace libscan::test {
namespace {

using Catch::Matchers::Contains;

constexpr index_t rows = 200, columns = 150, entries = 1500;

/// A list of entries, some at the same place, and its matrix by rows.
template <class T>
struct matrices {
  std::vector<std::int32_t> list_rows, list_columns;
  std::vector<T> list_values;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  explicit matrices(symmetry kind) {
    random_words words(7);
    std::map<std::pair<std::int32_t, std::int32_t>, T> sums;
    for (index_t k = 0; k < entries; ++k) {
      auto const row = static_cast<std::int32_t>(words() % 20 == 0 ? 3 : words() % columns);
      auto const column = static_cast<std::int32_t>(words() % columns);
      auto const value = static_cast<T>(static_cast<int>(words() % 9) - 4);
      list_rows.push_back(row);
      list_columns.push_back(column);
      list_values.push_back(value);
      sums[{row, column}] += value;
      if (kind != symmetry::general && row != column) {
        sums[{column, row}] += kind == symmetry::skew ? -value : value;
      }
    }
    offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (auto const& [place, value] : sums) {
      indices.push_back(place.second);
      values.push_back(value);
      for (auto r = static_cast<std::size_t>(place.first) + 1; r < offsets.size(); ++r) {
        ++offsets[r];
      }
    }
  }

  /// y = A x + beta y.
  std::vector<T> product(std::vector<T> const& x, std::vector<T> y, T beta) const {
    for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
      y[r] *= beta;
      for (auto k = static_cast<std::size_t>(offsets[r]);
           k < static_cast<std::size_t>(offsets[r + 1]); ++k) {
        y[r] += values[k] * x[static_cast<std::size_t>(indices[k])];
      }
    }
    return y;
  }
};

TEMPLATE_TEST_CASE("matrices in device memory multiply as a loop does", "", float, double,
                   std::int64_t) {
  using T = TestType;
  matrices<T> const all(symmetry::general);
  auto const nonzeros = static_cast<index_t>(all.indices.size());
  // Whole numbers: their sums are exact in any order.
  auto const xs = make_input<T>(pattern::small, columns);
  auto const ys = make_input<T>(pattern::small, rows);
  auto const expected = all.product(xs, ys, 0);
  auto const added = all.product(xs, ys, 3);
  for (engine const& on : machines()) {
    INFO(on.description());
    device_memory<std::int64_t> const offsets(on, all.offsets);
    device_memory<std::int32_t> const indices(on, all.indices);
    device_memory<T> const values(on, all.values), x(on, xs), y(on, ys);
    csr_matrix<T> const matrix{rows,           columns,        nonzeros,
                               offsets.data(), indices.data(), values.data()};
    auto const bytes = device_spmv_workspace_bytes<T>(on, rows, nonzeros);
    auto const plan_bytes = device_plan_bytes<T>(on, rows, nonzeros);
    device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
    device_memory<std::byte> const of_plan(on, static_cast<index_t>(plan_bytes));
    device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
    spmv(queue, matrix, x.data(), y.data());
    CHECK(y.copy() == expected);
    for (bool const given : {false, true}) {
      device_queue const making{.on = on,
                                .workspace = given ? of_plan.data() : nullptr,
                                .workspace_bytes = given ? plan_bytes : 0};
      device_prepared_matrix<T> const prepared(making, matrix);
      y.write(ys);
      prepared.multiply(queue, x.data(), y.data(), {.beta = T{3}});
      CHECK(y.copy() == added);
    }
    // Without values each entry counts as one; the largest of x in each row, 0 if there are none.
    auto places = matrix;
    places.values = nullptr;
    spmv(queue, places, x.data(), y.data(), {.semiring = semiring_kind::or_and});
    auto const got = y.copy();
    for (std::size_t r = 0; r < got.size(); ++r) {
      bool any = false;
      for (auto k = static_cast<std::size_t>(all.offsets[r]);
           k < static_cast<std::size_t>(all.offsets[r + 1]); ++k) {
        any |= xs[static_cast<std::size_t>(all.indices[k])] != 0;
      }
      CHECK((got[r] != 0) == any);
    }
  }
}

TEMPLATE_TEST_CASE("lists of entries in device memory become matrices by rows", "", double,
                   std::int64_t) {
  using T = TestType;
  for (symmetry const kind : {symmetry::general, symmetry::symmetric, symmetry::skew}) {
    matrices<T> const all(kind);
    for (engine const& on : machines()) {
      INFO(on.description() << ", symmetry " << static_cast<int>(kind));
      device_memory<std::int32_t> const list_rows(on, all.list_rows), list(on, all.list_columns);
      device_memory<T> const list_values(on, all.list_values), values(on, 2 * entries);
      device_memory<std::int64_t> const offsets(on, rows + 1);
      device_memory<std::int32_t> const indices(on, 2 * entries);
      coo_matrix<T> entry_list{
          rows, columns, entries, list_rows.data(), list.data(), list_values.data(), kind};
      if (kind != symmetry::general) entry_list.columns = rows;
      auto const bytes = device_coo_to_csr_workspace_bytes(on, entry_list);
      device_memory<std::byte> const workspace(on, static_cast<index_t>(bytes));
      device_queue const queue{.on = on, .workspace = workspace.data(), .workspace_bytes = bytes};
      coo_to_csr(queue, entry_list, offsets.data(), indices.data(), values.data());
      CHECK(offsets.copy() == all.offsets);
      auto got_indices = indices.copy();
      auto got_values = values.copy();
      got_indices.resize(all.indices.size());
      got_values.resize(all.values.size());
      CHECK(got_indices == all.indices);
      CHECK(got_values == all.values);
      entry_list.values = nullptr;
      coo_to_csr(queue, entry_list, offsets.data(), indices.data(), nullptr);
      CHECK(offsets.copy() == all.offsets);
    }
  }
}

TEST_CASE("calls on matrices in device memory that cannot run say why") {
  std::int64_t const none[] = {0, 0};
  float x = 0, y = 0;
  csr_matrix<float> const one{1, 1, 0, none, nullptr, nullptr};
  CHECK_THROWS_WITH(spmv(device_queue{engine::cpu()}, one, &x, &y),
                    Contains("engines cuda and executor"));
  for (engine const& on : machines()) {
    csr_matrix<float> const wrong{-1, 1, 0, none, nullptr, nullptr};
    CHECK_THROWS_WITH(spmv(device_queue{on}, wrong, &x, &y), Contains("-1 rows"));
    CHECK_THROWS_WITH(device_prepared_matrix<float>(device_queue{on}, wrong), Contains("-1 rows"));
  }
}

TEST_CASE("the C calls multiply, plan and convert") {
  matrices<double> const all(symmetry::general);
  auto const xs = make_input<double>(pattern::small, columns);
  auto const ys = make_input<double>(pattern::small, rows);
  for (engine const& on : machines()) {
    libscan_queue const queue = queue_of(on);
    device_memory<std::int32_t> const list_rows(on, all.list_rows), list(on, all.list_columns);
    device_memory<double> const list_values(on, all.list_values), values(on, entries), x(on, xs);
    device_memory<double> const y(on, ys);
    device_memory<std::int64_t> const offsets(on, rows + 1);
    device_memory<std::int32_t> const indices(on, entries);
    libscan_entries const of_list{LIBSCAN_F64, LIBSCAN_GENERAL,  rows,        columns,
                                  entries,     list_rows.data(), list.data(), list_values.data()};
    REQUIRE(libscan_coo_to_csr(&queue, &of_list, offsets.data(), indices.data(), values.data()) ==
            LIBSCAN_OK);
    CHECK(offsets.copy() == all.offsets);
    libscan_matrix const matrix{
        LIBSCAN_F64,    rows,           columns,      static_cast<index_t>(all.indices.size()),
        offsets.data(), indices.data(), values.data()};
    REQUIRE(libscan_spmv(&queue, &matrix, nullptr, x.data(), y.data(), nullptr) == LIBSCAN_OK);
    CHECK(y.copy() == all.product(xs, ys, 0));
    double const alpha = 1, beta = 2;
    libscan_product const how{LIBSCAN_PLUS_TIMES, &alpha, &beta};
    libscan_plan* plan = nullptr;
    REQUIRE(libscan_plan_create(&queue, &matrix, &plan) == LIBSCAN_OK);
    y.write(ys);
    CHECK(libscan_spmv(&queue, &matrix, plan, x.data(), y.data(), &how) == LIBSCAN_OK);
    CHECK(y.copy() == all.product(xs, ys, 2));
    libscan_matrix floats = matrix;
    floats.type = LIBSCAN_F32;
    CHECK(libscan_spmv(&queue, &floats, plan, x.data(), y.data(), &how) ==
          LIBSCAN_INVALID_ARGUMENT);
    CHECK_THAT(libscan_last_error(), Contains("a plan for another type"));
    libscan_plan_destroy(plan);
    libscan_plan_destroy(nullptr);
    floats.type = LIBSCAN_U8;
    CHECK(libscan_spmv(&queue, &floats, nullptr, x.data(), y.data(), &how) ==
          LIBSCAN_INVALID_ARGUMENT);
    std::size_t bytes = 0, plan_bytes = 0;
    CHECK(libscan_spmv_workspace_bytes(&queue, &matrix, &bytes, &plan_bytes) == LIBSCAN_OK);
    CHECK(bytes == device_spmv_workspace_bytes<double>(on, rows, matrix.nonzeros));
    CHECK(plan_bytes == device_plan_bytes<double>(on, rows, matrix.nonzeros));
    CHECK(libscan_coo_to_csr_workspace_bytes(&queue, &of_list, &bytes) == LIBSCAN_OK);
    CHECK(bytes > 0);
  }
}

}  // namespace
}  // namespace libscan::test
