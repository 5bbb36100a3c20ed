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
    make_tree();
  }

  std::size_t count() const { return firsts_.size(); }

  /// The bucket of a word.
  std::size_t find(Word word) const {
    std::uint32_t bucket = 0;
    find(
        1, [&](std::size_t) { return word; }, &bucket);
    return bucket;
  }

  /// Sets found[i] to the bucket of word_of(i) for each i below n. Some words are searched for in
  /// turn, without branches: that takes the same time for all words.
  template <class WordOf>
  void find(std::size_t n, WordOf word_of, std::uint32_t* found) const {
    constexpr std::size_t together = 8;
    Word const* const tree = tree_.data();
    for (std::size_t begin = 0; begin < n; begin += together) {
      std::size_t const count = std::min(together, n - begin);
      Word words[together];
      std::size_t nodes[together];
      for (std::size_t k = 0; k < together; ++k) {
        words[k] = word_of(begin + std::min(k, count - 1));
        nodes[k] = 1;
      }
      for (int level = levels_; level > 0; --level) {
        for (std::size_t k = 0; k < together; ++k) {
          nodes[k] += nodes[k] + (tree[nodes[k]] < words[k] ? 1 : 0);
        }
      }
      for (std::size_t k = 0; k < count; ++k) {
        found[begin + k] = static_cast<std::uint32_t>(nodes[k] - tree_.size());
      }
    }
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

  /// Lays out the largest word of each bucket but the last one as a complete binary tree: the
  /// children of node i are 2 i and 2 i + 1. Nodes without a bucket never lead to the right.
  void make_tree() {
    levels_ = static_cast<int>(std::bit_width(firsts_.size() - 1));
    tree_.assign(std::size_t{1} << levels_, std::numeric_limits<Word>::max());
    for (int level = 0; level < levels_; ++level) {
      std::size_t const nodes = std::size_t{1} << level, step = tree_.size() >> level;
      for (std::size_t k = 0; k < nodes; ++k) {
        std::size_t const bucket = k * step + step / 2;
        if (bucket < firsts_.size()) tree_[nodes + k] = static_cast<Word>(firsts_[bucket] - 1);
      }
    }
  }

  std::vector<Word> firsts_{0};  // the smallest word of each bucket
  std::vector<Word> tree_;
  int levels_ = 0;
};

}  // namespace libscan::apps
