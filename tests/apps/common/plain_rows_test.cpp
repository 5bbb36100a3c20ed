// SPDX-License-Identifier: Apache-2.0
// Plain rows are read by other code than all others. Texts of both kinds must give what was written
// into them, whatever the threads and the pieces in which their bytes come.
#include <algorithm>
#include <apps/common/byte_source.hpp>
#include <apps/common/plain_rows.hpp>
#include <apps/common/text_rows.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <libscan/core/error.hpp>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tests/apps/common/reading.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/few_types.hpp>
#include <utility>
#include <vector>

namespace apps = libscan::apps;
using apps::dtype;

namespace {

/// Hands out a text in pieces.
class piece_source final : public apps::byte_source {
 public:
  piece_source(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}

  std::span<std::byte const> next() override {
    // Where the last piece was, others are now.
    auto const bytes = std::as_bytes(std::span<char const>(text_)).subspan(at_);
    auto const some = bytes.first(std::min(piece_, bytes.size()));
    at_ += some.size();
    held_.assign(some.begin(), some.end());
    return held_;
  }

 private:
  std::string text_;
  std::size_t piece_, at_ = 0;
  std::vector<std::byte> held_;
};

struct cell {
  std::string number, word;
};

struct table {
  std::string text;
  std::vector<std::string> rows;
  std::vector<cell> cells;
};

/// A number in one of many forms. `kind` 0: small integers; 1: any integers; 2: any numbers.
std::string number(std::mt19937_64& random, int kind) {
  auto const integer = static_cast<std::int64_t>(random()) >> random() % 64;
  if (kind == 0) return std::to_string(integer % 1000000);
  switch (kind == 1 ? random() % 10 : random() % 16) {
    case 0:
      return std::to_string(static_cast<std::int64_t>(random()));
    case 1:
      return (integer < 0 ? "-00" : "00") + std::to_string(std::abs(integer % 1000));
    case 2:
      return "+" + std::to_string(std::abs(integer % 1000));
    case 3:
      return "-0";
    case 10:
      return std::to_string(integer % 1000) + ".";
    case 11:
      return "." + std::to_string(random() % 100000);
    case 12:
      return std::to_string(static_cast<double>(integer) / 1e6);
    case 13:
      return std::to_string(integer % 100000) + "e" + std::to_string(integer % 40);
    case 14:
      return std::to_string(random() % 10) + "." + std::to_string(random()) + "E+" +
             std::to_string(random() % 300);
    case 15:
      return random() % 2 == 0 ? "-inf" : "nan";
    default:
      return std::to_string(integer % 10000000);
  }
}

struct form {
  char delimiter = ',';
  bool carriage_returns = false, blanks = false, last_end = true;
  unsigned quoted_of_1000 = 0, odd_of_1000 = 0;
  int numbers = 0;
};

table make(std::mt19937_64& random, form const& how, std::size_t n) {
  table result;
  std::string const end = how.carriage_returns ? "\r\n" : "\n";
  std::string const d(1, how.delimiter);
  for (std::size_t i = 0; i < n; ++i) {
    cell one{number(random, how.numbers), "w" + std::string(random() % 30, 'x')};
    auto const shown = [&](std::string const& content) {
      std::string text = random() % 1000 < how.quoted_of_1000 ? '"' + content + '"' : content;
      if (!how.blanks) return text;
      return std::string(random() % 3, ' ') + text + std::string(random() % 3, ' ');
    };
    std::string row = shown(one.word) + d + shown(one.number) + d + shown("z");
    if (i > 2 && random() % 1000 < how.odd_of_1000)
      result.text += random() % 2 == 0 ? end : " " + end;
    result.text += row + (i + 1 < n || how.last_end ? end : "");
    result.rows.push_back(row + (how.carriage_returns && (i + 1 < n || how.last_end) ? "\r" : ""));
    result.cells.push_back(std::move(one));
  }
  return result;
}

std::vector<form> forms() {
  std::vector<form> all;
  for (char const delimiter : {',', ';', '\t', ' ', '|'}) {
    for (int const numbers : {0, 1, 2}) {
      for (unsigned const odd : {0u, 2u, 300u}) {
        form one{delimiter, odd == 2, odd == 300, numbers != 1, odd, odd, numbers};
        all.push_back(one);
      }
    }
  }
  return all;
}

apps::read_options options_of(form const& how, int threads) {
  apps::read_options options;
  options.format = apps::file_format::text;
  options.delimiter = how.delimiter;
  options.header = apps::header_rule::absent;
  options.threads = threads;
  return options;
}

double as_double(std::string const& text) { return std::strtod(text.c_str(), nullptr); }

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

TEST_CASE("numbers of plain and other rows are those that were written") {
  std::mt19937_64 random(1);
  for (form const& how : forms()) {
    table const written = make(random, how, 4000);
    apps::read_options options = options_of(how, static_cast<int>(random() % 4));
    for (int const column : {0, 2}) {  // 0: the rows' numbers of cells are compared, too
      if (column == 0) options.delimiter = how.delimiter;
      options.column = 2;
      options.type = how.numbers < 2 ? dtype::i64 : dtype::f64;
      if (column == 0) options.type = how.numbers == 0 ? std::nullopt : options.type;
      auto source = std::make_unique<piece_source>(written.text, 1 + random() % 100000);
      apps::array const read = apps::read_array(std::move(source), "x", options);
      REQUIRE(read.count() == written.cells.size());
      for (std::size_t i = 0; i < read.count(); ++i) {
        std::string const& cell = written.cells[i].number;
        bool const good = how.numbers < 2 ? read.values<std::int64_t>()[i] ==
                                                std::strtoll(cell.c_str(), nullptr, 10)
                                          : same(read.values<double>()[i], as_double(cell));
        if (good) continue;  // an assertion for each takes long
        INFO("row " << i << ": " << cell << ", delimiter " << how.delimiter);
        REQUIRE(good);
      }
    }
  }
}

TEST_CASE("floats of more digits than 64 bits hold are read as others") {
  // Modulo 2^64 the digits are small.
  std::vector<std::string> const cells{"1.5", "18446744073709551617.0", "184467440737095516170.5",
                                       "-1844674407370955161.7", "0.18446744073709551617",
                                       "18446744073709551617e3", "1844674407370955161600.0e-2"};
  std::string text;
  for (std::string const& cell : cells) text += cell + "\n";
  for (auto const type : {std::optional<dtype>(), std::optional(dtype::f64)}) {
    apps::read_options options;
    options.type = type;
    auto const read = libscan::test::read_memory(text, options);
    REQUIRE(read.type == dtype::f64);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      INFO(cells[i]);
      CHECK(same(read.values<double>()[i], as_double(cells[i])));
    }
  }
}

