// SPDX-License-Identifier: Apache-2.0
// The programs for several ranks on simulated ranks, from file to file, against the standard
// library: the output has the same bytes for any number of ranks. Each send of each rank fails
// once: then there is no output, and nothing is left behind.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <apps/common/array_writer.hpp>
#include <apps/filter/program/filter_on_ranks.hpp>
#include <apps/histogram/program/histogram_on_ranks.hpp>
#include <apps/prefix/prefix_on_ranks.hpp>
#include <apps/radix_sort/program/sort_on_ranks.hpp>
#include <apps/spmv/program/spmv_on_ranks.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/distributed/simulated_ranks.hpp>
#include <tests/apps/common/scratch.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>

using namespace libscan;
using namespace libscan::apps;

namespace {

/// Runs a program for the files "in" and "out" of a directory.
using program = std::function<void(ranks const&, std::string const& in, std::string const& out)>;

/// The bytes of a file of items, as `array_writer` makes it.
template <class T>
std::string file_of(std::vector<T> const& items, std::string const& name) {
  test::scratch_directory const dir;
  write_array<T>(dir / name, items, file_format::raw);
  return test::read_bytes(dir / name);
}

/// Runs the program on each number of ranks; every output must have the `expected` bytes.
void check_outputs(std::string const& name, std::string const& input, std::string const& expected,
                   program const& run) {
  for (int const p : {1, 2, 3, 4, 7, 64}) {
    INFO("ranks " << p);
    test::scratch_directory const dir;
    test::write_bytes(dir / name, input);
    simulated_ranks(p, static_cast<std::uint64_t>(p)).run([&](communicator const& comm) {
      run(ranks{comm, engine::cpu(1)}, dir / name, dir / ("out-" + name));
    });
    bool const same = test::read_bytes(dir / ("out-" + name)) == expected;
    CHECK(same);
    CHECK(dir.entries() == 2);
  }
}

/// Lets each send of each of three ranks fail once.
void check_failures(std::string const& name, std::string const& input, program const& run) {
  test::scratch_directory const dir;
  test::write_bytes(dir / name, input);
  auto const body = [&](communicator const& comm) {
    run(ranks{comm, engine::cpu(1)}, dir / name, dir / ("out-" + name));
  };
  simulated_ranks counting(3, 1);
  counting.run(body);
  for (int rank = 0; rank < 3; ++rank) {
    // The last send tells that the output has its name.
    for (index_t send = 0; send + 1 < counting.sends(rank); ++send) {
      INFO("rank " << rank << ", send " << send << " of " << counting.sends(rank));
      std::filesystem::remove(dir / ("out-" + name));
      simulated_ranks failing(3, static_cast<std::uint64_t>(send));
      failing.fail(rank, send);
      for (auto const& outcome : failing.outcomes(body)) CHECK(outcome != nullptr);
      CHECK(dir.entries() == 1);
    }
  }
}

std::vector<std::int32_t> some_items(std::size_t n) {
  test::random_words words(n);
  std::vector<std::int32_t> items;
  for (std::size_t i = 0; i < n; ++i) {
    items.push_back(static_cast<std::int32_t>(words() % 1000) - 500);
  }
  return items;
}

/// A program with these arguments besides its files.
template <class Arguments, class Run>
program with(Arguments arguments, Run run) {
  return [=](ranks const& on, std::string const& in, std::string const& out) {
    Arguments mine = arguments;
    mine.input = in;
    mine.output = out;
    mine.common.type = dtype::i32;
    run(on, mine);
  };
}

program sorting(bool descending, bool positions) {
  sort_arguments arguments;
  arguments.positions = positions;
  if (descending) arguments.options.direction = sort_direction::descending;
  return with(arguments, sort_on_ranks);
}

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
program multiplying(spmv_arguments arguments) {
  return [=](ranks const& on, std::string const& in, std::string const& out) {
    spmv_arguments mine = arguments;
    mine.matrix = in;
    mine.output = out;
    spmv_on_ranks(on, mine);
  };
}

filter_arguments keeping(std::string const& predicate) {
  filter_arguments arguments;
  arguments.keep = predicate;
  return arguments;
}

}  // namespace

