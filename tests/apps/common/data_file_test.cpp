// SPDX-License-Identifier: Apache-2.0
// Readers and writers of data files: what is written is read back bit for bit, and the words of
// every refusal. Text has text_test.cpp.
#include <apps/common/array_writer.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/npy.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <tests/apps/common/reading.hpp>
#include <tests/apps/common/scratch.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/sizes.hpp>
#include <vector>

namespace apps = libscan::apps;
using apps::dtype;
using apps::file_format;
using libscan::test::as;
using libscan::test::read_memory;
using libscan::test::refusal;
using libscan::test::scratch_directory;
using libscan::test::write_bytes;

namespace {

/// Extremes and ordinary values, `n` in all.
template <class T>
std::vector<T> samples(std::size_t n) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {limits::lowest(), limits::max(), T(0), T(1), T(99)};
  if constexpr (std::is_floating_point_v<T>) {
    for (T const x :
         {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN(),
          limits::min(), limits::denorm_min(), T(-0.0), T(0.1), T(1e22), T(-1) / 3}) {
      values.push_back(x);
    }
  }
  std::size_t const distinct = values.size();
  for (std::size_t i = distinct; i < n; ++i) values.push_back(values[i * i % distinct]);
  values.resize(n);
  return values;
}

/// An npy file of version 1.0 with this header.
std::string npy(std::string const& header, std::string const& items = "") {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + items;
}

std::string npy_of(std::string const& descr, std::string const& shape,
                   std::string const& items = "", std::string const& fortran = "False") {
  return npy("{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }",
             items);
}

/// Text knows only one NaN.
template <class T>
void forget_signs_of_nan(std::vector<T>& values) {
  for (T& value : values) {
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
  }
}

constexpr char supported[] = "|b1 <f2 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <u8 <f4 <f8";

}  // namespace

TEMPLATE_TEST_CASE("what is written is read back bit for bit", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t, float, double) {
  scratch_directory const scratch;
  constexpr dtype type = apps::dtype_of<TestType>();
  int turn = static_cast<int>(type);
  for (std::string const ending : {".npy", ".raw", ".bin", ".txt", ".csv", ".tsv"}) {
    for (std::string const gz : {"", ".gz"}) {
      for (std::size_t const n :
           libscan::test::sized_list<std::size_t>({0, 1, 15, 1000, 300001}, {0, 1, 15, 100003})) {
        // In the quick set, each type and each ending has many items, but not each pair.
        if (libscan::test::quick_types && n > 1000 && turn++ / 2 % 2 != 0) continue;
        CAPTURE(ending, gz, n);
        std::string const path = scratch / ("x" + ending + gz);
        std::vector<TestType> values = samples<TestType>(n);
        file_format const format = apps::format_of_name(path);
        if (format == file_format::text) forget_signs_of_nan(values);
        apps::array_writer out(path);
        out.begin(type, static_cast<libscan::index_t>(n), file_format::automatic);
        std::span<TestType const> left = values;
        for (std::size_t step = 1; !left.empty(); step = step * 3 + 1) {
          std::size_t const k = std::min(step, left.size());
          out.append(left.first(k));
          left = left.subspan(k);
        }
        out.commit();
        apps::array const data = apps::read_array(path, as(file_format::automatic, type));
        REQUIRE(data.type == type);
        REQUIRE(data.format == format);
        REQUIRE(data.shape == std::vector<libscan::index_t>{static_cast<libscan::index_t>(n)});
        std::span<TestType const> const found = data.values<TestType>();
        REQUIRE(found.size() == n);
        REQUIRE(reinterpret_cast<std::uintptr_t>(found.data()) % sizeof(TestType) == 0);
        REQUIRE((n == 0 || std::memcmp(found.data(), values.data(), n * sizeof(TestType)) == 0));
      }
    }
  }
  REQUIRE(scratch.entries() == 12);
}

TEST_CASE("items are requested by their own type only") {
  apps::array const data = read_memory("1\n2\n");
  CHECK(data.values<std::int64_t>().size() == 2);
  CHECK_THROWS_AS(data.values<double>(), libscan::invalid_argument);
}

