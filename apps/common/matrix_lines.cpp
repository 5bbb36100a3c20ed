// SPDX-License-Identifier: Apache-2.0
#include <apps/common/matrix_lines.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include <apps/common/byte_source.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/on_threads.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

constexpr std::string_view field_names[] = {"real", "integer", "pattern"};
constexpr std::string_view symmetry_names[] = {"general", "symmetric", "skew-symmetric"};
constexpr index_t max_indices = std::numeric_limits<std::int32_t>::max();

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes words off the front of a line; empty when there are no more. A comment ends a word.
std::string_view next_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  bool const comment = begin < line.size() && line[begin] == '%';
  while (end < line.size() && !is_blank(line[end]) && (comment || line[end] != '%')) ++end;
  std::string_view const word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

bool all_blank(std::string_view line) { return std::all_of(line.begin(), line.end(), is_blank); }

bool same_word(std::string_view word, std::string_view lower) {
  auto const same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(), same);
}

/// The index of a word in a list of names; refuses words that are not in it.
template <std::size_t N>
int choice(std::string_view word, std::string_view const (&names)[N], std::string const& name,
           char const* expected) {
  for (std::size_t i = 0; i < N; ++i) {
    if (same_word(word, names[i])) return static_cast<int>(i);
  }
  throw file_error::at_line(
      name, 1, (word.empty() ? "the line ends" : for_people(word)) + ", expected " + expected);
}

/// Reads the first line.
void read_banner(std::string_view line, std::string const& name, matrix_file& matrix) {
  require_banner(line, name);
  std::string_view const content = line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0));
  if (content.find('\r') != std::string_view::npos) {
    throw file_error::at_line(name, 1, cr_within_line);
  }
  (void)next_word(line);
  std::string_view const objects[] = {"matrix"}, formats[] = {"coordinate"};
  choice(next_word(line), objects, name, "'matrix'");
  choice(next_word(line), formats, name, "'coordinate' (arrays are dense)");
  std::string_view field = next_word(line);
  if (same_word(field, "unsigned-integer")) field = "integer";  // SciPy's
  matrix.field =
      static_cast<matrix_field>(choice(field, field_names, name, "real, integer or pattern"));
  matrix.symmetry = static_cast<matrix_symmetry>(
      choice(next_word(line), symmetry_names, name, "general, symmetric or skew-symmetric"));
  if (matrix.field == matrix_field::pattern && matrix.symmetry == matrix_symmetry::skew_symmetric) {
    throw file_error::at_line(name, 1, "a skew-symmetric pattern, expected values with signs");
  }
  if (!all_blank(line)) {
    throw file_error::at_line(name, 1, "words after the symmetry, expected the end of the line");
  }
}

/// Reads up to the size line; returns the number of entries it claims.
index_t read_sizes(line_reader& lines, std::string const& name, matrix_file& matrix) {
  std::optional<std::string_view> line;
  do {
    line = lines.next();
  } while (line && is_done(*line));
  auto const fail = [&](std::string const& reason) {
    throw file_error::at_line(name, std::max<std::uint64_t>(lines.lines(), 1), reason);
  };
  if (!line) fail("no line with sizes, expected rows, columns and entries");
  index_t sizes[3];
  for (index_t& size : sizes) {
    std::string_view const word = next_word(*line);
    if (word.empty()) fail("too few sizes, expected rows, columns and entries");
    if (parse_number(word, size) != parse_outcome::number || size < 0) {
      fail(for_people(word) + " is no size, expected a number of rows, columns or entries");
    }
  }
  if (!is_done(*line)) fail("words after the sizes, expected rows, columns and entries");
  if (sizes[0] > max_indices || sizes[1] > max_indices) {
    fail(std::to_string(std::max(sizes[0], sizes[1])) +
         " rows or columns, expected at most 2147483647");
  }
  if (matrix.symmetry != matrix_symmetry::general && sizes[0] != sizes[1]) {
    fail(std::to_string(sizes[0]) + " rows and " + std::to_string(sizes[1]) +
         " columns, expected as many of both in a " + std::string(name_of(matrix.symmetry)) +
         " matrix");
  }
  matrix.rows = sizes[0];
  matrix.columns = sizes[1];
  return sizes[2];
}

}  // namespace

