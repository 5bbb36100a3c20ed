// SPDX-License-Identifier: Apache-2.0
// The Matrix Market reader: what it reads, the words of every refusal, and mutated files against a
// plain reader that shares nothing with it.
#include <apps/common/byte_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/matrix_market.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tests/support/catch.hpp>
#include <tests/support/inputs.hpp>
#include <tests/support/sizes.hpp>
#include <vector>

namespace apps = libscan::apps;
using apps::matrix_field;
using apps::matrix_file;
using apps::matrix_symmetry;
using libscan::index_t;
using libscan::test::random_words;

namespace {

matrix_file read(std::string const& text, int threads = 2, std::size_t piece = 16) {
  auto const owner = std::make_shared<std::string const>(text);
  auto const span = std::as_bytes(std::span<char const>(*owner));
  return apps::read_matrix_market(apps::from_memory({span, owner}), "m.mtx", threads, piece);
}

std::string refusal(std::string const& text, int threads = 2, std::size_t piece = 16) {
  try {
    read(text, threads, piece);
    return "accepted";
  } catch (apps::file_error const& e) {
    return e.what();
  }
}

std::string const real = "%%MatrixMarket matrix coordinate real general\n";
std::string const whole = "%%MatrixMarket matrix coordinate integer general\n";
std::string const pattern = "%%MatrixMarket matrix coordinate pattern general\n";
std::string const symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
std::string const skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";

/// A plain reader: nothing for what is no matrix.
std::optional<matrix_file> plain_read(std::string const& text) {
  matrix_file m;
  std::istringstream lines(text);
  std::string line, word;
  auto const words_of = [&](std::string const& s) {
    std::vector<std::string> words;
    for (char const c : s) {
      if (c == ' ' || c == '\t' || c == '\r') {
        if (!word.empty()) words.push_back(std::exchange(word, ""));
      } else {
        word += c;
      }
    }
    if (!word.empty()) words.push_back(std::exchange(word, ""));
    return words;
  };
  auto const before_comment = [&](std::string const& s) {
    return words_of(s.substr(0, s.find('%')));
  };
  auto const integer = [](std::string s, long long& value) {
    if (s.size() > 1 && s[0] == '+' && s[1] != '-') s.erase(0, 1);
    if (s.find_first_not_of("-0123456789") != s.npos || s.empty()) return false;
    char* end;
    errno = 0;
    value = std::strtoll(s.c_str(), &end, 10);
    return *end == 0 && errno == 0 && s != "-" && s[0] != '+';
  };
  if (!std::getline(lines, line)) return {};
  for (char& c : line) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  auto const banner = words_of(line);
  if (banner.size() != 5 || banner[0] != "%%matrixmarket" || banner[1] != "matrix" ||
      banner[2] != "coordinate") {
    return {};
  }
  if (banner[3] != "real" && banner[3] != "integer" && banner[3] != "pattern") return {};
  if (banner[4] != "general" && banner[4] != "symmetric" && banner[4] != "skew-symmetric") {
    return {};
  }
  if (banner[3] == "pattern" && banner[4] == "skew-symmetric") return {};
  long long sizes[3] = {-1, 0, 0};
  while (sizes[0] < 0) {
    if (!std::getline(lines, line)) return {};
    if (!line.empty() && line[0] == '%') continue;
    auto const words = before_comment(line);
    if (words.empty()) continue;
    if (words.size() != 3) return {};
    for (int i = 0; i < 3; ++i) {
      if (!integer(words[static_cast<std::size_t>(i)], sizes[i]) || sizes[i] < 0) return {};
    }
  }
  if (sizes[0] > 2147483647 || sizes[1] > 2147483647) return {};
  bool const general = banner[4] == "general";
  if (!general && sizes[0] != sizes[1]) return {};
  m.rows = sizes[0];
  m.columns = sizes[1];
  std::size_t const per_line = banner[3] == "pattern" ? 2 : 3;
  while (std::getline(lines, line)) {
    auto const words = before_comment(line);
    if (words.empty()) continue;
    long long row, column, value;
    if (words.size() != per_line) return {};
    for (int i = 0; i < 2; ++i) {
      if (words[static_cast<std::size_t>(i)].find_first_not_of("0123456789") != word.npos ||
          words[static_cast<std::size_t>(i)].size() > 18) {
        return {};
      }
    }
    if (!integer(words[0], row) || !integer(words[1], column)) return {};
    if (row < 1 || row > sizes[0] || column < 1 || column > sizes[1]) return {};
    bool const must_be_zero = row == column && banner[4] == "skew-symmetric";
    m.row_indices.push_back(static_cast<std::int32_t>(row - 1));
    m.column_indices.push_back(static_cast<std::int32_t>(column - 1));
    if (banner[3] == "integer") {
      if (!integer(words[2], value)) return {};
      m.integers.push_back(value);
      if (must_be_zero && value != 0) return {};
    } else if (banner[3] == "real") {
      char* end;
      std::string const& s = words[2];
      // strtod reads hexadecimals and payloads of NaN besides.
      if (s.find_first_of("xXpP(") != s.npos || s.starts_with("+-")) return {};
      double const number = std::strtod(s.c_str(), &end);
      if (end != s.c_str() + s.size()) return {};
      if (std::isinf(number) && s.find_first_of("iI") == s.npos) return {};
      m.reals.push_back(number);
      if (must_be_zero && !(number == 0)) return {};
    }
  }
  if (m.entries() != sizes[2]) return {};
  return m;
}

bool same_bits(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof a[i]) != 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("comments and blank lines may stand anywhere below the first line") {
  matrix_file const m = read("\xef\xbb\xbf" + real + "%a\n\n2 2 2\n% b\n1 1 5\n\n%\n \n2 2 6\n% c");
  CHECK(m.reals == std::vector<double>{5, 6});
  CHECK(m.row_indices == std::vector<std::int32_t>{0, 1});
  CHECK(refusal(real + "2 2 2\n% b\n1 1 5\n% c\n2 x 6\n").find("m.mtx:6: ") == 0);
  CHECK(refusal(real + "2 2 2\n% b\n1 1 5\n% c\n").find("the file ends after 1 entries") !=
        std::string::npos);
}

TEST_CASE("fields, symmetries, comments, blanks and line ends") {
  auto const m = read(real + "% a comment\n%\n\n 3\t4 5 \n1 1 0.1\n\n3 4 -2e-3\r\n 2 2  +7 \n" +
                      "1 4 inf\n3 1 nan");
  REQUIRE(m.rows == 3);
  REQUIRE(m.columns == 4);
  REQUIRE(m.row_indices == std::vector<std::int32_t>{0, 2, 1, 0, 2});
  REQUIRE(m.column_indices == std::vector<std::int32_t>{0, 3, 1, 3, 0});
  REQUIRE(same_bits(m.reals, {0.1, -2e-3, 7, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}));
  auto const i = read(whole + "2 2 2\n2 1 9223372036854775807\n1 1 -9223372036854775808\n");
  REQUIRE(i.field == matrix_field::integer);
  REQUIRE(i.integers == std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min()});
  auto const p = read(pattern + "2 2 1\n2 1\n");
  REQUIRE(p.field == matrix_field::pattern);
  REQUIRE((p.reals.empty() && p.integers.empty() && p.entries() == 1));
  REQUIRE(read(symmetric + "2 2 2\n2 1 1\n1 1 1\n").symmetry == matrix_symmetry::symmetric);
  REQUIRE(read(skew + "2 2 1\n2 1 1\n").symmetry == matrix_symmetry::skew_symmetric);
  REQUIRE(read("%%matrixMARKET Matrix COORDINATE Real GENERAL\r\n0 0 0").entries() == 0);
}

