// SPDX-License-Identifier: Apache-2.0
// The fixed tree of `association::fixed`. Its leaves are blocks of 2^15 items, aligned to global
// positions; a node covers 2^k blocks and begins at a multiple of 2^k. So which values are combined
// does not depend on the ranks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// Items of a block: the cpu engine's chunk.
inline constexpr index_t tree_block_items = index_t{1} << 15;

/// Consecutive blocks [begin, begin + size): a node of the tree.
struct tree_node {
  index_t begin;
  index_t size;
};

/// Calls visit(node) for the largest nodes that cover blocks [begin, end), in order: at most 2 per
/// level.
template <class Visit>
void for_nodes(index_t begin, index_t end, Visit const& visit) {
  while (begin < end) {
    auto const fits = static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(end - begin)));
    index_t const aligned = begin & -begin;  // 0: any size is
    index_t const size = aligned == 0 ? fits : std::min(aligned, fits);
    visit(tree_node{begin, size});
    begin += size;
  }
}

/// The sum of a node from the sums of its blocks.
template <monoid Op, class T = typename Op::value_type>
T node_sum(T const* block_sums, index_t size, Op const& op) {
  if (size == 1) return *block_sums;
  index_t const half = size / 2;
  return op(detail::node_sum(block_sums, half, op), detail::node_sum(block_sums + half, half, op));
}

/// init op the sum of all blocks so far, which are appended as nodes, in order and from block 0.
template <monoid Op>
class tree_prefix {
 public:
  using T = typename Op::value_type;

  tree_prefix(Op const& op, T const& init) : op_(op), init_(init) {}

  void append(tree_node const& node, T const& sum) {
    entry last{node, sum, init_};
    while (!entries_.empty() && entries_.back().node.size == last.node.size &&
           entries_.back().node.begin % (2 * last.node.size) == 0) {
      entry const& left = entries_.back();
      last = {{left.node.begin, 2 * left.node.size}, op_(left.sum, last.sum), init_};
      entries_.pop_back();
    }
    last.prefix = op_(value(), last.sum);
    entries_.push_back(last);
  }

  /// The value after the blocks so far.
  T value() const { return entries_.empty() ? init_ : entries_.back().prefix; }

 private:
  struct entry {
    tree_node node;
    T sum;
    T prefix;
  };

  Op op_;
  T init_;
  std::vector<entry> entries_;
};

}  // namespace libscan::inline v1::detail
