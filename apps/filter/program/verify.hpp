// SPDX-License-Identifier: Apache-2.0
// --verify of scan-filter: computes the result again with a plain loop and reports where it
// differs.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <apps/common/comparison.hpp>
#include <apps/filter/host/expression.hpp>
#include <apps/filter/host/plain_evaluator.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

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

}  // namespace libscan::apps
