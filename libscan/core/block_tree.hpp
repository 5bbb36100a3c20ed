// SPDX-License-Identifier: Apache-2.0
// The fixed tree of `association::fixed`. Its leaves are blocks of 2^15 items, aligned to global
// positions; a node covers 2^k blocks and begins at a multiple of 2^k. So which values are combined
// does not depend on the ranks.
#pragma once

#include <utility>
#include <vector>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// Items of a block: the cpu engine's chunk.
inline constexpr index_t tree_block_items = index_t{1} << 15;

/// Local nodes are the largest of at most so many blocks: an engine sums these.
inline constexpr index_t local_node_blocks = 1024;

/// Consecutive blocks [begin, begin + size): a node of the tree.
struct tree_node {
  index_t begin;
  index_t size;
};

/// The first of the largest nodes of at most `most` blocks that cover blocks [begin, end).
LIBSCAN_HOST_DEVICE constexpr tree_node first_node(index_t begin, index_t end, index_t most) {
  index_t const aligned = begin & -begin;  // 0: any size is
  index_t size = aligned != 0 && aligned < most ? aligned : most;
  while (size > end - begin) size /= 2;
  return {begin, size};
}

/// Number i of the local nodes that cover blocks [begin, end).
LIBSCAN_HOST_DEVICE constexpr tree_node local_node(index_t i, index_t begin, index_t end) {
  for (;;) {
    index_t const size = first_node(begin, end, local_node_blocks).size;
    index_t const alike = size < local_node_blocks ? 1 : (end - begin) / size;
    if (i < alike) return {begin + i * size, size};
    i -= alike;
    begin += alike * size;
  }
}

/// Calls visit(node) for the largest nodes of at most `most` blocks that cover blocks [begin, end),
/// in order: at most 2 per level, besides those of `most` blocks.
template <class Visit>
constexpr void for_nodes(index_t begin, index_t end, index_t most, Visit const& visit) {
  while (begin < end) {
    tree_node const node = detail::first_node(begin, end, most);
    visit(node);
    begin += node.size;
  }
}

/// How many local nodes cover blocks [begin, end).
constexpr index_t local_nodes(index_t begin, index_t end) {
  index_t count = 0;
  detail::for_nodes(begin, end, local_node_blocks, [&](tree_node const&) { ++count; });
  return count;
}

/// A node may have any size.
inline constexpr index_t any_node_blocks = index_t{1} << 62;

/// The sum of a node from those of its parts: a power of two of them.
template <monoid Op, class T = typename Op::value_type>
T node_sum(T const* part_sums, index_t parts, Op const& op) {
  if (parts == 1) return *part_sums;
  index_t const half = parts / 2;
  return op(detail::node_sum(part_sums, half, op), detail::node_sum(part_sums + half, half, op));
}

/// Replaces the sums of a node's blocks by what enters each, if `before` enters the node; returns
/// the node's sum.
template <monoid Op, class T = typename Op::value_type>
T replace_sums(T* sums, index_t size, T const& before, Op const& op) {
  if (size == 1) return std::exchange(*sums, before);
  index_t const half = size / 2;
  T const left = detail::replace_sums(sums, half, before, op);
  return op(left, detail::replace_sums(sums + half, half, op(before, left), op));
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