TEST_CASE("ranks sort a file, for any number of ranks") {
  for (std::size_t const n : {0, 3, 5000}) {
    auto const items = some_items(n);
    for (bool const descending : {false, true}) {
      auto const before = [&](std::int32_t a, std::int32_t b) {
        return descending ? b < a : a < b;
      };
      std::vector<index_t> places(n);
      std::iota(places.begin(), places.end(), index_t{0});
      std::stable_sort(places.begin(), places.end(), [&](index_t a, index_t b) {
        return before(items[static_cast<std::size_t>(a)], items[static_cast<std::size_t>(b)]);
      });
      auto sorted = items;
      std::stable_sort(sorted.begin(), sorted.end(), before);
      for (std::string const name : {"a.npy", "a.raw"}) {
        check_outputs(name, file_of(items, name), file_of(sorted, name),
                      sorting(descending, false));
        check_outputs(name, file_of(items, name), file_of(places, name), sorting(descending, true));
      }
    }
  }
}

TEST_CASE("values move with the keys of a file, for any number of ranks") {
  auto const items = some_items(3000);
  std::vector<index_t> places(items.size());
  std::iota(places.begin(), places.end(), index_t{0});
  std::stable_sort(places.begin(), places.end(), [&](index_t a, index_t b) {
    return items[static_cast<std::size_t>(a)] < items[static_cast<std::size_t>(b)];
  });
  auto const check = [&]<class T>(T step) {
    test::scratch_directory const dir;
    std::vector<T> values, moved;
    for (std::size_t i = 0; i < items.size(); ++i) {
      values.push_back(static_cast<T>(static_cast<T>(i) * step));
    }
    for (index_t const i : places) moved.push_back(values[static_cast<std::size_t>(i)]);
    auto sorted = items;
    std::stable_sort(sorted.begin(), sorted.end());
    test::write_bytes(dir / "v.npy", file_of(values, "v.npy"));
    sort_arguments arguments;
    arguments.values = dir / "v.npy";
    arguments.values_output = dir / "moved.npy";
    check_outputs("a.npy", file_of(items, "a.npy"), file_of(sorted, "a.npy"),
                  [&](ranks const& on, std::string const& in, std::string const& out) {
                    with(arguments, sort_on_ranks)(on, in, out);
                    if (on.rank() != 0) return;
                    bool const same =
                        test::read_bytes(dir / "moved.npy") == file_of(moved, "v.npy");
                    CHECK(same);
                  });
  };
  check(std::uint8_t{1});
  check(std::int16_t{-7});
  check(0.5F);
  check(-1.25);
}

TEST_CASE("neither keys nor values appear if one of them cannot be written") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.npy", file_of(some_items(50), "a.npy"));
  test::write_bytes(dir / "v.npy", file_of(some_items(50), "v.npy"));
  test::write_bytes(dir / "few.npy", file_of(some_items(49), "v.npy"));
  auto const body = [&](std::string const& values) {
    return [&dir, values](communicator const& comm) {
      sort_arguments arguments;
      arguments.input = dir / "a.npy";
      arguments.output = dir / "out.npy";
      arguments.values = dir / values;
      arguments.values_output = dir / "moved.npy";
      sort_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
    };
  };
  for (auto const& outcome : simulated_ranks(3, 1).outcomes(body("few.npy"))) {
    CHECK(outcome != nullptr);
  }
  CHECK(dir.entries() == 3);
  simulated_ranks counting(3, 1);
  counting.run(body("v.npy"));
  for (index_t send = 0; send + 1 < counting.sends(1); ++send) {
    std::filesystem::remove(dir / "out.npy");
    std::filesystem::remove(dir / "moved.npy");
    simulated_ranks failing(3, 5);
    failing.fail(1, send);
    for (auto const& outcome : failing.outcomes(body("v.npy"))) CHECK(outcome != nullptr);
    CHECK(dir.entries() == 3);
  }
}

