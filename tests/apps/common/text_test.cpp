// SPDX-License-Identifier: Apache-2.0
// The rules of text, and the words of every refusal.
#include <apps/common/array_writer.hpp>
#include <apps/common/cells.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <libscan/core/error.hpp>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <tests/apps/common/reading.hpp>
#include <tests/apps/common/scratch.hpp>
#include <tests/support/catch.hpp>
#include <vector>

namespace apps = libscan::apps;
using apps::dtype;
using apps::file_format;
using libscan::test::as;
using libscan::test::read_memory;
using libscan::test::read_values;
using libscan::test::refusal;

TEST_CASE("the type of text is the first of int64, uint64, float64 that holds every value") {
  CHECK(read_memory("1\n-2\n").type == dtype::i64);
  CHECK(read_values<std::int64_t>("9223372036854775807\n-9223372036854775808\n+7\n-0\n") ==
        std::vector<std::int64_t>{INT64_MAX, INT64_MIN, 7, 0});
  CHECK(read_values<std::uint64_t>("1\n9223372036854775808\n18446744073709551615\n") ==
        std::vector<std::uint64_t>{1, std::uint64_t{1} << 63, UINT64_MAX});
  CHECK(read_memory("-1\n9223372036854775808\n").type == dtype::f64);
  CHECK(read_memory("9223372036854775808\n-1\n").type == dtype::f64);
  CHECK(read_values<double>("9007199254740992\n-9007199254740994\n0.5\n1152921504606846976\n") ==
        std::vector<double>{9007199254740992.0, -9007199254740994.0, 0.5, 1152921504606846976.0});
  CHECK(read_values<double>("18446744073709551616\n1\n") ==
        std::vector<double>{18446744073709551616.0, 1});
  std::vector<double> const zeros = read_values<double>("-0\n0\n1e3\n");
  CHECK(std::signbit(zeros[0]));
  CHECK_FALSE(std::signbit(zeros[1]));
  CHECK(read_values<std::int64_t>("9007199254740993\n") ==
        std::vector<std::int64_t>{9007199254740993});
  CHECK(read_memory("").type == dtype::i64);
  CHECK(read_memory("").count() == 0);
}

TEST_CASE("an integer that float64 would round is refused, wherever it stands") {
  std::string const words = " is not exact in float64";
  std::string const advice = "; --dtype float64 rounds it";
  CHECK(refusal("9007199254740993,a\n9007199254740992,b\n1.5,c\n") ==
        "x:1: the integer '9007199254740993'" + words +
            ", which the column is for '1.5' in line 3" + advice);
  for (std::string const integer : {"-9007199254740993", "9007199254740993"}) {
    for (std::string const mark : {"", "\""}) {  // quoted cells are read by other code
      CHECK(refusal(mark + integer + mark + "\n1.5\n") ==
            "x:1: the integer '" + integer + "'" + words +
                ", which the column is for '1.5' in line 2" + advice);
    }
  }
  CHECK(refusal("# c\n1.5\n2\n-9007199254740993\n") ==
        "x:4: the integer '-9007199254740993'" + words +
            ", which the column is for '1.5' in line 2" + advice);
  CHECK(refusal("5\n18446744073709551615\n-1\n") ==
        "x:2: the integer '18446744073709551615'" + words +
            ", which the column is for '-1' in line 3" + advice);
  CHECK(refusal("-1\n18446744073709551615\n") ==
        "x:2: the integer '18446744073709551615'" + words + advice);
  CHECK(refusal("1\n+18446744073709551617\n") ==
        "x:2: the integer '+18446744073709551617'" + words + advice);
  for (std::string const exact :
       {"018446744073709551616", "-9223372036854775808", "9007199254740994", "1e23"}) {
    CHECK(refusal("0.5\n" + exact + "\n") == "accepted");
  }
  CHECK(refusal("0.5\n100000000000000000000000\n") != "accepted");
  CHECK(read_values<double>("9007199254740993\n0.5\n", as(file_format::text, dtype::f64)) ==
        std::vector<double>{9007199254740992.0, 0.5});
}

