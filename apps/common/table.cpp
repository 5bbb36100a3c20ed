// SPDX-License-Identifier: Apache-2.0
// Splitting text into lines and lines into cells.
#include <apps/common/table.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <apps/common/cells.hpp>
#include <apps/common/exit_code.hpp>
#include <apps/common/foreign_format.hpp>
#include <apps/common/utf8.hpp>

namespace libscan::apps {
namespace {

constexpr std::size_t longest_line = std::size_t{16} << 20;

// Own loops: a search for one of several characters calls a function for each.
std::string_view without_blanks_after(std::string_view text) {
  while (!text.empty() && is_tab_or_space(text.back())) text.remove_suffix(1);
  return text;
}

/// The first blank from `at` on; the end if there is none.
std::size_t find_blank(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_tab_or_space(text[at])) ++at;
  return at;
}

}  // namespace

void table_reader::select(std::vector<int> columns) {
  columns_ = std::move(columns);
  last_column_ = *std::max_element(columns_.begin(), columns_.end());
  selected_.assign(columns_.size(), {});
  parts_.assign(columns_.size(), {});
  if (rows_ > 0) find_cells();
}

void table_reader::fail_at(std::uint64_t line, std::string const& reason) const {
  throw file_error::at_line(in_.name(), line, reason);
}

bool table_reader::next() {
  do {
    if (!(rows_ == 0 ? next_line() : read_line())) return false;
  } while (skipped());
  if (++rows_ == 1) choose_delimiter();
  find_cells();
  return true;
}

bool table_reader::next_line() {
  if (!read_line()) return false;
  if (text_.find('\r') != std::string_view::npos) fail(cr_within_line);
  return true;
}

bool table_reader::read_line() {
  in_.skip(to_skip_);
  to_skip_ = 0;
  if (line_ == 0) check_encoding();
  line_ += 1 + std::exchange(joined_lines_, 0);
  line_begin_ = in_.offset();
  carry_.clear();
  return take_line();
}

/// Adds the next line of the input to this one, which is in `carry_` or empty.
bool table_reader::take_line() {
  for (bool any = false;; any = true) {
    std::string_view const ahead = as_text(in_.peek(1));
    std::size_t const end = ahead.find('\n');
    if (ahead.empty() && !any) return false;
    if (carry_.size() + std::min(end, ahead.size()) > longest_line) {
      fail(joined_lines_ > 0 ? "a quote is not closed within 16 MiB, expected '\"'"
                             : "a line of more than 16 MiB, expected text");
    }
    if (end != std::string_view::npos || ahead.empty()) {
      std::string_view const last = ahead.substr(0, end);
      if (!carry_.empty()) carry_ += last;
      line_bytes_ = carry_.empty() ? last : carry_;
      to_skip_ = ahead.empty() ? 0 : end + 1;
      open_ = ahead.empty();
      break;
    }
    carry_ += ahead;
    in_.skip(ahead.size());
  }
  text_ = line_bytes_;
  bool const has_cr = text_.ends_with('\r');
  if (line_ == 1 && joined_lines_ == 0) carriage_returns_ = has_cr && !open_;
  if (has_cr) text_.remove_suffix(1);
  return true;
}

std::string_view table_reader::ahead() {
  in_.skip(std::exchange(to_skip_, 0));
  return as_text(in_.peek(1));
}

bool table_reader::waits() {
  in_.skip(std::exchange(to_skip_, 0));
  return in_.waits();
}

void table_reader::pass(std::size_t bytes, std::size_t rows) {
  in_.skip(bytes);
  line_ += std::exchange(joined_lines_, 0) + rows;
  rows_ += rows;
  open_ = false;
}

plain_rules table_reader::rules_of_plain_rows() const {
  return {delimiter_, rules_.ragged ? 0 : cells_, rules_.comments != comment_rule::all};
}

std::string_view table_reader::missing_end() const {
  if (!open_) return {};
  return carriage_returns_ && !line_bytes_.ends_with('\r') ? "\r\n" : "\n";
}