TEST_CASE("ranks scan a file, for any number of ranks") {
  for (std::size_t const n : {0, 3, 70000}) {
    auto const items = some_items(n);
    std::vector<index_t> sums, from_end(n);
    std::vector<std::int32_t> least;
    for (index_t sum = 7; std::int32_t const x : items) sums.push_back(std::exchange(sum, sum + x));
    for (std::int32_t so_far = 1000; std::int32_t const x : items) {
      least.push_back(so_far = std::min(so_far, x));
    }
    index_t sum = 0;
    for (std::size_t i = n; i-- > 0;) from_end[i] = sum += items[i];
    prefix_arguments exclusive, reverse, minimum;
    exclusive.kind = scan_kind::exclusive;
    exclusive.init = "7";
    reverse.direction = scan_direction::reverse;
    minimum.op = operator_kind::minimum;
    minimum.accumulator = dtype::i32;
    std::string const input = file_of(items, "a.npy");
    check_outputs("a.npy", input, file_of(sums, "a.npy"), with(exclusive, prefix_on_ranks));
    check_outputs("a.npy", input, file_of(from_end, "a.npy"), with(reverse, prefix_on_ranks));
    check_outputs("a.npy", input, file_of(least, "a.npy"), with(minimum, prefix_on_ranks));
  }
}

TEST_CASE("sums of floats in a file have the same bytes for any number of ranks") {
  test::random_words words(1);
  std::vector<double> items, sums(100000);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    items.push_back(static_cast<double>(static_cast<std::int64_t>(words())) * 1e-15);
  }
  libscan::inclusive_scan(ranks{communicator::self(), engine::cpu(1)}, items, sums);
  auto const run = [](ranks const& on, std::string const& in, std::string const& out) {
    prefix_arguments arguments;
    arguments.input = in;
    arguments.output = out;
    prefix_on_ranks(on, arguments);
  };
  check_outputs("a.npy", file_of(items, "a.npy"), file_of(sums, "a.npy"), run);
}

TEST_CASE("ranks filter a file, for any number of ranks") {
  for (std::size_t const n : {0, 3, 5000}) {
    auto const items = some_items(n);
    for (std::int32_t const least : {-1000, 0, 490, 1000}) {
      std::vector<std::int32_t> kept;
      std::ranges::copy_if(items, std::back_inserter(kept), [=](auto x) { return x >= least; });
      for (std::string const name : {"a.npy", "a.raw"}) {
        check_outputs(name, file_of(items, name), file_of(kept, name),
                      with(keeping(">= " + std::to_string(least)), filter_on_ranks));
      }
    }
  }
}

TEST_CASE("ranks count the items of a file, for any number of ranks") {
  for (std::size_t const n : {0, 3, 5000}) {
    auto const items = some_items(n);
    histogram_arguments integers, even;
    integers.integers = true;
    integers.range = "-20:19";
    even.bins = 8;
    even.range = "-500:300";
    std::vector<index_t> by_integer(40), by_hundred(8);
    for (std::int32_t const x : items) {
      if (x >= -20 && x < 20) ++by_integer[static_cast<std::size_t>(x + 20)];
      if (x <= 300) ++by_hundred[static_cast<std::size_t>(std::min((x + 500) / 100, 7))];
    }
    std::string const input = file_of(items, "a.npy");
    check_outputs("a.npy", input, file_of(by_integer, "a.npy"), with(integers, histogram_on_ranks));
    check_outputs("a.npy", input, file_of(by_hundred, "a.npy"), with(even, histogram_on_ranks));
  }
  std::vector<std::int32_t> const few{3, -2, 5, 3};
  histogram_arguments whole, halves;
  whole.integers = true;
  halves.bins = 2;
  check_outputs("a.npy", file_of(few, "a.npy"),
                file_of(std::vector<index_t>{1, 0, 0, 0, 0, 2, 0, 1}, "a.npy"),
                with(whole, histogram_on_ranks));
  check_outputs("a.npy", file_of(few, "a.npy"), file_of(std::vector<index_t>{1, 3}, "a.npy"),
                with(halves, histogram_on_ranks));
}

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

TEST_CASE("ranks that fail while they work on a file leave nothing") {
  std::string const input = file_of(some_items(300), "a.npy");
  check_failures("a.npy", input, sorting(false, false));
  check_failures("a.npy", input, with(prefix_arguments(), prefix_on_ranks));
  check_failures("a.mtx", matrix_file_of("pattern symmetric", 30), multiplying({}));
  check_failures("a.npy", input, with(keeping("> 0"), filter_on_ranks));
  check_failures("a.npy", input, with(histogram_arguments(), histogram_on_ranks));
}

