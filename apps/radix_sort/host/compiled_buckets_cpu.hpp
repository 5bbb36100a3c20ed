// SPDX-License-Identifier: Apache-2.0
// key_buckets.hpp on CPU threads, for one type of key. Included by the files that compile it for
// some types each. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/radix_sort/host/key_buckets.hpp>
#include <libscan/cpu/radix_sort.hpp>

namespace libscan::inline v1::detail {

/// The compared bits of keys' words.
template <class Key>
struct compared_bits {
  sort_order<Key> order;
  auto operator()(Key const& key) const {
    using word = typename sort_order<Key>::word_type;
    return static_cast<word>(order.word(key) & order.counting(0));
  }
};

/// Buckets of words that all samples are between: of others, the first bucket or the last.
template <class Word>
class bounded_buckets {
 public:
  bounded_buckets(Word low, Word high, cpu::detail::digit by, std::vector<Word> sample)
      : low_(low), high_(high), map_(by, less_low(std::move(sample), low)) {}

  int buckets() const { return map_.buckets(); }
  std::uint32_t of(Word word) const {
    return map_.of(static_cast<Word>(std::clamp(word, low_, high_) - low_));
  }

 private:
  static std::vector<Word> less_low(std::vector<Word> sample, Word low) {
    for (Word& word : sample) word = static_cast<Word>(word - low);
    return sample;
  }

  Word low_, high_;
  cpu::detail::bucket_map<Word> map_;
};

/// Calls body(map) with the map from words to buckets that the rule says: the same on all ranks.
template <class Key, class Body>
auto with_buckets(bucket_rule<typename sort_order<Key>::word_type> const& rule,
                  sort_order<Key> const& order, Body const& body) {
  using word = typename sort_order<Key>::word_type;
  std::vector<word> sample(std::max<std::size_t>(1, rule.sample.size()));  // one 0 without a sample
  std::ranges::copy(rule.sample, sample.begin());
  auto const [low, high] = std::ranges::minmax(sample);
  // As many as leave a core's cache full of keys; of few keys, enough to cut at any rank.
  constexpr index_t few = 64;
  auto const bits_for = [&](index_t keys) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rule.total / keys)));
  };
  int const wanted = std::clamp(bits_for(rule.bucket_items), std::min(8, bits_for(few)),
                                cpu::detail::max_split_bits);
  int const top = static_cast<int>(std::bit_width(static_cast<word>(low ^ high)));
  int const range = std::max(1, static_cast<int>(std::bit_width(static_cast<word>(high - low))));
  cpu::detail::digit const of_range{range - std::clamp(wanted, 1, range),
                                    std::clamp(wanted, 1, range)};
  cpu::detail::digit const highest{top - of_range.bits, of_range.bits};
  if (top == 0 || top != order.end() || cpu::detail::skewed(highest, sample)) {
    return body(bounded_buckets<word>(low, high, of_range, std::move(sample)));
  }
  return body(highest);  // all compared bits: no word is beyond
}

template <class Key>
index_t compiled_buckets<Key>::bucket_items() {
  return cpu::detail::sort_tuning{}.bucket_items;
}

template <class Key>
bool compiled_buckets<Key>::are_sorted(int threads, Key const* keys, index_t n,
                                       sort_order<Key> const& order) {
  constexpr index_t samples = 1024, part = 1024;
  if (n < 2) return true;
  compared_bits<Key> const by{order};
  if (!cpu::detail::summarize(keys, 0, n, n / std::min(n, samples), by).sorted) return false;
  cpu::detail::pieces const all(threads, n);
  std::atomic<bool> sorted{true};
  cpu::detail::for_each_of(threads, all.count, [&](int, index_t p) {
    for (index_t i = all.begin(p); i < all.end(p) && sorted.load(std::memory_order_relaxed);
         i += part) {
      index_t const end = std::min(all.end(p), i + part);
      if (!cpu::detail::summarize(keys, i, end, 1, by).sorted) sorted = false;
    }
  });
  return sorted;
}

template <class Key>
std::vector<index_t> compiled_buckets<Key>::split(int threads, Key const* in, index_t n, Key* out,
                                                  bucket_rule<word> const& rule,
                                                  sort_order<Key> const& order) {
  return detail::with_buckets<Key>(rule, order, [&](auto const& map) {
    using writer = cpu::detail::line_writer<cpu::detail::item_target<Key>>;
    compared_bits<Key> const by{order};
    int const buckets = map.buckets();
    std::vector<index_t> offsets(static_cast<std::size_t>(buckets) + 1);
    if (n == 0) return offsets;
    cpu::detail::pieces const all(threads, n);
    cpu::detail::split_table table(all.count, buckets);
    cpu::detail::for_each_of(threads, all.count, [&](int, index_t p) {
      (void)cpu::detail::count_piece(in, all.begin(p), all.end(p), by, map, table.row(p));
    });
    table.scan(0, offsets.data());
    index_t const buffer_bytes = writer::buffer_bytes(buckets);
    cpu::detail::sort_memory<std::byte> const buffers(std::min<index_t>(threads, all.count) *
                                                      buffer_bytes);
    cpu::detail::for_each_of(threads, all.count, [&](int worker, index_t p) {
      writer const lines(cpu::detail::item_target<Key>(out), buffers.data() + worker * buffer_bytes,
                         table.row(p), buckets);
      cpu::detail::scatter_piece(in, all.begin(p), all.end(p), by, map, lines);
    });
    return offsets;
  });
}