/// Makes the next line of the input a part of this one, for a quoted cell that goes on there. False
/// at the end.
bool table_reader::join_next_line() {
  if (to_skip_ == 0) return false;
  if (carry_.empty()) carry_ = line_bytes_;
  carry_ += '\n';
  in_.skip(std::exchange(to_skip_, 0));
  ++joined_lines_;
  return take_line();
}

void table_reader::check_encoding() {
  std::string_view const head = as_text(in_.peek(3)).substr(0, 3);
  if (head == "\xef\xbb\xbf") in_.skip(3);
  refuse_foreign_content(in_, "text");
}

bool table_reader::skipped() {
  // A line of only tabs is a row of empty cells if tabs separate cells.
  std::size_t at = 0;
  while (at_blank(at)) ++at;
  if (at == text_.size()) return true;
  if (text_[at] != '#' || rules_.comments == comment_rule::none) return false;
  if (rows_ > 0) return rules_.comments == comment_rule::all && is_comment(at);
  if (!is_comment(at)) return false;
  constexpr std::size_t longest = 4096;
  comment_line_ = line_;
  comment_ = text_.size() <= longest ? text_ : std::string_view();
  return true;
}

/// Whether the word that begins with a '#' at `at` begins a comment.
bool table_reader::is_comment(std::size_t at) const {
  // "#N/A" is a spreadsheet's word for a missing value.
  std::string_view const left = text_.substr(at);
  return !means_missing(left.substr(0, left.find_first_of(";\t, \"")));
}

/// The end, after its last quote, of quoted text that begins at `at`; `at` if none begins there.
/// Quotes are at both ends of a cell or of words in it; quotes inside are doubled.
std::size_t table_reader::end_of_quoted_text(std::size_t at) const {
  constexpr std::string_view around = ";\t, ";
  bool const at_start = at == 0 || around.find(text_[at - 1]) != std::string_view::npos;
  if (!at_start || text_[at] != '"') return at;
  for (std::size_t end = at + 1;; end += 2) {
    end = text_.find('"', end);
    if (end == std::string_view::npos) return at;
    if (end + 1 < text_.size() && text_[end + 1] == '"') continue;
    bool const at_end =
        end + 1 == text_.size() || around.find(text_[end + 1]) != std::string_view::npos;
    return at_end ? end + 1 : at;
  }
}

void table_reader::choose_delimiter() {
  if (rules_.delimiter != '\0') {
    delimiter_ = rules_.delimiter;
    return;
  }
  std::string_view const candidates = rules_.decimal_comma ? ";\t" : ";\t,";
  // A first cell of several lines: only CSV has those.
  std::size_t const first = text_.find_first_not_of(' ');
  bool const quoted = text_[first] == '"';
  if (quoted && closing_quote(first + 1, true) == std::string_view::npos) {
    fail("a quote is not closed, expected '\"'");
  }
  if (joined_lines_ > 0) delimiter_ = candidates.back() == '\t' ? ';' : ',';
  std::size_t best = std::string_view::npos;
  for (std::size_t at = 0; at < text_.size();) {
    if (std::size_t const end = end_of_quoted_text(at); end > at) {
      at = end;
      continue;
    }
    best = std::min(best, candidates.find(text_[at++]));
  }
  if (best != std::string_view::npos) delimiter_ = candidates[best];
}

bool table_reader::at_blank(std::size_t at) const {
  return at < text_.size() && (text_[at] == ' ' || (text_[at] == '\t' && delimiter_ != '\t'));
}

