// SPDX-License-Identifier: Apache-2.0
// The meaning of a predicate, evaluated on its tree: slow, and independent of the intervals that
// the filter tests. --verify compares with it.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <apps/filter/host/expression.hpp>
#include <libscan/core/floats.hpp>

namespace libscan::apps {

/// Whether an expression keeps an item, by recursion over its tree.
template <class T>
class plain_evaluator {
 public:
  /// `tree` must outlive this object.
  explicit plain_evaluator(expression const& tree) : nodes_(tree.nodes()) {
    if constexpr (std::is_floating_point_v<T>) {
      for (auto const& node : nodes_) rounded_.push_back(round(node.number.text.c_str()));
    }
  }

  bool operator()(T x) const { return holds(nodes_.size() - 1, x); }

 private:
  using kind = expression::kind;

  static T round(char const* text) {
    if constexpr (sizeof(T) == sizeof(float)) return std::strtof(text, nullptr);
    return static_cast<T>(std::strtod(text, nullptr));
  }

  bool holds(std::size_t at, T x) const {
    expression::node const& node = nodes_[at];
    auto const operand = [&](int child) { return holds(static_cast<std::size_t>(child), x); };
    switch (node.what) {
      case kind::negation:
        return !operand(node.left);
      case kind::conjunction:
        return operand(node.left) && operand(node.right);
      case kind::disjunction:
        return operand(node.left) || operand(node.right);
      case kind::nan:
        return libscan::detail::is_nan(x);
      case kind::finite:
        return std::isfinite(static_cast<double>(x));
      case kind::bits:
        return has_bits(x, node.number.integer);
      default:
        if (libscan::detail::is_nan(x)) return node.what == kind::not_equal;
        return related(node.what, order(at, x));
    }
  }

  static bool has_bits(T x, std::uint64_t mask) {
    if constexpr (std::is_integral_v<T>) return (static_cast<std::uint64_t>(x) & mask) != 0;
    return false;
  }

  static bool related(kind relation, int order) {
    switch (relation) {
      case kind::less:
        return order < 0;
      case kind::less_equal:
        return order <= 0;
      case kind::greater:
        return order > 0;
      case kind::greater_equal:
        return order >= 0;
      case kind::equal:
        return order == 0;
      default:
        return order != 0;
    }
  }

  /// -1, 0 or 1 as x is less than, equal to or greater than the node's number.
  int order(std::size_t at, T x) const {
    number_literal const& number = nodes_[at].number;
    if constexpr (std::is_floating_point_v<T>) {
      T const other = rounded_[at];
      return x < other ? -1 : x > other ? 1 : 0;
    } else {
      if (number.infinite || number.beyond) return number.negative ? 1 : -1;
      // Compare magnitudes once the signs agree.
      bool const x_negative = x < T(0);
      if (x_negative != number.negative) {
        bool const both_zero = x == T(0) && number.integer == 0 && !number.fraction;
        return both_zero ? 0 : x_negative ? -1 : 1;
      }
      auto const magnitude =
          x_negative ? -static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
      int const away = x_negative ? -1 : 1;
      if (magnitude != number.integer) return magnitude > number.integer ? away : -away;
      return number.fraction ? -away : 0;
    }
  }

  std::vector<expression::node> const& nodes_;
  std::vector<T> rounded_;
};

}  // namespace libscan::apps