TEST_CASE("rows and words of plain and other rows are those that were written") {
  std::mt19937_64 random(2);
  std::size_t turn = 0;
  for (form const& how : forms()) {
    table const written = make(random, how, 4000);
    apps::read_options options = options_of(how, 3);
    options.type = dtype::f64;
    options.missing.what = apps::missing_rule::choice::last;
    std::vector<apps::column_key> const keys{{2}, {1, apps::cell_kind::text}, {2}};
    for (std::uint64_t const limit : {0, 50000, 500000}) {
      if (libscan::test::quick_types && turn++ % 2 != 0) continue;  // each in turn
      apps::byte_reader in(std::make_unique<piece_source>(written.text, 1 + random() % 100000),
                           "x");
      std::optional<apps::row_limit> most;
      if (limit > 0) most = apps::row_limit{limit, 20};
      apps::text_row_reader reader(in, options, keys, most);
      std::size_t at = 0, pieces = 0;
      while (!reader.at_end()) {
        apps::text_rows const piece = reader.next();
        ++pieces;
        if (limit > 0) CHECK((piece.bytes() <= limit || piece.rows.size() == 1));
        for (std::size_t i = 0; i < piece.rows.size(); ++i, ++at) {
          double const first = piece.keys[0].numbers.values<double>()[i];
          double const last = piece.keys[2].numbers.values<double>()[i];
          bool const good = piece.rows[i] == written.rows[at] &&
                            piece.keys[1].words[i] == written.cells[at].word &&
                            same(first, as_double(written.cells[at].number)) && same(last, first);
          if (good) continue;
          INFO("row " << at << ": " << piece.rows[i] << ", written " << written.rows[at]);
          REQUIRE(good);
        }
      }
      CHECK(at == written.rows.size());
      CHECK((limit == 50000) == (pieces > 3));
    }
  }
}

