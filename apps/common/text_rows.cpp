// SPDX-License-Identifier: Apache-2.0
// Reads keys, and notes where their rows are.
#include <apps/common/text_rows.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include <apps/common/cells.hpp>
#include <apps/common/memory_bound.hpp>
#include <apps/common/number_column.hpp>
#include <apps/common/on_threads.hpp>

namespace libscan::apps {
namespace {

array as_array(dtype type, byte_buffer& items) {
  kept_bytes bytes = items.release();
  return {type,
          {static_cast<index_t>(bytes.bytes.size() / size_of(type))},
          file_format::text,
          bytes.bytes,
          std::move(bytes.owner)};
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Space for that many items.
template <class T>
void reserve_in_huge_pages(std::vector<T>& items, std::size_t count) {
  items.reserve(count);
  advise_huge_pages(items.data(), count * sizeof(T));
}

/// Counts lines that may be rows: those that are neither empty nor comments.
class row_line_counter {
 public:
  /// `comments`: whether lines that begin with '#' are comments.
  explicit row_line_counter(bool comments) : comments_(comments) {}

  /// Takes the next bytes of the text.
  void add(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t const end = std::min(text.find('\n', at), text.size());
      for (std::size_t i = at; !known_ && i < end; ++i) {
        bool const blank = is_tab_or_space(text[i]) || text[i] == '\r';
        known_ = !blank;
        row_ = known_ && !(comments_ && text[i] == '#');
      }
      line_ += end - at;
      if (end < text.size()) end_line();
      at = end + 1;
    }
  }

  /// Ends the last line. Returns the number of lines that may be rows.
  std::size_t rows() {
    if (line_ > 0) end_line();
    return rows_;
  }

  /// The bytes of all other lines.
  std::uint64_t other_bytes() const { return other_bytes_; }

 private:
  void end_line() {
    rows_ += row_ ? 1 : 0;
    other_bytes_ += row_ ? 0 : line_ + 1;
    line_ = 0;
    known_ = row_ = false;
  }

  bool comments_;
  std::uint64_t line_ = 0;  // the bytes of this line so far
  bool known_ = false;      // it has more than blanks
  bool row_ = false;
  std::size_t rows_ = 0;
  std::uint64_t other_bytes_ = 0;
};

/// The text from its first line on that is no comment.
std::string_view without_leading_comments(std::string_view text) {
  for (;;) {
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '#') return text;
    std::size_t const end = std::min(text.find('\n', first), text.size() - 1);
    text.remove_prefix(end + 1);
  }
}

/// The sum of count(some) over parts of a text, which end where lines do.
template <class Count>
std::size_t sum_by_lines(std::string_view text, int threads, Count const& count) {
  constexpr std::size_t part = std::size_t{1} << 20;
  std::vector<std::size_t> found((text.size() + part - 1) / part);
  // The first line that begins at `at` or later.
  auto const line_from = [&](std::size_t at) {
    return at == 0 || at >= text.size() ? std::min(at, text.size())
                                        : std::min(text.find('\n', at - 1), text.size() - 1) + 1;
  };
  for_each_on_threads(found.size(), threads, [&](std::size_t i) {
    std::size_t const begin = line_from(i * part), end = line_from((i + 1) * part);
    found[i] = count(text.substr(begin, end - begin));
  });
  return std::accumulate(found.begin(), found.end(), std::size_t{0});
}

/// How many LF a text has.
std::size_t lines_in(std::string_view text, int threads) {
  return sum_by_lines(text, threads, [](std::string_view some) {
    return static_cast<std::size_t>(std::count(some.begin(), some.end(), '\n'));
  });
}

/// About as many lines as a text has, from samples of it.
std::size_t about_lines_in(std::string_view text) {
  constexpr std::size_t samples = 64, sample_bytes = 4096;
  if (text.size() < 2 * samples * sample_bytes) return lines_in(text, 1);
  std::size_t found = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    found += lines_in(text.substr(text.size() / samples * i, sample_bytes), 1);
  }
  std::size_t const all = found * (text.size() / (samples * sample_bytes) + 1);
  return all + all / 16;
}

/// How many lines of a text may be rows. Takes longer than `lines_in`.
std::size_t rows_in(std::string_view text, comment_rule comments, int threads) {
  if (comments == comment_rule::leading) text = without_leading_comments(text);
  return sum_by_lines(text, threads, [comments](std::string_view some) {
    row_line_counter counter(comments == comment_rule::all);
    counter.add(some);
    return counter.rows();
  });
}

