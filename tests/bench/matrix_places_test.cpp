// SPDX-License-Identifier: Apache-2.0
// Tests of the matrices that scan-bench makes on the host or reads, and of the competitors' merge.
#include <bench/cpu/spmv_competitors.hpp>
#include <bench/distributions.hpp>
#include <bench/matrices.hpp>
#include <bench/matrix_places.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <apps/common/exit_code.hpp>
#include <tests/support/catch.hpp>

namespace libscan::bench {
namespace {

/// A file of that text, until the end of the test.
struct text_file {
  std::string path;
  text_file(std::string name, std::string const& text) : path(std::move(name)) {
    std::ofstream(path) << text;
  }
  ~text_file() { std::remove(path.c_str()); }
};

/// Whether rows ascend by column without repetition, and columns are in range.
bool well_formed(matrix_places const& a) {
  bool good = static_cast<index_t>(a.offsets.size()) == a.rows + 1 && a.offsets.front() == 0 &&
              a.offsets.back() == a.nonzeros();
  for (std::size_t r = 0; good && r + 1 < a.offsets.size(); ++r) {
    good = a.offsets[r] <= a.offsets[r + 1];
    for (auto k = static_cast<std::size_t>(a.offsets[r]);
         good && k < static_cast<std::size_t>(a.offsets[r + 1]); ++k) {
      bool const after =
          k == static_cast<std::size_t>(a.offsets[r]) || a.indices[k - 1] < a.indices[k];
      good = after && a.indices[k] >= 0 && a.indices[k] < a.columns;
    }
  }
  return good;
}

TEST_CASE("a random graph has its quarters' shares, the same every time") {
  matrix_places const a = places_of("rmat", index_t{16} << 16);
  CHECK(a.rows == 1 << 16);
  CHECK(a.columns == 1 << 16);
  CHECK(well_formed(a));
  // Edges that are drawn again are left out: some are, and most are not.
  CHECK(a.nonzeros() < 16 << 16);
  CHECK(a.nonzeros() > 12 << 16);
  // Drawing again hits the dense quarter most, so that its share is below 0.57.
  index_t const half = a.rows / 2;
  index_t counts[2][2] = {};
  index_t longest = 0;
  for (index_t r = 0; r < a.rows; ++r) {
    auto const row = static_cast<std::size_t>(r);
    longest = std::max<index_t>(longest, a.offsets[row + 1] - a.offsets[row]);
    for (auto k = static_cast<std::size_t>(a.offsets[row]);
         k < static_cast<std::size_t>(a.offsets[row + 1]); ++k) {
      ++counts[r >= half][a.indices[k] >= half];
    }
  }
  auto const share = [&](index_t count) {
    return static_cast<double>(count) / static_cast<double>(a.nonzeros());
  };
  CHECK(share(counts[0][0]) == Approx(0.57).margin(0.06));
  CHECK(share(counts[0][1]) == Approx(0.19).margin(0.03));
  CHECK(share(counts[1][0]) == Approx(0.19).margin(0.03));
  CHECK(share(counts[1][1]) == Approx(0.05).margin(0.02));
  CHECK(longest > 100 * a.nonzeros() / a.rows);
  CHECK(places_of("rmat", index_t{16} << 16).indices == a.indices);
}

TEST_CASE("the host's matrices are what their axis says, row by row") {
  for (std::string const& name : names_of(matrix_axis)) {
    if (name == "rmat") continue;
    CAPTURE(name);
    matrix_at const shape(name, 10000);
    matrix_places const a = places_of(name, 10000);
    REQUIRE(a.rows == shape.rows());
    bool same = true;
    for (index_t r = 0; r < a.rows; ++r) {
      auto const row = static_cast<std::size_t>(r);
      same = same && a.offsets[row + 1] - a.offsets[row] == shape.length(r);
      for (index_t k = 0; same && k < shape.length(r); ++k) {
        same = a.indices[static_cast<std::size_t>(a.offsets[row] + k)] == shape.column(r, k);
      }
    }
    CHECK(same);
  }
  CHECK_THROWS_AS(places_of("round", 10), invalid_argument);
  CHECK_THROWS_AS(matrix_at("rmat", 100), invalid_argument);
  CHECK_THROWS_AS(places_of("rmat", index_t{1} << 33), invalid_argument);
}

TEST_CASE("a file's matrix keeps both triangles, and stands along the diagonal") {
  text_file const file("matrix_places_test.mtx",
                       "%%MatrixMarket matrix coordinate real symmetric\n"
                       "3 3 4\n1 1 5\n3 1 7\n3 2 0.5\n3 1 2\n");
  matrix_places const once = places_in(file.path);
  CHECK(once.name == "matrix_places_test");
  CHECK(once.offsets == std::vector<std::int32_t>{0, 2, 3, 5});
  CHECK(once.indices == std::vector<std::int32_t>{0, 2, 2, 0, 1});
  CHECK(repeated(once, 1).indices == once.indices);
  CHECK(repeated(once, 5).name == once.name);
  matrix_places const twice = repeated(once, 6);
  CHECK(twice.name == "matrix_places_test x 2");
  CHECK(twice.rows == 6);
  CHECK(twice.columns == 6);
  CHECK(twice.offsets == std::vector<std::int32_t>{0, 2, 3, 5, 7, 8, 10});
  CHECK(twice.indices == std::vector<std::int32_t>{0, 2, 2, 0, 1, 3, 5, 5, 3, 4});
  CHECK_THROWS_AS(repeated(once, index_t{1} << 31), invalid_argument);
}

TEST_CASE("files without entries or without a matrix are refused") {
  text_file const empty("matrix_places_empty.mtx",
                        "%%MatrixMarket matrix coordinate pattern general\n2 3 0\n");
  CHECK_THROWS_AS(places_in(empty.path), invalid_argument);
  text_file const wrong("matrix_places_wrong.mtx", "1 2 3\n");
  CHECK_THROWS_AS(places_in(wrong.path), apps::file_error);
  CHECK_THROWS_AS(places_in("matrix_places_absent.mtx"), apps::file_error);
}

TEST_CASE("matrices are all by default, and those that are named besides files") {
  options wanted;
  CHECK(matrix_names(wanted) == names_of(matrix_axis));
  CHECK(file_sizes(wanted) == std::vector<index_t>{1});
  wanted.matrix_files = {"a.mtx"};
  CHECK(matrix_names(wanted).empty());
  wanted.matrices = {"rmat"};
  CHECK(matrix_names(wanted) == std::vector<std::string>{"rmat"});
}

#ifdef _OPENMP
TEST_CASE("every competitor multiplies right with any number of threads") {
  for (std::string const& name : names_of(matrix_axis)) {
    matrix_places const places = places_of(name, 5000);
    auto const values = generated<double>(places.nonzeros(), small_integer_at<double>{11});
    auto const x = generated<double>(places.columns, small_integer_at<double>{12});
    cpu::matrix_view<double> const a{places.rows,           places.columns,
                                     places.nonzeros(),     places.offsets.data(),
                                     places.indices.data(), values.begin()};
    std::vector<double> expected(static_cast<std::size_t>(a.rows)), y;
    cpu::multiply_rows(a, x.begin(), expected.data(), 0, a.rows);
    for (int const threads : {1, 2, 3, 7, 64}) {
      CAPTURE(name, threads);
      y.assign(expected.size(), -77);
      cpu::multiply_openmp_static(threads, a, x.begin(), y.data());
      CHECK(y == expected);
      y.assign(expected.size(), -77);
      cpu::multiply_openmp_dynamic(threads, a, x.begin(), y.data());
      CHECK(y == expected);
      y.assign(expected.size(), -77);
      cpu::multiply_merge(threads, a, x.begin(), y.data());
      CHECK(y == expected);
    }
  }
}
#endif

}  // namespace
}  // namespace libscan::bench