TEST_CASE("an npy file whose items lie misaligned is copied into alignment") {
  scratch_directory const scratch;
  std::string items(24, '\0');
  std::vector<double> const values = {1.5, -2, 3e300};
  std::memcpy(items.data(), values.data(), items.size());
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  for (int spaces = 0; spaces < 8; ++spaces, header += ' ') {
    write_bytes(scratch / "x.npy", npy(header, items));
    apps::array const data = apps::read_array(scratch / "x.npy");
    auto const found = data.values<double>();
    CHECK(reinterpret_cast<std::uintptr_t>(found.data()) % 8 == 0);
    CHECK(std::vector<double>(found.begin(), found.end()) == values);
  }
}

TEST_CASE("a mapped file that shrinks within its last page is refused") {
  scratch_directory const scratch;
  std::string const path = scratch / "x";
  std::string const words = path + ": the file shrank while it was read";
  for (std::size_t const left : {0U, 99U, 100U, 101U}) {
    CAPTURE(left);
    write_bytes(path, std::string(100, 'x'));
    auto const in_pieces = apps::open_file(path, nullptr);
    auto const whole = apps::open_file(path, nullptr);
    REQUIRE(in_pieces->next().size() == 100);
    std::filesystem::resize_file(path, left);
    if (left < 100) {
      CHECK_THROWS_WITH(in_pieces->next(), words);
      if (left > 0) CHECK_THROWS_WITH(whole->rest(), words);
    } else {
      CHECK(in_pieces->next().empty());
      CHECK(whole->rest()->bytes.size() == 100);
    }
  }
}

TEST_CASE("npy arrays of more dimensions are read flat, in C order") {
  apps::array const data = read_memory(npy_of("'|u1'", "(2, 3)", "abcdef"));
  CHECK(data.shape == std::vector<libscan::index_t>{2, 3});
  CHECK(data.count() == 6);
  CHECK(read_memory(npy_of("'|u1'", "()", "a")).count() == 1);
  CHECK(read_memory(npy_of("'|u1'", "(3,)", "abc", "True")).count() == 3);
  CHECK(read_memory(npy_of("'<f8'", "(0, 1152921504606846975)")).count() == 0);
}

TEST_CASE("npy types are read with any sign of the byte order, and by NumPy's names") {
  for (std::string const sign : {"<", ">", "=", "|", ""}) {
    CAPTURE(sign);
    CHECK(read_memory(npy_of("'" + sign + "u1'", "(1,)", "a")).type == dtype::u8);
    CHECK(read_memory(npy_of("'" + sign + "i1'", "(1,)", "a")).type == dtype::i8);
    CHECK(read_memory(npy_of("'" + sign + "f4'", "(1,)", "1234")).type == dtype::f32);
  }
  CHECK(read_memory(npy_of("'float64'", "(1,)", "12345678")).type == dtype::f64);
  CHECK(read_memory(npy_of("\"int16\"", "(1,)", "12")).type == dtype::i16);
}

TEST_CASE("npy items of big-endian files come in the machine's order") {
  auto const numbers =
      read_memory(npy_of("'>i4'", "(2,)", std::string("\0\0\1\2\xff\xff\xff\xfe", 8)));
  CHECK(numbers.values<std::int32_t>()[0] == 258);
  CHECK(numbers.values<std::int32_t>()[1] == -2);
  CHECK(read_memory(npy_of("'>f8'", "(1,)", std::string("\x3f\xf8\0\0\0\0\0\0", 8)))
            .values<double>()[0] == 1.5);
  CHECK(read_memory(npy_of("'>f2'", "(1,)", std::string("\x3e\x00", 2))).values<float>()[0] ==
        1.5F);
}

TEST_CASE("npy items in Fortran order come in C order") {
  auto const text = [](std::string const& shape, std::string const& items) {
    apps::array const data = read_memory(npy_of("'|u1'", shape, items, "True"));
    return std::string(reinterpret_cast<char const*>(data.bytes.data()), data.bytes.size());
  };
  CHECK(text("(2, 3)", "adbecf") == "abcdef");
  CHECK(text("(1, 3)", "abc") == "abc");
  CHECK(text("(2, 3, 2)", "agciekbhdjfl") == "abcdefghijkl");
  CHECK(text("(2, 0, 2)", "").empty());
  CHECK(text("(1, 1, 1, 1)", "x") == "x");
}

