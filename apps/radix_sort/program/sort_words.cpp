// SPDX-License-Identifier: Apache-2.0
// MSD radix sort of strings, seven bytes per step.
#include <apps/radix_sort/program/sort_words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <apps/common/lazy_buffer.hpp>

namespace libscan::apps {
namespace {

constexpr std::size_t step = 7;            // bytes of a word in a key
constexpr std::uint64_t more_follows = 8;  // the last byte of a key: how many bytes it has, or this
constexpr std::size_t max_compared = 48;   // larger groups are sorted by keys

/// Words that agree in their first `depth` bytes.
struct group {
  std::size_t begin, end, depth;
};

/// The next bytes of a word, the first highest, and below them how many there are. So a word that
/// ends precedes those that go on with zeros.
std::uint64_t key_at(std::string_view word, std::size_t depth) {
  std::size_t const left = word.size() - depth;
  std::uint64_t bytes = 0;
  if (left > step) {
    std::memcpy(&bytes, word.data() + depth, sizeof bytes);
    return (__builtin_bswap64(bytes) & ~std::uint64_t{255}) | more_follows;
  }
  std::memcpy(&bytes, word.data() + depth, left);
  return __builtin_bswap64(bytes) | left;
}

class word_sort {
 public:
  word_sort(engine const& on, std::span<std::string_view const> words, std::span<index_t> positions,
            sort_direction direction)
      : on_(on), words_(words), positions_(positions), keys_(positions.size()) {
    options_.direction = direction;
  }

  void run() {
    open_.push_back({0, positions_.size(), 0});
    while (!open_.empty()) {
      group const one = open_.back();
      open_.pop_back();
      if (one.end - one.begin <= max_compared) {
        compare(one);
      } else {
        sort_by_keys(one);
      }
    }
  }

 private:
  std::string_view word(index_t position) const {
    return words_[static_cast<std::size_t>(position)];
  }

  void compare(group const& one) {
    bool const descending = options_.direction == sort_direction::descending;
    auto const part = positions_.subspan(one.begin, one.end - one.begin);
    std::stable_sort(part.begin(), part.end(), [&](index_t a, index_t b) {
      std::string_view const x = word(a).substr(one.depth);
      std::string_view const y = word(b).substr(one.depth);
      return descending ? y < x : x < y;
    });
  }

  void sort_by_keys(group const& one) {
    std::size_t const n = one.end - one.begin;
    auto const keys = keys_.items().subspan(one.begin, n);
    auto const part = positions_.subspan(one.begin, n);
    constexpr std::size_t ahead = 16;  // words are at random places
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 2 * ahead < n)
        __builtin_prefetch(&words_[static_cast<std::size_t>(part[i + 2 * ahead])]);
      if (i + ahead < n) __builtin_prefetch(word(part[i + ahead]).data() + one.depth);
      keys[i] = key_at(word(part[i]), one.depth);
      same = same && keys[i] == keys[0];
    }
    if (!same) sort_pairs(on_, keys, keys, part, part, options_);
    for (std::size_t begin = 0; begin < n;) {
      std::size_t end = begin + 1;
      while (end < n && keys[end] == keys[begin]) ++end;
      bool const ended = (keys[begin] & 255) != more_follows;
      if (!ended && end - begin > 1) {
        open_.push_back({one.begin + begin, one.begin + end, one.depth + step});
      }
      begin = end;
    }
  }

  engine const& on_;
  std::span<std::string_view const> words_;
  std::span<index_t> positions_;
  sort_options options_;
  lazy_buffer<std::uint64_t> keys_;
  std::vector<group> open_;  // a stack, since words may agree in any number of bytes
};

}  // namespace

void sort_words(engine const& on, std::span<std::string_view const> words,
                std::span<index_t> positions, sort_direction direction) {
  word_sort(on, words, positions, direction).run();
}

}  // namespace libscan::apps
