// SPDX-License-Identifier: Apache-2.0
// Reader and header writer of .npy. The header's grammar is the part of Python that NumPy itself
// writes and wrote; everything else is refused.
#include <apps/common/npy.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <apps/common/dtype.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 10000;  // NumPy's own limit
constexpr std::size_t max_dimensions = 64;     // NumPy 2

/// NumPy's other names of types, and the codes that it writes for them. Only names of one letter
/// may follow a byte order sign.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"?", "b1"},        {"b", "i1"},         {"B", "u1"},     {"h", "i2"},       {"H", "u2"},
    {"i", "i4"},        {"I", "u4"},         {"l", "i8"},     {"L", "u8"},       {"q", "i8"},
    {"Q", "u8"},        {"e", "f2"},         {"f", "f4"},     {"d", "f8"},       {"bool", "b1"},
    {"bool_", "b1"},    {"byte", "i1"},      {"ubyte", "u1"}, {"short", "i2"},   {"ushort", "u2"},
    {"intc", "i4"},     {"uintc", "u4"},     {"int", "i8"},   {"uint", "u8"},    {"int_", "i8"},
    {"longlong", "i8"}, {"ulonglong", "u8"}, {"half", "f2"},  {"float16", "f2"}, {"single", "f4"},
    {"float", "f8"},    {"double", "f8"},    {"float_", "f8"}};

std::string_view usual_code(std::string_view name, bool after_sign) {
  for (auto const& [other, code] : other_names) {
    if (name == other && (other.size() == 1 || !after_sign)) return code;
  }
  return name;
}

/// Parses the dictionary. Positions in errors are bytes of the file.
class header_parser {
 public:
  /// `python_2`: whether integers may end in 'L'.
  header_parser(std::string_view text, std::uint64_t offset, std::string const& name, bool python_2)
      : text_(text), offset_(offset), name_(name), python_2_(python_2) {}

  npy_layout parse() {
    npy_layout layout;
    bool seen[3] = {};
    expect('{');
    while (!accept('}')) {
      std::size_t const start = at_;
      std::string_view const key = string();
      expect(':');
      int const which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
      if (which == 3 || seen[which]) {
        fail(start, "the header has a " + std::string(which == 3 ? "foreign" : "second") + " key " +
                        for_people(key) + ", expected 'descr', 'fortran_order' and 'shape'");
      }
      seen[which] = true;
      if (which == 0) set_type(layout);
      if (which == 1) layout.fortran = boolean();
      if (which == 2) layout.shape = shape();
      if (!accept(',') && peek() != '}') fail(at_, "expected ',' or '}' in the header");
    }
    (void)peek(" \t\r\f");
    (void)peek("\n");  // Python also refuses spaces after the last line end
    if (at_ != text_.size()) {
      fail(at_, "the header goes on after its '}', expected spaces and a line end");
    }
    if (!seen[0] || !seen[1] || !seen[2]) {
      fail(0, "the header lacks 'descr', 'fortran_order' or 'shape'");
    }
    return layout;
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string const& reason) const {
    throw file_error::at_byte(name_, offset_ + at, reason);
  }