TEST_CASE("pieces of enough rows are all rows") {
  std::mt19937_64 random(3);
  std::size_t turn = 0;
  for (form const& how : forms()) {
    table const written = make(random, how, 4000);
    apps::read_options options = options_of(how, 3);
    options.type = dtype::f64;
    for (std::size_t const enough : {1, 100, 1000}) {
      if (libscan::test::quick_types && turn++ % 2 != 0) continue;  // each in turn
      apps::byte_reader in(std::make_unique<piece_source>(written.text, 1 + random() % 100000),
                           "x");
      apps::text_row_reader reader(in, options, {{2}}, apps::row_limit{1 << 24, 0, enough});
      std::size_t at = 0, pieces = 0;
      for (bool all_same = true; !reader.at_end(); ++pieces) {
        apps::text_rows const piece = reader.next();
        CHECK((piece.rows.size() >= enough || reader.at_end()));
        auto const numbers = piece.keys[0].numbers.values<double>();
        for (std::size_t i = 0; i < piece.rows.size(); ++i, ++at) {
          all_same = all_same && piece.rows[i] == written.rows[at] &&
                     same(numbers[i], as_double(written.cells[at].number));
        }
        REQUIRE(all_same);
      }
      CHECK(at == written.rows.size());
      CHECK(pieces > 1);
    }
  }
}

TEST_CASE("plain rows that are passed and the pieces between them are all rows") {
  std::mt19937_64 random(4);
  std::size_t passed = 0, number = 0;
  for (form const& how : forms()) {
    // In the quick set, of all delimiters and all kinds of rows, but not of every pair, are there
    // many.
    std::size_t const delimiter = number / 9, kind = number % 9;
    ++number;
    for (std::size_t const n : {1, 2, 3, 40000}) {
      if (libscan::test::quick_types && n == 40000 && kind % 5 != delimiter) continue;
      table const written = make(random, how, n);
      apps::read_options options = options_of(how, static_cast<int>(1 + random() % 3));
      options.type = dtype::f64;
      apps::byte_reader in(
          std::make_unique<piece_source>(written.text, 1 + random() % (n == 40000 ? 900000 : 100)),
          "x");
      apps::text_row_reader reader(in, options, {{2}},
                                   apps::row_limit{1 << 24, 0, 1000, true, false});
      std::size_t at = 0;
      bool all_same = true;
      auto const compare = [&](std::string_view row, double number) {
        all_same = all_same && at < n && row == written.rows[at] &&
                   same(number, as_double(written.cells[at].number));
        ++at;
      };
      std::vector<std::vector<double>> numbers(3);
      apps::plain_row_use const use{
          [&](apps::plain_rows const& rows, std::size_t slot) {
            numbers[slot].clear();
            for (std::uint64_t const bits : rows.columns[0].numbers) {
              numbers[slot].push_back(std::bit_cast<double>(bits));
            }
          },
          [&](apps::plain_rows const& rows, std::size_t slot) {
            for (std::size_t i = 0; i < rows.count; ++i) {
              std::size_t const begin = rows.place(i), end = rows.place(i + 1);
              compare({rows.begin + begin, end - begin - 1}, numbers[slot][i]);
            }
            passed += rows.count;
            return rows.count;
          }};
      for (;;) {
        apps::text_rows const piece = reader.next();
        auto const items = piece.keys[0].numbers.values<double>();
        for (std::size_t i = 0; i < piece.rows.size(); ++i) compare(piece.rows[i], items[i]);
        if (reader.at_end()) break;
        CHECK_FALSE(reader.pass_plain_rows(use));
      }
      CHECK(all_same);
      CHECK(at == written.rows.size());
    }
  }
  CHECK(passed > (libscan::test::quick_types ? 20000U : 100000U));
}