/// The sort of buckets that come in pieces, one of each run.
template <class Key>
class piece_sort {
 public:
  piece_sort(int threads, std::span<std::span<Key const> const> runs, Key* out,
             sort_order<Key> const& order)
      : threads_(threads), runs_(runs), out_(out), order_(order) {}

  template <class Map>
  void run(Map const& map) {
    find_pieces(map);
    index_t const n = begins_.back();
    auto const buckets = static_cast<index_t>(begins_.size()) - 1;
    // As in the sort of one rank: a bucket that would keep one thread busy is sorted by all.
    index_t const leaf =
        std::max<index_t>(1, tuning_.leaf_bytes / static_cast<index_t>(sizeof(Key)));
    index_t const large = std::clamp(n / (index_t{8} * threads_), 2 * leaf, max_in_leaf);
    index_t max_size = 0;
    for (index_t b = 0; b < buckets; ++b) {
      if (size(b) <= large) max_size = std::max(max_size, size(b));
    }
    cpu::detail::sort_memory<word> const space(2 * max_size * std::min<index_t>(threads_, buckets));
    cpu::detail::for_each_of(threads_, buckets, [&](int worker, index_t b) {
      if (size(b) == 0 || size(b) > large) return;
      sort_leaf(b, space.data() + 2 * worker * max_size, max_size);
    });
    for (index_t b = 0; b < buckets; ++b) {
      if (size(b) > large) sort_large(b);
    }
  }

 private:
  using word = typename sort_order<Key>::word_type;
  static constexpr index_t max_in_leaf = index_t{1} << 31;  // whose counts have 32 bits

  struct piece {
    index_t bucket;
    std::span<Key const> keys;
  };

  index_t size(index_t bucket) const {
    auto const b = static_cast<std::size_t>(bucket);
    return begins_[b + 1] - begins_[b];
  }
  Key* place(index_t bucket) const { return out_ + begins_[static_cast<std::size_t>(bucket)]; }

  /// The pieces of all buckets, and where each bucket begins in the result.
  template <class Map>
  void find_pieces(Map const& map) {
    compared_bits<Key> const by{order_};
    begins_.assign(static_cast<std::size_t>(map.buckets()) + 1, 0);
    for (auto run : runs_) {
      while (!run.empty()) {
        std::uint32_t const bucket = map.of(by(run.front()));
        auto const end = std::partition_point(
            run.begin(), run.end(), [&](Key const& key) { return map.of(by(key)) <= bucket; });
        auto const keys = run.first(static_cast<std::size_t>(end - run.begin()));
        pieces_.push_back({index_t{bucket}, keys});
        begins_[std::size_t{bucket} + 1] += std::ssize(keys);
        run = run.subspan(keys.size());
      }
    }
    for (std::size_t b = 1; b < begins_.size(); ++b) begins_[b] += begins_[b - 1];
    std::ranges::stable_sort(pieces_, {}, &piece::bucket);
  }

  /// Calls take(keys) for the pieces of a bucket, in the order of their runs.
  template <class Take>
  void for_pieces(index_t bucket, Take const& take) const {
    for (auto at = std::ranges::lower_bound(pieces_, bucket, {}, &piece::bucket);
         at != pieces_.end() && at->bucket == bucket; ++at) {
      take(at->keys);
    }
  }

  /// Copies the keys of a bucket to `to`.
  void gather(index_t bucket, Key* to) const {
    for_pieces(bucket, [&](std::span<Key const> keys) {
      std::memcpy(static_cast<void*>(to), keys.data(), keys.size_bytes());
      to += keys.size();
    });
  }

  void sort_leaf(index_t b, word* items, index_t space) const {
    if constexpr (std::is_integral_v<Key>) {
      cpu::detail::number_words<Key> const words(order_.direction);
      word* next = items;
      for_pieces(b, [&](std::span<Key const> keys) {
        for (std::size_t i = 0; i < keys.size(); ++i) next[i] = words.from(keys[i]);
        next += keys.size();
      });
      word* const sorted = cpu::detail::leaf_sort(
          items, items + space, size(b), cpu::detail::counting_bits<word>{order_.counting(0)},
          tuning_.wide_digits);
      cpu::detail::key_sink<Key> const sink{place(b), words};
      sink.put(sorted, 0, size(b));
      sink.finish();
    } else {
      auto* const keys = reinterpret_cast<Key*>(items);
      gather(b, keys);
      cpu::detail::sort_bytes(1, keys, place(b), nullptr, nullptr, 0, size(b), order_, tuning_);
    }
  }

  void sort_large(index_t b) const {
    gather(b, place(b));
    cpu::detail::sort_bytes(threads_, place(b), place(b), nullptr, nullptr, 0, size(b), order_,
                            tuning_);
  }

  int threads_;
  std::span<std::span<Key const> const> runs_;
  Key* out_;
  sort_order<Key> order_;
  cpu::detail::sort_tuning tuning_{};
  std::vector<index_t> begins_;
  std::vector<piece> pieces_;
};

template <class Key>
void compiled_buckets<Key>::sort(int threads, std::span<std::span<Key const> const> runs, Key* out,
                                 bucket_rule<word> const& rule, sort_order<Key> const& order) {
  detail::with_buckets<Key>(
      rule, order, [&](auto const& map) { piece_sort<Key>(threads, runs, out, order).run(map); });
}

}  // namespace libscan::inline v1::detail