void require_banner(std::string_view text, std::string const& name) {
  text = text.substr(0, text.find('\n'));
  if (same_word(next_word(text), "%%matrixmarket")) return;
  throw file_error::at_line(name, 1, "no Matrix Market file, expected %%MatrixMarket");
}

bool is_done(std::string_view rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  return begin == rest.size() || rest[begin] == '%';
}

index_t read_header(line_reader& lines, std::string const& name, matrix_file& matrix) {
  auto const banner = lines.next();
  if (!banner) throw file_error(name, "the file is empty, expected %%MatrixMarket");
  read_banner(*banner, name, matrix);
  return read_sizes(lines, name, matrix);
}

std::string_view name_of(matrix_field field) {
  return field_names[static_cast<std::size_t>(field)];
}

std::string_view name_of(matrix_symmetry kind) {
  return symmetry_names[static_cast<std::size_t>(kind)];
}

entry_lines::entry_lines(std::string_view text, index_t claimed, std::string const& name,
                         matrix_file& matrix, std::size_t piece_bytes)
    : claimed_(claimed), bytes_(static_cast<index_t>(text.size())), name_(name), matrix_(matrix) {
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > piece_bytes) end = std::min(text.find('\n', piece_bytes), end - 1) + 1;
    pieces_.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  counts_.resize(pieces_.size() + 1);
}

line_counts entry_lines::count(int threads) {
  for_each_on_threads(pieces_.size(), threads,
                      [&](std::size_t p) { counts_[p + 1] = count_in(pieces_[p]); });
  for (std::size_t p = 1; p < counts_.size(); ++p) {
    counts_[p].lines += counts_[p - 1].lines;
    counts_[p].entries += counts_[p - 1].entries;
  }
  return counts_.back();
}

void entry_lines::parse(int threads, line_counts before) {
  before_ = before;
  // Files with more entries than this are refused below, so no memory is reserved for them.
  auto const capacity = static_cast<std::size_t>(
      std::clamp(claimed_ - before.entries, index_t{0}, counts_.back().entries));
  require_entries(static_cast<index_t>(capacity));
  matrix_.row_indices.resize(capacity);
  matrix_.column_indices.resize(capacity);
  if (matrix_.field == matrix_field::real) matrix_.reals.resize(capacity);
  if (matrix_.field == matrix_field::integer) matrix_.integers.resize(capacity);
  std::vector<complaint> complaints(pieces_.size());
  for_each_on_threads(pieces_.size(), threads,
                      [&](std::size_t p) { complaints[p] = parse_piece(p); });
  for (complaint const& first : complaints) {
    if (!first.reason.empty()) throw file_error::at_line(name_, first.line, first.reason);
  }
  if (matrix_.symmetry != matrix_symmetry::general) {
    for (std::size_t k = 0; k < capacity; ++k) {
      if (matrix_.row_indices[k] < matrix_.column_indices[k]) ++matrix_.above_diagonal;
    }
  }
}

void entry_lines::require_claimed() const {
  if (claimed_ <= bytes_ / min_line) require_entries(claimed_);
}

void entry_lines::require_entries(index_t n) const {
  std::uint64_t const value = matrix_.field == matrix_field::pattern ? 0 : 8;
  require_memory(memory_held() + static_cast<std::uint64_t>(n) * (2 * sizeof(std::int32_t) + value),
                 "reading " + name_);
}

line_counts entry_lines::count_in(std::string_view text) {
  line_counts counts;
  char const* at = text.data();
  char const* const end = at + text.size();
  while (at < end) {
    auto const* const found =
        static_cast<char const*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    char const* const line_end = found == nullptr ? end : found;
    bool const entry = at < line_end && *at != '%' && (!is_blank(*at) || !is_done({at, line_end}));
    ++counts.lines;
    counts.entries += entry ? 1 : 0;
    at = line_end + 1;
  }
  return counts;
}