TEST_CASE("no rows are taken after the first one that is not plain, in whatever part it is") {
  constexpr std::size_t width = 8, rows = 100000;  // several parts
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) text += std::to_string(1000000 + i) + "\n";
  apps::plain_column column;
  column.numbers.emplace();
  apps::plain_row_scanner const scanner({}, {column});
  for (std::size_t const odd : {std::size_t{0}, std::size_t{10}, rows / 2, rows - 1, rows}) {
    INFO("row " << odd << " is not plain");
    std::string changed = text;
    if (odd < rows) changed[odd * width] = 'x';
    std::size_t next = 0;
    bool all_same = true;
    apps::plain_row_use const use{nullptr, [&](apps::plain_rows const& part, std::size_t) {
                                    for (std::uint64_t const got : part.columns[0].numbers) {
                                      all_same = all_same && got == 1000000 + next++;
                                    }
                                    return part.count;
                                  }};
    std::vector<apps::plain_rows> parts;
    auto const found = scanner.scan(changed, changed.data() + changed.size(), true, 2, use, parts);
    CHECK(all_same);
    CHECK(next == odd);
    CHECK(found.taken == odd);
    CHECK(found.taken_bytes == odd * width);
    CHECK(found.plain_bytes == odd * width);
  }
}

TEST_CASE("a taker of plain rows may leave some of them to others") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + "\n";
  apps::read_options options;
  options.column = 1;
  options.threads = 3;
  apps::byte_reader in(std::make_unique<piece_source>(text, text.size()), "x");
  apps::text_row_reader reader(in, options, {}, apps::row_limit{1 << 20, 0, 1000, true, false});
  std::int64_t next = 0;
  bool all_same = true;
  apps::plain_row_use const use{nullptr, [&](apps::plain_rows const& rows, std::size_t) {
                                  std::size_t const n = std::min<std::size_t>(rows.count, 777);
                                  for (std::size_t i = 0; i < n; ++i) {
                                    std::uint64_t const got = rows.columns[0].numbers[i];
                                    all_same = all_same && static_cast<std::int64_t>(got) == next++;
                                  }
                                  return n;
                                }};
  for (;;) {
    apps::text_rows const piece = reader.next();
    for (std::int64_t const got : piece.keys[0].numbers.values<std::int64_t>()) {
      all_same = all_same && got == next++;
    }
    if (reader.at_end()) break;
    reader.pass_plain_rows(use);
  }
  CHECK(all_same);
  CHECK(next == 100000);
}

TEST_CASE("negative integers of plain rows that are passed keep a column from uint64") {
  // Rows before and after those are read, and not passed.
  std::string text;
  for (int i = 0; i < 200000; ++i) text += i == 3000 ? "-5\n" : "7\n";
  text += "18446744073709551615\n";
  apps::read_options options;
  options.column = 1;
  apps::byte_reader in(std::make_unique<piece_source>(text, text.size()), "x");
  apps::text_row_reader reader(in, options, {}, apps::row_limit{1 << 24, 0, 1000, true, false});
  apps::plain_row_use const use{
      nullptr, [](apps::plain_rows const& rows, std::size_t) { return rows.count; }};
  std::string refusal;
  try {
    while (!reader.at_end()) {
      (void)reader.next();
      reader.pass_plain_rows(use);
    }
  } catch (libscan::error const& e) {
    refusal = e.what();
  }
  CHECK(refusal.find("x:200001: the integer '18446744073709551615' is not exact") == 0);
}

TEST_CASE("only the piece with the last row lacks an end") {
  for (std::string const text : {"1,a\r\n2,b\r\n3,c", "1,a\r\n2,b\r\n3,c\r\n"}) {
    apps::read_options options;
    options.column = 1;
    apps::byte_reader in(std::make_unique<piece_source>(text, 7), "x");
    apps::text_row_reader reader(in, options, {}, apps::row_limit{1, 0});  // a row in each piece
    std::vector<std::string> ends;
    while (!reader.at_end()) ends.emplace_back(reader.next().last_end);
    CHECK(ends == std::vector<std::string>{"\n", "\n", text.ends_with('c') ? "\r\n" : "\n"});
  }
}