TEST_CASE("text floats are rounded to nearest and refused beyond the type") {
  CHECK(read_values<float>("0.1\n1e-46\n-1e-99\n7.1e-46\n", as(file_format::text, dtype::f32)) ==
        std::vector<float>{0.1F, 0.0F, -0.0F, std::numeric_limits<float>::denorm_min()});
  CHECK(read_values<double>("1e-400\n4.9e-324\n.5\n5.\n1E3\n") ==
        std::vector<double>{0, std::numeric_limits<double>::denorm_min(), 0.5, 5, 1000});
  CHECK(read_values<double>("Infinity\n-inf\n+INF\n")[1] ==
        -std::numeric_limits<double>::infinity());
  CHECK(refusal("1\n3.5e38\n", as(file_format::text, dtype::f32)) ==
        "x:2: '3.5e38' is out of range, expected float32");
  CHECK(refusal("1e309\n") == "x:1: '1e309' is out of range, expected a float64");
  for (std::string const bad : {"nan(1)", "0x10", "1e", "1_000", "1,5e", "--1", "+-1", "1 e5x"}) {
    CAPTURE(bad);
    CHECK(refusal("1\n" + bad + "\n") != "accepted");
  }
}

TEST_CASE("text refusals name the line and what was expected") {
  auto const typed = [](dtype type) { return as(file_format::text, type); };
  CHECK(refusal("1\n300\n", typed(dtype::u8)) ==
        "x:2: '300' is out of range, expected uint8 (0 to 255)");
  CHECK(refusal("1\n-1\n", typed(dtype::u16)) ==
        "x:2: '-1' is out of range, expected uint16 (0 to 65535)");
  CHECK(refusal("1\n-129\n", typed(dtype::i8)) ==
        "x:2: '-129' is out of range, expected int8 (-128 to 127)");
  CHECK(refusal("1\n1.5\n", typed(dtype::i32)) ==
        "x:2: '1.5' is no number, expected int32 (-2147483648 to 2147483647)");
  CHECK(refusal("# c\n\n1\n12x\n") == "x:4: '12x' is no number, expected a number");
  std::string const hint = "; if this line is a header: --header yes";
  CHECK(refusal("12x\n") == "x:1: '12x' is no number, expected a number" + hint);
  CHECK(refusal("1\n\xc3\xa4\xc3\xc2\xa0\n") ==
        "x:2: '\xc3\xa4\\xc3\\xc2\\xa0' is no number, expected a number");
  CHECK(refusal("v\nw\n") == "x:2: 'w' is no number, expected a number");
  CHECK(
      refusal("1,2\n3,\n", as(file_format::text, {}, 2)) ==
      "x:2: an empty cell, expected a number; --missing skip leaves out rows without a value (see "
      "--missing)");
  CHECK(refusal(",2\n") == "x:1: column 1: an empty cell, expected a number" + hint);
  CHECK(refusal("1,2\n3\n") == "x:2: the line has 1 cell, expected 2 as in the first line");
  CHECK(refusal("1 2\n3\n", as(file_format::text, {}, 2)) ==
        "x:2: the line has 1 cell, expected column 2");
  CHECK(refusal("1\n3 4\n") == "x:2: the line has 2 cells, expected 1 as in the first line");
  CHECK(refusal("a;b\n1;2\n", as(file_format::text, {}, 3)) ==
        "x:1: the line has 2 cells, expected column 3");
  CHECK(refusal("1\n\"2\n") ==
        "x:2: a quote is not closed in its line, expected '\"'; if cells have several lines: "
        "--delimiter");
  CHECK(refusal("\"12 pipe,3\n10,2\n") == "x:1: a quote is not closed, expected '\"'");
  CHECK(refusal("1,\"a\nb\"\n2,\"c\n\nd\n") == "x:3: a quote is not closed, expected '\"'");
  CHECK(refusal("1,\"" + std::string(1 << 24, '\n')) ==
        "x:1: a quote is not closed within 16 MiB, expected '\"'");
  CHECK(refusal("1,\"a\n\nb\"\nx,2\n") == "x:4: 'x' is no number, expected a number");
  CHECK(refusal("\"1\"2,3\n") == "x:1: text follows a closing quote, expected a delimiter");
  CHECK(refusal(std::string("1\n2\x01\x00\n", 5)) ==
        "x:2: '2\\x01\\x00' is no number, expected a number (binary data are read by --format raw "
        "--dtype TYPE)");
  CHECK(refusal("\xff\xfe"
                "1") == "x:1: text in UTF-16, expected UTF-8");
  for (std::string const& wide : {std::string("1\0\n\0", 4), std::string("\0b\0\n\0a", 6),
                                  std::string("b\0\0\0\n\0\0\0", 8)}) {
    CHECK(refusal(wide) == "x:1: text in UTF-16 or UTF-32, expected UTF-8");
  }
  CHECK(refusal("1\n" + std::string(60, 'a') + "\n") ==
        "x:2: '" + std::string(40, 'a') + "...' is no number, expected a number");
  CHECK(refusal(std::string((16 << 20) + 1, '1')) ==
        "x:1: a line of more than 16 MiB, expected text");
  CHECK(refusal("1\n", as(file_format::text, {}, 0)) == "usage: --column counts from 1");
  CHECK(refusal("", as(file_format::raw, dtype::u8, 2)) ==
        "usage: --column is for text, but x is read as raw");
}

