// SPDX-License-Identifier: Apache-2.0
// The files of matrices that several ranks read, and scan-spmv-mpi on simulated ranks, against one
// process and plain loops: every line is read once, errors name the right line, and the output has
// the same bytes for any number of ranks.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <apps/common/matrix_market.hpp>
#include <apps/common/rank_files.hpp>
#include <apps/spmv/program/run_spmv.hpp>
#include <libscan/distributed/error.hpp>
#include <tests/distributed/programs.hpp>
#include <tests/support/inputs.hpp>

using namespace libscan;
using namespace libscan::apps;
using test::check_outputs;
using test::file_of;

namespace {

/// A Matrix Market file of n entries in rows and columns 1 to 40, with repeated places.
std::string matrix_file_of(std::string const& kind, std::size_t n) {
  test::random_words words(n);
  std::string text = "%%MatrixMarket matrix coordinate " + kind + "\n% comment\n\n40 40 " +
                     std::to_string(n) + "\n";
  for (std::size_t k = 0; k < n; ++k) {
    auto row = words.below(40) + 1, column = words.below(40) + 1;
    if (kind.ends_with("symmetric") && row <= column) row = std::exchange(column, row) + 1;
    text += std::to_string(std::min<std::uint64_t>(row, 40)) + " " + std::to_string(column);
    if (!kind.starts_with("pattern")) text += " " + std::to_string(words.below(9));
    text += k % 5 == 0 ? "  % a comment, longer than other lines\r\n" : "\n";
  }
  return text;
}

/// A product by components 1, 2, 3, ... of a file, unless `x` says otherwise.
test::rank_program multiplying(spmv_arguments arguments) {
  return [=](ranks const& on, std::string const& in, std::string const& out) {
    spmv_arguments mine = arguments;
    mine.matrix = in;
    mine.output = out;
    spmv_on_ranks(on, mine);
  };
}

}  // namespace

TEST_CASE("ranks read each line of a matrix once, for any number of ranks") {
  test::scratch_directory const dir;
  std::string const mark = "\xef\xbb\xbf";
  std::string const header = "%%MatrixMarket matrix coordinate integer general\n";
  std::vector<std::string> const texts{matrix_file_of("real general", 0),
                                       matrix_file_of("integer general", 1),
                                       matrix_file_of("real general", 997),
                                       matrix_file_of("pattern symmetric", 300),
                                       mark + header + std::string(9000, '%') + "\n3 3 2\n" +
                                           std::string(700, ' ') + "1 1 5\n\n\n% last\n3 2 -1",
                                       header + "0 0 0\n"};
  for (auto const& text : texts) {
    test::write_bytes(dir / "a.mtx", text);
    matrix_file const whole = read_matrix_market(dir / "a.mtx", nullptr, 1);
    for (int const p : {1, 2, 3, 7, 64}) {
      INFO("ranks " << p << ", file " << text.substr(0, 100));
      std::vector<matrix_file> parts(static_cast<std::size_t>(p));
      simulated_ranks(p, 3).run([&](communicator const& comm) {
        parts[static_cast<std::size_t>(comm.rank())] = read_rank_matrix(comm, dir / "a.mtx", 1);
      });
      matrix_file all;
      for (matrix_file const& part : parts) {
        CHECK((part.rows == whole.rows && part.columns == whole.columns));
        CHECK((part.field == whole.field && part.symmetry == whole.symmetry));
        auto const append = [](auto& to, auto const& from) {
          to.insert(to.end(), from.begin(), from.end());
        };
        append(all.row_indices, part.row_indices);
        append(all.column_indices, part.column_indices);
        append(all.reals, part.reals);
        append(all.integers, part.integers);
      }
      CHECK(all.row_indices == whole.row_indices);
      CHECK(all.column_indices == whole.column_indices);
      CHECK(all.reals == whole.reals);
      CHECK(all.integers == whole.integers);
    }
  }
}

