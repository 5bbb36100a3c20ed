// SPDX-License-Identifier: Apache-2.0
// The edges of a histogram in a block's shared memory, as a search tree level by level: lanes that
// search near the root read few words, those below rarely the same bank.
#pragma once

#include <apps/histogram/counters.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// places[j] = the place of samples[j], of all at once where the finder can do that better.
template <class Find, class Sample, int Count>
__device__ __forceinline__ void find_places(Find const& find, Sample const (&samples)[Count],
                                            int (&places)[Count]) {
  if constexpr (requires { find.of_all(samples, places); }) {
    find.of_all(samples, places);
  } else {
#pragma unroll
    for (int j = 0; j < Count; ++j) places[j] = find(samples[j]);
  }
}

/// Searches a tree of 2^height - 1 nodes, of which node i has the children 2 i and 2 i + 1.
template <class Sample, class Edge>
struct tree_search {
  edge_bins<Sample, Edge> rule;
  Edge const* tree;
  Edge low, high;
  int height;

  /// Level by level for all samples, so that they do not wait for one another's reads.
  template <int Count>
  __device__ __forceinline__ void of_all(Sample const (&samples)[Count],
                                         int (&places)[Count]) const {
    // Where nodes stand, in bytes: a level is four instructions, with an index six.
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
      // A sample may equal the last edge, which stands for all that there are not.
      int const found = static_cast<int>(node[j] / bytes) - (1 << height), last = rule.bins() - 1;
      places[j] = rule.find_between(samples[j], low, high,
                                    [=](auto) { return found < last ? found : last; });
    }
  }
};

/// What a rule wants in shared memory before it is asked: nothing.
template <class Rule>
struct rule_in_shared {
  static std::size_t bytes(Rule const& /*rule*/) { return 0; }

  /// Calls body(find). All threads of the block call; a barrier stands before what body does.
  template <class Body>
  static __device__ void with(Rule const& rule, void* /*memory*/, Body body) {
    simt::sync_block();
    libscan::detail::in_best_form(rule, body);
  }
};

/// Given edges: the 2^levels - 1 >= bins - 1 inner ones as a tree.
template <class Sample, class Edge>
struct rule_in_shared<edge_bins<Sample, Edge>> {
  using rule_type = edge_bins<Sample, Edge>;

  LIBSCAN_HOST_DEVICE static int levels(int bins) {
    int levels = 0;
    while (1 << levels < bins) ++levels;
    return levels;
  }
  static std::size_t bytes(rule_type const& rule) {
    return (std::size_t{1} << levels(rule.bins())) * sizeof(Edge);
  }

  /// `memory`: of `bytes`, or null: then edges are searched where they are.
  template <class Body>
  static __device__ void with(rule_type const& rule, void* memory, Body body) {
    if (memory == nullptr) {
      simt::sync_block();
      return body([&rule](Sample const& sample) { return rule.find(sample); });
    }
    auto* const tree = static_cast<Edge*>(memory);
    int const bins = rule.bins(), height = levels(bins);
    for (int i = static_cast<int>(threadIdx.x) + 1; i < 1 << height;
         i += static_cast<int>(blockDim.x)) {
      // Node i of its level stands in the middle of the edges below it.
      int level = 0;
      while (2 << level <= i) ++level;
      int const rank = (2 * (i - (1 << level)) + 1) << (height - 1 - level);
      tree[i] = rule.edges()[rank < bins ? rank : bins];
    }
    simt::sync_block();
    body(tree_search<Sample, Edge>{rule, tree, rule.edges()[0], rule.edges()[bins], height});
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