TEST_CASE("text: delimiters, headers, comments, quotes, line ends and a byte order mark") {
  using ints = std::vector<std::int64_t>;
  auto const column = [](int n) { return as(file_format::automatic, {}, n); };
  CHECK(read_values<std::int64_t>("1,2\n3,4\n", column(2)) == ints{2, 4});
  CHECK(read_values<std::int64_t>("1;2\n3;4", column(2)) == ints{2, 4});
  CHECK(read_values<std::int64_t>("1\t2\n3\t4\n", column(2)) == ints{2, 4});
  CHECK(read_values<std::int64_t>("  1   2\n3 \t4  \n", column(2)) == ints{2, 4});
  CHECK(read_values<std::int64_t>("1,5;2\n1,5;4\n", column(2)) == ints{2, 4});
  CHECK(read_values<std::int64_t>("a , b\n 1 , 2 \n", column(2)) == ints{2});
  CHECK(read_values<std::int64_t>("\"a;b\" 7\n\"c\" 8\n", column(2)) == ints{7, 8});
  CHECK(read_values<std::int64_t>("\"a,\"\"b\",\"7\"\nc, \"8\" \n", column(2)) == ints{7, 8});
  CHECK(read_values<std::int64_t>("\xef\xbb\xbf # c\r\n\"1\"\r\n2\r\n\r\n3") == ints{1, 2, 3});
  CHECK(read_values<std::int64_t>("1\r\n\"2\"\r") == ints{1, 2});
  CHECK(read_values<std::int64_t>("1\r\n2\r\n\r") == ints{1, 2});
  CHECK(read_values<std::int64_t>("\"a\"\"b\",\"5\"\"6\"\n1,\"x\"\"y\"\n") == ints{1});
  CHECK(read_values<std::int64_t>("value\n1\n") == ints{1});
  CHECK(read_values<std::int64_t>("\xc3\xa9t\xc3\xa9\n1\n") == ints{1});
  CHECK(refusal("header only\n") ==
        "x:1: column 1: 'header' is no number, expected a number; if this line is a header: "
        "--header yes");
  CHECK(read_memory("nan\n1\n").count() == 2);
}

TEST_CASE("a first line is a header only if nothing in it can be a number") {
  auto const accepted = [](std::string const& text, int column = 1) {
    return read_memory(text, as(file_format::text, {}, column));
  };
  for (std::string const header : {"value", "_x", "\"% of all\"", "\xc3\xa9t\xc3\xa9", "x2020"}) {
    CAPTURE(header);
    CHECK(accepted("# c\n" + header + "\n3\n").header_line == 2);
  }
  CHECK(accepted("(m);%\n1;2\n", 2).header_line == 1);
  CHECK(accepted("1\n2\n").header_line == 0);
  std::string const no_number = " is no number, expected a number";
  std::string const hint = "; if this line is a header: --header yes";
  std::string const missing = " means a missing value, expected a number";
  CHECK(refusal("1,N/A\n2,3\n", as(file_format::text, {}, 2)) ==
        "x:1: column 2: 'N/A'" + missing + hint);
  CHECK(refusal("(5)\n3\n") == "x:1: '(5)'" + no_number + hint);
  CHECK(refusal("\xe2\x88\x92"
                "5\n3\n") == "x:1: '\\xe2\\x88\\x925'" + no_number + hint);
  for (std::string const bad :
       {"\"(5)\"", "N/A",    "na",           "$5",        "5m",      "\xc2\xa3", "%",    "null",
        "(5),x",   "-,x",    "\xef\xbc\x95", "city,2019", "None",    "NULL",     "<NA>", "missing",
        "#N/A",    "#REF!",  "Err:502",      "True",      "no",      "O",        "l0",   "I5",
        "e5",      "nan(1)", "NaN%",         "inf.",      "caf\xe9", "\xc2\x80x"}) {
    CAPTURE(bad);
    CHECK(refusal(bad + "\n3,4\n").find(", expected a number" + hint) != std::string::npos);
  }
  std::istringstream words(
      "N.A|n/d|[null]|not available,x|NoData|NA_integer_|undef|unknown|\"*\"|*,x|"
      "\u2014,x|#WERT!|#\u00a1REF!,x|#N/D|#N/A Field Not Applicable,x|#NV|\u0663|"
      "\u06f5,x|\u096b|\U0001d7db|\u0301a|(\u0663),x|\U0001d7db,x");
  for (std::string bad; std::getline(words, bad, '|');) {
    CAPTURE(bad);
    CHECK(refusal(bad + "\n3,4\n").find(", expected a number" + hint) != std::string::npos);
  }
}

