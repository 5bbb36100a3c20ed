// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of more than 2^31 and 2^32 entries: results are known in closed form and checked
// on the GPU. The executor does the same with few entries, which tests the formulas.
#include <libscan/coo_to_csr.cuh>
#include <libscan/spmv.cuh>
#include <tests/large/memory.hpp>
#include <tests/support/catch.hpp>

using namespace libscan;
using namespace libscan::test;

namespace {

constexpr int column_bits = 10;
constexpr index_t columns = index_t{1} << column_bits;

/// Entry k is in this column.
struct column_of_entry {
  LIBSCAN_HOST_DEVICE index_t operator()(index_t k) const { return k % columns; }
};

/// Rows of none to three entries, except one of very many. [r]: where row r begins.
struct row_begins {
  index_t dense_row, dense_entries;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t r) const {
    index_t const rest = r % 4;
    return r / 4 * 6 + rest * (rest - 1) / 2 + (r > dense_row ? dense_entries : 0);
  }
};

/// [c]: component c of x.
struct component {
  LIBSCAN_HOST_DEVICE index_t operator()(index_t c) const { return c; }
};

/// [r]: what row r's components add up to.
struct row_sums_expected {
  row_begins begins;
  LIBSCAN_HOST_DEVICE static index_t sum_before(index_t k) {
    index_t const rest = k % columns;
    return k / columns * (columns * (columns - 1) / 2) + rest * (rest - 1) / 2;
  }
  LIBSCAN_HOST_DEVICE index_t operator()(index_t r) const {
    return sum_before(begins(r + 1)) - sum_before(begins(r));
  }
};

/// A list of all places of a matrix in an order that looks random, again and again: an odd multiple
/// of each entry's number, in `bits` bits.
struct place_of_entry {
  int bits;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t k) const {
    auto const place = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15U;
    return static_cast<index_t>(place & ((std::uint64_t{1} << bits) - 1));
  }
};
struct listed_row {
  place_of_entry place;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t k) const { return place(k) / columns; }
};
struct listed_column {
  place_of_entry place;
  LIBSCAN_HOST_DEVICE index_t operator()(index_t k) const { return place(k) % columns; }
};

/// [r]: where row r begins if every place has an entry.
struct full_row_begins {
  LIBSCAN_HOST_DEVICE index_t operator()(index_t r) const { return r * columns; }
};

}  // namespace

TEST_CASE("a product of 2^32 and more entries, most of them of one row") {
  index_t const rows = large(index_t{1} << 27);
  row_begins const begins{rows / 3, large(two_32 + 77)};
  index_t const nonzeros = begins(rows);
  if (!has_memory(4 * nonzeros + 19 * rows)) return;
  auto const offsets = filled<std::int64_t>(rows + 1, begins);
  auto const indices = filled<std::int32_t>(nonzeros, column_of_entry{});
  auto const x = filled<std::int64_t>(columns, component{});
  device_buffer<std::int64_t> const y(static_cast<std::size_t>(rows));
  workspace ws;
  csr_matrix<no_values> const matrix{rows, columns, nonzeros, offsets.data(), indices.data()};
  spmv(ws, matrix, static_cast<std::int64_t const*>(x.data()), y.data());
  REQUIRE(difference_from(y.data(), rows, row_sums_expected{begins}) == "");
  simt::fill_async(y.data(), 0xff, static_cast<std::size_t>(rows) * sizeof(std::int64_t));
  spmv_plan<std::int64_t> const plan(matrix);
  spmv(ws, plan, matrix, static_cast<std::int64_t const*>(x.data()), y.data());
  REQUIRE(difference_from(y.data(), rows, row_sums_expected{begins}) == "");
}

TEST_CASE("a matrix of 2^31 entries from a list that names half of them twice") {
  int const bits = on_gpu ? 31 : 12;
  index_t const places = index_t{1} << bits, rows = places / columns, n = places + places / 2;
  if (!has_memory(29 * n)) return;
  auto const row_indices = filled<std::int32_t>(n, listed_row{{bits}});
  auto const column_indices = filled<std::int32_t>(n, listed_column{{bits}});
  device_buffer<std::int64_t> const offsets(static_cast<std::size_t>(rows + 1));
  device_buffer<std::int32_t> const indices(static_cast<std::size_t>(n));
  workspace ws;
  coo_matrix<no_values> const list{rows, columns, n, row_indices.data(), column_indices.data()};
  coo_to_csr(ws, list, offsets.data(), indices.data(), static_cast<no_values*>(nullptr));
  REQUIRE(difference_from(offsets.data(), rows + 1, full_row_begins{}) == "");
  REQUIRE(difference_from(indices.data(), places, column_of_entry{}) == "");
}
