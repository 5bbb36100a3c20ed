// SPDX-License-Identifier: Apache-2.0
// The edges of a histogram with a table that guides the search: the range is divided into cells of
// even width, and the table gives the few bins that the samples of a cell may be in. It helps
// unless edges crowd in one cell.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <libscan/bins.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The cell of a number. Each step is monotonic, including rounding, so a larger number never has a
/// smaller cell; it need not be more exact than that. All numbers have a cell, even those outside
/// the range, and NaN.
template <class Value>
struct guide_cells {
  using real = std::conditional_t<sizeof(Value) == 8, double, float>;
  static constexpr real most = std::numeric_limits<real>::max();
  real scale = 0, offset = 0;  // to [0, 1]
  float last;

  /// `cells` of them, at most 2^22, between two edges. There is one cell if the range is empty, or
  /// too small or too large for the arithmetic.
  template <class Edge>
  __device__ guide_cells(Edge low, Edge high, int cells) : last(static_cast<float>(cells - 1)) {
    real const begin = static_cast<real>(low), range = static_cast<real>(high) - begin;
    if (!(range >= 4 / most && range <= most)) return;
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
    constexpr int most = 1 << 14, a_bin = 64;
    int cells = a_bin;
    while (cells < most && cells < a_bin * bins) cells *= 2;
    return cells;
  }
  LIBSCAN_HOST_DEVICE static int copies_of(int bins) {
    constexpr std::size_t room = 1 << 16;
    int copies = simt::warp_size;
    while (copies > 1 && static_cast<std::size_t>(bins) * copies * sizeof(Edge) > room) copies /= 2;
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

}  // namespace libscan::inline LIBSCAN_MACHINE::device