TEST_CASE("an accumulator that cannot hold an item of one rank is refused on all") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.npy", file_of(std::vector<double>{1, 2, 3, 1e30}, "a.npy"));
  auto const body = [&](communicator const& comm) {
    prefix_arguments arguments;
    arguments.input = dir / "a.npy";
    arguments.output = dir / "o";
    arguments.accumulator = dtype::i64;
    prefix_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
  };
  for (auto const& outcome : simulated_ranks(4, 1).outcomes(body)) {
    REQUIRE(outcome != nullptr);
    try {
      std::rethrow_exception(outcome);
    } catch (std::exception const& e) {
      CHECK(std::string(e.what()).find("item 3 is 1e+30, which an accumulator") !=
            std::string::npos);
    }
  }
}

TEST_CASE("ranks read items as one process does: halves, other byte orders, two dimensions") {
  std::string file = file_of(std::vector<std::uint16_t>{0x3c00, 0xbc00, 0x0000, 0x4000}, "a.npy");
  file.replace(file.find("<u2"), 3, "<f2");
  auto const run = [](ranks const& on, std::string const& in, std::string const& out) {
    sort_arguments arguments;
    arguments.input = in;
    arguments.output = out;
    sort_on_ranks(on, arguments);
  };
  check_outputs("a.npy", file, file_of(std::vector<float>{-1, 0, 1, 2}, "a.npy"), run);
  std::string swapped = file_of(std::vector<std::int16_t>{0x0100, 0x0200, 0x00ff, 0x0000}, "a.npy");
  swapped.replace(swapped.find("<i2"), 3, ">i2");
  check_outputs("a.npy", swapped, file_of(std::vector<std::int16_t>{-256, 0, 1, 2}, "a.npy"), run);
  std::string square = file_of(std::vector<std::int16_t>{4, 3, 2, 1}, "a.npy");
  square.replace(square.find("(4,), "), 6, "(2,2),");
  check_outputs("a.npy", square, file_of(std::vector<std::int16_t>{1, 2, 3, 4}, "a.npy"), run);
}

TEST_CASE("ranks refuse inputs and outputs that have no parts, on all ranks") {
  test::scratch_directory const dir;
  test::write_bytes(dir / "a.txt", "3\n1\n");
  test::write_bytes(dir / "a.npy", file_of(some_items(4), "a.npy"));
  test::write_bytes(dir / "cut.npy", file_of(some_items(4), "a.npy").substr(0, 130));
  auto const errors_of = [&](std::string const& in, std::string const& out) {
    std::vector<std::string> said;
    auto const body = [&](communicator const& comm) {
      sort_arguments arguments;
      arguments.input = in;
      arguments.output = out;
      sort_on_ranks(ranks{comm, engine::cpu(1)}, arguments);
    };
    for (auto const& outcome : simulated_ranks(3, 1).outcomes(body)) {
      REQUIRE(outcome != nullptr);
      try {
        std::rethrow_exception(outcome);
      } catch (std::exception const& e) {
        said.push_back(e.what());
      }
    }
    return said;
  };
  std::string const parts = ", expected an uncompressed .npy or raw file, since each rank";
  CHECK(errors_of(dir / "a.txt", dir / "o")[2].find(parts) != std::string::npos);
  CHECK(errors_of(dir / "none", dir / "o")[1].find("No such file") != std::string::npos);
  CHECK(errors_of(dir / "cut.npy", dir / "o")[1].find("the file ends after") != std::string::npos);
  CHECK(errors_of(dir / "a.npy", dir / "o.txt")[1].find("rank 0 failed: ") == 0);
  CHECK(errors_of(dir / "a.npy", dir / "none/o")[1].find("rank 0 failed: ") == 0);
  CHECK(errors_of(dir / "a.npy", "/dev/null")[0].find("expected the name of a regular file") !=
        std::string::npos);
  CHECK(dir.entries() == 3);
}
