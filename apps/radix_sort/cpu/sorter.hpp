// SPDX-License-Identifier: Apache-2.0
// The radix sort of any number of items on CPU threads: a split by the highest bits in which keys
// differ into buckets that fit a core's cache. One thread sorts each; larger ones are split again.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/radix_sort/cpu/leaf_sort.hpp>
#include <apps/radix_sort/cpu/sort_items.hpp>
#include <apps/radix_sort/cpu/split.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

// The bucket of a word in a split of skewed words, whose highest bits would put most of them into
// few buckets. A sample shows how many further bits to use after each value of the highest ones.

/// A map from words to buckets that is monotonic.
template <class Word>
class bucket_map {
 public:
  /// Uses `highest`, the highest bits in which words differ, and bits below it where many of the
  /// `sample` agree in it: all buckets then get about equal shares.
  bucket_map(digit highest, std::vector<Word> const& sample) : highest_(highest) {
    std::vector<std::uint32_t> counts(std::size_t{1} << highest.bits);
    for (Word const word : sample) ++counts[highest.of(word)];
    std::uint32_t base = 0;
    for (std::uint32_t const count : counts) {
      // 2^further is at most this value's share of 2^11.
      auto const share = (std::uint64_t{count} << 11) / std::max<std::size_t>(1, sample.size());
      int const wanted = static_cast<int>(std::bit_width(share)) - 1;
      int const further = count < 4 ? 0 : std::clamp(wanted, 0, highest.shift);
      parts_.push_back({base, static_cast<std::uint16_t>(highest.shift - further),
                        static_cast<std::uint16_t>((1U << further) - 1)});
      base += 1U << further;
    }
    buckets_ = static_cast<int>(base);
  }

  /// One more than the last bucket: at most 2^bits of `highest` and 2^11 more.
  int buckets() const { return buckets_; }

  std::uint32_t of(Word word) const {
    part const here = parts_[highest_.of(word)];
    return here.base + (static_cast<std::uint32_t>(word >> here.shift) & here.mask);
  }

  int end_bit() const { return highest_.shift + highest_.bits; }

 private:
  struct part {
    std::uint32_t base;
    std::uint16_t shift;
    std::uint16_t mask;
  };

  digit highest_;
  std::vector<part> parts_;
  int buckets_ = 0;
};

/// Whether a bucket of this digit would get much more than its share.
template <class Word>
bool skewed(digit by, std::vector<Word> const& sample) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(by.buckets()));
  std::size_t max_count = 0;
  for (Word const word : sample) max_count = std::max(max_count, ++counts[by.of(word)]);
  return max_count > 16 && max_count > sample.size() / 64;
}

// Items that are already sorted pass from source to sink unchanged, on CPU threads.

/// The sink for items from memory, not from a leaf: keys that equal their words may then bypass the
/// caches. Other sinks have chosen their policy.
template <class Sink>
Sink past_caches(Sink const& sink, index_t) {
  return sink;
}
template <class Key>
key_sink<Key> past_caches(key_sink<Key> const& sink, index_t n) {
  return {sink.keys, sink.words, store_policy_for(n * index_t{sizeof(Key)})};
}

/// Items of a part: they are read again from the L1 cache after the first look.
inline constexpr index_t passed_items = 1024;

/// Passes `count` items of `source`, up to `passed_items`, to `sink` unchanged.
template <class Source, class Sink>
void pass_on_part(Source const& source, index_t i, index_t place, index_t count, Sink const& sink) {
  std::remove_cvref_t<decltype(source[0])> part[passed_items];
  for (index_t k = 0; k < count; ++k) part[k] = source[i + k];
  sink.put(part, place, count);
}

/// Passes items 0..n-1 of `source` to places [place, place + n) of `sink` unchanged.
template <class Source, class Sink>
void pass_on(int threads, Source const& source, index_t place, index_t n, Sink const& sink) {
  pieces const all(threads, n);
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    for (index_t i = all.begin(p); i < all.end(p); i += passed_items) {
      detail::pass_on_part(source, i, place + i, std::min(passed_items, all.end(p) - i), sink);
    }
    sink.finish();
  });
}