/// All of a text.
kept_bytes whole_text(byte_reader& in) {
  std::string const what = "reading " + in.name();
  if (auto const left = in.bytes_left()) require_memory(*left, what);
  auto all = in.rest();
  if (!all) return read_up_to(in, std::numeric_limits<std::uint64_t>::max());
  require_memory(all->bytes.size(), what);
  return std::move(*all);
}

}  // namespace

/// Collects one column's keys.
class text_row_reader::key_builder {
 public:
  key_builder(column_reader& in, std::size_t k, column_key key, read_options const& options,
              std::string const& name)
      : in_(in),
        how_(std::move(key)),
        k_(k),
        numbers_(in, k, options.type, name),
        seconds_(name),
        fractions_(name) {}

  /// Adds the cell of a row, which stays in memory here. Returns the bytes that its key takes.
  std::size_t add(std::string_view row) {
    note_missing();
    ++rows_;
    switch (how_.kind) {
      case cell_kind::number:
        numbers_.add();
        return sizeof(std::int64_t);
      case cell_kind::date:
        add_date();
        return sizeof(std::int64_t) + sizeof(std::uint32_t);
      default:
        return add_word(row);
    }
  }

  /// The column for rows that are plain.
  plain_column plain() const {
    plain_column column{in_.number(k_), k_, {}};
    if (how_.kind == cell_kind::number) column.numbers = numbers_.rule_of_plain_numbers();
    return column;
  }

  /// Adds the first `count` of such cells. Rows that begin at `from` stay in memory at `to`.
  /// Returns the bytes that the keys take.
  std::size_t add_plain(plain_rows::cells const& cells, std::size_t count, char const* from,
                        char const* to) {
    rows_ += count;
    if (any_missing_) column_.missing.resize(rows_, 0);
    if (how_.kind == cell_kind::number) {
      numbers_.add_plain(std::span(cells.numbers).first(count));
      return count * sizeof(std::int64_t);
    }
    for (std::string_view const word : std::span(cells.words).first(count)) {
      column_.words.push_back({to + (word.data() - from), word.size()});
    }
    return count * sizeof(std::string_view);
  }

  /// Takes note of such cells that are used elsewhere.
  void pass_plain(plain_rows::cells const& cells) { numbers_.pass_plain(cells.numbers); }
  dtype type() const { return numbers_.type(); }

  /// Begins a piece of no more than that many rows.
  void begin(std::size_t rows) {
    column_ = {};
    column_.how = how_;
    if (how_.kind == cell_kind::text) reserve_in_huge_pages(column_.words, rows);
    fractions_used_ = any_missing_ = false;
    rows_ = 0;
  }

  /// The keys of the piece.
  key_column release() {
    if (how_.kind == cell_kind::number) column_.numbers = numbers_.release();
    if (how_.kind == cell_kind::date) {
      column_.numbers = as_array(dtype::i64, seconds_);
      array fractions = as_array(dtype::u32, fractions_);
      if (fractions_used_) column_.nanoseconds = std::move(fractions);
    }
    return std::move(column_);
  }

 private:
  void note_missing() {
    if (!in_.missing(k_) && !any_missing_) return;
    if (!any_missing_) column_.missing.assign(rows_, 0);
    any_missing_ = true;
    column_.missing.push_back(in_.missing(k_) ? 1 : 0);
  }

  std::size_t add_word(std::string_view row) {
    auto const at = in_.cell_place(k_);
    std::string_view word = row.substr(static_cast<std::size_t>(at.begin), at.size);
    std::size_t bytes = sizeof word;
    if (in_.quoted(k_) && word.find('"') != std::string_view::npos) {
      column_.unquoted.push_back(std::make_unique<std::string>(without_doubled_quotes(word)));
      word = *column_.unquoted.back();
      bytes += sizeof(std::unique_ptr<std::string>) + sizeof(std::string) + word.size();
    }
    column_.words.push_back(word);
    return bytes;
  }

  void add_date() {
    std::optional<moment> const date = in_.missing(k_) ? moment{0, 0} : parse_date(in_.shown(k_));
    if (!date) in_.refuse(k_, "a date as 2024-02-29 or 2024-02-29T23:59:59.5Z");
    seconds_.push(date->seconds);
    fractions_.push(date->nanoseconds);
    fractions_used_ = fractions_used_ || date->nanoseconds != 0;
  }

  column_reader& in_;
  column_key how_;
  std::size_t k_;
  key_column column_;
  number_column numbers_;
  byte_buffer seconds_, fractions_;
  bool fractions_used_ = false;
  bool any_missing_ = false;
  std::size_t rows_ = 0;
};

