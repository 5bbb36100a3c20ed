// SPDX-License-Identifier: Apache-2.0
// The sort of keys in host memory over ranks. Each rank splits its keys into buckets, the same on
// all ranks, and sorts only the buckets in which parts of the result begin and end. So it knows
// which keys go to whom. After one exchange each rank sorts the buckets that it has got. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <apps/radix_sort/cpu/sort_items.hpp>
#include <apps/radix_sort/host/key_buckets.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/distribution.hpp>
#include <libscan/distributed/exchange.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/splitters.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::inline v1::detail {

/// A sort of keys over ranks, on one rank.
template <class Key>
class host_key_sort {
 public:
  host_key_sort(ranks const& on, collective_call& call, std::span<Key const> in, std::span<Key> out,
                sort_options const& options)
      : on_(on),
        call_(call),
        in_(in),
        out_(out),
        options_(options),
        order_{options.direction, options.first_bit, options.end_bit, {}} {}

  void run() {
    auto const all = call_.gather("lengths", [&] { return numbers_here(); });
    auto const d = detail::lengths_in(call_, all);
    if (on_.size() == 1) return call_.agree("sort", [&] { sort_alone(); });
    if (are_sorted(all)) return rebalance_sorted(d);
    gather_sample();
    rule_.total = d.in.total();
    rule_.bucket_items = all[0].bucket_items;
    sort_by_buckets(d);
  }

 private:
  using word = typename sort_order<Key>::word_type;

  struct numbers {
    index_t in, out;
    index_t bucket_items;
    bool sorted;
    word first, last;  // if there are keys
  };

  word word_of(Key const& key) const {
    return static_cast<word>(order_.word(key) & order_.counting(0));
  }

  numbers numbers_here() const {
    cpu::detail::require_aligned(in_.data());
    cpu::detail::require_aligned(out_.data());
    order_.check_bits();
    numbers mine{
        std::ssize(in_), std::ssize(out_), compiled_buckets<Key>::bucket_items(), false, 0, 0};
    if (on_.size() == 1) return mine;
    mine.sorted =
        compiled_buckets<Key>::are_sorted(on_.threads(), in_.data(), std::ssize(in_), order_);
    if (in_.empty()) return mine;
    mine.first = word_of(in_.front());
    mine.last = word_of(in_.back());
    return mine;
  }

  /// Whether the keys of all ranks are sorted as they are.
  static bool are_sorted(std::vector<numbers> const& all) {
    numbers const* before = nullptr;
    for (numbers const& one : all) {
      if (one.in == 0) continue;
      if (!one.sorted || (before != nullptr && one.first < before->last)) return false;
      before = &one;
    }
    return true;
  }

  bool overlaps() const { return memory_span(std::as_bytes(in_)).overlaps(std::as_bytes(out_)); }

  /// Memory for the result that does not overlap the keys: `space`, if `out_` does.
  std::span<Key> apart(cpu::detail::sort_memory<Key>& space) const {
    if (!overlaps()) return out_;
    space = cpu::detail::sort_memory<Key>(std::ssize(out_));
    return {space.data(), out_.size()};
  }

  void sort_alone() const {
    if (in_.data() == out_.data()) return libscan::sort_keys(on_.local(), in_, out_, options_);
    cpu::detail::sort_memory<Key> space;
    std::span<Key> const to = apart(space);
    libscan::sort_keys(on_.local(), in_, to, options_);
    if (to.data() != out_.data()) std::ranges::copy(to, out_.begin());
  }

  void rebalance_sorted(in_and_out const& d) {
    auto const pieces = detail::rebalanced_pieces(d, on_.rank());
    cpu::detail::sort_memory<Key> space;
    std::span<Key> to;
    call_.agree("space", [&] { to = apart(space); });
    detail::exchange_pieces(call_, "keys", in_, std::span<index_t const>(pieces.send), to,
                            std::span<index_t const>(pieces.receive));
    call_.agree("end", [] {});
    if (to.data() != out_.data()) std::ranges::copy(to, out_.begin());
  }

  /// Words of some keys of all ranks.
  void gather_sample() {
    std::size_t const each =
        std::clamp<std::size_t>(2048 / static_cast<std::size_t>(on_.size()), 16, 1024);
    auto const bytes = call_.gather_bytes("sample", (each + 1) * sizeof(word), [&](auto to) {
      std::vector<word> words(each + 1);
      std::size_t const count = std::min(each, in_.size());
      words[0] = static_cast<word>(count > 0 ? 1 : 0);
      for (std::size_t i = 0; i < each && count > 0; ++i) {
        words[i + 1] = word_of(in_[i % count * (in_.size() / count)]);
      }
      std::memcpy(to.data(), words.data(), to.size());
    });
    std::vector<word> words(bytes.size() / sizeof(word));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    for (std::size_t at = 0; at < words.size(); at += each + 1) {
      if (words[at] == 0) continue;
      sample_.insert(sample_.end(), words.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     words.begin() + static_cast<std::ptrdiff_t>(at + each + 1));
    }
    rule_.sample = sample_;
  }