TEST_CASE("npy bools are the bytes 0 and 1") {
  for (std::string const descr : {"'|b1'", "'b1'", "'?'", "'<b1'", "'bool'", "\"|b1\""}) {
    CAPTURE(descr);
    apps::array const data = read_memory(npy_of(descr, "(4,)", std::string("\1\0\5\xff", 4)));
    CHECK(data.type == dtype::u8);
    CHECK(data.truth_values);
    auto const values = data.values<std::uint8_t>();
    CHECK(std::vector<int>(values.begin(), values.end()) == std::vector<int>{1, 0, 1, 1});
  }
  CHECK(read_memory(npy_of("'|b1'", "(1,)", "\2")).values<std::uint8_t>()[0] == 1);
  CHECK(refusal(npy_of("'|b1'", "(1,)", "a"), as(file_format::npy, dtype::u8)) == "accepted");
  CHECK(refusal(npy_of("'|b1'", "(1,)", "a"), as(file_format::npy, dtype::i8)) ==
        "x: holds bool items, expected int8 as requested");
}

TEST_CASE("npy headers of Python 2 and of up to 64 dimensions are read") {
  CHECK(read_memory(npy_of("'|u1'", "(3L,)", "abc")).count() == 3);
  CHECK(read_memory(npy_of("'|u1'", "(2L, 1L)", "ab")).shape ==
        std::vector<libscan::index_t>{2, 1});
  std::string ones = "(";
  for (int d = 0; d < 64; ++d) ones += "1, ";
  CHECK(read_memory(npy_of("'|u1'", ones + ")", "a")).shape.size() == 64);
  CHECK(refusal(npy_of("'|u1'", ones + "1)", "a")).find("more than 64 dimensions") !=
        std::string::npos);
  CHECK(refusal(npy_of("'|u1'", "(3l,)", "abc")) != "accepted");
}

TEST_CASE("npy headers have white space where Python allows it, and strings of Python 2") {
  for (std::string const white : {" ", "\t", "\n", "\r\n", " \n\f"}) {
    std::string header = "{";
    for (char const* const word : {"'descr'", ":", "'|u1'", ",", "'fortran_order'", ":", "False",
                                   ",", "u'shape'", ":", "(", "2", ",", "1", ")", "}"}) {
      header += white + word;
    }
    for (std::string const end : {"", "\n", " \t\r\n\n"}) {
      CAPTURE(white, end);
      CHECK(read_memory(npy(header + end, "ab")).shape == std::vector<libscan::index_t>{2, 1});
    }
  }
}

TEST_CASE("npy headers may name types by NumPy's other names") {
  auto const type_of = [](std::string const& descr, std::size_t size) {
    return read_memory(npy_of("'" + descr + "'", "(1,)", std::string(size, '\1')));
  };
  for (auto const& [letter, type] : {std::pair{"b", dtype::i8},
                                     {"B", dtype::u8},
                                     {"h", dtype::i16},
                                     {"H", dtype::u16},
                                     {"i", dtype::i32},
                                     {"I", dtype::u32},
                                     {"l", dtype::i64},
                                     {"L", dtype::u64},
                                     {"q", dtype::i64},
                                     {"Q", dtype::u64},
                                     {"f", dtype::f32},
                                     {"d", dtype::f64}}) {
    CAPTURE(letter);
    for (std::string const sign : {"", "<", "=", "|", ">"}) {
      CHECK(type_of(sign + letter, libscan::size_of(type)).type == type);
    }
  }
  for (auto const& [name, type] : {std::pair{"byte", dtype::i8},
                                   {"ushort", dtype::u16},
                                   {"intc", dtype::i32},
                                   {"int", dtype::i64},
                                   {"uint", dtype::u64},
                                   {"single", dtype::f32},
                                   {"double", dtype::f64}}) {
    CAPTURE(name);
    CHECK(type_of(name, libscan::size_of(type)).type == type);
    CHECK(refusal(npy_of("'<" + std::string(name) + "'", "(1,)", "12345678")) != "accepted");
  }
  CHECK(type_of("<e", 2).type == dtype::f32);
  CHECK(type_of("half", 2).type == dtype::f32);
  CHECK(type_of("bool_", 1).truth_values);
}

TEST_CASE("an npy header has at most 10000 bytes") {
  auto const padded = [](std::size_t bytes) {
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}";
    header.resize(bytes - 1, ' ');
    return npy(header + "\n", "a");
  };
  CHECK(read_memory(padded(10000)).values<std::uint8_t>()[0] == 'a');
  CHECK(refusal(padded(10001)) == "x: byte 8: a header of 10001 bytes, expected at most 10000");
}