entry_lines::complaint entry_lines::parse_piece(std::size_t piece) {
  line_reader lines(pieces_[piece]);
  index_t at = counts_[piece].entries;
  std::uint64_t const lines_before = before_.lines + counts_[piece].lines;
  while (auto const line = lines.next()) {
    if (is_done(*line)) continue;
    std::string reason;
    if (before_.entries + at >= claimed_) {
      reason = "more than the " + std::to_string(claimed_) + " entries that the sizes promise";
    } else {
      reason = parse_entry(*line, static_cast<std::size_t>(at));
    }
    if (!reason.empty()) return {lines_before + lines.lines(), std::move(reason)};
    ++at;
  }
  return {};
}

std::string entry_lines::parse_entry(std::string_view line, std::size_t at) {
  index_t row = 0, column = 0;
  std::string_view rest = line;
  if (!take_index(rest, matrix_.rows, row)) return wrong_index(line, 0);
  if (!take_index(rest, matrix_.columns, column)) return wrong_index(line, 1);
  matrix_.row_indices[at] = static_cast<std::int32_t>(row - 1);
  matrix_.column_indices[at] = static_cast<std::int32_t>(column - 1);
  std::string reason;
  if (matrix_.field == matrix_field::real) reason = take_value(rest, matrix_.reals[at]);
  if (matrix_.field == matrix_field::integer) reason = take_value(rest, matrix_.integers[at]);
  if (!reason.empty()) return reason;
  if (matrix_.symmetry == matrix_symmetry::skew_symmetric && row == column &&
      !(matrix_.field == matrix_field::real ? matrix_.reals[at] == 0 : matrix_.integers[at] == 0)) {
    return "row " + std::to_string(row) +
           " has an entry on the diagonal, expected none or 0 in a skew-symmetric matrix";
  }
  if (!is_done(rest)) {
    return for_people(next_word(rest)) + " after the entry, expected the end of the line";
  }
  return {};
}

bool entry_lines::take_index(std::string_view& line, index_t max_index, index_t& index) {
  std::size_t at = 0;
  while (at < line.size() && is_blank(line[at])) ++at;
  std::size_t const begin = at;
  index_t value = 0;
  for (; at < line.size() && at - begin < 18; ++at) {
    auto const digit = static_cast<unsigned>(line[at]) - unsigned{'0'};
    if (digit > 9) break;
    value = 10 * value + static_cast<index_t>(digit);
  }
  bool const ends = at == line.size() || is_blank(line[at]) || line[at] == '%';
  if (at == begin || !ends) return false;
  line.remove_prefix(at);
  index = value;
  return 1 <= value && value <= max_index;
}

std::string entry_lines::wrong_index(std::string_view line, int which) const {
  char const* const what = which == 0 ? "row" : "column";
  std::string_view word = next_word(line);
  if (which == 1) word = next_word(line);
  index_t const max_index = which == 0 ? matrix_.rows : matrix_.columns;
  if (word.empty()) return "no " + std::string(what) + ", expected a row and a column";
  index_t value = 0;
  if (word.starts_with('+') || parse_number(word, value) == parse_outcome::no_number) {
    return for_people(word) + " is no " + what + ", expected a whole number";
  }
  std::string text(what);
  text.append(" ").append(word.substr(0, 40)).append(" is out of range, expected ");
  return max_index == 0 ? text.append("no entries at all")
                        : text.append("1 to ").append(std::to_string(max_index));
}

template <class T>
std::string entry_lines::take_value(std::string_view& line, T& value) {
  std::string_view const word = next_word(line);
  std::string const expected = "expected " + std::string(std::is_integral_v<T> ? "an " : "a ");
  if (word.empty()) return "no value, " + expected + expected_number<T>();
  switch (parse_number(word, value)) {
    case parse_outcome::number:
      return {};
    case parse_outcome::out_of_range:
      return for_people(word) + " is out of range, " + expected + expected_number<T>();
    default:
      return for_people(word) + " is no number, " + expected + expected_number<T>();
  }
}

}  // namespace libscan::apps