TEST_CASE("what is wrong with a line of a matrix has the number of that line on any rank") {
  test::scratch_directory const dir;
  std::string const good = matrix_file_of("integer general", 400);
  std::vector<std::string> texts{good + "41 1 1\n", good + "1 1 1\n", "", "%%MatrixMarket x\n"};
  for (std::size_t const cut : {300, 2000, 5000}) {
    texts.push_back(good.substr(0, cut) + " zebra\n" + good.substr(cut));
    texts.push_back(good.substr(0, good.find('\n', cut) + 1));
  }
  for (auto const& text : texts) {
    test::write_bytes(dir / "a.mtx", text);
    std::string expected;
    try {
      read_matrix_market(dir / "a.mtx", nullptr, 1);
    } catch (file_error const& e) {
      expected = e.what();
    }
    REQUIRE(!expected.empty());
    for (int const p : {1, 3, 64}) {
      auto const body = [&](communicator const& comm) { read_rank_matrix(comm, dir / "a.mtx", 1); };
      bool heard = false;
      for (auto const& outcome : simulated_ranks(p, 2).outcomes(body)) {
        REQUIRE(outcome != nullptr);
        try {
          std::rethrow_exception(outcome);
        } catch (file_error const& e) {
          heard = heard || e.what() == expected;
        } catch (remote_error const& e) {
          CHECK(std::string(e.what()).ends_with(expected));
        }
      }
      CHECK(heard);
    }
  }
}

TEST_CASE("ranks multiply the matrix of a file, for any number of ranks") {
  test::scratch_directory const dir;
  std::vector<std::int64_t> x(40);
  std::iota(x.begin(), x.end(), 1);
  test::write_bytes(dir / "x.npy", file_of(x, "x.npy"));
  for (std::string const kind :
       {"integer general", "integer symmetric", "integer skew-symmetric", "pattern general"}) {
    std::string const text = matrix_file_of(kind, 300);
    test::write_bytes(dir / "a.mtx", text);
    matrix_file const file = read_matrix_market(dir / "a.mtx", nullptr, 1);
    for (bool const transpose : {false, true}) {
      std::vector<std::int64_t> y(40);
      std::int64_t const image = kind.ends_with("skew-symmetric") ? -1 : 1;
      for (std::size_t k = 0; k < file.row_indices.size(); ++k) {
        auto row = static_cast<std::size_t>(file.row_indices[k]);
        auto column = static_cast<std::size_t>(file.column_indices[k]);
        if (transpose) std::swap(row, column);
        std::int64_t const value = file.integers.empty() ? 1 : file.integers[k];
        y[row] += value * x[column];
        bool const both = file.symmetry != matrix_symmetry::general && row != column;
        if (both) y[column] += image * value * x[row];
      }
      spmv_arguments arguments;
      arguments.x = dir / "x.npy";
      arguments.transpose = transpose;
      arguments.common.type = dtype::i64;
      INFO(kind << (transpose ? ", transposed" : ""));
      check_outputs("a.mtx", text, file_of(y, "a.npy"), multiplying(arguments));
      arguments.common.access = rank_access::rank_0;
      check_outputs("a.mtx", text, file_of(y, "a.npy"), multiplying(arguments));
    }
  }
}

TEST_CASE("ranks refuse vectors, types and values that do not fit a matrix, on all ranks") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.mtx", matrix_file_of("real general", 20));
  test::write_bytes(dir / "huge.mtx",
                    matrix_file_of("real general", 20)
                        .replace(matrix_file_of("real general", 20).size() - 2, 1, "1e99"));
  test::write_bytes(dir / "x.npy", file_of(std::vector<float>(39), "x.npy"));
  auto const said = [&](std::string const& matrix, std::string const& x, dtype type) {
    auto const body = [&](communicator const& comm) {
      spmv_arguments arguments;
      arguments.x = x;
      arguments.common.type = type;
      multiplying(arguments)(ranks{comm, engine::cpu(1)}, matrix, dir / "y.npy");
    };
    std::string words;
    for (auto const& outcome : simulated_ranks(3, 1).outcomes(body)) {
      REQUIRE(outcome != nullptr);
      try {
        std::rethrow_exception(outcome);
      } catch (remote_error const&) {
      } catch (std::exception const& e) {
        words = e.what();
      }
    }
    return words;
  };
  auto const holds = [](std::string const& all, char const* words) {
    return all.find(words) != std::string::npos;
  };
  CHECK(holds(said(dir / "a.mtx", dir / "x.npy", dtype::f64), "39 components, expected 40"));
  CHECK(holds(said(dir / "a.mtx", "ones", dtype::i64), "are real, expected float32"));
  CHECK(holds(said(dir / "a.mtx", "ones", dtype::u8), "is no type of a product"));
  CHECK(holds(said(dir / "a.mtx", "random:x", dtype::f32), "a whole number"));
  CHECK(holds(said(dir / "huge.mtx", "ones", dtype::f32), "out of range"));
  CHECK(holds(said("-", "ones", dtype::f32), "since each rank reads a part"));
  CHECK(dir.entries() == 3);
}

TEST_CASE("ranks that fail while they multiply leave nothing") {
  test::check_failures("a.mtx", matrix_file_of("pattern symmetric", 30), multiplying({}));
}
