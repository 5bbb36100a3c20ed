// SPDX-License-Identifier: Apache-2.0
// Exact splitters of a distributed sort: the words at which sorted keys of all ranks are cut, so
// that each piece has exactly the requested length, whatever the keys. By radix refinement: each
// round counts one more digit of the words that the cuts share.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>

namespace libscan::inline v1 {

/// A state machine, for any way to add counters over ranks:
///
///   exact_splitters<std::uint32_t> splitters(cuts, total);
///   while (!splitters.done()) {
///     std::vector<index_t> counters(splitters.counters());
///     splitters.count(n, word_at, counters);   // local keys, sorted
///     ...                                      // counters = their sums over ranks
///     splitters.take(counters);
///   }
///
/// Memory: `counters()` is at most 2^21 (16 MiB), for up to 2^20 cuts. Rounds: at most 6 for 64-bit
/// words, if there are at least 2^10 keys per cut and fewer than 1024 cuts; fewer if each cut is
/// before all keys that share the counted bits of its word.
template <std::unsigned_integral Word>
class exact_splitters {
 public:
  static constexpr int word_bits = 8 * static_cast<int>(sizeof(Word));

  /// Cuts before these positions of all keys in sorted order, ascending, in [0, total].
  exact_splitters(std::span<index_t const> cuts, index_t total) : bits_left_(word_bits) {
    for (index_t const position : cuts) {
      place const where = position <= 0 ? at_begin : position < total ? inside_cut : at_end;
      cuts_.push_back({where, 0, position});
    }
    auto const count = std::max<std::size_t>(cuts.size(), 1);
    index_t const per_cut = total / static_cast<index_t>(count);
    int const useful = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(per_cut))) + 1;
    int const fitting = 21 - static_cast<int>(std::bit_width(count - 1));
    digit_bits_ = std::clamp(std::min(useful, fitting), 1, 11);
    if (total == 0 || !find_groups()) bits_left_ = 0;
  }

  bool done() const { return bits_left_ == 0; }

  /// The number of counters of this round; the same on all ranks.
  std::size_t counters() const { return groups_.size() << digit(); }

  /// Counts n local keys into `into`. word_at(i) is the word of key i; the words ascend.
  template <class WordAt>
  void count(index_t n, WordAt const& word_at, std::span<index_t> into) const {
    int const shift = bits_left_ - digit();
    for (Word const prefix : groups_) {
      auto const counts = into.first(std::size_t{1} << digit());
      into = into.subspan(counts.size());
      index_t begin = lower_bound(0, n, word_at, prefix);
      for (std::size_t d = 0; d < counts.size(); ++d) {
        auto const last = static_cast<Word>(
            prefix | static_cast<Word>(static_cast<Word>(d) << shift) | low_bits(shift));
        index_t const end = upper_bound(begin, n, word_at, last);
        counts[d] = end - begin;
        begin = end;
      }
    }
  }

  /// The words whose places `count_at` needs: for each group of counters, its first
  /// word and the last one of each digit.
  std::vector<Word> bounds() const {
    int const shift = bits_left_ - digit();
    std::vector<Word> words;
    for (Word const prefix : groups_) {
      words.push_back(prefix);
      for (std::size_t d = 0; d < std::size_t{1} << digit(); ++d) {
        words.push_back(static_cast<Word>(
            prefix | static_cast<Word>(static_cast<Word>(d) << shift) | low_bits(shift)));
      }
    }
    return words;
  }

  /// Counts by the places of `bounds()` in the local keys: for each word, how many keys are below
  /// it, and how many not above it.
  void count_at(std::span<index_t const> places, std::span<index_t> into) const {
    std::size_t const digits = std::size_t{1} << digit();
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      index_t begin = places[2 * group * (digits + 1)];
      for (std::size_t d = 0; d < digits; ++d) {
        index_t const end = places[2 * (group * (digits + 1) + d + 1) + 1];
        into[group * digits + d] = end - begin;
        begin = end;
      }
    }
  }

  /// Takes the sums of the counters over all ranks, and begins the next round.
  void take(std::span<index_t const> sums) {
    int const shift = bits_left_ - digit();
    std::size_t group = 0;
    for (cut& one : cuts_) {
      if (one.is_known()) continue;
      while (groups_[group] != one.word) ++group;
      auto const counts = sums.subspan(group << digit(), std::size_t{1} << digit());
      std::size_t d = 0;
      while (one.left >= counts[d]) one.left -= counts[d++];
      one.word = static_cast<Word>(one.word | static_cast<Word>(static_cast<Word>(d) << shift));
    }
    bits_left_ = find_groups() ? shift : 0;
  }

  /// After the last round: how many local keys of smaller words, and how many of the same word as
  /// the cut, there are. The latter are cut by rank: see `split_counts`.
  template <class WordAt>
  void local_ties(index_t n, WordAt const& word_at, std::span<index_t> smaller,
                  std::span<index_t> equal) const {
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      cut const& one = cuts_[c];
      if (one.where != inside_cut) {
        smaller[c] = one.where == at_begin ? 0 : n;
        equal[c] = 0;
        continue;
      }
      smaller[c] = lower_bound(0, n, word_at, one.word);
      equal[c] = upper_bound(smaller[c], n, word_at, one.word) - smaller[c];
    }
  }

  /// The words of the cuts, for the next function. After the last round.
  std::vector<Word> cut_words() const {
    std::vector<Word> words;
    for (cut const& one : cuts_) words.push_back(one.word);
    return words;
  }

  /// The same by the places of `cut_words()` in the n local keys.
  void local_ties_at(std::span<index_t const> places, index_t n, std::span<index_t> smaller,
                     std::span<index_t> equal) const {
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      place const where = cuts_[c].where;
      smaller[c] = where == inside_cut ? places[2 * c] : where == at_begin ? 0 : n;
      equal[c] = where == inside_cut ? places[2 * c + 1] - places[2 * c] : 0;
    }
  }

  /// The local position of cut `c`. `before` is the number of keys of the cut's word on earlier
  /// ranks: lower ranks' keys come first.
  index_t local_cut(std::size_t c, index_t smaller, index_t equal, index_t before) const {
    if (cuts_[c].where != inside_cut) return smaller;
    return smaller + std::clamp(cuts_[c].left - before, index_t{0}, equal);
  }

 private:
  enum place : std::uint8_t { at_begin, inside_cut, at_end };

  struct cut {
    place where;
    Word word;     // its known bits
    index_t left;  // keys before the cut among those with these bits

    bool is_known() const { return where != inside_cut || left == 0; }
  };

  int digit() const { return std::min(digit_bits_, bits_left_); }
  static Word low_bits(int count) {
    return count == 0 ? Word{0}
                      : static_cast<Word>(static_cast<Word>(~Word{0}) >> (word_bits - count));
  }

  /// The first of [begin, end) whose word is not below `word`; or is above it.
  template <class WordAt>
  static index_t lower_bound(index_t begin, index_t end, WordAt const& word_at, Word word) {
    while (begin < end) {
      index_t const middle = begin + (end - begin) / 2;
      (word_at(middle) < word ? begin : end) = word_at(middle) < word ? middle + 1 : middle;
    }
    return begin;
  }
  template <class WordAt>
  static index_t upper_bound(index_t begin, index_t end, WordAt const& word_at, Word word) {
    while (begin < end) {
      index_t const middle = begin + (end - begin) / 2;
      (word_at(middle) <= word ? begin : end) = word_at(middle) <= word ? middle + 1 : middle;
    }
    return begin;
  }

  /// The different known bits of the cuts that are not known yet, ascending. Returns whether there
  /// are any.
  bool find_groups() {
    groups_.clear();
    for (cut const& one : cuts_) {
      if (one.is_known()) continue;
      if (groups_.empty() || groups_.back() != one.word) groups_.push_back(one.word);
    }
    return !groups_.empty();
  }

  int bits_left_;
  int digit_bits_ = 1;
  std::vector<cut> cuts_;
  std::vector<Word> groups_;
};