TEST_CASE("a guessed header is noted, and so are columns that were not chosen") {
  auto const notes = [](std::string const& text, apps::read_options const& options = {}) {
    std::string all;
    for (std::string const& note : read_memory(text, options).notes) all += note + "|";
    return all;
  };
  CHECK(notes("a,b\n1,x\n") == "x:1: 'a,b' is read as a header (--header yes or no decides)|");
  CHECK(notes("# c\nv\n1\n") == "x:2: 'v' is read as a header (--header yes or no decides)|");
  apps::read_options said;
  said.header = apps::header_rule::present;
  CHECK(notes("v\n1\n", said).empty());
  std::string const columns = " columns the first is read (see --column)|";
  CHECK(notes("1 2\n3 4\n") == "x:2: of 2" + columns);
  CHECK(notes("1,x,3\n") == "x:1: of 3" + columns);
  CHECK(notes("5 a\n6 b\n").empty());
  CHECK(notes("1 2\n3 4\n", as(file_format::text, {}, 1)).empty());
}

TEST_CASE("a single row of numbers is a sequence, unless a column or a header is said") {
  using ints = std::vector<std::int64_t>;
  for (std::string const row : {"3 1 7 0", "3,1,7,0\n", "3;1;7;0\r\n", "3\t1\t7\t0\n\n",
                                " 3  1 7 0 \n", "# c\n\n\"3\", 1,7 , 0"}) {
    CAPTURE(row);
    CHECK(read_values<std::int64_t>(row) == ints{3, 1, 7, 0});
    CHECK(read_values<std::int64_t>(row, as(file_format::text, {}, 2)) == ints{1});
  }
  CHECK(read_values<double>("1 2.5 nan\n").size() == 3);
  apps::read_options bytes;
  bytes.type = dtype::u8;
  CHECK(read_values<std::uint8_t>("1 2 3\n", bytes).size() == 3);
  CHECK(refusal("1 300 3\n", bytes) == "x:1: '300' is out of range, expected uint8 (0 to 255)");
  CHECK(read_values<std::int64_t>("a b\n1 2\n") == ints{1});
  CHECK(read_values<std::int64_t>("1 2\n3 4\n") == ints{1, 3});
  CHECK(read_values<std::int64_t>("1 x\n") == ints{1});
}

TEST_CASE("a single row of numbers and missing values is a sequence, too") {
  using ints = std::vector<std::int64_t>;
  std::string const whole = "; if only the first cell counts: --column 1";
  CHECK(refusal("3 NA 5\n") == "x:1: 'NA' means a missing value, expected a number" + whole);
  CHECK(refusal("3,1,7,\n") == "x:1: an empty cell, expected a number" + whole);
  CHECK(read_values<std::int64_t>("3,1,7,\n", as(file_format::text, {}, 1)) == ints{3});
  auto const with = [](char const* what) {
    apps::read_options options;
    options.missing = apps::missing_rule_from_text(what);
    return options;
  };
  for (std::string const row : {"3 NA 5\n", "NA,3,5", "3;5;\n", "\n- 3 . 5 ?\n"}) {
    CAPTURE(row);
    CHECK(read_values<std::int64_t>(row, with("skip")) == ints{3, 5});
  }
  CHECK(read_values<std::int64_t>("NA,3,,5\n", with("-1")) == ints{-1, 3, -1, 5});
  CHECK(read_values<std::int64_t>("NA 1\n2 3\nNA 4\n", with("skip")) == ints{2});
  CHECK(read_values<std::int64_t>("NA x\n", with("skip")).empty());
}