TEST_CASE("what SciPy reads is read: comments after entries, either triangle, a diagonal of 0") {
  auto const commented = read(real + "2 2 2 % sizes\n1 1 5 % first\n   % single\n2 2 6\t%%\n");
  CHECK(commented.reals == std::vector<double>{5, 6});
  CHECK(read(pattern + "2 2 1\n1 2 % c\n").entries() == 1);
  for (std::string const& banner : {symmetric, skew}) {
    auto const both = read(banner + "3 3 3\n1 2 5\n3 1 6\n2 3 7\n");
    CHECK(both.row_indices == std::vector<std::int32_t>{0, 2, 1});
    CHECK(both.column_indices == std::vector<std::int32_t>{1, 0, 2});
    CHECK(both.above_diagonal == 2);
  }
  CHECK(read(real + "3 3 1\n1 2 5\n").above_diagonal == 0);
  CHECK(read(skew + "3 3 2\n2 2 0\n3 3 -0.0\n").entries() == 2);
  CHECK(
      read("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 7\n").integers ==
      std::vector<std::int64_t>{7});
  for (std::string const bad : {"array real general", "coordinate complex general",
                                "coordinate complex hermitian", "coordinate real hermitian"}) {
    CAPTURE(bad);
    CHECK(refusal("%%MatrixMarket matrix " + bad + "\n1 1 1\n1 1 1\n").find(", expected ") !=
          std::string::npos);
  }
}