TEST_CASE("npy refusals name the byte and what is supported") {
  auto const type_refusal = [](std::string const& descr) {
    return refusal(npy_of(descr, "(1,)", "12345678"));
  };
  std::string const only = std::string(" not supported, expected one of ") + supported;
  CHECK(type_refusal("'<c16'") == "x: byte 20: complex items '<c16' are" + only);
  CHECK(type_refusal("'|O'") == "x: byte 20: Python objects '|O' are" + only);
  CHECK(type_refusal("'<U3'") == "x: byte 20: strings '<U3' are" + only);
  CHECK(type_refusal("'<M8[ns]'") == "x: byte 20: dates or times '<M8[ns]' are" + only);
  CHECK(type_refusal("'<f16'") == "x: byte 20: long double items '<f16' are" + only);
  CHECK(type_refusal("[('a', '<f8')]") == "x: byte 20: records (a structured type) are" + only);
  CHECK(type_refusal("'<i3'") == "x: byte 20: items of a type '<i3' are" + only);
  CHECK(type_refusal("''") == "x: byte 20: items of a type '' are" + only);

  CHECK(refusal("", as(file_format::npy)) == "x: the file is empty, expected an npy header");
  CHECK(refusal("hello", as(file_format::npy)) ==
        "x: byte 0: no npy file: expected it to begin with \\x93NUMPY");
  CHECK(refusal("\x93NUMPY") == "x: byte 6: the file ends within its version");
  CHECK(refusal(std::string("\x93NUMPY\x04\x00\x00\x00", 10)) ==
        "x: byte 6: npy version 4.0, expected 1.0, 2.0 or 3.0");
  CHECK(refusal(std::string("\x93NUMPY\x01\x01\x00\x00", 10)) ==
        "x: byte 6: npy version 1.1, expected 1.0, 2.0 or 3.0");
  CHECK(refusal(std::string("\x93NUMPY\x01\x00\x10", 9)) ==
        "x: byte 9: the file ends within its header's length");
  CHECK(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)) ==
        "x: byte 8: a header of 4294967295 bytes, expected at most 10000");
  CHECK(refusal(std::string("\x93NUMPY\x01\x00\x10\x00{", 11)) ==
        "x: byte 11: the file ends within its header");
  CHECK(refusal(npy("{'descr': '<f8'}")) ==
        "x: byte 10: the header lacks 'descr', 'fortran_order' or 'shape'");
  CHECK(refusal(npy("{'descr': '<f8', 'descr': '<f8'}")) ==
        "x: byte 27: the header has a second key 'descr', expected 'descr', 'fortran_order' and "
        "'shape'");
  CHECK(refusal(npy("{'order': 1}")) ==
        "x: byte 11: the header has a foreign key 'order', expected 'descr', 'fortran_order' and "
        "'shape'");
  CHECK(refusal(npy("descr")) == "x: byte 10: expected '{' in the header");
  CHECK(refusal(npy("{descr: 1}")) == "x: byte 11: expected a quoted string in the header");
  CHECK(refusal(npy("{'shape' 1}")) == "x: byte 19: expected ':' in the header");
  CHECK(refusal(npy("{'shape': (1,) 'descr'")) == "x: byte 25: expected ',' or '}' in the header");
  CHECK(refusal(npy("{'fortran_order': 1}")) == "x: byte 28: expected True or False in the header");
  CHECK(refusal(npy("{'d\\x65scr': 1}")) ==
        "x: byte 11: expected a string of plain characters in the header");
  CHECK(refusal(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0,)} x")) ==
        "x: byte 66: the header goes on after its '}', expected spaces and a line end");
  CHECK(refusal(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0,)} \n ")) ==
        "x: byte 67: the header goes on after its '}', expected spaces and a line end");
}

