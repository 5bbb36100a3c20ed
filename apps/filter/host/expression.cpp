// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the grammar in expression.hpp.
#include <apps/filter/host/expression.hpp>

#include <utility>

#include <libscan/core/error.hpp>

namespace libscan::inline v1 {
namespace {

using kind = expression::kind;

struct relation {
  std::string_view text;
  kind what;
};

// Longer ones first: "<" is a beginning of "<=".
constexpr relation relations[] = {{"<=", kind::less_equal}, {">=", kind::greater_equal},
                                  {"==", kind::equal},      {"!=", kind::not_equal},
                                  {"<", kind::less},        {">", kind::greater}};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Characters that together make one word or number.
bool is_wordy(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || c == '.';
}

/// Whether a byte of UTF-8 goes on with a character.
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

}  // namespace

/// Fills an expression from its text.
class expression_parser {
 public:
  explicit expression_parser(expression& tree) : tree_(tree), text_(tree.text_) {}

  void parse() {
    parse_disjunction();
    skip_space();
    if (at_ != text_.size()) fail("expected \"and\", \"or\" or the end");
  }

 private:
  int parse_disjunction() {
    int left = parse_conjunction();
    while (int const column = take_word("or")) {
      int const right = parse_conjunction();
      left = add({kind::disjunction, left, right, {}, column});
    }
    return left;
  }

  int parse_conjunction() {
    int left = parse_factor();
    while (int const column = take_word("and")) {
      int const right = parse_factor();
      left = add({kind::conjunction, left, right, {}, column});
    }
    return left;
  }

  int parse_factor() {
    if (++depth_ > expression::max_depth) {
      fail("nested deeper than " + std::to_string(expression::max_depth) + " levels");
    }
    int const result = parse_factor_here();
    --depth_;
    return result;
  }

  int parse_factor_here() {
    if (int const column = take_word("not")) {
      int const operand = parse_factor();
      return add({kind::negation, operand, -1, {}, column});
    }
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') {
      int const opened = column();
      ++at_;
      int const inner = parse_disjunction();
      skip_space();
      if (at_ == text_.size() || text_[at_] != ')') {
        fail("expected \")\" for the \"(\" of column " + std::to_string(opened));
      }
      ++at_;
      return inner;
    }
    return parse_test();
  }

  int parse_test() {
    if (int const column = take_word("nan")) return add({kind::nan, -1, -1, {}, column});
    if (int const column = take_word("finite")) return add({kind::finite, -1, -1, {}, column});
    if (int const column = take_word("bits")) {
      return add({kind::bits, -1, -1, parse_mask(), column});
    }
    skip_space();
    for (auto const& [symbol, what] : relations) {
      if (text_.substr(at_, symbol.size()) != symbol) continue;
      int const here = column();
      at_ += symbol.size();
      return add({what, -1, -1, parse_number("a number after " + quoted(symbol)), here});
    }
    fail(
        "expected a comparison (< <= > >= == !=), \"nan\", \"finite\", \"bits\", \"not\" or \"(\"");
  }

  number_literal parse_number(std::string const& expected) {
    skip_space();
    literal_match match = match_literal(text_.substr(at_));
    std::size_t const end = at_ + match.length;
    bool const run_on = end < text_.size() && is_wordy(text_[end]);
    if (match.length == 0 || run_on) fail("expected " + expected);
    at_ = end;
    return std::move(match.number);
  }

  number_literal parse_mask() {
    std::string const expected = "an integer >= 0 after \"bits\"";
    skip_space();
    std::size_t const start = at_;
    number_literal mask = parse_number(expected);
    if (mask.negative || mask.infinite || mask.fraction || mask.beyond) {
      at_ = start;
      fail("expected " + expected + ", of at most 64 bits");
    }
    return mask;
  }

  int add(expression::node node) {
    if (tree_.nodes_.size() == expression::max_nodes) {
      tree_.fail(node.column,
                 "more than " + std::to_string(expression::max_nodes) + " tests and operations");
    }
    tree_.nodes_.push_back(std::move(node));
    return static_cast<int>(tree_.nodes_.size()) - 1;
  }

  /// Consumes `word`, if it comes next; returns its column, or 0 if it does not.
  int take_word(std::string_view word) {
    skip_space();
    std::string_view const next = text_.substr(at_, word.size());
    if (next.size() < word.size()) return 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (lower(next[i]) != word[i]) return 0;
    }
    std::size_t const end = at_ + word.size();
    if (end < text_.size() && is_wordy(text_[end])) return 0;
    int const here = column();
    at_ = end;
    return here;
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  int column() const { return static_cast<int>(at_) + 1; }

  /// The text at the current place, for messages.
  std::string found() const {
    if (at_ >= text_.size()) return "the end";
    std::size_t end = at_ + 1;
    bool const signed_word =
        (text_[at_] == '-' || text_[at_] == '+') && end < text_.size() && is_wordy(text_[end]);
    if (is_wordy(text_[at_]) || signed_word) {
      while (end < text_.size() && is_wordy(text_[end])) ++end;
    }
    while (end < text_.size() && is_continuation(text_[end])) ++end;
    return quoted(text_.substr(at_, end - at_));
  }

  [[noreturn]] void fail(std::string const& words) {
    skip_space();
    tree_.fail(column(), words + ", found " + found());
  }

  expression& tree_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

expression::expression(std::string_view text) : text_(text) { expression_parser(*this).parse(); }

void expression::fail(int column, std::string const& words) const {
  throw invalid_argument("predicate " + quoted(text_) + ", column " + std::to_string(column) +
                         ": " + words);
}

}  // namespace libscan::inline v1
