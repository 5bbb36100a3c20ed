// SPDX-License-Identifier: Apache-2.0
// Samples of histograms, and the bins they are counted in.
#pragma once

#include <bench/distributions.hpp>

namespace libscan::bench {

/// The bins of samples: any; all in one; two of them; the k-th with a probability of about 1 /
/// k^1.1; ascending; one of them for every other sample, any for the rest.
inline constexpr std::array<std::string_view, 6> sample_axis{"uniform",  "same",   "two",
                                                             "zipf-1.1", "sorted", "one-hot"};

/// The kind of bins: one per integer, of even width, between given edges.
inline constexpr std::array<std::string_view, 3> bin_axis{"integers", "even", "edges"};

/// Sample i of n over [0, bins), for a name on `sample_axis`; floats are inside the bins.
template <class T>
class sample_at {
 public:
  /// Throws `invalid_argument` if the axis has no such name.
  sample_at(std::string_view spread, int bins, index_t n)
      : spread_(std::find(sample_axis.begin(), sample_axis.end(), spread) - sample_axis.begin()),
        bins_(bins),
        n_(n) {
    if (spread_ < static_cast<index_t>(sample_axis.size())) return;
    throw invalid_argument("samples \"" + std::string(spread) + "\" are unknown");
  }

  LIBSCAN_HOST_DEVICE T operator()(index_t i) const {
    std::uint64_t const word = random_word(16, i);
    auto const bin = bin_of(word, i);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(bin) + static_cast<T>(word >> 56) / 256;
    } else {
      return static_cast<T>(bin);
    }
  }

 private:
  LIBSCAN_HOST_DEVICE index_t bin_of(std::uint64_t word, index_t i) const {
    bool const coin = (word >> 40 & 1) != 0;
    auto const any = static_cast<index_t>(word % static_cast<std::uint64_t>(bins_));
    switch (spread_) {
      case 1:
        return bins_ / 3;
      case 2:
        return coin ? bins_ / 3 : bins_ / 2;
      case 3: {
        // The k for which the sum of the first k probabilities is about u.
        double const u = static_cast<double>(word >> 11) * 0x1p-53;
        double const tail = pow(static_cast<double>(bins_) + 1, -0.1);
        auto const k = static_cast<index_t>(pow(1 - u * (1 - tail), -10.0)) - 1;
        return k < bins_ ? k : bins_ - 1;
      }
      case 4:
        return i * bins_ / n_;
      case 5:
        return coin ? bins_ / 3 : any;
      default:
        return any;
    }
  }

  index_t spread_, bins_, n_;
};

/// The edges of bins that grow over [0, bins].
inline std::vector<float> growing_edges(int bins) {
  std::vector<float> edges;
  for (int k = 0; k <= bins; ++k) {
    edges.push_back(static_cast<float>(k) * static_cast<float>(k) / static_cast<float>(bins));
  }
  return edges;
}

}  // namespace libscan::bench