  void sort_by_buckets(in_and_out const& d) {
    cpu::detail::sort_memory<Key> own_split, received;
    Key* split = out_.data();
    call_.agree("split", [&] {
      if (out_.size() < in_.size() || overlaps()) {
        own_split = cpu::detail::sort_memory<Key>(std::ssize(in_));
        split = own_split.data();
      }
      received = cpu::detail::sort_memory<Key>(std::ssize(out_));
      bounds_ = compiled_buckets<Key>::split(on_.threads(), in_.data(), std::ssize(in_), split,
                                             rule_, order_);
    });
    auto const send = split_counts(d.out, split);
    std::vector<index_t> receive(send.size());
    call_.through().transpose(call_.at("counts"), send, receive);
    detail::exchange_pieces(call_, "keys", std::span<Key const>(split, in_.size()),
                            std::span<index_t const>(send), std::span(received.data(), out_.size()),
                            std::span<index_t const>(receive));
    own_split = {};
    call_.agree("sort", [&] {
      std::vector<std::span<Key const>> runs;
      Key const* at = received.data();
      for (index_t const count : receive) {
        runs.emplace_back(at, static_cast<std::size_t>(count));
        at += count;
      }
      compiled_buckets<Key>::sort(on_.threads(), runs, out_.data(), rule_, order_);
    });
  }

  /// A bucket that holds the first key of a part: keys here, and keys of earlier such buckets.
  struct cut_bucket {
    index_t begin, size, before;
  };

  /// The buckets that parts cut, and the parts' cuts: in which of these buckets, or before which
  /// key here.
  struct cuts {
    std::vector<cut_bucket> buckets;
    std::vector<index_t> lengths;  // the keys of these buckets, on all ranks, in each part
    struct place {
      std::size_t bucket;  // or one past the last: none
      index_t begin;
    };
    std::vector<place> places;
    index_t keys = 0;  // here, in these buckets
  };

  /// `sizes`: of all ranks' buckets.
  cuts find_cuts(distribution const& out, std::vector<index_t> const& sizes) const {
    cuts found;
    constexpr auto none = static_cast<std::size_t>(-1);
    std::size_t b = 0;
    std::size_t last_cut = none;
    index_t begin = 0, cut_keys = 0, before = 0;  // of all ranks
    for (int r = 1; r < out.ranks(); ++r) {
      index_t const position = out.begin(r);
      for (; b < sizes.size() && begin + sizes[b] <= position; ++b) begin += sizes[b];
      index_t in_cut_buckets = cut_keys;
      if (b < sizes.size() && begin < position) {
        if (last_cut != b) {
          found.buckets.push_back({bounds_[b], bounds_[b + 1] - bounds_[b], found.keys});
          found.keys += found.buckets.back().size;
          cut_keys += sizes[b];
          last_cut = b;
        }
        in_cut_buckets = cut_keys - sizes[b] + position - begin;
        found.places.push_back({found.buckets.size() - 1, 0});
      } else {
        found.places.push_back({none, bounds_[b]});
      }
      found.lengths.push_back(in_cut_buckets - before);
      before = in_cut_buckets;
    }
    found.lengths.push_back(cut_keys - before);
    return found;
  }

  /// How many of the split keys each rank gets. Sorts the buckets that parts cut.
  std::vector<index_t> split_counts(distribution const& out, Key* split) {
    std::vector<index_t> sizes;
    for (std::size_t b = 1; b < bounds_.size(); ++b) sizes.push_back(bounds_[b] - bounds_[b - 1]);
    call_.through().sum(call_.at("buckets"), sizes, summed_ranks::all);
    cuts const cut = find_cuts(out, sizes);
    call_.agree("cut buckets", [&] {
      for (cut_bucket const& one : cut.buckets) {
        std::span const keys(split + one.begin, static_cast<std::size_t>(one.size));
        libscan::sort_keys(on_.local(), keys, keys, options_);
      }
    });
    auto const of_cut_buckets =
        detail::split_counts<word>(call_, distribution(cut.lengths), cut.keys, [&](index_t i) {
          auto const past = std::ranges::upper_bound(cut.buckets, i, {}, &cut_bucket::before);
          return word_of(split[(past - 1)->begin + i - (past - 1)->before]);
        });
    std::vector<index_t> counts;
    index_t begin = 0, before = 0;  // `before`: keys of these buckets before the cut
    for (std::size_t c = 0; c < cut.places.size(); ++c) {
      before += of_cut_buckets[c];
      auto const& place = cut.places[c];
      index_t end = place.begin;
      if (place.bucket < cut.buckets.size()) {
        cut_bucket const& one = cut.buckets[place.bucket];
        end = one.begin + before - one.before;
      }
      counts.push_back(end - begin);
      begin = end;
    }
    counts.push_back(std::ssize(in_) - begin);
    return counts;
  }

  ranks const& on_;
  collective_call& call_;
  std::span<Key const> in_;
  std::span<Key> out_;
  sort_options options_;
  sort_order<Key> order_;
  std::vector<word> sample_;
  bucket_rule<word> rule_{};
  std::vector<index_t> bounds_;  // of this rank's buckets
};

}  // namespace libscan::inline v1::detail
