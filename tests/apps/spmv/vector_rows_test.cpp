// SPDX-License-Identifier: Apache-2.0
// Sums of rows by vector code against a loop, whatever the instruction set. All sums are exact.
#include <apps/spmv/cpu/vector_rows.hpp>

#include <tests/support/cpu_targets.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/oracle.hpp>

namespace libscan::test {
namespace {

/// Rows of all short lengths, some long, one that fills no tile, and runs of empty ones.
template <class Offset>
std::vector<Offset> some_offsets() {
  random_words words(3);
  std::vector<Offset> offsets{0};
  for (int r = 0; r < 5000; ++r) {
    std::uint64_t length = words.below(12);
    if (r % 97 == 5) length = words.below(90);
    if (r == 1234) length = 9001;
    if (r > 2000 && r < 2900) length = 0;
    offsets.push_back(static_cast<Offset>(offsets.back() + static_cast<Offset>(length)));
  }
  return offsets;
}

/// Indices below `columns`: of some rows one after the other, of others except one.
template <class Offset>
std::vector<std::int32_t> some_indices(std::vector<Offset> const& offsets, std::size_t columns) {
  random_words words(5);
  std::vector<std::int32_t> indices;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    auto const n = static_cast<std::size_t>(offsets[r + 1] - offsets[r]);
    bool const runs = n > 0 && n <= columns && r % 3 != 0;
    std::uint64_t const first = runs ? words.below(columns - n + 1) : 0;
    std::uint64_t const other = runs && r % 3 == 1 ? words.below(n) : n;
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t const index = runs && k != other ? first + k : words.below(columns);
      indices.push_back(static_cast<std::int32_t>(index));
    }
  }
  return indices;
}

template <class T, class Offset>
void check_row_sums() {
  auto const offsets = some_offsets<Offset>();
  auto const rows = static_cast<index_t>(offsets.size()) - 1;
  random_words words(4);
  std::vector<T> values, x;
  for (int i = 0; i < 300; ++i) x.push_back(static_cast<T>(words.below(9)) - 4);
  for (Offset k = 0; k < offsets.back(); ++k) values.push_back(static_cast<T>(words.below(9)) - 4);
  auto const indices = some_indices(offsets, x.size());
  std::vector<T> expected;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    T sum = 0;
    for (auto k = static_cast<std::size_t>(offsets[r]);
         k < static_cast<std::size_t>(offsets[r + 1]); ++k) {
      sum += values[k] * x[static_cast<std::size_t>(indices[k])];
    }
    expected.push_back(sum);
  }
  cpu::detail::product_arrays<T, Offset> const from{offsets.data(), indices.data(), values.data(),
                                                    x.data()};
  for_each_target([&] {
    for (auto const by : {cpu::detail::gathers::fast, cpu::detail::gathers::slow}) {
      auto const code = cpu::detail::current_row_sums<T, Offset>(by);
      std::vector<T> whole(expected.size()), parts;
      code.whole(from, 0, rows, offsets.back(), whole.data());
      CHECK(difference(expected, whole) == "");
      std::vector<T> runs(expected.size());
      code.runs(from, 0, rows, runs.data());
      CHECK(difference(expected, runs) == "");
      for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
        parts.push_back(code.part(from, offsets[r], offsets[r + 1]));
      }
      CHECK(difference(expected, parts) == "");
      // Rows from the middle on, and none after them.
      std::vector<T> some(100, T(7));
      code.whole(from, 1230, 1311, offsets.back(), some.data());
      std::vector<T> wanted(expected.begin() + 1230, expected.begin() + 1311);
      wanted.resize(some.size(), T(7));
      CHECK(difference(wanted, some) == "");
      std::fill(some.begin(), some.end(), T(7));
      code.runs(from, 1230, 1311, some.data());
      CHECK(difference(wanted, some) == "");
    }
  });
}

/// Sums that rounding distinguishes.
template <class T, class Offset>
void check_bits() {
  auto const offsets = some_offsets<Offset>();
  auto const values = make_input<T>(pattern::random, static_cast<index_t>(offsets.back()));
  auto const x = make_input<T>(pattern::random, 300);
  auto const indices = some_indices(offsets, x.size());
  cpu::detail::product_arrays<T, Offset> const from{offsets.data(), indices.data(), values.data(),
                                                    x.data()};
  std::vector<T> first, first_runs;
  for_each_target([&] {
    for (auto const by : {cpu::detail::gathers::fast, cpu::detail::gathers::slow}) {
      auto const code = cpu::detail::current_row_sums<T, Offset>(by);
      auto const rows = static_cast<index_t>(offsets.size()) - 1;
      std::vector<T> sums(offsets.size() - 1), runs(sums);
      code.whole(from, 0, rows, offsets.back(), sums.data());
      code.runs(from, 0, rows, runs.data());
      if (first.empty()) first = sums, first_runs = runs;
      CHECK(bit_difference(first, sums) == "");
      CHECK(bit_difference(first_runs, runs) == "");
      for (std::size_t r = 0; r < runs.size(); ++r) {
        if (offsets[r + 1] - offsets[r] > cpu::detail::rows_in_turn) runs[r] = sums[r];
      }
      CHECK(bit_difference(sums, runs) == "");
    }
  });
}

}  // namespace

TEMPLATE_TEST_CASE("rows are summed alike by every instruction set", "", float, double) {
  check_row_sums<TestType, std::int32_t>();
  check_row_sums<TestType, std::int64_t>();
}

TEMPLATE_TEST_CASE("rows have the same bits by every instruction set", "", float, double) {
  check_bits<TestType, std::int32_t>();
  check_bits<TestType, std::int64_t>();
}

}  // namespace libscan::test
