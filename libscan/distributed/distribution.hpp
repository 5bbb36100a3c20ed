// SPDX-License-Identifier: Apache-2.0
// Which rank holds which items of a distributed array: the array is the ranks' local items, one
// after the other in rank order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// The global positions at which the ranks' parts begin.
class distribution {
 public:
  /// Parts of these lengths, in rank order. Throws `invalid_argument` if one is negative.
  explicit distribution(std::span<index_t const> lengths) : begins_(1, 0) {
    begins_.reserve(lengths.size() + 1);
    for (index_t const length : lengths) {
      if (length < 0) {
        throw invalid_argument("distribution: length " + std::to_string(length) + " of rank " +
                               std::to_string(ranks()) + "; expected >= 0");
      }
      begins_.push_back(begins_.back() + length);
    }
  }

  /// `total` items over `ranks` ranks as evenly as possible: lengths differ by at most 1. Throws
  /// `invalid_argument` if total < 0 or ranks < 1.
  static distribution even(index_t total, int ranks) {
    if (total < 0 || ranks < 1) {
      throw invalid_argument("distribution: " + std::to_string(total) + " items over " +
                             std::to_string(ranks) + " ranks; expected >= 0 over >= 1");
    }
    std::vector<index_t> lengths(static_cast<std::size_t>(ranks), total / ranks);
    std::fill_n(lengths.begin(), total % ranks, total / ranks + 1);
    return distribution(lengths);
  }

  int ranks() const { return static_cast<int>(begins_.size()) - 1; }
  index_t total() const { return begins_.back(); }
  index_t begin(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
  index_t end(int rank) const { return begins_[static_cast<std::size_t>(rank) + 1]; }
  index_t size(int rank) const { return end(rank) - begin(rank); }

  /// The rank that holds the item at `position`, in [0, total()).
  int rank_of(index_t position) const {
    return static_cast<int>(std::ranges::upper_bound(begins_, position) - begins_.begin()) - 1;
  }

 private:
  std::vector<index_t> begins_;
};

}  // namespace libscan::inline v1