namespace detail {

/// Splits n sorted keys of this rank: count(splitters, counters) and ties(splitters, smaller,
/// equal) do the local part, and may throw.
template <class Word, class Count, class Ties>
std::vector<index_t> split_counts_with(collective_call& call, distribution const& out, index_t n,
                                       Count const& count, Ties const& ties) {
  std::vector<index_t> cuts;
  for (int r = 1; r < out.ranks(); ++r) cuts.push_back(out.begin(r));
  exact_splitters<Word> splitters(cuts, out.total());
  while (!splitters.done()) {
    std::vector<index_t> counters(splitters.counters());
    count(splitters, std::span<index_t>(counters));
    call.through().sum(call.at("splitters"), counters, summed_ranks::all);
    splitters.take(counters);
  }
  std::vector<index_t> smaller(cuts.size()), equal(cuts.size());
  ties(splitters, std::span<index_t>(smaller), std::span<index_t>(equal));
  std::vector<index_t> before = equal;
  call.through().sum(call.at("equal keys"), before, summed_ranks::before);
  std::vector<index_t> counts;
  index_t begin = 0;
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    index_t const end = splitters.local_cut(c, smaller[c], equal[c], before[c]);
    counts.push_back(end - begin);
    begin = end;
  }
  counts.push_back(n - begin);
  return counts;
}

/// `libscan::split_counts` within a call.
template <class Word, class WordAt>
std::vector<index_t> split_counts(collective_call& call, distribution const& out, index_t n,
                                  WordAt const& word_at) {
  return detail::split_counts_with<Word>(
      call, out, n,
      [&](auto const& splitters, std::span<index_t> into) { splitters.count(n, word_at, into); },
      [&](auto const& splitters, std::span<index_t> smaller, std::span<index_t> equal) {
        splitters.local_ties(n, word_at, smaller, equal);
      });
}

/// The same for keys that only a search reaches: search(words) returns for each word how many keys
/// are below it, and how many not above it.
template <class Word, class Search>
std::vector<index_t> split_counts_by(collective_call& call, distribution const& out, index_t n,
                                     Search const& search) {
  return detail::split_counts_with<Word>(
      call, out, n,
      [&](auto const& splitters, std::span<index_t> into) {
        splitters.count_at(search(splitters.bounds()), into);
      },
      [&](auto const& splitters, std::span<index_t> smaller, std::span<index_t> equal) {
        splitters.local_ties_at(search(splitters.cut_words()), n, smaller, equal);
      });
}

}  // namespace detail

/// How many of this rank's n sorted keys each rank gets in a distributed sort, if rank r gets
/// exactly `out.size(r)` of the keys of all ranks: the first of them go to rank 0, and so on. For
/// engines that sort, send and merge by themselves.
/// Types: word_at(i) is the word of key i, a `Word`; the words ascend.
/// Synchronization: collective, `exact_splitters` and two more messages.
/// Throws: what word_at throws, and `remote_error` on all other ranks; `communicator_lost`.
/// `out.total()` must be the number of keys of all ranks.
template <std::unsigned_integral Word, class WordAt>
std::vector<index_t> split_counts(communicator const& comm, distribution const& out, index_t n,
                                  WordAt const& word_at) {
  return detail::collective(comm, "split_counts", [&](detail::collective_call& call) {
    return detail::split_counts<Word>(call, out, n, word_at);
  });
}

}  // namespace libscan::inline v1
