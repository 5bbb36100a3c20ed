// SPDX-License-Identifier: Apache-2.0
// The sort of keys with values in host memory over ranks. Exact splitters of the unsorted keys say
// which pairs go to which rank. Each rank sorts what it gets, once. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <apps/radix_sort/cpu/sort_items.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/splitters.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1::detail {

/// The rank of each key of a sequence, in its order: the parts of ranks begin at exact cuts.
template <class Word>
class rank_finder {
 public:
  using cut = typename exact_splitters<Word>::unsorted_cut;

  /// Cuts in the order of ranks.
  explicit rank_finder(std::vector<cut> cuts) : cuts_((std::move)(cuts)) {
    // One that no key is after: then `next` has no branches that keys decide, except for ties.
    cuts_.push_back({static_cast<Word>(~Word{0}), std::numeric_limits<index_t>::max()});
    seen_.assign(cuts_.size(), 0);
  }

  /// That of the next key.
  std::size_t next(Word word) {
    std::size_t c = 0;
    if (cuts_.size() <= few) {
      for (cut const& one : cuts_) c += one.word < word ? 1 : 0;
    } else {
      auto const found = std::ranges::lower_bound(cuts_, word, {}, &cut::word);
      c = static_cast<std::size_t>(found - cuts_.begin());
    }
    if (cuts_[c].word != word) [[likely]]
      return c;
    index_t const earlier = seen_[c]++;
    while (cuts_[c].word == word && cuts_[c].ties <= earlier) ++c;
    return c;
  }

 private:
  static constexpr std::size_t few = 8;  // up to here a search is no faster

  std::vector<cut> cuts_;
  std::vector<index_t> seen_;  // keys of a cut's word, by the first such cut
};

/// Calls use(begin, ranks, count) for parts of n keys, with their ranks. Nothing that `use` writes
/// makes compilers read the cuts again.
template <class Word, class WordAt, class Use>
void each_rank_of_keys(index_t n, WordAt const& word_at,
                       std::vector<typename exact_splitters<Word>::unsorted_cut> const& cuts,
                       Use const& use) {
  constexpr index_t part = 512;
  rank_finder<Word> finder(cuts);
  for (index_t begin = 0; begin < n; begin += part) {
    std::uint32_t ranks[part];
    index_t const count = std::min(part, n - begin);
    for (index_t k = 0; k < count; ++k) {
      ranks[k] = static_cast<std::uint32_t>(finder.next(word_at(begin + k)));
    }
    use(begin, ranks, count);
  }
}

/// Finds the cuts of n unsorted keys of this rank. `word_at(i)` is the word of key i.
template <class Word, class WordAt>
std::vector<typename exact_splitters<Word>::unsorted_cut> cuts_of_unsorted(collective_call& call,
                                                                           distribution const& out,
                                                                           index_t n,
                                                                           WordAt const& word_at) {
  std::vector<index_t> cuts;
  for (int r = 1; r < out.ranks(); ++r) cuts.push_back(out.begin(r));
  exact_splitters<Word> splitters(cuts, out.total());
  std::vector<Word> candidates;  // the words that concern a cut, after the first round
  for (bool first = true; !splitters.done(); first = false) {
    std::vector<index_t> counters(splitters.counters());
    if (first) {
      splitters.count_unsorted(n, word_at, counters);
    } else {
      splitters.count_unsorted(
          std::ssize(candidates),
          [&](index_t i) { return candidates[static_cast<std::size_t>(i)]; }, counters);
    }
    call.through().sum(call.at("splitters"), counters, summed_ranks::all);
    splitters.take(counters);
    for (index_t i = 0; first && i < n; ++i) {
      if (splitters.concerns(word_at(i))) candidates.push_back(word_at(i));
    }
    if (!first) std::erase_if(candidates, [&](Word word) { return !splitters.concerns(word); });
  }
  std::ranges::sort(candidates);
  auto const words = splitters.cut_words();
  std::vector<index_t> equal;
  for (Word const word : words) {
    auto const [begin, end] = std::equal_range(candidates.begin(), candidates.end(), word);
    equal.push_back(end - begin);
  }
  std::vector<index_t> before = equal;
  call.through().sum(call.at("equal keys"), before, summed_ranks::before);
  std::vector<typename exact_splitters<Word>::unsorted_cut> found;
  for (std::size_t c = 0; c < words.size(); ++c) {
    found.push_back(splitters.cut_unsorted(c, equal[c], before[c]));
  }
  return found;
}

/// Sorts keys with values: value_at(i) is the value of local key i. Outputs may overlap inputs,
/// which are copied first; they receive pairs, and are sorted in place. `out` may be null: then
/// only values are wanted.
template <class Value, class Key, class ValueAt>
void sort_host_pairs(collective_call& call, ranks const& on, distribution const& parts,
                     std::span<Key const> in, ValueAt const& value_at, Key* out,
                     std::span<Value> values_out, sort_options const& options) {
  using word = typename sort_order<Key>::word_type;
  sort_order<Key> const order{options.direction, options.first_bit, options.end_bit, {}};
  // By value: what the loops below write cannot change these.
  auto const word_at = [keys = in.data(), order, compared = order.counting(0)](index_t i) {
    return static_cast<word>(order.word(keys[i]) & compared);
  };
  index_t const n = std::ssize(in);
  auto const cuts = detail::cuts_of_unsorted<word>(call, parts, n, word_at);
  std::vector<index_t> send(cuts.size() + 1, 0), receive(send.size());
  cpu::detail::sort_memory<Key> split_keys, own_out;
  cpu::detail::sort_memory<Value> split_values;
  call.agree("split", [&] {
    split_keys = cpu::detail::sort_memory<Key>(n);
    split_values = cpu::detail::sort_memory<Value>(n);
    if (out == nullptr) {
      own_out = cpu::detail::sort_memory<Key>(std::ssize(values_out));
      out = own_out.data();
    }
    detail::each_rank_of_keys<word>(n, word_at, cuts,
                                    [&](index_t, std::uint32_t const* to, index_t count) {
                                      for (index_t k = 0; k < count; ++k) ++send[to[k]];
                                    });
    std::vector<index_t> next(send.size());
    std::exclusive_scan(send.begin(), send.end(), next.begin(), index_t{0});
    detail::each_rank_of_keys<word>(
        n, word_at, cuts, [&](index_t begin, std::uint32_t const* to, index_t count) {
          for (index_t k = 0; k < count; ++k) {
            index_t const i = begin + k, place = next[to[k]]++;
            std::construct_at(split_keys.data() + place, in[static_cast<std::size_t>(i)]);
            std::construct_at(split_values.data() + place, value_at(i));
          }
        });
  });
  call.through().transpose(call.at("counts"), send, receive);
  auto const exchange = [&]<class T>(char const* step, cpu::detail::sort_memory<T>& from,
                                     std::span<T> to) {
    detail::exchange_pieces(call, step, std::span<T const>(from.data(), in.size()),
                            std::span<index_t const>(send), to, std::span<index_t const>(receive));
    from = {};
  };
  std::span<Key> const keys_out(out, values_out.size());
  exchange("keys", split_keys, keys_out);
  exchange("values", split_values, values_out);
  call.agree("sort", [&] {
    libscan::sort_pairs(on.local(), keys_out, keys_out, values_out, values_out, options);
  });
}

}  // namespace libscan::inline v1::detail