/// Passes items 0..n-1 of `source` to `sink` unchanged, if they are sorted by `order`: in one pass,
/// if what is read and written does not overlap. Otherwise returns false, and the sink's content
/// must be written again.
template <class Source, class Sink, class Order>
bool pass_on_if_sorted(int threads, Source const& source, index_t n, Sink const& sink,
                       Order order) {
  meeting const how = detail::meeting_of(source, sink);
  if (how != meeting::none) {
    bool const sorted = detail::summarize_all(threads, source, n, order).sorted;
    if (sorted && how == meeting::some) detail::pass_on(threads, source, 0, n, sink);
    return sorted;
  }
  pieces const all(threads, n);
  std::atomic<bool> sorted{true};
  auto const to = detail::past_caches(sink, n);
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    for (index_t i = all.begin(p); i < all.end(p) && sorted.load(std::memory_order_relaxed);
         i += passed_items) {
      index_t const count = std::min(passed_items, all.end(p) - i);
      if (!detail::summarize(source, i, i + count, 1, order).sorted) {
        sorted = false;
      } else {
        detail::pass_on_part(source, i, i, count, to);
      }
    }
    to.finish();
  });
  return sorted;
}

/// Constants that affect speed, but not results.
struct sort_tuning {
  /// These items, and as many again, fit in half of a 2 MiB L2 cache: one thread's work.
  index_t leaf_bytes = index_t{1} << 19;
  /// The size of a bucket, at most half of a leaf's, since keys may be skewed. Narrow digits prefer
  /// few remaining bits; but 2^20 keys in 2048 buckets take 1.35 times 512's (Emerald Rapids).
  index_t bucket_items = wide_leaf_digits_pay() ? index_t{1} << 15 : index_t{1} << 12;
  /// Bits of a split. Up to 11, the maximum, it takes hardly longer (Sapphire Rapids).
  int min_bits = 8;
  int max_bits = max_split_bits;
  /// The kind of digits that sort leaves.
  bool wide_digits = wide_leaf_digits_pay();
};

/// One sort of items by the words of `Order`.
template <class Item, class Order>
class sorter {
 public:
  sorter(int threads, Order order, sort_tuning const& tuning)
      : threads_(threads),
        order_(order),
        tuning_(tuning),
        leaf_items_(std::max<index_t>(1, tuning.leaf_bytes / static_cast<index_t>(sizeof(Item)))) {}

  /// Sorts items 0..n-1 of `source` into `sink`. `scratch` has space for n items and is not read by
  /// `source`. If `sink` writes into it, item i's output must be in the memory of item i and be
  /// written after that has been read, or be what the sink `holds`. Null: allocated if needed. It
  /// may also be a `parted_scratch` with this property.
  template <class Source, class Sink, class Scratch = Item*>
  void sort(Source const& source, index_t n, Sink const& sink, Scratch scratch = nullptr) {
    constexpr bool parted = !std::is_same_v<Scratch, Item*>;
    bool const shared = threads_ > 1 && pieces(threads_, n).count > 1;
    if (n <= leaf_items_ && (!shared || detail::sorted_by_vectors<Item>(n, order_))) {
      Item* alone = nullptr;
      if constexpr (!parted) alone = scratch;
      return sort_alone(source, n, sink, alone);
    }
    auto const guess = detail::summarize(source, 0, n, n / std::min(n, samples), order_);
    if (guess.sorted && detail::pass_on_if_sorted(threads_, source, n, sink, order_)) return;
    n_ = n;
    if constexpr (!parted) {
      if (scratch == nullptr) {
        own_scratch_ = sort_memory<Item>(n);
        scratch = own_scratch_.data();
      }
      scratch_ = scratch;
    }
    split_and_sort(source, 0, n, guess.differing, scratch, sink);
  }

  /// Sorts n < 2^32 items on the caller's thread; `items` and `partner` have space for n each.
  template <class Source, class Sink>
  void sort_leaf(Source const& source, index_t n, Sink const& sink, Item* items,
                 Item* partner) const {
    if (sorted_in_sink(source, n, sink)) return;
    detail::copy_items(source, n, items);
    sink.put(detail::leaf_sort(items, partner, n, order_, tuning_.wide_digits), 0, n);
    sink.finish();
  }

  /// Sorts within consecutive segments of at most `tiny_items` items: segment s starts at item
  /// offsets[s] - offsets[0] of `source`. `items` and `partner` have space for all.
  template <class Source, class Offset, class Sink>
  void sort_tiny_segments(Source const& source, Offset const* offsets, index_t segments,
                          Sink const& sink, Item* items, Item* partner) const {
    auto const begin_of = [=](index_t s) { return static_cast<index_t>(offsets[s] - offsets[0]); };
    detail::copy_items(source, begin_of(segments), items);
    for (index_t s = 0; s < segments; ++s) {
      index_t const begin = begin_of(s), size = begin_of(s + 1) - begin;
      if (size == 1) {
        partner[begin] = items[begin];
      } else {
        detail::sort_few_items(items + begin, partner + begin, size, order_);
      }
    }
    sink.put(partner, 0, begin_of(segments));
    sink.finish();
  }

