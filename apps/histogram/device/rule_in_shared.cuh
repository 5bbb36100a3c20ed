// SPDX-License-Identifier: Apache-2.0
// The part of a histogram's rule in a block's shared memory, and its evaluation for many samples.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include <libscan/bins.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

// The edges of a histogram in a block's shared memory, as a search tree level by level: lanes read
// few different words near the root, and rarely conflict below.

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

// The edges of a histogram with a table that guides the search: the range is divided into cells of
// even width, and the table gives the few bins that the samples of a cell may be in. It helps
// unless edges crowd in one cell.

/// The cell of a number. Each step is monotonic, including rounding, so a larger number never has a
/// smaller cell; it need not be more exact than that. All numbers have a cell, even those outside
/// the range, and NaN.
template <class Value>
struct guide_cells {
  using real = std::conditional_t<sizeof(Value) == 8, double, float>;
  static constexpr real max_real = std::numeric_limits<real>::max();
  real scale = 0, offset = 0;  // to [0, 1]
  float last;

  /// `cells` of them, at most 2^22, between two edges. There is one cell if the range is empty, or
  /// too small or too large for the arithmetic.
  template <class Edge>
  __device__ guide_cells(Edge low, Edge high, int cells) : last(static_cast<float>(cells - 1)) {
    real const begin = static_cast<real>(low), range = static_cast<real>(high) - begin;
    if (!(range >= 4 / max_real && range <= max_real)) return;
    scale = 1 / range;
    offset = -begin * scale;
  }

  template <class Number>
  __device__ __forceinline__ unsigned operator()(Number x) const {
    // All fused explicitly, so that samples are rounded like edges.
    float const part = within_unit(std::fma(static_cast<real>(x), scale, offset));
    // The last bit of such a sum stands for 1.
    float const sum = std::fma(part, last, 0x1p23f);
    unsigned bits;
    memcpy(&bits, &sum, sizeof(bits));
    return bits - 0x4b000000u;
  }

 private:
  /// x between 0 and 1; 0 if it is NaN.
  static __device__ __forceinline__ float within_unit(real x) {
#ifdef __CUDA_ARCH__
    return __saturatef(static_cast<float>(x));
#else
    return x > 0 ? x < 1 ? static_cast<float>(x) : 1 : 0;
#endif
  }
};

/// Edges and the table in shared memory.
template <class Sample, class Edge>
struct edge_guide {
  using rule_type = edge_bins<Sample, Edge>;
  using entry = std::uint16_t;
  /// The table is useless for fewer bins, and has no space for more.
  static constexpr int min_bins = 4, max_bins = 1 << 14;

  rule_type rule;
  Edge low, high;
  guide_cells<libscan::detail::sample_value<Sample>> cell;
  entry* first;       // for each cell, the first bin that may have its samples
  Edge const* edges;  // this lane's copy: the begin of bin b is at [b * copies]
  int copies;         // one per lane, so that no two read one bank, or as many as fit

  /// Powers of two.
  LIBSCAN_HOST_DEVICE static int cells(int bins) {
    constexpr int max_cells = 1 << 14, a_bin = 64;
    int cells = a_bin;
    while (cells < max_cells && cells < a_bin * bins) cells *= 2;
    return cells;
  }
  LIBSCAN_HOST_DEVICE static int copies_of(int bins) {
    constexpr std::size_t capacity = 1 << 16;
    int copies = simt::warp_size;
    while (copies > 1 && static_cast<std::size_t>(bins) * copies * sizeof(Edge) > capacity)
      copies /= 2;
    return copies;
  }
  static bool fits(int bins) { return bins >= min_bins && bins <= max_bins; }
  static std::size_t bytes(int bins) {
    return static_cast<std::size_t>(cells(bins)) * sizeof(entry) +
           static_cast<std::size_t>(bins) * copies_of(bins) * sizeof(Edge);
  }

