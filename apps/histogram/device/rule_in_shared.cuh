// SPDX-License-Identifier: Apache-2.0
// The part of a histogram's rule in a block's shared memory, and its evaluation for many samples.
#pragma once

#include <apps/histogram/device/edge_guide.cuh>
#include <apps/histogram/device/edge_tree.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// How given edges are searched: in place; in a tree; with a guide, or in a tree if they crowd.
enum class edge_staging : unsigned char { none, tree, guide };

/// places[j] = the place of samples[j], all together if the finder can do that faster.
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

/// What a rule needs in shared memory: nothing by default.
template <class Rule>
struct rule_in_shared {
  static edge_staging choose(Rule const& /*rule*/, bool /*many*/, std::size_t /*room*/) {
    return edge_staging::none;
  }
  static std::size_t bytes(Rule const& /*rule*/, edge_staging /*staging*/) { return 0; }

  /// Calls body(find). All threads of the block call; a barrier comes before the body.
  template <class Body>
  static __device__ void with(Rule const& rule, edge_staging /*staging*/, void* /*memory*/,
                              Body body) {
    simt::sync_block();
    libscan::detail::in_best_form(rule, body);
  }
};

/// For given edges.
template <class Sample, class Edge>
struct rule_in_shared<edge_bins<Sample, Edge>> {
  using rule_type = edge_bins<Sample, Edge>;
  using tree = edge_tree<Sample, Edge>;
  using guide = edge_guide<Sample, Edge>;

  /// The best one that fits. `many`: whether there are enough samples to build a guide, which takes
  /// some microseconds more.
  static edge_staging choose(rule_type const& rule, bool many, std::size_t room) {
    if (many && guide::fits(rule.bins()) && bytes(rule, edge_staging::guide) <= room) {
      return edge_staging::guide;
    }
    return bytes(rule, edge_staging::tree) <= room ? edge_staging::tree : edge_staging::none;
  }
  static std::size_t bytes(rule_type const& rule, edge_staging staging) {
    if (staging == edge_staging::none) return 0;
    std::size_t const of_tree = tree::bytes(rule.bins());
    if (staging == edge_staging::tree) return of_tree;
    std::size_t const of_guide = guide::bytes(rule.bins());
    return of_guide > of_tree ? of_guide : of_tree;
  }

  /// `memory`: of `bytes`.
  template <class Body>
  static __device__ void with(rule_type const& rule, edge_staging staging, void* memory,
                              Body body) {
    if (staging == edge_staging::none) {
      simt::sync_block();
      return body([&rule](Sample const& sample) { return rule.find(sample); });
    }
    if (staging == edge_staging::guide) {
      guide const built(rule, memory);
      simt::sync_block();
      if (!built.crowded(2)) {
        built.fill(2);
        return body(guided_search<Sample, Edge, 2>{built});
      }
      if (!built.crowded(4)) {
        built.fill(4);
        return body(guided_search<Sample, Edge, 4>{built});
      }
    }
    body(tree::build(rule, memory));
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