TEST_CASE("npy shapes are checked against the bytes that are there") {
  auto const shape_refusal = [](std::string const& shape, std::string const& items) {
    return refusal(npy_of("'<i4'", shape, items));
  };
  CHECK(shape_refusal("(2,)", "1234567") ==
        "x: byte 74: the file ends after 1 items, expected the 2 that the header claims");
  CHECK(shape_refusal("(1,)", "12345") ==
        "x: byte 71: extra bytes after the 1 items that the header claims, expected the end");
  CHECK(shape_refusal("(1152921504606846976,)", "1234") ==
        "x: byte 89: the file ends after 1 items, expected the 1152921504606846976 that the header "
        "claims");
  CHECK(shape_refusal("(4611686018427387904,)", "") ==
        "x: byte 85: the header claims 2^63 bytes of items or more");
  CHECK(shape_refusal("(2147483648, 2147483648, 4)", "") ==
        "x: byte 90: the header claims 2^63 bytes of items or more");
  CHECK(shape_refusal("(9223372036854775808,)", "") == "x: byte 61: a dimension exceeds 2^63 - 1");
  for (std::string const bad : {"(-1,)", "(x,)", "(07,)", "(1.,)", "(,)"}) {
    CAPTURE(bad);
    CHECK(refusal(npy_of("'<i4'", bad)) != "accepted");
  }
  CHECK(shape_refusal("(-1,)", "") ==
        "x: byte 61: expected a dimension (a number from 0) in the header's shape");
  CHECK(shape_refusal("(1)", "1234") == "x: byte 62: expected ',' in the header's shape");
  CHECK(shape_refusal("3", "1234") == "x: byte 60: expected '(' in the header");
}

TEST_CASE("--dtype must agree with an npy file") {
  CHECK(refusal(npy_of("'<i4'", "(1,)", "1234"), as(file_format::npy, dtype::f32)) ==
        "x: holds int32 items, expected float32 as requested");
  CHECK(refusal(npy_of("'<i4'", "(1,)", "1234"), as(file_format::npy, dtype::i32)) == "accepted");
}

TEST_CASE("raw files need a type and hold whole items") {
  CHECK(refusal("12345678", as(file_format::raw)) ==
        "usage: --dtype is needed to read x as raw: it does not say its type");
  CHECK(refusal("1234567", as(file_format::raw, dtype::i32)) ==
        "x: byte 4: the file ends within an item: 7 bytes are no multiple of 4, the size of int32");
  CHECK(read_memory("", as(file_format::raw, dtype::f64)).count() == 0);
  // Bytes that look like gzip are items all the same, unless the name says otherwise.
  std::string const looks_like_gzip("\x1f\x8b\x08\x00", 4);
  CHECK(read_memory(looks_like_gzip, as(file_format::raw, dtype::u8)).count() == 4);
  CHECK(refusal(looks_like_gzip, as(file_format::raw, dtype::u8), "x.gz") ==
        "x.gz: byte 4: the gzip data end too early");
}

TEST_CASE("an input without a telling name is npy by its magic bytes, else text") {
  CHECK(read_memory(npy_of("'|u1'", "(1,)", "a")).format == file_format::npy);
  CHECK(read_memory("1\n").format == file_format::text);
  CHECK(refusal("1\n", {}, "x.npy") ==
        "x.npy: byte 0: no npy file: expected it to begin with \\x93NUMPY");
  CHECK(apps::format_of_name("a.b/c.csv.gz") == file_format::text);
  CHECK(apps::format_of_name("npy") == file_format::automatic);
  CHECK(apps::format_of_name("X.NPY") == file_format::npy);
  CHECK(apps::format_of_name("x.Csv.GZ") == file_format::text);
}