TEST_CASE("the type of a column and its errors do not depend on where its rows are") {
  for (std::size_t const before : {1, 3, 100, 5000}) {
    std::string rows;
    for (std::size_t i = 0; i < before; ++i) rows += std::to_string(i) + "\n";
    std::string const line = std::to_string(before + 1), next = std::to_string(before + 2);
    auto const type_with = [&](std::string const& more) {
      apps::read_options options;
      options.threads = 2;
      return libscan::test::read_memory(rows + more + rows, options).type;
    };
    CHECK(type_with("") == dtype::i64);
    CHECK(type_with("-9223372036854775808\n") == dtype::i64);
    CHECK(type_with("9223372036854775808\n") == dtype::u64);
    CHECK(type_with("0.5\n") == dtype::f64);
    CHECK(type_with("-1\n18446744073709551616\n") == dtype::f64);
    using libscan::test::refusal;
    CHECK(refusal(rows + "9007199254740993\n" + rows + "0.5\n")
              .find("x:" + line + ": the integer '9007199254740993' is not exact in float64") == 0);
    CHECK(refusal(rows + "0.5\n" + rows + "9007199254740993\n" + rows)
              .find("x:" + std::to_string(2 * before + 2) + ": the integer '9007199254740993'") ==
          0);
    CHECK(refusal(rows + "1 \n1 2\n" + rows).find("x:" + next + ": the line has 2 cells") == 0);
    CHECK(refusal(rows + "\n12x\n" + rows).find("x:" + next + ": '12x' is no number") == 0);
    CHECK(refusal(rows + "#1\n" + rows).find("x:" + line + ": '#1' is no number") == 0);
    apps::read_options bytes;
    bytes.type = dtype::i8;
    if (before < 128) {
      CHECK(refusal(rows + "-128\n127\n128\n", bytes)
                .find("x:" + std::to_string(before + 3) + ": '128' is out of range") == 0);
    }
    apps::read_options all;
    all.comments = apps::comment_rule::all;
    CHECK(refusal(rows + "#1\n  # 2\n" + rows, all) == "accepted");
    apps::read_options singles;
    singles.type = dtype::f32;
    auto const values = libscan::test::read_values<float>(rows + "16777217\n0.1\n-0\n", singles);
    CHECK(values[before] == 16777216.0f);
    CHECK(values[before + 1] == 0.1f);
    CHECK(std::signbit(values[before + 2]));
  }
}

TEST_CASE("a list of rows returns rows of any length, anywhere in a text") {
  char const* const text = "where a text begins";  // the rows are not read
  std::vector<std::string_view> rows;
  std::size_t at = 0;
  for (int bits = 0; bits < 44; ++bits) {
    for (std::size_t const size : {(std::size_t{1} << bits) - 1, std::size_t{1} << bits}) {
      rows.emplace_back(text + at, size);
      at += size + 1;
    }
  }
  libscan::apps::row_list list;
  for (std::string_view const row : rows) list.push_back(row);
  REQUIRE(list.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(list[i].data() == rows[i].data());
    CHECK(list[i].size() == rows[i].size());
  }
  list.clear();
  CHECK(list.empty());
}

TEST_CASE("a list of lines returns them, also after a row that is none") {
  std::mt19937_64 random(8);
  std::string text;
  std::vector<std::uint32_t> ends;
  for (int i = 0; i < 3000; ++i) {
    text += std::string(random() % 40, 'x') + '\n';
    ends.push_back(static_cast<std::uint32_t>(text.size()));
  }
  auto const row = [&](std::size_t i) {
    std::size_t const begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(text).substr(begin, ends[i] - 1 - begin);
  };
  std::size_t const n = ends.size();
  for (std::size_t const wide : {n, std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
    libscan::apps::row_list list;
    for (std::size_t i = 0; i < n;) {
      bool const by_one = i == wide || random() % 3 == 0;
      std::size_t count = 1;
      if (i == wide) {
        list.push_back(row(i));
      } else if (by_one) {
        list.push_line(row(i));
      } else {
        count = std::min(1 + random() % 100, (i < wide ? wide : n) - i);
        std::vector<std::uint32_t> distances;
        std::size_t const begin = i == 0 ? 0 : ends[i - 1];
        for (std::size_t k = i; k < i + count; ++k) {
          distances.push_back(static_cast<std::uint32_t>(ends[k] - begin));
        }
        list.append(text.data() + begin, distances);
      }
      i += count;
      REQUIRE(list.size() == i);
      CHECK(list[i - 1].data() == row(i - 1).data());
      CHECK(list[i - 1].size() == row(i - 1).size());
    }
    CHECK(list.are_lines() == (wide == n));
    CHECK(list.bytes() == n * (wide == n ? 4 : 8));
    for (std::size_t i = 0; i < n; ++i) {
      bool const good = list[i].data() == row(i).data() && list[i].size() == row(i).size();
      INFO("row " << i);
      if (!good) REQUIRE(good);
    }
  }
}