TEST_CASE("every malformation is refused with file and line") {
  REQUIRE(refusal("") == "m.mtx: the file is empty, expected %%MatrixMarket");
  REQUIRE(refusal("1 2 3\n") == "m.mtx:1: no Matrix Market file, expected %%MatrixMarket");
  REQUIRE(refusal("%%MatrixMarket vector coordinate real general\n") ==
          "m.mtx:1: 'vector', expected 'matrix'");
  REQUIRE(refusal("%%MatrixMarket matrix array real general\n") ==
          "m.mtx:1: 'array', expected 'coordinate' (arrays are dense)");
  REQUIRE(refusal("%%MatrixMarket matrix coordinate complex general\n") ==
          "m.mtx:1: 'complex', expected real, integer or pattern");
  REQUIRE(refusal("%%MatrixMarket matrix coordinate real hermitian\n") ==
          "m.mtx:1: 'hermitian', expected general, symmetric or skew-symmetric");
  REQUIRE(refusal("%%MatrixMarket matrix coordinate real general twice\n") ==
          "m.mtx:1: words after the symmetry, expected the end of the line");
  REQUIRE(refusal("%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n") ==
          "m.mtx:1: a skew-symmetric pattern, expected values with signs");
  REQUIRE(refusal(real) == "m.mtx:1: no line with sizes, expected rows, columns and entries");
  REQUIRE(refusal(real + "%\n3 3\n") ==
          "m.mtx:3: too few sizes, expected rows, columns and entries");
  REQUIRE(refusal(real + "3 3 1 1\n") ==
          "m.mtx:2: words after the sizes, expected rows, columns and entries");
  REQUIRE(refusal(real + "3 x 1\n") ==
          "m.mtx:2: 'x' is no size, expected a number of rows, columns or entries");
  REQUIRE(refusal(real + "3 -1 1\n") ==
          "m.mtx:2: '-1' is no size, expected a number of rows, columns or entries");
  REQUIRE(refusal(real + "2147483648 1 0\n") ==
          "m.mtx:2: 2147483648 rows or columns, expected at most 2147483647");
  REQUIRE(refusal(symmetric + "3 4 0\n") ==
          "m.mtx:2: 3 rows and 4 columns, expected as many of both in a symmetric matrix");
  REQUIRE(refusal(real + "3 3 1\n4 1 1\n") == "m.mtx:3: row 4 is out of range, expected 1 to 3");
  REQUIRE(refusal(real + "3 3 1\n0 1 1\n") == "m.mtx:3: row 0 is out of range, expected 1 to 3");
  REQUIRE(refusal(real + "3 3 1\n1 -1 1\n") ==
          "m.mtx:3: column -1 is out of range, expected 1 to 3");
  REQUIRE(refusal(real + "3 3 1\n1 99999999999999999999 1\n") ==
          "m.mtx:3: column 99999999999999999999 is out of range, expected 1 to 3");
  REQUIRE(refusal(real + "3 3 1\n1.0 1 1\n") ==
          "m.mtx:3: '1.0' is no row, expected a whole number");
  REQUIRE(refusal(real + "3 3 1\n1 +2 1\n") ==
          "m.mtx:3: '+2' is no column, expected a whole number");
  REQUIRE(refusal(real + "3 3 1\n1\n") == "m.mtx:3: no column, expected a row and a column");
  REQUIRE(refusal(real + "0 0 1\n1 1 1\n") ==
          "m.mtx:3: row 1 is out of range, expected no entries at all");
  REQUIRE(refusal(real + "3 3 1\n1 1\n") == "m.mtx:3: no value, expected a float64");
  REQUIRE(refusal(real + "3 3 1\n1 1 one\n") == "m.mtx:3: 'one' is no number, expected a float64");
  REQUIRE(refusal(real + "3 3 1\n1 1 1e999\n") ==
          "m.mtx:3: '1e999' is out of range, expected a float64");
  REQUIRE(refusal(real + "3 3 1\n1 1 1 2\n") ==
          "m.mtx:3: '2' after the entry, expected the end of the line");
  REQUIRE(refusal(pattern + "3 3 1\n1 1 1\n") ==
          "m.mtx:3: '1' after the entry, expected the end of the line");
  REQUIRE(refusal(whole + "3 3 1\n1 1 1.5\n").find("m.mtx:3: '1.5' is no number") == 0);
  REQUIRE(refusal(whole + "3 3 1\n1 1 9223372036854775808\n")
              .find("m.mtx:3: '9223372036854775808' is out of range") == 0);
  REQUIRE(refusal(skew + "3 3 1\n2 2 1\n") ==
          "m.mtx:3: row 2 has an entry on the diagonal, expected none or 0 in a skew-symmetric "
          "matrix");
  REQUIRE(refusal(real + "3 3 1\n1 1 2 3 % c\n") ==
          "m.mtx:3: '3' after the entry, expected the end of the line");
  REQUIRE(refusal(real + "3 3 1\n1 1 % 2\n") == "m.mtx:3: '%' is no number, expected a float64");
  REQUIRE(refusal(real + "3 3 3\n1 1 1\n2 2 2\n") ==
          "m.mtx:4: the file ends after 2 entries, expected 3");
  REQUIRE(refusal(real + "3 3 1\n1 1 1\n\n2 2 2\n3 3 3\n") ==
          "m.mtx:5: more than the 1 entries that the sizes promise");
  REQUIRE(refusal(real + "3 3 1\n % late\n1 1 1\n") == "accepted");
  REQUIRE(refusal(real + "3 3 1152921504606846976\n1 1 1\n").find("m.mtx:3: the file ends") == 0);
}

