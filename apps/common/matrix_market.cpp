// SPDX-License-Identifier: Apache-2.0
// Matrix Market files, parsed by several threads. Pieces of whole lines are counted first, so that
// each piece then has its line numbers and the place of its entries.
#include <apps/common/matrix_market.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <apps/common/block_file.hpp>
#include <apps/common/byte_source.hpp>
#include <apps/common/data_file.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/gzip.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number.hpp>
#include <apps/common/program.hpp>
#include <apps/common/progress.hpp>
#include <apps/common/table.hpp>

namespace libscan::apps {
namespace {

constexpr std::string_view field_names[] = {"real", "integer", "pattern"};
constexpr std::string_view symmetry_names[] = {"general", "symmetric", "skew-symmetric"};
constexpr index_t max_indices = std::numeric_limits<std::int32_t>::max();

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes lines off the front of a text.
class line_reader {
 public:
  explicit line_reader(std::string_view text) : rest_(text) {}

  /// The next line without its end; nothing at the end of the text.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    std::size_t const end = std::min(rest_.find('\n'), rest_.size());
    std::string_view const line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++lines_;
    return line;
  }

  std::uint64_t lines() const { return lines_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::uint64_t lines_ = 0;
};

/// Takes words off the front of a line; empty when there are no more.
std::string_view next_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  std::string_view const word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

bool all_blank(std::string_view line) { return std::all_of(line.begin(), line.end(), is_blank); }

/// Whether nothing is left of a line, or only a comment.
bool is_done(std::string_view rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  return begin == rest.size() || rest[begin] == '%';
}

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
  throw file_error::at_line(name, 1, for_people(word) + ", expected " + expected);
}

/// Reads the first line.
void read_banner(std::string_view line, std::string const& name, matrix_file& matrix) {
  if (!same_word(next_word(line), "%%matrixmarket")) {
    throw file_error::at_line(name, 1, "no Matrix Market file, expected %%MatrixMarket");
  }
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

/// What is wrong with a line.
struct complaint {
  std::uint64_t line = std::numeric_limits<std::uint64_t>::max();
  std::string reason;
};

/// The lines after the size line, or a part of them.
class entry_lines {
 public:
  entry_lines(std::string_view text, index_t claimed, std::string const& name, matrix_file& matrix,
              std::size_t piece_bytes)
      : claimed_(claimed), bytes_(static_cast<index_t>(text.size())), name_(name), matrix_(matrix) {
    while (!text.empty()) {
      std::size_t end = text.size();
      if (end > piece_bytes) end = std::min(text.find('\n', piece_bytes), end - 1) + 1;
      pieces_.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
    counts_.resize(pieces_.size() + 1);
  }

  /// Counts lines and entries; returns how many there are.
  line_counts count(int threads) {
    for_each_piece(threads, [&](std::size_t p) { counts_[p + 1] = count_in(pieces_[p]); });
    for (std::size_t p = 1; p < counts_.size(); ++p) {
      counts_[p].lines += counts_[p - 1].lines;
      counts_[p].entries += counts_[p - 1].entries;
    }
    return counts_.back();
  }

  /// Reads the entries. `before`: lines and entries before the text.
  void parse(int threads, line_counts before) {
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
    for_each_piece(threads, [&](std::size_t p) { complaints[p] = parse_piece(p); });
    for (complaint const& first : complaints) {
      if (!first.reason.empty()) throw file_error::at_line(name_, first.line, first.reason);
    }
    if (matrix_.symmetry != matrix_symmetry::general) {
      for (std::size_t k = 0; k < capacity; ++k) {
        if (matrix_.row_indices[k] < matrix_.column_indices[k]) ++matrix_.above_diagonal;
      }
    }
  }

  /// Refuses entries before they are read, where the file is long enough for all that it claims.
  void require_claimed() const {
    if (claimed_ <= bytes_ / min_line) require_entries(claimed_);
  }

 private:
  static constexpr index_t min_line = 4;  // bytes: "1 1" and its end

  void require_entries(index_t n) const {
    std::uint64_t const value = matrix_.field == matrix_field::pattern ? 0 : 8;
    require_memory(
        memory_held() + static_cast<std::uint64_t>(n) * (2 * sizeof(std::int32_t) + value),
        "reading " + name_);
  }

  template <class Work>
  void for_each_piece(int threads, Work const& work) {
    std::atomic<std::size_t> ticket{0};
    auto const run = [&] {
      for (std::size_t p = ticket++; p < pieces_.size(); p = ticket++) work(p);
    };
    std::size_t const most = std::min(static_cast<std::size_t>(threads), pieces_.size());
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t t = 1; t < most; ++t) helpers.emplace_back(run);
    } catch (std::system_error const&) {
      // Fewer threads are enough.
    }
    run();
  }

  static line_counts count_in(std::string_view text) {
    line_counts counts;
    char const* at = text.data();
    char const* const end = at + text.size();
    while (at < end) {
      auto const* const found =
          static_cast<char const*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      char const* const line_end = found == nullptr ? end : found;
      bool const entry =
          at < line_end && *at != '%' && (!is_blank(*at) || !is_done({at, line_end}));
      ++counts.lines;
      counts.entries += entry ? 1 : 0;
      at = line_end + 1;
    }
    return counts;
  }

  complaint parse_piece(std::size_t piece) {
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

  /// Empty, or the error.
  std::string parse_entry(std::string_view line, std::size_t at) {
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
        !(matrix_.field == matrix_field::real ? matrix_.reals[at] == 0
                                              : matrix_.integers[at] == 0)) {
      return "row " + std::to_string(row) +
             " has an entry on the diagonal, expected none or 0 in a skew-symmetric matrix";
    }
    if (!is_done(rest)) {
      return for_people(next_word(rest)) + " after the entry, expected the end of the line";
    }
    return {};
  }

  /// Takes an index from 1 to `most`; false if there is none.
  static bool take_index(std::string_view& line, index_t most, index_t& index) {
    std::size_t at = 0;
    while (at < line.size() && is_blank(line[at])) ++at;
    std::size_t const begin = at;
    index_t value = 0;
    for (; at < line.size() && at - begin < 18; ++at) {
      auto const digit = static_cast<unsigned>(line[at]) - unsigned{'0'};
      if (digit > 9) break;
      value = 10 * value + static_cast<index_t>(digit);
    }
    if (at == begin || (at < line.size() && !is_blank(line[at]))) return false;
    line.remove_prefix(at);
    index = value;
    return 1 <= value && value <= most;
  }

  /// The message for the index that `take_index` refused: the line's first or second.
  std::string wrong_index(std::string_view line, int which) const {
    char const* const what = which == 0 ? "row" : "column";
    std::string_view word = next_word(line);
    if (which == 1) word = next_word(line);
    index_t const most = which == 0 ? matrix_.rows : matrix_.columns;
    if (word.empty()) return "no " + std::string(what) + ", expected a row and a column";
    index_t value = 0;
    if (word.starts_with('+') || parse_number(word, value) == parse_outcome::no_number) {
      return for_people(word) + " is no " + what + ", expected a whole number";
    }
    std::string text(what);
    text.append(" ").append(word.substr(0, 40)).append(" is out of range, expected ");
    return most == 0 ? text.append("no entries at all")
                     : text.append("1 to ").append(std::to_string(most));
  }

  template <class T>
  static std::string take_value(std::string_view& line, T& value) {
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

  index_t claimed_;
  index_t bytes_;
  std::string const& name_;
  matrix_file& matrix_;
  std::vector<std::string_view> pieces_;
  std::vector<line_counts> counts_;  // before each piece, and at the end
  line_counts before_;               // before the first piece
};

/// Refuses a file that has fewer entries than it claims.
void require_all(std::string const& name, line_counts const& all, index_t claimed) {
  if (all.entries >= claimed) return;
  throw file_error::at_line(name, all.lines,
                            "the file ends after " + std::to_string(all.entries) +
                                " entries, expected " + std::to_string(claimed));
}

std::string_view as_text(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// All bytes of the source, in one piece of memory.
kept_bytes all_bytes(byte_reader& in) {
  if (auto bytes = in.rest()) return std::move(*bytes);
  return read_up_to(in, std::numeric_limits<std::uint64_t>::max());
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// Reads a file up to its size line, which `text` contains or lacks; returns the entries it claims.
index_t read_header(line_reader& lines, std::string const& name, matrix_file& matrix) {
  auto const banner = lines.next();
  if (!banner) throw file_error(name, "the file is empty, expected %%MatrixMarket");
  read_banner(*banner, name, matrix);
  return read_sizes(lines, name, matrix);
}

int threads_or_cores(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

/// Fills `to` from byte `at` of a file.
void read_bytes(descriptor const& file, std::string const& name, std::uint64_t at,
                std::span<std::byte> to) {
  while (!to.empty()) {
    ssize_t const got = ::pread(file.get(), to.data(), to.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error::from_errno(name, "cannot read", errno);
    if (got == 0) throw file_error(name, "the file shrank while it was read");
    at += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

/// Where the first line begins that is not before byte `at`; a line ends before it. `end` if there
/// is none.
std::uint64_t line_from(descriptor const& file, std::string const& name, std::uint64_t at,
                        std::uint64_t end) {
  std::vector<std::byte> block(std::size_t{1} << 14);
  for (--at; at < end; at += block.size()) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), end - at)));
    read_bytes(file, name, at, block);
    auto const found = std::ranges::find(block, std::byte{'\n'});
    if (found != block.end()) return at + static_cast<std::uint64_t>(found - block.begin()) + 1;
  }
  return end;
}

/// The bytes of the file up to the end of its size line, or all of them.
std::string_view header_of(byte_reader& in) {
  for (std::size_t n = std::size_t{1} << 12;; n *= 2) {
    auto const bytes = in.peek(n);
    std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    line_reader lines(text);
    lines.next();
    std::optional<std::string_view> line;
    do {
      line = lines.next();
    } while (line && is_done(*line));
    // Without its end, the last line may be cut.
    if (bytes.size() < n || (line && !lines.rest().empty())) {
      return text.substr(0, text.size() - lines.rest().size());
    }
  }
}

matrix_file read_whole(byte_reader& in, int threads, std::size_t piece_bytes) {
  std::string const& name = in.name();
  kept_bytes const bytes = all_bytes(in);
  line_reader lines(without_mark(as_text(bytes.bytes)));
  matrix_file matrix;
  matrix.bytes = bytes.bytes.size();
  index_t const claimed = read_header(lines, name, matrix);
  entry_lines entries(lines.rest(), claimed, name, matrix, piece_bytes);
  entries.require_claimed();
  line_counts const found = entries.count(threads_or_cores(threads));
  entries.parse(threads_or_cores(threads), {lines.lines(), 0});
  require_all(name, {lines.lines() + found.lines, found.entries}, claimed);
  return matrix;
}

}  // namespace

std::string_view name_of(matrix_field field) {
  return field_names[static_cast<std::size_t>(field)];
}

std::string_view name_of(matrix_symmetry kind) {
  return symmetry_names[static_cast<std::size_t>(kind)];
}

matrix_file read_matrix_market(std::unique_ptr<byte_source> source, std::string const& name,
                               int threads, std::size_t piece_bytes) {
  byte_reader in = plain_content(byte_reader(std::move(source), name), false);
  return read_whole(in, threads, piece_bytes);
}

matrix_file read_matrix_market(std::string const& path, progress* meter, int threads) {
  return matrix_stream(path, meter, threads).read_all();
}

void note_above_diagonal(std::string const& name, matrix_symmetry kind, index_t entries) {
  if (entries == 0) return;
  say("note: " + name + ": " + std::to_string(entries) + " entries are above the diagonal of a " +
      std::string(name_of(kind)) + " matrix; each counts on both sides of it, as in SciPy");
}

matrix_stream::matrix_stream(std::string const& path, progress* meter, int threads)
    : name_(input_name(path)), meter_(meter), threads_(threads_or_cores(threads)) {
  in_ = std::make_unique<byte_reader>(
      plain_content(byte_reader(open_file(path, meter), name_), false));
  // More than the first bytes of a file would not stay where they are.
  constexpr std::size_t looked_at = std::size_t{1} << 16;
  std::string_view text = as_text(in_->peek(in_->bytes_left() ? 1 : looked_at));
  text = text.substr(0, text.rfind('\n') + 1);
  claims found;
  line_reader lines(without_mark(text));
  try {
    found.entries = read_header(lines, name_, found.matrix);
  } catch (file_error const&) {
    return;  // `read_all` says what is wrong
  }
  head_ = std::move(found);
  lines_ = lines.lines();
  taken_ = static_cast<std::size_t>(lines.rest().data() - text.data());
}

matrix_stream::~matrix_stream() = default;

std::uint64_t matrix_stream::text_bytes() const {
  constexpr std::uint64_t of_line = 8;
  if (!in_->bytes_left()) return static_cast<std::uint64_t>(head_ ? head_->entries : 0) * of_line;
  return in_->file() ? 0 : *in_->bytes_left();
}

matrix_file matrix_stream::read_all() {
  matrix_file matrix = read_whole(*in_, threads_, std::size_t{1} << 20);
  above_diagonal_ = matrix.above_diagonal;
  finish(matrix.symmetry);
  return matrix;
}

bool matrix_stream::next(matrix_file& to) {
  if (entries_ == 0 && text_.empty()) {
    if (auto blocks = by_blocks(*in_, meter_)) in_ = std::move(blocks);
    (void)in_->peek(taken_);
    in_->skip(std::exchange(taken_, 0));
    text_.resize(block_bytes());
  }
  if (!fill()) {
    require_all(name_, {lines_, entries_}, head_->entries);
    finish(head_->matrix.symmetry);
    return false;
  }
  to = head_->matrix;
  std::string_view const text(text_.data(), taken_);
  std::size_t const piece =
      std::max<std::size_t>(text.size() / static_cast<std::size_t>(threads_), std::size_t{1} << 14);
  entry_lines lines(text, head_->entries, name_, to, piece);
  line_counts const found = lines.count(threads_);
  lines.parse(threads_, {lines_, entries_});
  lines_ += found.lines;
  entries_ += found.entries;
  above_diagonal_ += to.above_diagonal;
  return true;
}

/// Drops the lines that were taken, and takes the next ones; false: there are none.
bool matrix_stream::fill() {
  std::memmove(text_.data(), text_.data() + taken_, filled_ - taken_);
  filled_ -= std::exchange(taken_, 0);
  for (;;) {
    std::span<char> const left = std::span(text_).subspan(filled_);
    std::size_t const got = at_end_ ? 0 : in_->read(std::as_writable_bytes(left));
    filled_ += got;
    at_end_ = at_end_ || got < left.size();
    std::size_t const last = std::string_view(text_.data(), filled_).rfind('\n');
    taken_ = at_end_ ? filled_ : last == std::string_view::npos ? 0 : last + 1;
    if (taken_ > 0 || at_end_) return taken_ > 0;
    require_memory(memory_held() + 2 * text_.size(), "reading " + name_);
    text_.resize(2 * text_.size());
  }
}

void matrix_stream::finish(matrix_symmetry kind) const {
  if (meter_ != nullptr) meter_->finish();
  note_above_diagonal(name_, kind, above_diagonal_);
}

struct matrix_market_part::state {
  std::string name;
  byte_buffer text;
  matrix_file matrix;
  std::optional<entry_lines> lines;
};

matrix_market_part::matrix_market_part(std::string const& path, int part, int parts, int threads)
    : state_(std::make_unique<state>()), threads_(threads_or_cores(threads)) {
  state_->name = input_name(path);
  byte_reader in(open_file(path, nullptr), state_->name);
  auto const file = in.file();
  if (path == "-" || (!file && !in.peek(1).empty()) || named_gzip(path)) {
    throw usage_error(state_->name +
                      ": no regular file, or compressed, expected an uncompressed Matrix Market "
                      "file, since each rank reads a part");
  }
  std::uint64_t const end = in.bytes_left().value_or(0);
  std::string_view const header = header_of(in);
  line_reader first(without_mark(header));
  claimed_ = read_header(first, state_->name, state_->matrix);
  header_lines_ = first.lines();
  state_->matrix.bytes = end;
  auto const boundary = [&](int number) {
    std::uint64_t const body = end - header.size();
    auto const whole = static_cast<std::uint64_t>(number), of = static_cast<std::uint64_t>(parts);
    std::uint64_t const at = header.size() + body / of * whole + body % of * whole / of;
    return number == 0 ? header.size() : line_from(*file, state_->name, at, end);
  };
  std::uint64_t const begin = boundary(part), last = boundary(part + 1);
  auto const bytes = state_->text.grow(static_cast<std::size_t>(last - begin));
  read_bytes(*file, state_->name, begin, bytes);
  state_->lines.emplace(std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size()),
                        claimed_, state_->name, state_->matrix, std::size_t{1} << 20);
  counts_ = state_->lines->count(threads_);
}

matrix_market_part::~matrix_market_part() = default;

matrix_file const& matrix_market_part::matrix() const { return state_->matrix; }

matrix_file matrix_market_part::parse(line_counts before, line_counts all) {
  before.lines += header_lines_;
  all.lines += header_lines_;
  state_->lines->parse(threads_, before);
  require_all(state_->name, all, claimed_);
  return std::move(state_->matrix);
}

}  // namespace libscan::apps