  /// Copies the edges to `memory`. A barrier must follow.
  __device__ edge_guide(rule_type const& bins, void* memory)
      : rule(bins),
        low(rule.edges()[0]),
        high(rule.edges()[rule.bins()]),
        cell(low, high, cells(rule.bins())),
        first(static_cast<entry*>(memory)),
        copies(copies_of(rule.bins())) {
    int const rank = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    auto* const all = reinterpret_cast<Edge*>(first + cells(rule.bins()));
    for (int i = rank; i < rule.bins() * copies; i += threads) all[i] = rule.edges()[i / copies];
    for (int c = rank; c < cells(rule.bins()); c += threads) first[c] = 0;
    // Otherwise the compiler would add it to each index instead of once to the address.
    int const lane = simt::opaque(rank % copies * static_cast<int>(sizeof(Edge)));
    edges = reinterpret_cast<Edge const*>(reinterpret_cast<std::byte const*>(all) + lane);
  }

  __device__ int cell_of(int bin) const { return static_cast<int>(cell(edges[bin * copies])); }

  /// Whether the samples of some cell may be in more than `window` bins. All threads of the block
  /// call; ends with a barrier.
  __device__ bool crowded(int window) const {
    bool more = false;
    for (int b = static_cast<int>(threadIdx.x) + 1; b + window <= rule.bins();
         b += static_cast<int>(blockDim.x)) {
      more = more || cell_of(b) == cell_of(b + window - 1);
    }
    return simt::sync_block_or(more);
  }

  /// Writes the table of a guide that is not crowded: first[c], 0 before, becomes the last bin that
  /// begins in an earlier cell, or the last place where the window fits. All threads of the block
  /// call; ends with a barrier.
  __device__ void fill(int window) const {
    int const bins = rule.bins(), all = cells(bins);
    int const rank = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int b = rank + 1; b < bins; b += threads) {
      int const next = cell_of(b) + 1;
      bool const last = b + 1 == bins || cell_of(b + 1) >= next;
      if (last && next < all) first[next] = static_cast<entry>(b);
    }
    simt::sync_block();
    // A thread's cells are an odd number of words, which avoids bank conflicts.
    constexpr int chunk = 18;
    for (int begin = rank * chunk; begin < all; begin += threads * chunk) {
      int latest = 0;
      for (int to = bins; to - latest > 1;) {
        int const middle = latest + (to - latest) / 2;
        (cell_of(middle) < begin ? latest : to) = middle;
      }
      for (int c = begin; c < begin + chunk && c < all; ++c) {
        int const mark = first[c];
        latest = mark > latest ? mark : latest;
        first[c] = static_cast<entry>(latest < bins - window ? latest : bins - window);
      }
    }
    simt::sync_block();
  }
};

/// Searches the `Window` bins of a sample's cell.
template <class Sample, class Edge, int Window>
struct guided_search {
  edge_guide<Sample, Edge> guide;

  /// Step by step for all samples, so that their reads overlap.
  template <int Count>
  __device__ __forceinline__ void of_all(Sample const (&samples)[Count],
                                         int (&places)[Count]) const {
#pragma unroll
    for (int j = 0; j < Count; ++j)
      places[j] = guide.first[guide.cell(libscan::detail::value_of(samples[j]))];
    // In bytes: an address is one instruction.
    int const stride = guide.copies * static_cast<int>(sizeof(Edge));
    auto const* const memory = reinterpret_cast<std::byte const*>(guide.edges);
#pragma unroll
    for (int half = Window / 2; half > 0; half /= 2) {
#pragma unroll
      for (int j = 0; j < Count; ++j) {
        int const middle = places[j] + half;
        Edge const edge = *reinterpret_cast<Edge const*>(memory + middle * stride);
        if (libscan::detail::at_least(libscan::detail::value_of(samples[j]), edge))
          places[j] = middle;
      }
    }
    bool inside = true;
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      auto const x = libscan::detail::value_of(samples[j]);
      inside = inside && libscan::detail::at_least(x, guide.low) &&
               libscan::detail::at_most(x, guide.high);
    }
    if (inside) return;
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      int const found = places[j];
      places[j] =
          guide.rule.find_between(samples[j], guide.low, guide.high, [=](auto) { return found; });
    }
  }
};

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
  static edge_staging choose(Rule const& /*rule*/, bool /*many*/, std::size_t /*bytes*/) {
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
  static edge_staging choose(rule_type const& rule, bool many, std::size_t capacity) {
    if (many && guide::fits(rule.bins()) && bytes(rule, edge_staging::guide) <= capacity) {
      return edge_staging::guide;
    }
    return bytes(rule, edge_staging::tree) <= capacity ? edge_staging::tree : edge_staging::none;
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
