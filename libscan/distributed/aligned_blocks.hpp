// SPDX-License-Identifier: Apache-2.0
// Which rank works on which blocks of the fixed tree: whole blocks on one rank each. The rank that
// holds a block's first item borrows the items of that block that later ranks hold, fewer than
// 2^15.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <libscan/core/block_tree.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/distribution.hpp>

namespace libscan::inline v1::detail {

/// The blocks that one part of a distribution works on.
struct aligned_blocks {
  index_t first = 0;     // block, by its number in the whole array
  index_t count = 0;     // of blocks
  index_t items = 0;     // in these blocks
  index_t lent = 0;      // items at the part's begin, which an earlier part works on
  index_t borrowed = 0;  // items of later parts, in the last block

  index_t end() const { return first + count; }

  /// Blocks at their global positions.
  static aligned_blocks of(distribution const& all, int part) {
    auto const position = [&](index_t block) {
      return std::min(block * tree_block_items, all.total());
    };
    aligned_blocks found;
    found.first = ceil_div(all.begin(part), tree_block_items);
    found.count = ceil_div(all.end(part), tree_block_items) - found.first;
    found.lent = std::min(position(found.first), all.end(part)) - all.begin(part);
    if (found.count > 0) {
      found.items = position(found.end()) - position(found.first);
      found.borrowed = position(found.end()) - all.end(part);
    }
    return found;
  }

  /// Blocks from the part's own begin, for `association::fastest`.
  static aligned_blocks of_one_part(index_t items) {
    return {0, ceil_div(items, tree_block_items), items, 0, 0};
  }
};

/// The part that works on the items that `part` lends.
inline int lent_to(distribution const& all, int part) {
  return all.rank_of(all.begin(part) / tree_block_items * tree_block_items);
}

/// The parts from which `part` borrows, and the number of items of each, in order.
inline std::vector<std::pair<int, index_t>> lenders(distribution const& all, int part) {
  std::vector<std::pair<int, index_t>> found;
  index_t left = aligned_blocks::of(all, part).borrowed;
  for (int p = part + 1; left > 0; ++p) {
    index_t const items = std::min(all.size(p), left);
    if (items > 0) found.emplace_back(p, items);
    left -= items;
  }
  return found;
}

/// Whether any part lends items.
inline bool any_lent(distribution const& all) {
  for (int p = 0; p < all.ranks(); ++p) {
    if (all.size(p) > 0 && all.begin(p) % tree_block_items != 0) return true;
  }
  return false;
}

}  // namespace libscan::inline v1::detail