std::uint64_t key_column::bytes() const {
  return numbers.bytes.size() + nanoseconds.bytes.size() + words.size() * sizeof(words[0]) +
         missing.size();
}

void row_list::reserve(std::size_t rows) {
  reserve_in_huge_pages(words_, row_bytes / sizeof(std::uint32_t) * rows);
}

void row_list::append(char const* begin, std::span<std::uint32_t const> ends) {
  if (ends.empty()) return;
  if (wide_ || !may_begin(begin, begin + ends.back())) {
    std::size_t at = 0;
    for (std::uint32_t const end : ends) {
      push_line({begin + at, end - 1 - at});
      at = end;
    }
    return;
  }
  auto const first = static_cast<std::uint32_t>(begin - text_);
  words_.push_back(first);
  std::size_t const before = words_.size();
  words_.insert(words_.end(), ends.begin(), ends.end() - 1);
  for (std::size_t i = before; i < words_.size(); ++i) words_[i] += first;
  end_ = begin + ends.back() - 1;
}

void row_list::clear() {
  words_.clear();
  long_.clear();
  wide_ = false;
}

void row_list::push_place(std::string_view row) {
  if (words_.empty()) text_ = row.data();
  auto const begin = static_cast<std::uint64_t>(row.data() - text_);
  bool const fits = row.size() < max_size && begin >> (64 - size_bits) == 0;
  if (!fits) long_.emplace(size(), row);
  std::uint64_t const place = fits ? begin << size_bits | row.size() : max_size;
  std::uint32_t words[2];
  std::memcpy(words, &place, sizeof place);
  words_.insert(words_.end(), words, words + 2);
}

/// Lines become rows with places, from the last one to the first: each pair of words is written
/// after the words there were read.
void row_list::widen() {
  wide_ = true;
  std::size_t const count = words_.size();
  words_.resize(2 * count);
  for (std::size_t i = count; i-- > 0;) {
    std::string_view const line = line_at(words_[i]);
    bool const fits = line.size() < max_size;
    if (!fits) long_.emplace(i, line);
    auto const begin = static_cast<std::uint64_t>(words_[i]);
    std::uint64_t const place = fits ? begin << size_bits | line.size() : max_size;
    std::memcpy(&words_[2 * i], &place, sizeof place);
  }
}

std::uint64_t text_rows::bytes() const {
  std::uint64_t total = text.bytes.size() + rows.bytes();
  for (key_column const& key : keys) total += key.bytes();
  return total;
}

text_row_reader::text_row_reader(byte_reader& in, read_options const& options,
                                 std::vector<column_key> const& keys,
                                 std::optional<row_limit> limit)
    : options_(options), file_(in.file()), limit_(limit) {
  has_mark_ = as_text(in.peek(byte_order_mark.size())).starts_with(byte_order_mark);
  auto const left = in.bytes_left();
  std::optional<kept_bytes> kept;
  if (!limit) {
    kept = whole_text(in);
  } else if (limit->all && left && *left <= limit->bytes / 4) {
    kept = in.rest();
  }
  texts_ = static_cast<std::uint64_t>(std::count_if(
      keys.begin(), keys.end(), [](column_key const& key) { return key.kind == cell_kind::text; }));
  bool const few = limit && limit->enough < ~std::size_t{0};
  if (kept) {
    whole_ = std::move(*kept);
    whole_in_ = std::make_unique<byte_reader>(from_memory(whole_), in.name());
    std::string_view const all = as_text(whole_.bytes);
    rows_expected_ = few ? all.size() : expected_rows(all, options.threads);
    taken_ = whole_.bytes.size();
  }
  if (limit) {
    auto const max_rows = static_cast<std::size_t>(
        std::min<std::uint64_t>(limit->bytes / (limit->per_row + row_list::row_bytes),
                                limit->enough) +
        1);
    rows_expected_ = kept ? std::min(rows_expected_, max_rows) : max_rows;
  } else if (options.missing.what != missing_rule::choice::skip) {
    std::uint64_t const row_bytes = max_row_bytes();
    if (memory_held() + rows_expected_ * row_bytes > memory_bound()) {
      rows_expected_ =
          rows_in(as_text(whole_.bytes), options.comments, threads_for(options.threads)) + 1;
    }
    require_memory(memory_held() + rows_expected_ * row_bytes, "reading " + in.name());
  }
  if (limit && !kept) blocks_in_ = by_blocks(in, options.meter);
  byte_reader& from = kept ? *whole_in_ : blocks_in_ ? *blocks_in_ : in;
  from_ = &from;
  cells_ = std::make_unique<column_reader>(from, options, keys);
  bool plain = true;
  for (std::size_t k = 0; k < std::max<std::size_t>(keys.size(), 1); ++k) {
    column_key const key = keys.empty() ? column_key{options.column.value_or(1)} : keys[k];
    plain = plain && key.kind != cell_kind::date;
    builders_.push_back(std::make_unique<key_builder>(*cells_, k, key, options, in.name()));
  }
  if (plain) feed_ = std::make_unique<plain_row_feed>(*cells_, options.threads);
}

