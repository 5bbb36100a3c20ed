// SPDX-License-Identifier: Apache-2.0
// Splits keys into buckets of about equal size, by a sample. Keys that are frequent in the sample
// get a bucket of their own, so that equal keys never make a bucket large that must be sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace libscan::apps {

/// Buckets of unsigned words: consecutive ranges, in ascending order.
template <class Word>
class splitters {
 public:
  /// Chooses about `buckets` of them for words such as those of `sample`.
  splitters(std::vector<Word> sample, std::size_t buckets) {
    std::sort(sample.begin(), sample.end());
    std::size_t const max_share = std::max<std::size_t>(1, sample.size() / buckets);
    std::size_t const frequent = std::max<std::size_t>(2, sample.size() / (2 * buckets));
    std::size_t held = 0;  // in the last bucket
    for (std::size_t i = 0; i < sample.size();) {
      Word const word = sample[i];
      std::size_t const begin = i;
      while (i < sample.size() && sample[i] == word) ++i;
      std::size_t const same = i - begin;
      if (same >= frequent) {
        add(word);
        if (word != std::numeric_limits<Word>::max()) add(static_cast<Word>(word + 1));
        held = 0;
      } else {
        if (held + same > max_share) {
          add(word);
          held = 0;
        }
        held += same;
      }
    }
    make_cells();
  }

  std::size_t count() const { return firsts_.size(); }

  /// The bucket of a word.
  std::size_t find(Word word) const {
    if (word < first_) return 0;
    std::size_t const cell = cell_of(static_cast<Word>(word - first_));
    if (cell + 1 >= cells_.size()) return firsts_.size() - 1;
    std::size_t low = cells_[cell], high = cells_[cell + 1];
    while (low < high) {
      std::size_t const middle = (low + high + 1) / 2;
      bool const within = firsts_[middle] <= word;
      low = within ? middle : low;
      high = within ? high : middle - 1;
    }
    return low;
  }

  /// Whether all words of a bucket are equal.
  bool is_single(std::size_t bucket) const {
    Word const last = bucket + 1 < firsts_.size() ? static_cast<Word>(firsts_[bucket + 1] - 1)
                                                  : std::numeric_limits<Word>::max();
    return firsts_[bucket] == last;
  }

 private:
  void add(Word first) {
    if (first != firsts_.back()) firsts_.push_back(first);
  }

  /// Cells are as narrow as one word at first, and then 1/512 to 1/1024 of their distance from
  /// `first_`: small keys that are frequent are found as fast as evenly spread ones.
  static constexpr int cell_bits = 9;

  /// The cell of the word at this distance from `first_`.
  static std::size_t cell_of(Word distance) {
    int const excess = std::max(0, static_cast<int>(std::bit_width(distance)) - cell_bits - 1);
    return (static_cast<std::size_t>(excess) << cell_bits) +
           static_cast<std::size_t>(distance >> excess);
  }

  /// The smallest distance in a cell.
  static Word distance_of(std::size_t cell) {
    std::size_t const excess = std::max<std::size_t>(cell >> cell_bits, 1) - 1;
    return static_cast<Word>(static_cast<Word>(cell - (excess << cell_bits)) << excess);
  }

  /// A table of the buckets in which cells begin: most searches end there.
  void make_cells() {
    first_ = firsts_.size() > 1 ? firsts_[1] : std::numeric_limits<Word>::max();
    std::size_t const cells =
        cell_of(static_cast<Word>(std::max(firsts_.back(), first_) - first_)) + 1;
    std::size_t bucket = 0;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      auto const word = static_cast<Word>(first_ + distance_of(cell));
      while (bucket + 1 < firsts_.size() && firsts_[bucket + 1] <= word) ++bucket;
      cells_.push_back(static_cast<std::uint32_t>(bucket));
    }
    cells_.push_back(static_cast<std::uint32_t>(firsts_.size() - 1));
  }

  std::vector<Word> firsts_{0};  // the smallest word of each bucket
  Word first_ = 0;               // of the first cell
  std::vector<std::uint32_t> cells_;
};

}  // namespace libscan::apps
