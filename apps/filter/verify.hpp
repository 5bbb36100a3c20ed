// SPDX-License-Identifier: Apache-2.0
// --verify of scan-filter: computes the result again with a plain loop and says where it differs.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <apps/common/steps.hpp>
#include <apps/filter/expression.hpp>
#include <apps/filter/plain_evaluator.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// Empty if `got` holds exactly the items of `expected`, bit for bit; else the first difference.
template <class T>
std::string difference(std::span<T const> expected, std::span<T const> got) {
  std::size_t const both = std::min(expected.size(), got.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (std::memcmp(&expected[i], &got[i], sizeof(T)) == 0) continue;
    return wrong_item(i, got[i], expected[i]);
  }
  if (expected.size() == got.size()) return "";
  return std::to_string(got.size()) + " items are kept, expected " +
         std::to_string(expected.size());
}

/// Empty if `kept` is what `tree` keeps of `values`; else the first difference.
template <class T>
std::string verify_values(expression const& tree, std::span<T const> values,
                          std::span<T const> kept) {
  std::vector<T> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected),
               plain_evaluator<T>(tree));
  return difference<T>(expected, kept);
}

/// Empty if `kept` are the positions of what `tree` keeps of `values`; else the first difference.
template <class T>
std::string verify_indices(expression const& tree, std::span<T const> values,
                           std::span<index_t const> kept) {
  plain_evaluator<T> const keeps(tree);
  std::vector<index_t> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (keeps(values[i])) expected.push_back(static_cast<index_t>(i));
  }
  return difference<index_t>(expected, kept);
}

/// Empty if `kept` is how many of `values` `tree` keeps; else the difference.
template <class T>
std::string verify_count(expression const& tree, std::span<T const> values, index_t kept) {
  auto const expected = std::count_if(values.begin(), values.end(), plain_evaluator<T>(tree));
  if (expected == kept) return "";
  return std::to_string(kept) + " items are kept, expected " + std::to_string(expected);
}

}  // namespace libscan::apps