void table_reader::find_cells() {
  bool const keep_all = rows_ <= 2;
  if (delimiter_ == ' ') text_ = without_blanks_after(text_);
  std::fill(parts_.begin(), parts_.end(), part{});
  row_parts_.clear();
  int number = 0;
  for (std::size_t at = 0;; ++at) {
    part const found = next_cell(at);
    ++number;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k] == number) parts_[k] = found;
    }
    if (keep_all) row_parts_.push_back(found);
    if (at >= text_.size()) break;
    // A quote that is not closed is found in every cell.
    bool const enough = rules_.ragged && !keep_all && number >= last_column_;
    if (enough && text_.find('"', at) == std::string_view::npos) break;
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    selected_[k] = {text_.substr(parts_[k].begin, parts_[k].size), parts_[k].quoted};
  }
  row_cells_.clear();
  for (part const& one : row_parts_) row_cells_.push_back(text_.substr(one.begin, one.size));
  cells_in_row_ = number;
  if (rows_ == 1) cells_ = number;
  if (rules_.ragged || number == cells_) return;
  fail("the line has " + std::to_string(number) + (number == 1 ? " cell" : " cells") +
       ", expected " + std::to_string(cells_) + " as in the first line" + comment_hint(text_));
}

std::string table_reader::lacking() const {
  return "the line has " + std::to_string(cells_in_row_) +
         (cells_in_row_ == 1 ? " cell" : " cells") + ", expected column " +
         std::to_string(last_column_) + comment_hint(text_);
}

/// Consumes a cell: `at` moves from its beginning to the delimiter after it or the line's end.
table_reader::part table_reader::next_cell(std::size_t& at) {
  while (at_blank(at)) ++at;
  if (at < text_.size() && text_[at] == '"') return quoted_cell(at);
  std::size_t const begin = at;
  at = delimiter_ == ' ' ? find_blank(text_, at)
                         : std::min(text_.find(delimiter_, at), text_.size());
  return {begin, without_blanks_after(text_.substr(begin, at - begin)).size()};
}

/// The quote that ends the text from `start` on; none: npos. Joins lines up to there if it may.
std::size_t table_reader::closing_quote(std::size_t start, bool may_join) {
  for (std::size_t end = start;; end += 2) {
    for (std::size_t from = end; (end = text_.find('"', from)) == std::string_view::npos;) {
      from = text_.size();
      if (!may_join || !join_next_line()) return end;
    }
    if (end + 1 >= text_.size() || text_[end + 1] != '"') return end;
  }
}

/// The same for a quoted cell and the blanks after it.
table_reader::part table_reader::quoted_cell(std::size_t& at) {
  std::size_t const start = at + 1;
  std::size_t const end = closing_quote(start, delimiter_ != ' ');
  if (end == std::string_view::npos) {
    fail(delimiter_ == ' ' ? "a quote is not closed in its line, expected '\"'; if cells have "
                             "several lines: --delimiter"
                           : "a quote is not closed, expected '\"'");
  }
  // A doubled quote may stay doubled: such a cell is no number anyway.
  part const content{start, end - start, true};
  bool const blank_follows = at_blank(end + 1);
  for (at = end + 1; at_blank(at);) ++at;
  bool const separated =
      delimiter_ == ' ' ? blank_follows : at < text_.size() && text_[at] == delimiter_;
  if (at < text_.size() && !separated) fail("text follows a closing quote, expected a delimiter");
  if (delimiter_ == ' ' && at < text_.size()) --at;  // the blank is the delimiter
  return content;
}

std::string table_reader::comment_hint(std::string_view line) const {
  bool const may_be_comment = line.starts_with('#') && !means_missing(line) && rows_ > 1 &&
                              rules_.comments == comment_rule::leading && rules_.has_options;
  return may_be_comment ? "; if lines that begin with '#' are comments: --comments all" : "";
}

std::string for_people(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "'";
  std::size_t at = 0;
  while (at < std::min(text.size(), longest)) {
    auto const code = static_cast<unsigned char>(text[at]);
    std::size_t const length = code == '\t' ? 0 : printable_length(text, at);
    if (length == 1 || (length > 1 && begins_with_letter(text.substr(at)))) {
      result += text.substr(at, length);
      at += length;
    } else {
      result += std::string("\\x") + digits[code >> 4] + digits[code & 15];
      ++at;
    }
  }
  return result + (text.size() > at ? "...'" : "'");
}

}  // namespace libscan::apps