text_row_reader::~text_row_reader() = default;

/// Growing a list copies it, so space for all rows is made at once. Counting lines takes time:
/// where memory suffices for any number of them, also while lists grow, the number is only
/// estimated.
std::size_t text_row_reader::expected_rows(std::string_view text, int threads) const {
  constexpr std::size_t min_line = 2, growing = 3;
  std::uint64_t const most = text.size() / min_line * growing * max_row_bytes();
  bool const any_fits = memory_held() + text.size() + most <= memory_bound();
  return any_fits ? about_lines_in(text) : lines_in(text, threads_for(threads)) + 1;
}

/// What a row takes in lists of rows and of texts.
std::uint64_t text_row_reader::max_row_bytes() const {
  return row_list::row_bytes + texts_ * sizeof(std::string_view);
}

std::uint64_t text_row_reader::bytes_without_rows() const {
  std::uint64_t const left = bytes_left().value_or(0);
  bool const skips = options_.missing.what == missing_rule::choice::skip;
  if (skips || !file_ || left == 0) return left;
  row_line_counter counter(options_.comments == comment_rule::all);
  std::uint64_t const at = from_->offset();
  block_reader rest(file_, from_->name(), at, at + left, block_bytes());
  for (auto piece = rest.next(); !piece.empty(); piece = rest.next()) counter.add(as_text(piece));
  counter.rows();
  return counter.other_bytes();
}

text_rows text_row_reader::next() {
  text_rows result;
  begin_piece(result);
  bool full = false;
  while (!full && (waits_ || cells_->next())) {
    waits_ = !add_row(result);
    full = waits_ || ends(result);
    while (!full && add_plain_rows(result)) full = ends(result);
  }
  at_end_ = !full;
  finish_piece(result);
  return result;
}

/// Whether the piece ends after the row in `cells_`.
bool text_row_reader::ends(text_rows const& piece) {
  // The only row may turn out to be a sequence.
  if (!limit_ || piece.rows.size() < (begun_ ? 1 : 2)) return false;
  return piece.rows.size() >= limit_->enough || (!limit_->wait && cells_->waits()) ||
         (!limit_->all && feed_ && feed_->flows());
}

void text_row_reader::begin_piece(text_rows& to) {
  to.rows.reserve(rows_expected_);
  for (auto const& builder : builders_) builder->begin(rows_expected_);
  taken_ = whole_.bytes.size();
  copied_ = text_end_ = 0;
  if (copies_.use_count() > 1) copies_.reset();
}

/// Adds the row in `cells_`; false if the piece is full.
bool text_row_reader::add_row(text_rows& to) {
  if (cells_->is_sequence()) {
    for (auto const& builder : builders_) builder->add({});
    return true;
  }
  std::size_t const size = cells_->row_bytes().size() + 1;  // a copy has a LF
  std::uint64_t const more = row_bytes(size);
  bool const full = limit_ && taken_ + more > limit_->bytes;
  bool const no_room = !whole_in_ && copies_ && copied_ + size > copies_->items().size();
  if (!to.rows.empty() && (full || no_room)) return false;
  auto const place = cells_->row_place();
  std::string_view const row =
      whole_in_ ? as_text(whole_.bytes).substr(static_cast<std::size_t>(place.begin), place.size)
                : keep_row(cells_->row_bytes());
  taken_ += more;
  for (auto const& builder : builders_) taken_ += builder->add(row);
  bool const is_line = row.find('\n') == std::string_view::npos;
  is_line ? to.rows.push_line(row) : to.rows.push_back(row);
  return true;
}

/// What a row of this size takes, without its keys.
std::size_t text_row_reader::row_bytes(std::size_t size) const {
  std::size_t const done = limit_ ? static_cast<std::size_t>(limit_->per_row) : 0;
  return row_list::row_bytes + done + (whole_in_ ? 0 : size);
}