  index_t leaf_items() const { return leaf_items_; }

  /// The most items of a tiny segment.
  index_t tiny_items() const { return std::min(few_items<word_type>, leaf_items_); }

 private:
  using word_type = decltype(std::declval<Order>()(detail::key_of(std::declval<Item>())));
  static constexpr index_t samples = 1024;
  static constexpr index_t max_in_leaf = index_t{1} << 31;  // whose counts have 32 bits

  /// Sorts in the place of the results and returns true, if vector code may do it there.
  template <class Source, class Sink>
  bool sorted_in_sink(Source const& source, index_t n, Sink const& sink) const {
    if constexpr (has_vector_sort<Item>) {
      Item* const out = sink.words_in_place();
      if (out == nullptr || !detail::sorted_by_vectors<Item>(n, order_)) return false;
      if (detail::meeting_of(source, sink) != meeting::same) detail::copy_items(source, n, out);
      if (!detail::ascends(out, n)) detail::vector_sort(out, n);
      return true;
    }
    return false;
  }

  /// Sorts up to a leaf's items on the caller's thread.
  template <class Source, class Sink>
  void sort_alone(Source const& source, index_t n, Sink const& sink, Item* scratch) const {
    if (sorted_in_sink(source, n, sink)) return;
    if (scratch != nullptr && detail::sorted_by_vectors<Item>(n, order_)) {
      return sort_leaf(source, n, sink, scratch, nullptr);
    }
    constexpr index_t fit = 8192 / sizeof(Item);
    if (n <= fit) {
      alignas(Item) std::byte memory[2 * fit * sizeof(Item)];
      auto* const items = reinterpret_cast<Item*>(memory);
      return sort_leaf(source, n, sink, scratch == nullptr ? items + fit : scratch, items);
    }
    sort_memory<Item> const memory(scratch == nullptr ? 2 * n : n);
    sort_leaf(source, n, sink, scratch == nullptr ? memory.data() + n : scratch, memory.data());
  }

