// SPDX-License-Identifier: Apache-2.0
// The syntax of predicates: text such as ">= 4.5 and < 9" as a tree, not yet bound to a type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <apps/filter/host/literal.hpp>

namespace libscan::inline v1 {

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