  /// The next character after white space.
  char peek(char const* white = " \t\n\r\f") {
    at_ = std::min(text_.find_first_not_of(white, at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(at_, std::string("expected '") + c + "' in the header");
  }

  std::string_view string() {
    if (peek() == 'u') ++at_;  // Python 2's u'descr'
    char const quote = at_ < text_.size() ? text_[at_] : '\0';
    std::size_t const end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail(at_, "expected a quoted string in the header");
    std::string_view const content = text_.substr(at_ + 1, end - at_ - 1);
    bool const plain = std::all_of(content.begin(), content.end(),
                                   [](char c) { return c >= ' ' && c <= '~' && c != '\\'; });
    if (!plain) fail(at_, "expected a string of plain characters in the header");
    at_ = end + 1;
    return content;
  }

  bool boolean() {
    for (bool const value : {true, false}) {
      std::string_view const word = value ? "True" : "False";
      peek();
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail(at_, "expected True or False in the header");
  }

  void set_type(npy_layout& layout) {
    bool const record = peek() == '[' || peek() == '(';
    std::size_t const start = at_;
    std::string_view const descr = record ? std::string_view{} : string();
    // As in NumPy: without a byte order sign, and with '=' and '|', the machine's own order.
    bool const has_sign = !descr.empty() && std::string_view("<>=|").find(descr[0]) < 4;
    std::string_view const code = usual_code(descr.substr(has_sign ? 1 : 0), has_sign);
    layout.truth_values = code == "b1";
    layout.half = code == "f2";
    layout.type = layout.half ? dtype::u16 : dtype::u8;
    bool known = layout.truth_values || layout.half;
    for (dtype const type : all_item_types) {
      if (code != npy_descr(type).substr(1) && descr != name_of(type)) continue;
      layout.type = type;
      known = true;
    }
    layout.big_endian = descr.starts_with('>') && size_of(layout.type) > 1;
    if (known) return;
    std::string what = "items of a type";
    if (record) what = "records (a structured type)";
    if (code == "f16" || code == "f12") what = "long double items";
    if (code.starts_with('c')) what = "complex items";
    if (code.starts_with('O')) what = "Python objects";
    if (code.starts_with('U') || code.starts_with('S')) what = "strings";
    if (code.starts_with('M') || code.starts_with('m')) what = "dates or times";
    if (code.starts_with('V')) what = "records (a structured type)";
    std::string all = " |b1 <f2";
    for (dtype const type : all_item_types) all.append(" ").append(npy_descr(type));
    fail(start, what + (record ? "" : " " + for_people(descr)) +
                    " are not supported, expected one of" + all);
  }

  index_t dimension() {
    peek();
    std::size_t const start = at_;
    index_t value = 0;
    char const* const end = text_.data() + text_.size();
    auto const [stop, code] = std::from_chars(text_.data() + at_, end, value);
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (code == std::errc::result_out_of_range) fail(start, "a dimension exceeds 2^63 - 1");
    bool const leading_zero = at_ - start > 1 && text_[start] == '0';
    if (code != std::errc{} || value < 0 || text_[start] == '-' || leading_zero) {
      fail(start, "expected a dimension (a number from 0) in the header's shape");
    }
    if (python_2_ && at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  std::vector<index_t> shape() {
    std::vector<index_t> result;
    expect('(');
    std::size_t const start = at_;
    while (!accept(')')) {
      result.push_back(dimension());
      if (result.size() > max_dimensions) fail(start, "more than 64 dimensions");
      // Python needs the comma to distinguish a tuple of one from a number in parentheses.
      if (!accept(',') && (peek() != ')' || result.size() == 1)) {
        fail(at_, "expected ',' in the header's shape");
      }
    }
    return result;
  }

  std::string_view text_;
  std::uint64_t offset_;
  std::string const& name_;
  bool python_2_;
  std::size_t at_ = 0;
};

std::string take(byte_reader& in, std::size_t n, char const* what) {
  std::string bytes(n, '\0');
  std::size_t const got = in.read(std::as_writable_bytes(std::span<char>(bytes)));
  if (got < n) {
    throw file_error::at_byte(in.name(), in.offset(),
                              std::string("the file ends within its ") + what);
  }
  return bytes;
}

/// Bytes of all items. Refuses shapes whose size does not fit in 63 bits, ignoring zero dimensions
/// as NumPy does.
std::uint64_t data_bytes(npy_layout const& layout, byte_reader const& in) {
  index_t bytes = static_cast<index_t>(size_of(layout.type));
  bool empty = false;
  for (index_t const n : layout.shape) {
    empty = empty || n == 0;
    if (n != 0 && __builtin_mul_overflow(bytes, n, &bytes)) {
      throw file_error::at_byte(in.name(), in.offset(),
                                "the header claims 2^63 bytes of items or more");
    }
  }
  return empty ? 0 : static_cast<std::uint64_t>(bytes);
}

/// The items, which must be all that is left of the input. `mapped`: whether they stay there.
kept_bytes take_items(byte_reader& in, npy_layout const& layout, bool& mapped) {
  std::uint64_t const start = in.offset();
  std::optional<kept_bytes> left = in.rest();
  mapped = left.has_value();
  if (!left) left = read_up_to(in, layout.bytes);
  bool const more = !mapped && !in.peek(1).empty();
  check_npy_size(in.name(), layout, start, left->bytes.size() + (more ? 1 : 0));
  return *left;
}

/// Gives the array a copy of its items that `fill` writes.
template <class Fill>
void refill(array& data, Fill fill) {
  byte_buffer buffer;
  if (data.bytes.empty()) return;
  fill(data.bytes.data(), buffer.grow(data.bytes.size()).data());
  kept_bytes copy = buffer.release();
  data.bytes = copy.bytes;
  data.owner = std::move(copy.owner);
  data.mapped = false;
}

/// Copies items of `size` bytes each with their bytes in reverse order.
void swap_bytes(std::byte const* from, std::byte* to, std::size_t count, std::size_t size) {
  for (std::size_t i = 0; i < count; ++i, from += size, to += size) {
    std::reverse_copy(from, from + size, to);
  }
}

/// Copies the items of an array whose first dimension varies fastest into C order, where the last
/// one does.
void to_c_order(std::byte const* from, std::byte* to, std::vector<index_t> const& shape,
                std::size_t size) {
  std::size_t const rank = shape.size();
  std::vector<std::size_t> at(rank), step(rank, size);
  for (std::size_t d = 1; d < rank; ++d) {
    step[d] = step[d - 1] * static_cast<std::size_t>(shape[d - 1]);
  }
  std::size_t const row = static_cast<std::size_t>(shape.back());
  for (std::size_t offset = 0;;) {
    for (std::size_t i = 0; i < row; ++i, to += size) {
      std::memcpy(to, from + offset + i * step.back(), size);
    }
    std::size_t d = rank - 1;
    do {
      if (d == 0) return;
      --d;
      offset += step[d];
      if (++at[d] < static_cast<std::size_t>(shape[d])) break;
      offset -= at[d] * step[d];
      at[d] = 0;
    } while (true);
  }
}

}  // namespace

array in_usual_form(array data, npy_layout const& layout) {
  std::size_t const size = size_of(data.type);
  std::size_t const count = data.count();
  if (layout.big_endian) {
    refill(data, [&](std::byte const* from, std::byte* to) { swap_bytes(from, to, count, size); });
  }
  bool const odd = layout.truth_values && std::any_of(data.bytes.begin(), data.bytes.end(),
                                                      [](std::byte b) { return b > std::byte{1}; });
  if (odd) {
    refill(data, [&](std::byte const* from, std::byte* to) {
      std::transform(from, from + count, to,
                     [](std::byte b) { return b == std::byte{} ? b : std::byte{1}; });
    });
  }
  return layout.half ? widened(data, half_dtype::f16) : data;
}

void check_npy_size(std::string const& name, npy_layout const& layout, std::uint64_t start,
                    std::uint64_t size) {
  std::size_t const item = size_of(layout.type);
  std::string const claimed = std::to_string(layout.bytes / item);
  if (size < layout.bytes) {
    throw file_error::at_byte(name, start + size,
                              "the file ends after " + std::to_string(size / item) +
                                  " items, expected the " + claimed + " that the header claims");
  }
  if (size > layout.bytes) {
    throw file_error::at_byte(
        name, start + layout.bytes,
        "extra bytes after the " + claimed + " items that the header claims, expected the end");
  }
}

bool starts_npy(byte_reader& in) {
  std::span<std::byte const> const head = in.peek(magic.size());
  return head.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), reinterpret_cast<char const*>(head.data()));
}

npy_layout read_npy_header(byte_reader& in, read_options const& options) {
  if (in.peek(1).empty()) throw file_error(in.name(), "the file is empty, expected an npy header");
  if (!starts_npy(in)) {
    refuse_foreign_content(in, "npy");
    throw file_error::at_byte(in.name(), 0, "no npy file: expected it to begin with \\x93NUMPY");
  }
  take(in, magic.size(), "magic bytes");
  std::string const version = take(in, 2, "version");
  int const major = static_cast<unsigned char>(version[0]);
  int const minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw file_error::at_byte(in.name(), magic.size(),
                              "npy version " + std::to_string(major) + "." + std::to_string(minor) +
                                  ", expected 1.0, 2.0 or 3.0");
  }
  std::string const length_bytes = take(in, major == 1 ? 2 : 4, "header's length");
  std::size_t length = 0;
  for (std::size_t i = length_bytes.size(); i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(length_bytes[i]);
  }
  if (length > longest_header) {
    throw file_error::at_byte(in.name(), magic.size() + 2,
                              "a header of " + std::to_string(length) +
                                  " bytes, expected at most " + std::to_string(longest_header));
  }
  std::uint64_t const header_start = in.offset();
  std::string const header = take(in, length, "header");
  npy_layout layout = header_parser(header, header_start, in.name(), major < 3).parse();
  std::string const held(layout.half           ? name_of(half_dtype::f16)
                         : layout.truth_values ? "bool"
                                               : name_of(layout.type));
  bool const as_bytes = layout.truth_values && options.type == dtype::u8 && !options.half;
  std::string const wanted(options.half                ? name_of(*options.half)
                           : options.type && !as_bytes ? name_of(*options.type)
                                                       : held);
  if (held != wanted) {
    throw file_error(in.name(), "holds " + held + " items, expected " + wanted + " as requested");
  }
  layout.bytes = data_bytes(layout, in);
  return layout;
}

array read_npy_items(byte_reader& in, npy_layout const& layout, read_options const& options) {
  if (options.before_items && in.bytes_left() == layout.bytes) {
    options.before_items(layout.half ? dtype::f32 : layout.type,
                         layout.bytes / size_of(layout.type));
  }
  bool mapped = false;
  kept_bytes items = take_items(in, layout, mapped);
  array data{layout.type, layout.shape, file_format::npy, items.bytes, std::move(items.owner)};
  data.mapped = mapped;
  data.truth_values = layout.truth_values;
  if (!layout.in_c_order()) {
    std::size_t const size = size_of(data.type);
    refill(data,
           [&](std::byte const* from, std::byte* to) { to_c_order(from, to, layout.shape, size); });
  }
  return in_usual_form(std::move(data), layout);
}

array read_npy(byte_reader& in, read_options const& options) {
  npy_layout const layout = read_npy_header(in, options);
  return read_npy_items(in, layout, options);
}

std::string npy_header(dtype type, index_t count) {
  constexpr std::size_t before = 10;     // magic, version and length
  constexpr std::size_t alignment = 64;  // of the items
  std::string text = "{'descr': '" + std::string(npy_descr(type)) +
                     "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  std::size_t const used = before + text.size() + 1;
  text.append((alignment - used % alignment) % alignment, ' ');
  text += '\n';
  std::string result(magic);
  result += '\x01';
  result += '\x00';
  result += static_cast<char>(text.size() & 0xff);
  result += static_cast<char>(text.size() >> 8);
  return result + text;
}

}  // namespace libscan::apps
