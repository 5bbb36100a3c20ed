// SPDX-License-Identifier: Apache-2.0
// Numbers as a person writes them, kept exactly until the type that they are compared with is
// known; and the syntax of predicates: text such as ">= 4.5 and < 9" as a tree, not yet bound to a
// type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <libscan/core/compiled_with.hpp>

namespace libscan::inline v1 {

/// A number written as decimal ("-12", "4.5", ".5e-3"), hexadecimal integer ("0x1F") or "inf", with
/// an optional sign.
struct number_literal {
  std::string text;           ///< as written
  bool negative = false;      ///< it has a minus sign
  bool infinite = false;      ///< inf
  bool fraction = false;      ///< not an integer
  bool beyond = false;        ///< |integer part| exceeds 2^64 - 1
  std::uint64_t integer = 0;  ///< |integer part|, unless `beyond`

  /// The value rounded to the nearest float, ties to even: beyond the largest it is an infinity. A
  /// number too small for a float is a zero with its sign.
  template <class T>
  T rounded() const;
};

/// A number at the start of `text`, and how many characters it takes; 0 if there is none.
struct literal_match {
  number_literal number;
  std::size_t length = 0;
};

/// Reads the longest prefix of `text` that is a number. Letter case does not matter.
literal_match match_literal(std::string_view text);

/// The tree of a predicate's text:
///
///   disjunction = conjunction { "or" conjunction }
///   conjunction = factor { "and" factor }
///   factor      = "not" factor | "(" disjunction ")" | test
///   test        = relation number | "nan" | "finite" | "bits" mask
///   relation    = "<" | "<=" | ">" | ">=" | "==" | "!="
///
/// Words in any letter case; numbers as `number_literal` reads them; a mask is an integer >= 0.
class expression {
 public:
  enum class kind : std::uint8_t {
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    nan,
    finite,
    bits,
    negation,
    conjunction,
    disjunction
  };

  /// One test, or one operation on nodes earlier in `nodes()`.
  struct node {
    kind what;
    int left = -1;          ///< first operand of an operation
    int right = -1;         ///< second operand of and, or
    number_literal number;  ///< of comparisons and bits
    int column = 0;         ///< its place in the text, from 1
  };

  /// The most nodes, and the deepest nesting, of an expression.
  static constexpr int max_nodes = 1000;
  static constexpr int max_depth = 100;

  /// Parses `text`. Throws `invalid_argument` that names the column, what was expected there and
  /// what was found.
  explicit expression(std::string_view text);

  /// Operands before their operations; the root is the last.
  std::vector<node> const& nodes() const { return nodes_; }

  /// Throws `invalid_argument`: "predicate "TEXT", column N: words".
  [[noreturn]] void fail(int column, std::string const& words) const;

 private:
  friend class expression_parser;

  std::string text_;
  std::vector<node> nodes_;
};

}  // namespace libscan::inline v1
