// SPDX-License-Identifier: Apache-2.0
// --verify of scan-filter: computes the result again with a plain loop and reports where it
// differs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/common/verifiers.hpp>
#include <apps/filter/host/expression.hpp>
#include <libscan/core/floats.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/on_engine.hpp>

namespace libscan::apps {

// The meaning of a predicate, evaluated on its tree: slow, and independent of the intervals that
// the filter tests. --verify compares with it.

/// Whether an expression keeps an item, by recursion over its tree.
template <class T>
class plain_evaluator {
 public:
  /// `tree` must outlive this object.
  explicit plain_evaluator(expression const& tree) : nodes_(tree.nodes()) {
    if constexpr (std::is_floating_point_v<T>) {
      for (auto const& node : nodes_) rounded_.push_back(nearest(node.number.text.c_str()));
    }
  }

  bool operator()(T x) const { return holds(nodes_.size() - 1, x); }

 private:
  using kind = expression::kind;

  static T nearest(char const* text) {
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

/// Empty if `got` holds exactly the items of `expected`, bit for bit; otherwise the first
/// difference. `done`: what the items are, in the words of the message.
template <class T>
std::string difference(std::span<T const> expected, std::span<T const> got,
                       char const* done = "kept") {
  std::size_t const both = std::min(expected.size(), got.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (apps::agree(expected[i], got[i])) continue;
    return apps::wrong_item(i, got[i], expected[i]);
  }
  if (expected.size() == got.size()) return "";
  return std::to_string(got.size()) + " items are " + done + ", expected " +
         std::to_string(expected.size());
}

/// Whether a predicate keeps item i of some values: one of the functors `keeps` below, which decide
/// by an item's position.
template <class T>
class kept_by_tree {
 public:
  /// `tree` and `values` must outlive this object.
  kept_by_tree(expression const& tree, std::span<T const> values) : holds_(tree), values_(values) {}

  bool operator()(std::size_t i) const { return holds_(values_[i]); }

 private:
  plain_evaluator<T> holds_;
  std::span<T const> values_;
};

/// Empty if `kept` is what `keeps` keeps of `values`; otherwise the first difference.
template <class T, class Keeps>
std::string verify_values(Keeps const& keeps, std::span<T const> values, std::span<T const> kept) {
  std::vector<T> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (keeps(i)) expected.push_back(values[i]);
  }
  return apps::difference<T>(expected, kept);
}

/// Empty if `rejected` is what `keeps` does not keep of `values`; otherwise the first difference.
template <class T, class Keeps>
std::string verify_rejected(Keeps const& keeps, std::span<T const> values,
                            std::span<T const> rejected) {
  std::vector<T> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!keeps(i)) expected.push_back(values[i]);
  }
  std::string const found = apps::difference<T>(expected, rejected, "rejected");
  return found.empty() ? "" : "of the rejected: " + found;
}

/// Empty if `kept` are the positions of what `keeps` keeps of n items; otherwise the first
/// difference.
template <class Keeps>
std::string verify_indices(Keeps const& keeps, std::size_t n, std::span<index_t const> kept) {
  std::vector<index_t> expected;
  for (std::size_t i = 0; i < n; ++i) {
    if (keeps(i)) expected.push_back(static_cast<index_t>(i));
  }
  return difference<index_t>(expected, kept);
}

/// Empty if `kept` is how many of n items `keeps` keeps; otherwise the difference.
template <class Keeps>
std::string verify_count(Keeps const& keeps, std::size_t n, index_t kept) {
  index_t expected = 0;
  for (std::size_t i = 0; i < n; ++i) expected += keeps(i) ? 1 : 0;
  if (expected == kept) return "";
  return std::to_string(kept) + " items are kept, expected " + std::to_string(expected);
}

/// The positions with a nonzero flag, by cub::DeviceSelect::Flagged on the current GPU. Only in
/// builds with CUDA. Throws `device_error`.
std::vector<index_t> positions_by_cub(std::span<std::uint8_t const> flags);

/// The same by thrust::copy_if.
std::vector<index_t> positions_by_thrust(std::span<std::uint8_t const> flags);

/// The same by std::copy_if, on the CPU.
inline std::vector<index_t> positions_by_standard(std::span<std::uint8_t const> flags) {
  std::vector<index_t> positions(flags.size()), kept;
  std::iota(positions.begin(), positions.end(), index_t{0});
  std::copy_if(positions.begin(), positions.end(), std::back_inserter(kept),
               [&](index_t i) { return flags[static_cast<std::size_t>(i)] != 0; });
  return kept;
}

/// Empty if `by` keeps the same of n items as `keeps`, with which --verify compares the result;
/// otherwise the first difference. Throws `device_error`.
template <class Keeps>
std::string difference_of(verifier by, Keeps const& keeps, std::size_t n) {
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = keeps(i) ? 1 : 0;
  if (by == verifier::standard) return verify_indices(keeps, n, positions_by_standard(flags));
  if constexpr (libscan::detail::has_cuda) {
    return verify_indices(
        keeps, n, by == verifier::cub ? positions_by_cub(flags) : positions_by_thrust(flags));
  } else {
    libscan::detail::refuse_cuda();
  }
}

}  // namespace libscan::apps