TEST_CASE("lines that begin with # are comments before the first row, or where that is said") {
  using ints = std::vector<std::int64_t>;
  std::string const hint = "; if lines that begin with '#' are comments: --comments all";
  CHECK(read_values<std::int64_t>("#1\n # c\n\n2\n") == ints{2});
  CHECK(refusal("2\n# c\n3\n") ==
        "x:2: the line has 2 cells, expected 1 as in the first line" + hint);
  CHECK(refusal("2\n#c\n3\n") == "x:2: '#c' is no number, expected a number" + hint);
  CHECK(read_values<std::int64_t>("id,v\n#1,5\n#2,3\n3,1\n", as(file_format::text, {}, 2)) ==
        ints{5, 3, 1});
  apps::read_options all;
  all.comments = apps::comment_rule::all;
  CHECK(read_values<std::int64_t>("2\n# c\n3\n  #\n", all) == ints{2, 3});
  for (std::string const word :
       {"#N/A", "#n/a", "#DIV/0!", "#REF!", "#NAME?", "#VALUE!", "#NULL!"}) {
    CAPTURE(word);
    for (std::string const& text : {word + "\n1\n", "1\n" + word + "\n", word + ",1\n2,3\n"}) {
      CHECK(refusal(text).find("'" + word + "' means a missing value") != std::string::npos);
      CHECK(refusal(text, all).find("means a missing value") != std::string::npos);
    }
  }
}

TEST_CASE("files of other formats, and other line ends, are refused by name") {
  using namespace std::string_literals;
  std::pair<std::string, std::string> const files[] = {
      {"BZh91AY&SY\xd3\x01"s, "bzip2"},
      {"\xfd"s + "7zXZ\0\0"s, "xz"},
      {"\x28\xb5\x2f\xfd\x04"s, "zstd"},
      {"PK\3\4\x14\0"s, "zip"},
      {"PAR1\x15\x04"s, "Parquet"},
      {"\x78\x9c\x4b"s, "zlib"},
      {"\x89PNG\r\n\x1a\n"s, "PNG"},
      {"\x89HDF\r\n\x1a\n"s, "HDF5"},
      {"\x80\x04\x95"s, "pickle"},
      {"\x7f"s + "ELF\2"s, "ELF"},
      {std::string(257, '\0') + "ustar", "tar"},
      {"%%MatrixMarket matrix\n", "Matrix Market"}};
  for (auto const& [content, name] : files) {
    CAPTURE(name);
    CHECK(refusal(content + "\n1\n2\n").find(name) != std::string::npos);
  }
  for (std::string const header : {"PAR1", "ARROW1", "ORC", "GIF89a", "RIFF"}) {
    CAPTURE(header);
    CHECK(read_memory(header + "\n1\n").header_line == 1);
    CHECK(refusal(header + "\n" + std::string(1, '\0')).find("expected npy or text") !=
          std::string::npos);
  }
  CHECK(read_values<std::int64_t>("BZhang\n1\n") == std::vector<std::int64_t>{1});
  CHECK(read_values<std::int64_t>("PKÄ\n1\n") == std::vector<std::int64_t>{1});
  for (std::string const text : {"x\r3\r1\r", "1\r2\r3", "# c\r1\r2\n", "\r1\r2", "1,2\r3,4\r"}) {
    CAPTURE(text);
    CHECK(refusal(text).find("x:1: a CR within the line, expected lines that end with LF") == 0);
  }
  CHECK(refusal("1\n2\r3\n").find("lines that end with only CR") != std::string::npos);
}

TEST_CASE("quotes are quotes only at both ends of a cell") {
  using ints = std::vector<std::int64_t>;
  auto const second = as(file_format::text, {}, 2);
  CHECK(read_values<std::int64_t>("12\" pipe,3\n10\" pipe,2\n", second) == ints{3, 2});
  CHECK(read_values<std::int64_t>("5'11\";6\n5'10\";7\n", second) == ints{6, 7});
  CHECK(read_values<std::int64_t>("a \" b,3\nc,2\n", second) == ints{3, 2});
  CHECK(read_values<std::int64_t>("3\" x 4\",3\nc,2\n", second) == ints{3, 2});
  CHECK(read_values<std::int64_t>("\"a,b\" 3\n\"c;d\" 2\n", second) == ints{3, 2});
  CHECK(read_values<std::int64_t>("3 \"a, b\"\n2 \"c\"\n", as(file_format::text, {}, 1)) ==
        ints{3, 2});
  CHECK(read_values<std::int64_t>("\"say \"\"a,b\"\"\";3\nx;2\n", second) == ints{3, 2});
}

