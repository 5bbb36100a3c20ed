// SPDX-License-Identifier: Apache-2.0
// The edges of a histogram in a block's shared memory, as a search tree level by level: lanes read
// few different words near the root, and rarely conflict below.
#pragma once

#include <cstddef>

#include <libscan/bins.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Searches a tree of 2^height - 1 nodes; node i has the children 2 i and 2 i + 1.
template <class Sample, class Edge>
struct tree_search {
  edge_bins<Sample, Edge> rule;
  Edge const* tree;
  Edge low, high;
  int height;

  /// Level by level for all samples, so that their reads overlap.
  template <int Count>
  __device__ __forceinline__ void of_all(Sample const (&samples)[Count],
                                         int (&places)[Count]) const {
    // Places of nodes in bytes: a level is four instructions, with an index six.
    constexpr unsigned bytes = sizeof(Edge);
    auto const* const memory = reinterpret_cast<std::byte const*>(tree);
    unsigned node[Count];
#pragma unroll
    for (int j = 0; j < Count; ++j) node[j] = bytes;
    for (int level = 0; level < height; ++level) {
#pragma unroll
      for (int j = 0; j < Count; ++j) {
        auto const x = libscan::detail::value_of(samples[j]);
        Edge const edge = *reinterpret_cast<Edge const*>(memory + node[j]);
        node[j] *= 2;
        if (libscan::detail::at_least(x, edge)) node[j] += bytes;
      }
    }
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      // A sample may equal the last edge, which also fills the unused nodes.
      int const found = static_cast<int>(node[j] / bytes) - (1 << height), last = rule.bins() - 1;
      places[j] = rule.find_between(samples[j], low, high,
                                    [=](auto) { return found < last ? found : last; });
    }
  }
};

/// Builds the tree of the 2^levels - 1 >= bins - 1 inner edges.
template <class Sample, class Edge>
struct edge_tree {
  using rule_type = edge_bins<Sample, Edge>;

  LIBSCAN_HOST_DEVICE static int levels(int bins) {
    int levels = 0;
    while (1 << levels < bins) ++levels;
    return levels;
  }
  static std::size_t bytes(int bins) { return (std::size_t{1} << levels(bins)) * sizeof(Edge); }

  /// In `memory` of `bytes`. All threads of the block call; ends with a barrier.
  static __device__ tree_search<Sample, Edge> build(rule_type const& rule, void* memory) {
    auto* const tree = static_cast<Edge*>(memory);
    int const bins = rule.bins(), height = levels(bins);
    for (int i = static_cast<int>(threadIdx.x) + 1; i < 1 << height;
         i += static_cast<int>(blockDim.x)) {
      // Node i of its level is in the middle of the edges below it.
      int level = 0;
      while (2 << level <= i) ++level;
      int const rank = (2 * (i - (1 << level)) + 1) << (height - 1 - level);
      tree[i] = rule.edges()[rank < bins ? rank : bins];
    }
    simt::sync_block();
    return {rule, tree, rule.edges()[0], rule.edges()[bins], height};
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