TEST_CASE("the first of several wrong lines is named, for any number of threads") {
  std::string text = real + "9 9 1000\n";
  for (int k = 0; k < 1000; ++k) text += k % 100 == 77 ? "10 1 1\n" : "1 1 1\n";
  for (int const threads : {1, 2, 7}) {
    for (std::size_t const piece : {1, 10, 1000, 1000000}) {
      REQUIRE(refusal(text, threads, piece) == "m.mtx:80: row 10 is out of range, expected 1 to 9");
    }
  }
}

TEST_CASE("mutated files are read as by a plain reader, or refused by both") {
  random_words words(1);
  std::vector<std::string> const seeds = {
      real + "%c\n3 4 4\n1 1 0.5\n3 4 -2e3\n2 2 7\n1 4 1e-310\n",
      whole + "5 5 3\n5 5 -7\n1 1 9223372036854775807\n2 3 0\n",
      pattern + "12 9 4\n1 1\n12 9\n3 3\n3 3\n",
      symmetric + "3 3 3\n1 1 1\n2 1 2.25\n3 3 3\n",
      skew + "4 4 2\r\n2 1 1\r\n4 3 nan\r\n",
  };
  std::vector<std::string> const tokens = {"1",          "0",
                                           "-1",         "4",
                                           "+2",         " ",
                                           "\n",         "\t",
                                           "\r\n",       "%",
                                           "1e400",      "-",
                                           "+",          ".5",
                                           "5.",         "x",
                                           "nan",        "-inf",
                                           "0x1",        "\n\n",
                                           "1 1",        "99999999999999999999",
                                           "e5",         "infinity",
                                           "2147483647", "nan(1)",
                                           "+-1",        std::string(1, '\0'),
                                           "\xff"};
  libscan::index_t const rounds = libscan::test::sized(30000, 10000);
  libscan::index_t accepted = 0;
  for (libscan::index_t round = 0; round < rounds; ++round) {
    std::string text = seeds[words.below(seeds.size())];
    for (auto k = words.below(4); k > 0; --k) {
      std::size_t const at = words.below(text.size() + 1);
      switch (words.below(4)) {
        case 0:
          text.insert(at, tokens[words.below(tokens.size())]);
          break;
        case 1:
          text.erase(at, 1 + words.below(5));
          break;
        case 2:
          text.replace(at, std::min<std::size_t>(1 + words.below(3), text.size() - at),
                       tokens[words.below(tokens.size())]);
          break;
        default:
          text.resize(at);
      }
    }
    auto const expected = plain_read(text);
    std::string const words_of_refusal = refusal(text, 1, 1 << 20);
    INFO(text);
    REQUIRE((words_of_refusal == "accepted") == expected.has_value());
    REQUIRE(refusal(text, 3, 1 + words.below(20)) == words_of_refusal);
    if (!expected) continue;
    ++accepted;
    auto const got = read(text, 3, 7);
    REQUIRE(got.rows == expected->rows);
    REQUIRE(got.columns == expected->columns);
    REQUIRE(got.row_indices == expected->row_indices);
    REQUIRE(got.column_indices == expected->column_indices);
    REQUIRE(got.integers == expected->integers);
    REQUIRE(same_bits(got.reals, expected->reals));
  }
  REQUIRE(accepted > rounds / 6);
}