  /// The digit by which to split n items, if these are the bits in which their words differ.
  template <class Word>
  digit split_digit(index_t n, Word differing) const {
    int const top = std::max(1, static_cast<int>(std::bit_width(differing)));
    index_t const bucket_items = std::clamp<index_t>(leaf_items_ / 2, 1, tuning_.bucket_items);
    auto const buckets =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n / bucket_items)));
    int const wanted = std::clamp(buckets, tuning_.min_bits, tuning_.max_bits);
    int const bits = std::min({top, wanted, max_split_bits});
    return {top - bits, bits};
  }

  /// The words of some of n items.
  template <class Source>
  auto sample(Source const& source, index_t n) const {
    using word = decltype(order_(detail::key_of(source[0])));
    std::vector<word> words;
    index_t const step = n / std::min(n, samples);
    for (index_t i = 0; i < n; i += step) words.push_back(order_(detail::key_of(source[i])));
    return words;
  }

  /// Splits items 0..n-1 of `source` into to[place], to[place + 1], ...; returns the begin of each
  /// bucket in `to`, and the end. `guess`: some of the bits in which words differ.
  template <class Source, class Word, class Scratch>
  std::vector<index_t> split(Source const& source, index_t place, index_t n, Word guess,
                             Scratch const& to) const {
    auto const words = sample(source, n);
    std::vector<index_t> offsets;
    do {
      digit const by = split_digit(n, guess);
      guess = by.shift > 0 && detail::skewed(by, words)
                  ? split_by(bucket_map<Word>(by, words), source, place, n, to, offsets)
                  : split_by(by, source, place, n, to, offsets);
    } while (guess != 0);  // at most a second time, now with all bits
    return offsets;
  }

  /// Splits by `map`, and returns 0. If words turn out to differ in higher bits than `map` uses,
  /// leaves `to` unchanged and returns all bits in which they differ.
  template <class Map, class Source, class Scratch>
  auto split_by(Map const& map, Source const& source, index_t place, index_t n, Scratch const& to,
                std::vector<index_t>& offsets) const {
    using target = typename target_in<Scratch>::type;
    using writer = line_writer<target>;
    using word = decltype(order_(detail::key_of(source[0])));
    pieces const all(threads_, n);
    int const buckets = map.buckets();
    split_table table(all.count, buckets);
    std::vector<word> found(static_cast<std::size_t>(all.count));
    detail::for_each_of(threads_, all.count, [&](int, index_t p) {
      found[static_cast<std::size_t>(p)] =
          detail::count_piece(source, all.begin(p), all.end(p), order_, map, table.row(p));
    });
    word differing = 0;
    for (word const some : found) differing = static_cast<word>(differing | some);
    if (static_cast<int>(std::bit_width(differing)) > map.end_bit()) return differing;
    offsets.resize(static_cast<std::size_t>(buckets) + 1);
    table.scan(place, offsets.data());
    index_t const buffer_bytes = writer::buffer_bytes(buckets);
    sort_memory<std::byte> const buffers(std::min<index_t>(threads_, all.count) * buffer_bytes);
    detail::for_each_of(threads_, all.count, [&](int worker, index_t p) {
      writer const lines(target(to), buffers.data() + worker * buffer_bytes, table.row(p), buckets);
      detail::scatter_piece(source, all.begin(p), all.end(p), order_, map, lines);
    });
    return word{0};
  }

  /// Sorts items 0..n-1 of `source` into places [place, place + n) of `sink`, through `to`.
  template <class Source, class Word, class Sink, class Scratch>
  void split_and_sort(Source const& source, index_t place, index_t n, Word guess, Scratch const& to,
                      Sink const& sink) {
    auto const offsets = split(source, place, n, guess, to);
    // If the highest bits leave half of the buckets empty, the others have about a leaf's items. A
    // bucket that would keep one thread busy while others wait also counts as large.
    index_t const min_large = 2 * leaf_items_;
    index_t const large =
        std::clamp(n / (index_t{8} * threads_), min_large, std::max(min_large, max_in_leaf));
    auto const size = [&](index_t bucket) {
      auto const at = static_cast<std::size_t>(bucket);
      return offsets[at + 1] - offsets[at];
    };
    auto const buckets = static_cast<index_t>(offsets.size()) - 1;
    index_t max_size = 0;
    for (index_t bucket = 0; bucket < buckets; ++bucket) {
      if (size(bucket) <= large) max_size = std::max(max_size, size(bucket));
    }
    constexpr int per_thread = std::is_same_v<Scratch, Item*> ? 1 : 2;
    sort_memory<Item> const scratch(std::min<index_t>(threads_, buckets) * per_thread * max_size);
    detail::for_each_of(threads_, buckets, [&](int worker, index_t bucket) {
      if (size(bucket) == 0 || size(bucket) > large) return;
      index_t const begin = offsets[static_cast<std::size_t>(bucket)];
      Item* const partner = scratch.data() + worker * per_thread * max_size;
      Item* const items = together(to + begin, size(bucket), partner + max_size);
      Item* const sorted =
          detail::leaf_sort(items, partner, size(bucket), order_, tuning_.wide_digits);
      sink.put(sorted, begin, size(bucket));
      sink.finish();
    });
    for (index_t bucket = 0; bucket < buckets; ++bucket) {
      if (size(bucket) <= large) continue;
      sort_bucket(to, offsets[static_cast<std::size_t>(bucket)], size(bucket), sink);
    }
  }

  /// The items of `scratch`, contiguous: in place, or copied to `aside`.
  static Item* together(Item* scratch, index_t, Item*) { return scratch; }
  template <class Scratch>
  static Item* together(Scratch const& scratch, index_t n, Item* aside) {
    detail::copy_items(scratch, n, aside);
    return aside;
  }

  /// Sorts the large bucket [place, place + n) of `from`.
  template <class Scratch, class Sink>
  void sort_bucket(Scratch const& from, index_t place, index_t n, Sink const& sink) {
    auto const items = as_source(from + place);
    auto const summary = detail::summarize_all(threads_, items, n, order_);
    if (summary.sorted) {
      if (!sink.holds(items, place)) detail::pass_on(threads_, items, place, n, sink);
      return;
    }
    if constexpr (std::is_same_v<Scratch, Item*>) {
      if (from == scratch_) {
        if (other_scratch_.empty()) other_scratch_ = sort_memory<Item>(n_);
        return split_and_sort(items, place, n, summary.differing, other_scratch_.data(), sink);
      }
    } else if (scratch_ == nullptr) {
      own_scratch_ = sort_memory<Item>(n_);
      scratch_ = own_scratch_.data();
    }
    split_and_sort(items, place, n, summary.differing, scratch_, sink);
  }

  static Item const* as_source(Item* items) { return items; }
  template <class Scratch>
  static Scratch as_source(Scratch const& items) {
    return items;
  }

  int threads_;
  Order order_;
  sort_tuning tuning_;
  index_t leaf_items_;
  index_t n_ = 0;
  Item* scratch_ = nullptr;
  sort_memory<Item> own_scratch_;
  sort_memory<Item> other_scratch_;
};

}  // namespace libscan::inline v1::cpu::detail