TEST_CASE("--header decides what no rule can tell") {
  using ints = std::vector<std::int64_t>;
  auto const with = [](apps::header_rule rule) {
    apps::read_options options = as(file_format::text, {}, 2);
    options.header = rule;
    return options;
  };
  std::string const years = "city,2019,2020\nA,1,2\n";
  CHECK(read_values<std::int64_t>(years, with(apps::header_rule::automatic)) == ints{2019, 1});
  CHECK(read_values<std::int64_t>(years, with(apps::header_rule::absent)) == ints{2019, 1});
  CHECK(read_values<std::int64_t>(years, with(apps::header_rule::present)) == ints{1});
  CHECK(read_memory(years, with(apps::header_rule::present)).header_line == 1);
  CHECK(read_values<std::int64_t>("a,b\n", with(apps::header_rule::present)).empty());
  CHECK(refusal("a,b\n1,2\n", with(apps::header_rule::absent)) ==
        "x:1: column 2: 'b' is no number, expected a number");
  apps::read_options raw = as(file_format::raw, dtype::u8);
  raw.header = apps::header_rule::absent;
  CHECK(refusal("", raw) == "usage: --header is for text, but x is read as raw");
  CHECK(apps::header_rule_from_name("auto") == apps::header_rule::automatic);
  CHECK_THROWS_AS(apps::header_rule_from_name("maybe"), apps::usage_error);
}

TEST_CASE("minus zero is the zero of a type without sign") {
  CHECK(read_values<std::uint8_t>("-0\n7\n", as(file_format::text, dtype::u8)) ==
        std::vector<std::uint8_t>{0, 7});
}

TEST_CASE("NaN of either sign is written as nan") {
  libscan::test::scratch_directory const scratch;
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const values = {nan, -nan, -1.5};
  apps::write_array<double>(scratch / "x.txt", values, file_format::text);
  CHECK(libscan::test::read_bytes(scratch / "x.txt") == "nan\nnan\n-1.5\n");
}

TEST_CASE("dates are moments, by the calendar of std::chrono") {
  using namespace std::chrono;
  for (int day = -719468; day < 2932000; day += 37) {
    year_month_day const date{sys_days{days{day}}};
    char text[32];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT01:02:03.5-00:01", int(date.year()),
                  unsigned(date.month()), unsigned(date.day()));
    if (int(date.year()) > 9999) break;
    auto const moment = apps::parse_date(text);
    REQUIRE(moment);
    CHECK(moment->seconds == std::int64_t{day} * 86400 + 3723 + 60);
    CHECK(moment->nanoseconds == 500'000'000);
  }
}

TEST_CASE("the beginning of a text ends with a whole character") {
  std::string const text = "a\u00fc\u0661\u20ac\U0001d7db.";
  std::string const beginnings[] = {
      "", "a", "a", text.substr(0, 3), text.substr(0, 3), text.substr(0, 5)};
  for (std::size_t most = 0; most < std::size(beginnings); ++most) {
    CHECK(libscan::detail::beginning(text, most) == beginnings[most]);
  }
  CHECK(libscan::detail::beginning(text, text.size() - 2) == text.substr(0, 8));
  CHECK(libscan::detail::beginning(text, text.size()) == text);
  CHECK(libscan::detail::beginning("", 3).empty());
}

TEST_CASE("the closest word takes the fewest edits") {
  std::vector<std::string> const words{"--column", "--comments", "--count-only", "--cost"};
  CHECK(apps::closest_word("--colum", words) == "--column");
  CHECK(apps::closest_word("--comlumn", words) == "--column");
  CHECK(apps::closest_word("--oclumn", words) == "--column");
  CHECK(apps::closest_word("--comment", words) == "--comments");
  CHECK(apps::closest_word("--nonsense", words) == "");
  CHECK(apps::closest_word("", words) == "");
  CHECK(apps::closest_word("ab", {"ba", "b"}) == "ba");
  CHECK(apps::closest_word("a", {"b", "c"}) == "");
  CHECK(apps::closest_word(std::string(100, 'a'), {std::string(100, 'a')}) == "");
}