/// How many rows of a part fit in this piece.
std::size_t text_row_reader::fitting(plain_rows const& part) const {
  if (!limit_) return part.count;
  std::size_t key_bytes = 0;
  for (auto const& builder : builders_) {
    key_bytes += builder->plain().numbers ? sizeof(std::int64_t) : sizeof(std::string_view);
  }
  std::size_t low = 0, high = part.count;
  while (low < high) {
    std::size_t const n = (low + high + 1) / 2;
    std::size_t const bytes = part.place(n);
    bool const fits =
        taken_ + n * (key_bytes + row_bytes(0)) + (whole_in_ ? 0 : bytes) <= limit_->bytes &&
        (whole_in_ || (copies_ && bytes <= copies_->items().size() - copied_));
    low = fits ? n : low;
    high = fits ? high : n - 1;
  }
  return low;
}

std::vector<plain_column> text_row_reader::plain_columns() const {
  std::vector<plain_column> columns;
  for (auto const& builder : builders_) columns.push_back(builder->plain());
  return columns;
}

/// Adds rows that are plain; false if there is none, or the piece is full.
bool text_row_reader::add_plain_rows(text_rows& to) {
  if (!feed_ || !feed_->due()) return false;
  return feed_->next(plain_columns(), true, {nullptr, [&](plain_rows const& part, std::size_t) {
                                               return add_part(part, to);
                                             }});
}

/// Adds as many of these rows as fit, and returns their number.
std::size_t text_row_reader::add_part(plain_rows const& part, text_rows& to) {
  std::size_t const count = fitting(part), bytes = part.place(count);
  if (count == 0) return 0;
  char const* const at = whole_in_ ? part.begin : keep({part.begin, bytes}, bytes);
  text_end_ = copied_;
  taken_ += count * row_bytes(0) + (whole_in_ ? 0 : bytes);
  for (std::size_t k = 0; k < builders_.size(); ++k) {
    taken_ += builders_[k]->add_plain(part.columns[k], count, part.begin, at);
  }
  to.rows.append(at, std::span(part.ends).first(count));
  return count;
}

bool text_row_reader::pass_plain_rows(plain_row_use const& use) {
  plain_row_use const noting{use.prepare, [&](plain_rows const& part, std::size_t slot) {
                               builders_[0]->pass_plain(part.columns[0]);
                               return use.take(part, slot);
                             }};
  bool more = true, pauses = false;
  while (more && !(pauses = cells_->waits())) {
    more = feed_ && feed_->flows() && feed_->next(plain_columns(), true, noting);
  }
  return pauses;
}

dtype text_row_reader::plain_type() const { return builders_[0]->type(); }

/// A copy of rows, in space for so many bytes. The lists of rows and keys take the other half.
char* text_row_reader::keep(std::string_view rows, std::size_t bytes) {
  if (!copies_ || copies_->items().size() - copied_ < bytes) {
    auto const size = static_cast<std::size_t>(limit_->bytes / 2);
    copies_ = std::make_shared<lazy_buffer<char>>(std::max(size, bytes));
    copied_ = 0;
  }
  char* const to = copies_->items().data() + copied_;
  rows.copy(to, rows.size());
  copied_ += bytes;
  return to;
}

/// A copy of a row with a LF after it. After the last row, the LF is not a part of the text.
std::string_view text_row_reader::keep_row(std::string_view row) {
  char* const to = keep(row, row.size() + 1);
  to[row.size()] = '\n';
  text_end_ = copied_ - 1;
  return {to, row.size()};
}

void text_row_reader::finish_piece(text_rows& to) {
  begun_ = true;
  for (auto const& builder : builders_) to.keys.push_back(builder->release());
  to.is_sequence = cells_->is_sequence();
  if (to.is_sequence) to.rows.clear();
  to.header_line = cells_->header_line();
  if (to.header_line > 0) to.header = cells_->header();
  to.last_end = waits_ ? "\n" : cells_->last_end();  // of a row of this piece
  if (has_mark_) to.mark = byte_order_mark;
  to.notes = cells_->notes();
  if (whole_in_) {
    to.text = whole_;
  } else if (copies_) {
    to.text = {std::as_bytes(copies_->items().first(text_end_)), copies_};
  }
  if (at_end_) copies_.reset();
}

text_rows read_text_rows(byte_reader& in, read_options const& options,
                         std::vector<column_key> const& keys) {
  return text_row_reader(in, options, keys).next();
}

}  // namespace libscan::apps
