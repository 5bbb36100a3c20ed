// SPDX-License-Identifier: Apache-2.0
// key_buckets.hpp on CPU threads, for one type of key. Included by the files that compile it for
// some types each. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <apps/radix_sort/host/key_buckets.hpp>
#include <libscan/cpu/radix_sort.hpp>
#include <libscan/radix_sort.hpp>

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
      : low_(low), high_(high), map_(by, less_low((std::move)(sample), low)) {}

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
  index_t const fit =
      cpu::detail::sort_tuning{}.leaf_bytes / 2 / static_cast<index_t>(rule.item_bytes);
  int const wanted = std::clamp(bits_for(std::min(rule.bucket_items, fit)),
                                std::min(8, bits_for(few)), cpu::detail::max_split_bits);
  int const top = static_cast<int>(std::bit_width(static_cast<word>(low ^ high)));
  int const range = std::max(1, static_cast<int>(std::bit_width(static_cast<word>(high - low))));
  cpu::detail::digit const of_range{range - std::clamp(wanted, 1, range),
                                    std::clamp(wanted, 1, range)};
  cpu::detail::digit const highest{top - of_range.bits, of_range.bits};
  if (top == 0 || top != order.end() || cpu::detail::skewed(highest, sample)) {
    return body(bounded_buckets<word>(low, high, of_range, (std::move)(sample)));
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

/// Calls body(Value{}) with a type for values of this size.
template <class Body>
auto with_value_type(std::size_t size, Body const& body) {
  if (size == 0) return body(keys_only{});
  return size == sizeof(std::uint32_t) ? body(std::uint32_t{}) : body(std::uint64_t{});
}

/// Values, or positions.
template <class Value>
class value_source {
 public:
  explicit value_source(carried_values const& values)
      : in_(static_cast<std::byte const*>(values.in)), first_(values.first) {}

  Value operator[](index_t i) const {
    auto value = static_cast<Value>(first_ + i);
    if (in_ != nullptr) std::memcpy(&value, in_ + i * index_t{sizeof(Value)}, sizeof(Value));
    return value;
  }

 private:
  std::byte const* in_;
  index_t first_;
};

/// Keys with their values.
template <class Key, class Value>
struct carried_source {
  Key const* keys;
  value_source<Value> values;

  cpu::detail::keyed_value<Key, Value> operator[](index_t i) const { return {keys[i], values[i]}; }
};

/// One split of the keys `in` and their values.
template <class Key, class Map>
class bucket_split {
 public:
  /// Counts, and sets `offsets` to where buckets begin, and the end.
  bucket_split(int threads, Key const* in, index_t n, Map const& map, sort_order<Key> const& order,
               std::vector<index_t>& offsets)
      : threads_(threads),
        map_(map),
        by_{order},
        all_(threads, n),
        table_(all_.count, map.buckets()) {
    cpu::detail::for_each_of(threads, all_.count, [&](int, index_t p) {
      (void)cpu::detail::count_piece(in, all_.begin(p), all_.end(p), by_, map, table_.row(p));
    });
    offsets.resize(static_cast<std::size_t>(map.buckets()) + 1);
    table_.scan(0, offsets.data());
  }

  /// Writes the items of `source` to their places in `target`.
  template <class Source, class Target>
  void write(Source const& source, Target const& target) {
    using writer = cpu::detail::line_writer<Target>;
    int const buckets = map_.buckets();
    index_t const bytes = writer::buffer_bytes(buckets);
    cpu::detail::sort_memory<std::byte> const buffers(std::min<index_t>(threads_, all_.count) *
                                                      bytes);
    cpu::detail::for_each_of(threads_, all_.count, [&](int worker, index_t p) {
      writer const lines(target, buffers.data() + worker * bytes, table_.row(p), buckets);
      cpu::detail::scatter_piece(source, all_.begin(p), all_.end(p), by_, map_, lines);
    });
  }

 private:
  int threads_;
  Map const& map_;
  compared_bits<Key> by_;
  cpu::detail::pieces all_;
  cpu::detail::split_table table_;
};

template <class Key>
bool compiled_buckets<Key>::can_split_to(Key const* out, carried_values const& values) {
  return detail::with_value_type(values.size, [&]<class Value>(Value) {
    if constexpr (std::is_same_v<Value, keys_only>) {
      return true;
    } else {
      return cpu::detail::parted_target<Key, Value>::fits({const_cast<Key*>(out), values.out});
    }
  });
}

template <class Key>
std::vector<index_t> compiled_buckets<Key>::split(int threads, Key const* in, index_t n, Key* out,
                                                  carried_values const& values,
                                                  bucket_rule<word> const& rule,
                                                  sort_order<Key> const& order) {
  std::vector<index_t> offsets;
  detail::with_buckets<Key>(rule, order, [&](auto const& map) {
    bucket_split split(threads, in, n, map, order, offsets);
    detail::with_value_type(values.size, [&]<class Value>(Value) {
      if constexpr (std::is_same_v<Value, keys_only>) {
        split.write(in, cpu::detail::item_target<Key>(out));
      } else {
        split.write(carried_source<Key, Value>{in, value_source<Value>(values)},
                    cpu::detail::parted_target<Key, Value>({out, values.out}));
      }
    });
  });
  return offsets;
}

/// Keys as a leaf sorts them: integers as the words of their order, which give the keys back.
template <class Key>
struct leaf_keys : cpu::detail::number_words<Key> {
  using word = typename sort_order<Key>::word_type;
  using sorted_key = Key;
  explicit leaf_keys(sort_order<Key> const& order)
      : cpu::detail::number_words<Key>(order.direction), order_{order.counting(0)} {}

  cpu::detail::counting_bits<word> order() const { return order_; }
  cpu::detail::number_words<Key> const& words() const { return *this; }

 private:
  cpu::detail::counting_bits<word> order_;
};

/// Floats as their bits, since there are two zeros and many NaNs.
template <class Key>
requires(!std::is_integral_v<Key>) struct leaf_keys<Key> {
  using word = typename sort_order<Key>::word_type;
  using sorted_key = word;
  struct order_of_bits {
    compared_bits<Key> by;
    word operator()(word bits) const {
      Key key;
      std::memcpy(static_cast<void*>(&key), &bits, sizeof key);
      return by(key);
    }
  };
  explicit leaf_keys(sort_order<Key> const& order) : order_{{order}} {}

  word from(Key key) const {
    word bits;
    std::memcpy(&bits, &key, sizeof bits);
    return bits;
  }
  order_of_bits order() const { return order_; }
  cpu::detail::number_words<word> words() const {
    return cpu::detail::number_words<word>(sort_direction::ascending);
  }

 private:
  order_of_bits order_;
};

/// Buckets that come in pieces, one of each run.
struct bucket_pieces {
  struct piece {
    index_t bucket, begin, size;
  };
  std::vector<piece> pieces;    // by buckets, those of a bucket in the order of the runs
  std::vector<index_t> begins;  // of the buckets in the result, and its end
};

/// The pieces of runs that end at `ends`, by a map from words to buckets.
template <class Key, class Map>
bucket_pieces find_pieces(Key const* in, std::span<index_t const> ends,
                          compared_bits<Key> const& by, Map const& map) {
  bucket_pieces found;
  found.begins.assign(static_cast<std::size_t>(map.buckets()) + 1, 0);
  index_t at = 0;
  for (index_t const end : ends) {
    while (at < end) {
      std::uint32_t const bucket = map.of(by(in[at]));
      index_t const past =
          std::partition_point(in + at, in + end,
                               [&](Key const& key) { return map.of(by(key)) <= bucket; }) -
          in;
      found.pieces.push_back({index_t{bucket}, at, past - at});
      found.begins[std::size_t{bucket} + 1] += past - at;
      at = past;
    }
  }
  auto& begins = found.begins;
  for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  std::ranges::stable_sort(found.pieces, {}, &bucket_pieces::piece::bucket);
  return found;
}

/// The sort of buckets that come in pieces.
template <class Key, class Value>
class piece_sort {
 public:
  piece_sort(int threads, Key const* in, bucket_pieces const& buckets, Key* out,
             carried_values const& values, sort_order<Key> const& order)
      : threads_(threads),
        in_(in),
        pieces_(buckets.pieces),
        begins_(buckets.begins),
        out_(out),
        values_(values),
        value_at_(values),
        order_(order),
        keys_(order) {}

  void run() {
    index_t const n = begins_.back();
    auto const buckets = static_cast<index_t>(begins_.size()) - 1;
    // As in the sort of one rank: a bucket that would keep one thread busy is sorted by all.
    index_t const leaf = tuning_.leaf_bytes / static_cast<index_t>(sizeof(item));
    index_t const large = std::clamp(n / (index_t{8} * threads_), 2 * leaf, max_in_leaf);
    index_t max_size = 0;
    for (index_t b = 0; b < buckets; ++b) {
      if (size(b) <= large) max_size = std::max(max_size, size(b));
    }
    cpu::detail::sort_memory<item> const space(2 * max_size * std::min<index_t>(threads_, buckets));
    policy_ = cpu::store_policy_for(n * index_t{sizeof(item)});
    cpu::detail::for_each_of(threads_, buckets, [&](int worker, index_t b) {
      if (size(b) == 0 || size(b) > large) return;
      sort_leaf(b, space.data() + 2 * worker * max_size, max_size);
    });
    for (index_t b = 0; b < buckets; ++b) {
      if (size(b) > large) sort_large(b);
    }
  }

 private:
  static constexpr bool alone = std::is_same_v<Value, keys_only>;  // keys
  using word = typename sort_order<Key>::word_type;
  using sorted_key = typename leaf_keys<Key>::sorted_key;
  using item = std::conditional_t<alone, word, cpu::detail::keyed_value<word, Value>>;
  static constexpr index_t max_in_leaf = index_t{1} << 31;  // whose counts have 32 bits

  using piece = bucket_pieces::piece;

  index_t begin(index_t bucket) const { return begins_[static_cast<std::size_t>(bucket)]; }
  index_t size(index_t bucket) const { return begin(bucket + 1) - begin(bucket); }

  /// Calls take(i) for the items of a bucket, in the order of their runs.
  template <class Take>
  void for_items(index_t bucket, Take const& take) const {
    for (auto at = std::ranges::lower_bound(pieces_, bucket, {}, &piece::bucket);
         at != pieces_.end() && at->bucket == bucket; ++at) {
      for (index_t i = at->begin; i < at->begin + at->size; ++i) take(i);
    }
  }

  /// Copies the keys of a bucket together.
  void gather_keys(index_t bucket, Key* to) const {
    for_items(bucket, [&](index_t i) { *to++ = in_[i]; });
  }

  void sort_leaf(index_t b, item* items, index_t space) const {
    if constexpr (alone && !std::is_integral_v<Key>) {
      auto* const keys = reinterpret_cast<Key*>(items);
      gather_keys(b, keys);
      sort_together(1, keys, out_ + begin(b), nullptr, size(b));
    } else {
      item* next = items;
      for_items(b, [&](index_t i) {
        if constexpr (alone) {
          *next++ = keys_.from(in_[i]);
        } else {
          *next++ = {keys_.from(in_[i]), value_at_[i]};
        }
      });
      put(cpu::detail::leaf_sort(items, items + space, size(b), keys_.order(), tuning_.wide_digits),
          begin(b), size(b));
    }
  }

  void sort_together(int threads, Key const* keys, Key* out, void* values, index_t n) const {
    compiled_sort<Key>::items(engine::cpu(threads), keys, out, {values, values, values_.size}, n,
                              {order_.direction, order_.first_bit, order_.end_bit});
  }

  /// In the memory of its results.
  void sort_large(index_t b) const {
    cpu::detail::sort_memory<Key> own;
    if (out_ == nullptr) own = cpu::detail::sort_memory<Key>(size(b));
    Key* const keys = out_ == nullptr ? own.data() : out_ + begin(b);
    gather_keys(b, keys);
    if constexpr (alone) {
      sort_together(threads_, keys, keys, nullptr, size(b));
    } else {
      std::size_t const result = out_ == nullptr ? sizeof(index_t) : sizeof(Value);
      auto* const values =
          static_cast<std::byte*>(values_.out) + begin(b) * static_cast<index_t>(result);
      auto* to = values;
      for_items(b, [&](index_t i) {
        Value const value = value_at_[i];
        std::memcpy(to, &value, sizeof value);
        to += sizeof value;
      });
      sort_together(threads_, keys, keys, values, size(b));
      if (result > sizeof(Value)) widen(values, size(b));
    }
  }

  /// Makes n positions in the front of index_t in the same memory.
  static void widen(std::byte* positions, index_t n) {
    for (index_t i = n; i-- > 0;) {
      Value narrow;
      std::memcpy(&narrow, positions + i * index_t{sizeof narrow}, sizeof narrow);
      auto const wide = static_cast<index_t>(narrow);
      std::memcpy(positions + i * index_t{sizeof wide}, &wide, sizeof wide);
    }
  }

  /// Writes sorted items to the results.
  void put(item const* sorted, index_t place, index_t count) const {
    auto const to = [&](auto const& sink) {
      sink.put(sorted, place, count);
      sink.finish();
    };
    auto* const keys = reinterpret_cast<sorted_key*>(out_);
    if constexpr (alone) {
      to(cpu::detail::key_sink<sorted_key>{keys, keys_.words()});
    } else if (out_ != nullptr) {
      using sink = cpu::detail::pair_sink<sorted_key, Value>;
      to(sink{keys, values_.out, keys_.words(), policy_});
    } else {
      using sink = cpu::detail::value_sink<word, Value, index_t>;
      to(sink{static_cast<index_t*>(values_.out), policy_});
    }
  }

  int threads_;
  Key const* in_;
  std::span<piece const> pieces_;
  std::span<index_t const> begins_;
  Key* out_;
  carried_values values_;
  value_source<Value> value_at_;
  sort_order<Key> order_;
  leaf_keys<Key> keys_;
  cpu::store_policy policy_ = cpu::store_policy::cached;
  cpu::detail::sort_tuning tuning_{};
};

template <class Key>
void compiled_buckets<Key>::sort(int threads, Key const* in, std::span<index_t const> ends,
                                 Key* out, carried_values const& values,
                                 bucket_rule<word> const& rule, sort_order<Key> const& order) {
  auto const buckets = detail::with_buckets<Key>(rule, order, [&](auto const& map) {
    return detail::find_pieces<Key>(in, ends, {order}, map);
  });
  detail::with_value_type(values.size, [&]<class Value>(Value) {
    piece_sort<Key, Value>(threads, in, buckets, out, values, order).run();
  });
}

}  // namespace libscan::inline v1::detail