TEST_CASE("outputs whose endings mean other formats are refused") {
  for (std::string const good :
       {"-", "x", "x.npy", "a.b/x.TXT.GZ", "x.dat", "/dev/stdout", ".xz"}) {
    CAPTURE(good);
    CHECK_NOTHROW(apps::format_to_write(good));
  }
  for (std::string const bad : {"x.csv.bz2", "x.xz", "x.txt.ZST", "x.npz", "x.npy.zip", "x.tgz",
                                "x.bz2.gz", "x.parquet", "x.mtx", "x.json", "x.png", "x.h5"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(apps::format_to_write(bad), apps::usage_error);
  }
}

TEST_CASE("the memory that may be taken is bounded by the machine and its cgroups") {
  scratch_directory const scratch;
  std::string const root = scratch / "";
  std::uint64_t const machine = apps::usable_memory(root);  // no cgroups there
  auto const write_file = [&](std::string const& path, std::string const& content) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    write_bytes(root + path, content);
  };
  write_file("/proc/self/cgroup", "0::/user/job\n");
  write_file("/sys/fs/cgroup/user/memory.max", "max\n");
  CHECK(apps::usable_memory(root) == machine);
  write_file("/sys/fs/cgroup/user/job/memory.max", "536870912\n");
  CHECK(apps::usable_memory(root) == 536870912);
  write_file("/sys/fs/cgroup/user/memory.max", "1048576\n");
  CHECK(apps::usable_memory(root) == 1048576);
  write_file("/proc/self/cgroup", "4:cpu,memory:/docker/1\n2:cpu:/x\n");
  CHECK(apps::usable_memory(root) == machine);
  write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2097152\n");
  CHECK(apps::usable_memory(root) == 2097152);
  write_file("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "4096\n");
  CHECK(apps::usable_memory(root) == 4096);
}

TEST_CASE("what buffers hold counts, together, until it is given back") {
  std::uint64_t const before = apps::memory_held();
  {
    apps::byte_buffer one("one"), other("other");
    one.grow(3000);
    other.grow(10000);
    CHECK(apps::memory_held() - before >= 13000);
    CHECK(one.others() - before >= 10000);
    apps::kept_bytes const kept = other.release();
    one.shrink(1);
    apps::kept_bytes const shrunk = one.release();
    CHECK(apps::memory_held() - before == 10001);
    apps::set_memory_bound(before + 15000);
    CHECK_THROWS_AS(one.grow(5000), libscan::error);
    CHECK(one.grow(4999).size() == 4999);
    CHECK(apps::memory_held() - before == 15000);
    apps::set_memory_bound(0);
  }
  CHECK(apps::memory_held() == before);
}

TEST_CASE("sizes are decimal numbers with units of 1024") {
  CHECK(apps::parse_size("0") == 0);
  CHECK(apps::parse_size("010K") == 10240);
  CHECK(apps::parse_size("4g") == std::uint64_t{4} << 30);
  CHECK(apps::parse_size("1MiB") == 1 << 20);
  CHECK(apps::parse_size("2KB") == 2048);
  CHECK(apps::parse_size("7B") == 7);
  for (std::string const bad : {"", "K", "-1", "+1", "1.5G", "1 G", "0x10", "16E", "4X", "4GG",
                                "iB", "1iB", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(apps::parse_size(bad), apps::usage_error);
  }
}

TEST_CASE("damaged gzip is refused, members may follow each other") {
  scratch_directory const scratch;
  std::vector<std::int64_t> const values = {1, 2, 3};
  apps::write_array<std::int64_t>(scratch / "x.txt.gz", values, file_format::raw);
  std::string const good = libscan::test::read_bytes(scratch / "x.txt.gz");
  CHECK(read_memory(good).count() == 3);
  CHECK(read_memory(good + good + good).count() == 9);
  CHECK(refusal(good + "x") ==
        "x: byte " + std::to_string(good.size()) +
            ": extra bytes after the gzip data, expected the end or a further gzip member");
  std::string const zeros(1000, '\0');
  CHECK(read_memory(good + zeros).count() == 3);
  CHECK(read_memory(good + zeros + good + zeros).count() == 6);
  CHECK(refusal(good + zeros + "x") ==
        "x: byte " + std::to_string(good.size() + zeros.size()) +
            ": extra bytes after the gzip data, expected the end or a further gzip member");
  for (std::size_t n = 4; n < good.size(); ++n) {
    CAPTURE(n);
    CHECK(refusal(good.substr(0, n)) ==
          "x: byte " + std::to_string(n) + ": the gzip data end too early");
  }
  std::string damaged = good;
  damaged[good.size() - 6] ^= 1;
  CHECK(refusal(damaged).find(": damaged gzip data: incorrect data check") != std::string::npos);
  CHECK(refusal("1\n", {}, "x.csv.gz") ==
        "x.csv.gz: byte 0: no gzip data: expected it to begin with \\x1f\\x8b");
}

TEST_CASE("types have names of ours and of NumPy's") {
  for (dtype const type : libscan::all_item_types) {
    CHECK(apps::dtype_from_name(apps::name_of(type)) == type);
    CHECK(apps::dtype_from_name(apps::npy_descr(type)) == type);
    CHECK(libscan::visit_item_type(type, [](auto tag) {
            return apps::dtype_of<typename decltype(tag)::type>();
          }) == type);
  }
  CHECK(apps::dtype_from_name("i8") == dtype::i8);
  CHECK(apps::dtype_from_name("<i8") == dtype::i64);
  CHECK(apps::dtype_from_name("<u1") == dtype::u8);
  CHECK(apps::dtype_of<long long>() == dtype::i64);
  for (std::string const bad : {"", "int", "float", ">f8", "<f2", "i128", "I8"}) {
    CHECK_THROWS_AS(apps::dtype_from_name(bad), apps::usage_error);
  }
}
