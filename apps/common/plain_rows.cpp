// SPDX-License-Identifier: Apache-2.0
// Numbers are parsed eight characters at a time.
#include <apps/common/plain_rows.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <system_error>

#include <apps/common/column_reader.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/on_threads.hpp>
#include <apps/common/vector_text.hpp>

namespace libscan::apps {
namespace {

constexpr std::uint64_t each(unsigned char byte) { return 0x0101010101010101u * byte; }

std::uint64_t load(char const* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// How many of the first characters are digits.
int leading_digits(std::uint64_t word) {
  std::uint64_t const no_digit = ((word + each(0x46)) | (word - each(0x30))) & each(0x80);
  return no_digit == 0 ? 8 : std::countr_zero(no_digit) / 8;
}

/// The number that the first `digits` characters are.
std::uint64_t value_of(std::uint64_t word, int digits) {
  word = (word - each(0x30)) << (64 - 8 * digits);
  word = word * 10 + (word >> 8);
  return (((word & 0x000000ff000000ffu) * 0x000f424000000064u) +
          (((word >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
         32;
}

constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Appends the digits at `at` to `value`, which may overflow from 20 digits on. Returns how many
/// there are.
inline int take_digits(char const*& at, char const* readable, std::uint64_t& value) {
  int taken = 0;
  while (readable - at >= 8) {
    std::uint64_t const word = load(at);
    int const digits = leading_digits(word);
    if (digits == 0) return taken;
    value = value * powers[digits] + value_of(word, digits);
    at += digits;
    taken += digits;
    if (digits < 8) return taken;
  }
  for (; at < readable && *at >= '0' && *at <= '9'; ++at, ++taken) {
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return taken;
}

/// Whether float64 holds an integer exactly.
bool is_exact(std::int64_t value) {
  if (value >= -max_exact && value <= max_exact) return true;
  auto const nearest = static_cast<double>(value);
  return nearest < 0x1p63 && static_cast<std::int64_t>(nearest) == value;
}

/// A plain number at `at`, which moves past it; false: it is none.
bool take_integer(char const*& at, char const* readable, plain_number_rule const& rule,
                  std::uint64_t& bits) {
  bool const negative = *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;
  int const count = take_digits(at, readable, digits);
  constexpr int may_fit = 19;
  constexpr std::uint64_t max_value = std::numeric_limits<std::int64_t>::max();
  if (count == 0 || count > may_fit || digits > max_value) return false;
  auto const value =
      negative ? -static_cast<std::int64_t>(digits) : static_cast<std::int64_t>(digits);
  if (value < rule.min || value > rule.max || (rule.exact && !is_exact(value))) return false;
  if (negative && value == 0 && !rule.minus_zero) return false;
  bits = static_cast<std::uint64_t>(value);
  return true;
}

constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The exponent after an 'e', if it has up to four digits.
bool take_exponent(char const*& at, char const* readable, int& exponent) {
  if (at == readable) return false;
  bool const negative = *at == '-';
  if (negative || *at == '+') ++at;
  std::uint64_t value = 0;
  int const digits = take_digits(at, readable, value);
  exponent += negative ? -static_cast<int>(value) : static_cast<int>(value);
  return digits > 0 && digits <= 4;
}

template <class T>
bool take_by_library(char const* begin, char const* end, T& value) {
  auto const [stop, code] = std::from_chars(begin, end, value);
  return stop == end && code == std::errc{};
}

/// The same for a float. Up to 2^53, and up to 22 decimal places, it is one correctly rounded
/// operation on exact numbers.
bool take_float(char const*& at, char const* readable, plain_number_rule const& rule,
                std::uint64_t& bits) {
  char const* const begin = at;
  bool const negative = *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;
  int count = take_digits(at, readable, digits);
  int exponent = 0;
  bool const is_integer = at == readable || (*at != '.' && (*at | 32) != 'e');
  if (at < readable && *at == '.') {
    int const places = take_digits(++at, readable, digits);
    count += places;
    exponent = -places;
  }
  if (count == 0) return false;
  if (at < readable && (*at | 32) == 'e' && !take_exponent(++at, readable, exponent)) return false;
  bool const exact = count <= 19 && digits <= static_cast<std::uint64_t>(max_exact);
  if (is_integer && !exact && !rule.large_integers) return false;
  if (rule.what == plain_number_rule::kind::float32) {
    float value = 0;
    if (!take_by_library(begin, at, value)) return false;
    bits = std::bit_cast<std::uint32_t>(value);
    return true;
  }
  double value = 0;
  constexpr int max_power = static_cast<int>(std::size(exact_powers)) - 1;
  if (exact && exponent >= -max_power && exponent <= max_power) {
    value = static_cast<double>(digits);
    value = exponent < 0 ? value / exact_powers[-exponent] : value * exact_powers[exponent];
    if (negative) value = -value;
  } else if (!take_by_library(begin, at, value)) {
    return false;
  }
  bits = std::bit_cast<std::uint64_t>(value);
  return true;
}

/// Scans lines that end before `end`.
class line_scanner {
 public:
  line_scanner(plain_rules const& rules, std::vector<plain_column> const& columns,
               std::string_view text, char const* readable, plain_rows::marks const& marks)
      : delimiter_(rules.delimiter),
        blanks_(rules.delimiter == ' '),
        rules_(rules),
        columns_(columns),
        begin_(text.data()),
        end_(text.data() + text.size()),
        readable_(readable),
        marks_(marks) {}

  /// Moves from the beginning of a line to the next line; false: it is not plain. Requires marks.
  bool scan(char const*& at, std::vector<plain_rows::cells>& to) const {
    skip_blanks(at);
    if (*at == '\n' || *at == '\r' || (*at == '#' && !rules_.hash_is_plain)) return false;
    int cell = 1;
    char const* begin = at;  // of this cell
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      at = begin;
      for (; cell < columns_[k].number; ++cell) {
        if (!next_cell(at)) return false;
        begin = at;
      }
      plain_rows::cells& cells = to[columns_[k].key];
      bool const good = columns_[k].numbers ? take_number(at, *columns_[k].numbers, cells.numbers)
                                            : take_word(at, cells.words);
      if (!good) return false;
    }
    if (rules_.cells == 0) {
      at = next(marks_.line_ends, at) + 1;
      return true;
    }
    for (; *at != '\n'; ++cell) {
      if (!next_cell(at)) break;
    }
    ++at;
    return cell == rules_.cells;
  }

  /// Takes lines from `at` on, as long as none has blanks around cells, and moves past them. Takes
  /// none if blanks separate cells. Requires marks.
  void scan_cells(char const*& at, bool with_rows, plain_rows& to) {
    if (blanks_) return;
    for (bool more = true; more;) {
      if (at >= listed_end_) list_places(at);
      if (at >= listed_end_) break;  // the line is longer
      while (begin_ + *next_place_ < at) ++next_place_;
      while (at < listed_end_ && take_cells(at, to)) {
        if (with_rows) to.ends.push_back(static_cast<std::uint32_t>(at - to.begin));
        ++to.count;
      }
      more = at == listed_end_ && at < end_;
    }
    to.drop_partial_row();
  }

  /// Takes lines from `at` on that are a number and nothing else, and moves past them, if rows have
  /// one cell.
  void scan_numbers(char const*& at, bool with_rows, plain_rows& to) const {
    bool const alone = columns_.size() == 1 && columns_[0].number == 1 && columns_[0].numbers;
    if (!alone || rules_.cells > 1) return;
    columns_[0].numbers->what == plain_number_rule::kind::integer
        ? scan_numbers(at, with_rows, to, take_integer)
        : scan_numbers(at, with_rows, to, take_float);
  }

 private:
  void skip_blanks(char const*& at) const {
    while (*at == ' ' || (*at == '\t' && delimiter_ != '\t')) ++at;
  }

  /// The first character from `at` on that is marked. There is one.
  char const* next(std::vector<std::uint64_t> const& marks, char const* at) const {
    constexpr std::size_t bits = 64;
    auto const place = static_cast<std::size_t>(at - begin_);
    std::size_t word = place / bits;
    std::uint64_t const left = marks[word] >> place % bits;
    if (left != 0) return at + std::countr_zero(left);
    do {
      ++word;
    } while (marks[word] == 0);
    return begin_ + word * bits + std::countr_zero(marks[word]);
  }

  /// The delimiter or LF from `at` on.
  char const* end_of_cell(char const* at) const { return next(marks_.separators, at); }

  /// Moves to the next cell; false: there is none, and `at` is the LF.
  bool next_cell(char const*& at) const {
    at = end_of_cell(at);
    if (*at == '\n') return false;
    if (!blanks_) ++at;
    skip_blanks(at);
    if (blanks_ && *at == '\r' && at[1] == '\n') ++at;
    return !blanks_ || *at != '\n';
  }

  template <class Take>
  void scan_numbers(char const*& at, bool with_rows, plain_rows& to, Take const& take) const {
    plain_number_rule const rule = *columns_[0].numbers;
    std::vector<std::uint64_t>& numbers = to.columns[columns_[0].key].numbers;
    std::size_t const before = numbers.size();
    for (char const* line = at; line < end_; line = at) {
      std::uint64_t bits = 0;
      if (!take(at, readable_, rule, bits) || *at != '\n') {
        at = line;
        break;
      }
      numbers.push_back(bits);
      ++at;
      if (with_rows) to.ends.push_back(static_cast<std::uint32_t>(at - to.begin));
    }
    to.count += numbers.size() - before;
  }

  /// Lists the places of separators in some lines from `at` on.
  void list_places(char const* at) {
    std::size_t const first = static_cast<std::size_t>(at - begin_) / word_bits;
    std::size_t const all = (static_cast<std::size_t>(end_ - begin_) + word_bits - 1) / word_bits;
    std::size_t const words = std::min(listed_words, all - first);
    std::size_t count =
        best_text_code().list(marks_.separators.data() + first, words,
                              static_cast<std::uint32_t>(first * word_bits), places_);
    // After the last word of the text there may be other marks.
    while (count > 0 && (begin_ + places_[count - 1] >= end_ || begin_[places_[count - 1]] != '\n'))
      --count;
    listed_end_ = count == 0 ? at : begin_ + places_[count - 1] + 1;
    next_place_ = places_;
  }

  /// Moves from the beginning of a listed line to the next one. Returns false if it is not
  /// plain.
  bool take_cells(char const*& at, plain_rows& to) {
    if (is_tab_or_space(*at) || *at == '\n' || *at == '\r' || *at == '#') return false;
    std::uint32_t const* place = next_place_;
    char const* begin = at;  // of this cell
    int cell = 1;
    for (plain_column const& column : columns_) {
      for (; cell < column.number; ++cell) {
        begin = begin_ + *place++ + 1;
        if (begin[-1] == '\n') return false;
      }
      plain_rows::cells& cells = to.columns[column.key];
      char const* const end = begin_ + *place;
      bool const good = column.numbers ? take_number(begin, end, *column.numbers, cells.numbers)
                                       : take_word(begin, end, cells.words);
      if (!good) return false;
    }
    for (; begin_[*place] != '\n'; ++place) ++cell;
    if (rules_.cells != 0 && cell != rules_.cells) return false;
    at = begin_ + *place + 1;
    next_place_ = place + 1;
    return true;
  }

  /// The number that is all of a cell; false: it is none.
  bool take_number(char const* at, char const* end, plain_number_rule const& rule,
                   std::vector<std::uint64_t>& to) const {
    std::uint64_t bits = 0;
    if (!take_number(at, rule, bits)) return false;
    to.push_back(bits);
    return at == end || (*at == '\r' && at + 1 == end && *end == '\n');
  }

  /// The word that is all of a cell.
  bool take_word(char const* begin, char const* end, std::vector<std::string_view>& to) const {
    if (is_tab_or_space(*begin)) return false;
    to.push_back(word_of(begin, end));
    return true;
  }

  bool take_number(char const*& at, plain_number_rule const& rule, std::uint64_t& bits) const {
    return rule.what == plain_number_rule::kind::integer ? take_integer(at, readable_, rule, bits)
                                                         : take_float(at, readable_, rule, bits);
  }

  /// A cell without blanks and CR after it.
  static std::string_view word_of(char const* begin, char const* end) {
    char const* last = end;
    if (*end == '\n' && last > begin && last[-1] == '\r') --last;
    while (last > begin && is_tab_or_space(last[-1])) --last;
    return {begin, static_cast<std::size_t>(last - begin)};
  }

  /// Takes the number at `at`, and moves to the delimiter or LF after it; false: it is not plain.
  bool take_number(char const*& at, plain_number_rule const& rule,
                   std::vector<std::uint64_t>& to) const {
    std::uint64_t bits = 0;
    if (!take_number(at, rule, bits)) return false;
    to.push_back(bits);
    if (*at == '\n' || *at == delimiter_) return true;
    if (!blanks_) skip_blanks(at);
    if (*at == '\r' && at[1] == '\n') ++at;
    return *at == '\n' || *at == delimiter_ || (blanks_ && is_tab_or_space(*at));
  }

  /// The same for text.
  bool take_word(char const*& at, std::vector<std::string_view>& to) const {
    char const* const begin = at;
    at = end_of_cell(at);
    to.push_back(word_of(begin, at));
    return true;
  }

  char delimiter_;
  bool blanks_;
  plain_rules const& rules_;
  std::vector<plain_column> const& columns_;
  char const* begin_;
  char const* end_;
  char const* readable_;
  plain_rows::marks const& marks_;
  static constexpr std::size_t word_bits = 64;
  static constexpr std::size_t listed_words = 32;
  std::uint32_t places_[listed_words * word_bits + listed_beyond];  // of separators
  std::uint32_t const* next_place_ = places_;  // at or before the end of the next cell
  char const* listed_end_ = nullptr;           // of the lines whose places are listed
};

/// Parts of a text that end where lines do.
std::vector<std::string_view> parts_of(std::string_view text, int threads) {
  // Several parts for each thread: one that loses its core leaves them to the others.
  constexpr std::size_t min_part_bytes = std::size_t{1} << 17, of_thread = 16;
  std::size_t const max_parts = threads > 1 ? static_cast<std::size_t>(threads) * of_thread : 1;
  std::size_t const count = std::clamp<std::size_t>(text.size() / min_part_bytes, 1, max_parts);
  std::vector<std::string_view> parts;
  for (std::size_t left = count; left > 0; --left) {
    std::size_t const bytes =
        left == 1 ? text.size()
                  : std::min(text.find('\n', text.size() / left), text.size() - 1) + 1;
    parts.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return parts;
}

}  // namespace

plain_row_scanner::plain_row_scanner(plain_rules const& rules, std::vector<plain_column> columns)
    : rules_(rules), columns_(std::move(columns)) {
  std::stable_sort(
      columns_.begin(), columns_.end(),
      [](plain_column const& a, plain_column const& b) { return a.number < b.number; });
}

void plain_row_scanner::mark(std::string_view text, plain_rows::marks& to) const {
  bool const blanks = rules_.delimiter == ' ';
  std::size_t const words = text.size() / 64 + 1;
  to.line_ends.resize(std::max(to.line_ends.size(), words));
  to.separators.resize(to.line_ends.size());
  best_text_code().mark(text.data(), text.size(), rules_.delimiter,
                        blanks ? '\t' : rules_.delimiter, to.line_ends.data(),
                        to.separators.data());
}

void plain_row_scanner::scan(std::string_view text, char const* readable, bool with_rows,
                             plain_rows& to) const {
  to.begin = text.data();
  to.ends.clear();
  to.columns.resize(columns_.size());
  for (auto& cells : to.columns) {
    cells.numbers.clear();
    cells.words.clear();
  }
  to.count = 0;
  text = text.substr(0, text.find('"'));
  text = text.substr(0, text.rfind('\n') + 1);
  char const* at = text.data();
  char const* const end = at + text.size();
  line_scanner lines(rules_, columns_, text, readable, to.marked);
  for (bool marked = false;; marked = true) {
    lines.scan_numbers(at, with_rows, to);
    if (at == end) break;
    if (!marked) mark(text, to.marked);
    lines.scan_cells(at, with_rows, to);
    if (at == end) break;
    char const* const line = at;
    if (!lines.scan(at, to.columns)) {
      at = line;
      break;
    }
    if (with_rows) to.ends.push_back(static_cast<std::uint32_t>(at - to.begin));
    ++to.count;
  }
  to.bytes = static_cast<std::size_t>(at - text.data());
  to.drop_partial_row();
}

plain_row_scanner::outcome plain_row_scanner::scan(std::string_view text, char const* readable,
                                                   bool with_rows, int threads,
                                                   plain_row_use const& use,
                                                   std::vector<plain_rows>& to) const {
  std::vector<std::string_view> const parts = parts_of(text, threads);
  to.resize(std::max(to.size(), static_cast<std::size_t>(threads)));
  outcome found;
  std::atomic<bool> ended{false};  // a line is not plain, or a row was not taken
  auto const take = [&](std::size_t i) {
    if (ended) return;
    plain_rows const& part = to[i % to.size()];
    std::size_t const taken = use.take(part, i % to.size());
    found.plain_bytes += part.bytes;
    found.taken += taken;
    found.taken_bytes += taken == part.count ? part.bytes : part.place(taken);
    ended = taken < part.count || part.bytes < parts[i].size();
  };
  // No more parts than threads are in use, and they follow each other: slots are not shared.
  for_each_in_order(
      parts.size(), threads,
      [&](std::size_t i, auto const& put) {
        if (!ended) {
          plain_rows& part = to[i % to.size()];
          scan(parts[i], readable, with_rows, part);
          if (use.prepare) use.prepare(part, i % to.size());
        }
        put(i);
      },
      take);
  return found;
}

plain_row_feed::plain_row_feed(column_reader& in, int threads)
    : in_(in), threads_(threads_for(threads)) {}

bool plain_row_feed::due() {
  if (pause_ == 0) return in_.rules_of_plain_rows().has_value();
  --pause_;
  return false;
}

bool plain_row_feed::next(std::vector<plain_column> columns, bool with_rows,
                          plain_row_use const& use) {
  auto const rules = in_.rules_of_plain_rows();
  if (!rules) return false;
  std::string_view const ahead = in_.ahead();
  std::string_view const text = ahead.substr(0, window_);
  std::size_t const last = text.rfind('\n');
  if (last == std::string_view::npos) {
    window_ = std::max(window_, min_window);
    return false;
  }
  plain_row_scanner const scanner(*rules, std::move(columns));
  auto const found = scanner.scan(text.substr(0, last + 1), ahead.data() + ahead.size(), with_rows,
                                  threads_, use, parts_);
  in_.pass(found.taken_bytes, found.taken);
  if (found.taken_bytes < found.plain_bytes) return false;
  adapt(found.plain_bytes, last + 1);
  return found.taken > 0;
}

/// Doubles the window while all of it is plain. Otherwise makes it as long as what was plain; and
/// if nothing was, skips more and more rows.
void plain_row_feed::adapt(std::size_t plain, std::size_t scanned) {
  constexpr std::uint64_t max_of_thread = std::uint64_t{1} << 22;
  auto const max_window = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(memory_bound() / 256, min_window, max_of_thread) *
      static_cast<std::uint64_t>(threads_));
  constexpr std::size_t longest_pause = 1000;
  if (plain == scanned) {
    window_ = std::min(2 * window_, max_window);
  } else {
    window_ = std::clamp(plain, min_window, max_window);
  }
  next_pause_ = plain == 0 ? std::min(2 * next_pause_ + 1, longest_pause) : 0;
  pause_ = next_pause_;
}

}  // namespace libscan::apps
