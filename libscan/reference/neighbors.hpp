// SPDX-License-Identifier: Apache-2.0
// What operations on neighboring items mean, as plain loops: oracles of tests.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace libscan::reference {

/// out[0] = in[0], out[i] = op(in[i - 1], in[i]), in `Result`.
template <class Result, class Item, class Op>
std::vector<Result> adjacent_difference(std::vector<Item> const& in, Op const& op) {
  std::vector<Result> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    out.push_back(i == 0 ? static_cast<Result>(in[0]) : static_cast<Result>(op(in[i - 1], in[i])));
  }
  return out;
}

/// The same with later - earlier, where integers wrap around in their own type.
template <class Item>
std::vector<Item> adjacent_difference(std::vector<Item> const& in) {
  return reference::adjacent_difference<Item>(in, [](Item earlier, Item later) {
    if constexpr (std::is_integral_v<Item>) {
      return static_cast<Item>(static_cast<unsigned long long>(later) -
                               static_cast<unsigned long long>(earlier));
    } else {
      return later - earlier;
    }
  });
}

}  // namespace libscan::reference
