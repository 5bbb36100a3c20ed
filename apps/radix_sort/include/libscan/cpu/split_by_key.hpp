// SPDX-License-Identifier: Apache-2.0
// The stable split into up to 256 buckets on CPU threads ("group by expert"): count the buckets of
// each piece of the input, scan the counts, write every item to its place.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <apps/radix_sort/core/sort_overlap.hpp>
#include <apps/radix_sort/cpu/line_writer.hpp>
#include <apps/radix_sort/cpu/sort_items.hpp>
#include <apps/radix_sort/cpu/split.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/read_ahead.hpp>
#include <libscan/cpu/stream_copy.hpp>

namespace libscan::inline v1::cpu::detail {

// The buckets of keys, up to 256, on a CPU thread: computed for many keys at once, and counted.

inline constexpr int max_buckets = 256;

/// The number of keys whose buckets are computed together, by vector instructions, before any of
/// them is moved.
inline constexpr index_t bucket_block = 256;

/// The next place of each bucket.
struct bucket_places {
  index_t next[max_buckets];
};

/// Sets found[k] to the bucket of keys[k], for count <= bucket_block keys; false if one has none.
template <class Key, class BucketOf>
bool find_buckets(Key const* keys, index_t count, BucketOf const& bucket_of, int buckets,
                  std::uint32_t* found) {
  auto const past = static_cast<std::uint32_t>(buckets);
  std::uint32_t beyond = 0;  // a word, not a bool, for vector instructions
  for (index_t k = 0; k < count; ++k) {
    auto const bucket = bucket_of(keys[k]);
    auto word = static_cast<std::uint32_t>(bucket);
    if constexpr (sizeof(bucket) > sizeof(word)) {
      if (static_cast<std::uint64_t>(bucket) >> 32 != 0) word = ~std::uint32_t{0};
    }
    found[k] = word;
    beyond |= word >= past ? 1u : 0u;
  }
  return beyond == 0;
}

/// Throws `invalid_argument` about the first key in no bucket, which exists.
template <class Key, class BucketOf>
[[noreturn]] void refuse_keys(Key const* keys, index_t n, BucketOf const& bucket_of, int buckets) {
  for (index_t i = 0; i < n; ++i) {
    std::uint32_t found;
    if (detail::find_buckets(keys + i, 1, bucket_of, buckets, &found)) continue;
    throw invalid_argument("split by key: key " + std::to_string(i) + " is in bucket " +
                           std::to_string(bucket_of(keys[i])) + "; expected 0 to " +
                           std::to_string(buckets - 1));
  }
  throw invalid_argument("split by key: keys changed while they were read");
}

/// Sets counts[b] to the number of keys in bucket b; false if a key is in none.
template <class Key, class BucketOf>
bool count_buckets(Key const* keys, index_t n, BucketOf const& bucket_of, int buckets,
                   index_t* counts) {
  std::fill_n(counts, buckets, index_t{0});
  bool all_have_one = true;
  detail::count_parts(0, n, buckets, counts, [&](index_t i, index_t count, std::uint32_t* found) {
    bool const have_one = detail::find_buckets(keys + i, count, bucket_of, buckets, found);
    if (!have_one) std::fill_n(found, count, 0U);
    all_have_one = all_have_one && have_one;
  });
  return all_have_one;
}

}  // namespace libscan::inline v1::cpu::detail

namespace libscan::inline v1::cpu {

/// The bucket of a key that is a bucket number.
struct its_bucket {
  template <class Key>
  Key operator()(Key const& key) const {
    return key;
  }
};

namespace detail {

/// Writes whole cache lines past the caches. It contains the memory for them.
template <class Target>
class streaming_writer {
 public:
  streaming_writer(Target const& to, bucket_places& places, int buckets)
      : lines_(to, buffer_, places.next, buckets) {}
  template <class ItemAt>
  void put(index_t count, std::uint32_t const* buckets, ItemAt item_at) {
    lines_.put(
        count, [=](index_t k) { return buckets[k]; }, item_at);
  }
  void finish() { lines_.finish(); }

 private:
  using writer = line_writer<Target>;
  static constexpr auto bytes = static_cast<std::size_t>(writer::buffer_bytes(max_buckets));
  alignas(cache_line) std::byte buffer_[bytes];
  writer lines_;
};

/// Up to this many buckets the CPU keeps the cache lines of each in its caches, with timely
/// prefetches.
inline constexpr int buckets_at_hand = 64;

/// The type for keys without values.
struct no_values {};

/// One split of keys with values: see `split_by_key`.
template <class Key, class Value, class BucketOf>
class key_split {
  using bucket_type = std::invoke_result_t<BucketOf const&, Key const&>;
  static_assert(std::is_copy_assignable_v<Key> && std::is_copy_assignable_v<Value>,
                "libscan: keys or values cannot be assigned; has their type a const member?");
  static_assert(std::is_integral_v<bucket_type> && sizeof(bucket_type) <= 8,
                "split_by_key: bucket_of(key) must be an integer of up to 64 bits");

 public:
  Key const* keys;
  Key* keys_out;
  Value const* values;
  Value* values_out;
  index_t n;
  int buckets;
  BucketOf bucket_of;

  void run(int threads, index_t* offsets) const {
    pieces const all(threads, n);
    split_table table(all.count, buckets);
    std::atomic<bool> all_have_one{true};
    detail::for_each_of(threads, all.count, [&](int, index_t p) {
      index_t const begin = all.begin(p);
      if (!detail::count_buckets(keys + begin, all.end(p) - begin, bucket_of, buckets,
                                 table.row(p))) {
        all_have_one.store(false, std::memory_order_relaxed);
      }
    });
    if (!all_have_one.load()) detail::refuse_keys(keys, n, bucket_of, buckets);
    table.scan(0, offsets);
    detail::for_each_of(threads, all.count, [&](int, index_t p) {
      bucket_places places;
      std::copy_n(table.row(p), buckets, places.next);
      scatter(all.begin(p), all.end(p), places);
    });
  }

 private:
  static constexpr bool with_values = !std::is_same_v<Value, no_values>;

  template <class Item>
  static constexpr bool fits_lines = lines_bytes % sizeof(Item) == 0;
  /// Whether keys and values can share lines, as pairs.
  static constexpr bool pairs_up = with_values && fits_lines<Key> && sizeof(Key) == sizeof(Value) &&
                                   std::is_trivial_v<Key> && std::is_trivial_v<Value>;
  using parted_lines = parted_target<Key, Value, lines_bytes>;

  /// Writes items [begin, end) to `places`.
  void scatter(index_t begin, index_t end, bucket_places& places) const {
    auto const bytes = n * static_cast<index_t>(sizeof(Key) + (with_values ? sizeof(Value) : 0));
    if (buckets > buckets_at_hand && store_policy_for(bytes) == store_policy::non_temporal) {
      if constexpr (pairs_up) {
        parted_scratch<Key, Value> const out{keys_out, values_out};
        if (parted_lines::fits(out)) return stream_pairs(begin, end, places, out);
      }
      if constexpr (fits_lines<Key> && (!with_values || fits_lines<Value>)) {
        if (is_aligned(keys_out) && (!with_values || is_aligned(values_out))) {
          return stream(begin, end, places);
        }
      }
    }
    if (store_policy_for(bytes) == store_policy::cached) return write_in_caches(begin, end, places);
    write_in_turns(begin, end, places);
  }

  /// The place of item i.
  index_t take_place(index_t i, bucket_places& places) const {
    return places.next[static_cast<std::uint32_t>(bucket_of(keys[i]))]++;
  }

  /// Outputs may be in a core's last-level cache, or not: then items without prefetches took two or
  /// three times as long in 64 buckets.
  void write_in_caches(index_t begin, index_t end, bucket_places& places) const {
    for (index_t i = begin; i < end; ++i) {
      index_t const to = take_place(i, places);
      cpu::ask_for(keys_out + to, cache_line);
      if constexpr (with_values) cpu::ask_for(values_out + to, cache_line);
      keys_out[to] = keys[i];
      if constexpr (with_values) values_out[to] = values[i];
    }
  }

  /// Some keys, then their values, with the next lines of all buckets prefetched in time. Item by
  /// item took 1.4 times as long if both outputs are at one place of their pages, as large
  /// allocations are: lines of a bucket then evict one another from the L1 cache. Inputs are
  /// prefetched as well: the core's prefetchers lose track of them among the writes (1.05 times).
  void write_in_turns(index_t begin, index_t end, bucket_places& places) const {
    constexpr index_t turn = 4096;
    constexpr index_t in_line = std::max<index_t>(1, cache_line / sizeof(Key));
    constexpr std::size_t ahead = 16 * cache_line;
    index_t written[turn];
    for (index_t i = begin; i < end; i += turn) {
      index_t const count = std::min(turn, end - i);
      for (index_t k = 0; k < count; ++k) {
        if (k % in_line == 0) {
          cpu::ask_for(keys + i + k, ahead);
          if constexpr (with_values) cpu::ask_for(values + i + k, 0);
        }
        index_t const to = written[k] = take_place(i + k, places);
        cpu::ask_for(keys_out + to, cache_line);
        keys_out[to] = keys[i + k];
      }
      if constexpr (with_values) {
        for (index_t k = 0; k < count; ++k) {
          cpu::ask_for(values_out + written[k], cache_line);
          values_out[written[k]] = values[i + k];
        }
      }
    }
  }

  template <class Item>
  static bool is_aligned(Item const* out) {
    return reinterpret_cast<std::uintptr_t>(out) % sizeof(Item) == 0;
  }

  /// The same by whole cache lines, of keys and values together.
  void stream_pairs(index_t begin, index_t end, bucket_places& places,
                    parted_scratch<Key, Value> const& out) const {
    streaming_writer<parted_lines> writer(parted_lines(out), places, buckets);
    for_blocks(begin, end, [&](index_t i, index_t count, std::uint32_t const* found) {
      writer.put(count, found, [keys = keys + i, values = values + i](index_t k) {
        return keyed_value<Key, Value>{keys[k], values[k]};
      });
    });
    writer.finish();
  }

  /// The same for each by itself.
  void stream(index_t begin, index_t end, bucket_places& places) const {
    bucket_places of_values = places;
    streaming_writer<item_target<Key>> key_writer(item_target<Key>(keys_out), places, buckets);
    auto const put_keys = [&](index_t i, index_t count, std::uint32_t const* found) {
      key_writer.put(count, found, [keys = keys + i](index_t k) -> Key const& { return keys[k]; });
    };
    if constexpr (with_values) {
      using target = item_target<Value>;
      streaming_writer<target> value_writer(target(values_out), of_values, buckets);
      for_blocks(begin, end, [&](index_t i, index_t count, std::uint32_t const* found) {
        put_keys(i, count, found);
        value_writer.put(count, found,
                         [values = values + i](index_t k) -> Value const& { return values[k]; });
      });
      value_writer.finish();
    } else {
      for_blocks(begin, end, put_keys);
    }
    key_writer.finish();
  }

  /// Calls put(i, count, buckets of items i ... i + count - 1) for all items of [begin, end).
  template <class Put>
  void for_blocks(index_t begin, index_t end, Put put) const {
    std::uint32_t found[bucket_block];
    for (index_t i = begin; i < end; i += bucket_block) {
      index_t const count = std::min(bucket_block, end - i);
      detail::find_buckets(keys + i, count, bucket_of, buckets, found);
      put(i, count, found);
    }
  }
};

template <class Key, class Value, class BucketOf>
void split_by_key(int threads, key_split<Key, Value, BucketOf> const& split, index_t* offsets) {
  if (threads < 1 || split.n < 0 || split.buckets < 1 || split.buckets > max_buckets) {
    throw invalid_argument(
        "split by key: threads >= 1, n >= 0 and 1 to 256 buckets expected, got " +
        std::to_string(threads) + ", " + std::to_string(split.n) + " and " +
        std::to_string(split.buckets));
  }
  libscan::detail::sort_memory_places items{
      detail::memory_of(split.keys, split.n), detail::memory_of(split.keys_out, split.n), {}, {}};
  if constexpr (!std::is_same_v<Value, no_values>) {
    items.values_in = detail::memory_of(split.values, split.n);
    items.values_out = detail::memory_of(split.values_out, split.n);
  }
  items.require_no_overlap("split by key", false);
  if (offsets != nullptr) {
    items.require_no_overlap_with("split by key", "items and offsets",
                                  detail::memory_of(offsets, split.buckets + 1), true);
  }
  constexpr index_t few_bytes = index_t{128}
                                << 10;  // of keys, moved before another thread is awake
  bool const few = split.n * static_cast<index_t>(sizeof(Key)) <= few_bytes;
  split.run(few ? 1 : threads, offsets);
}

}  // namespace detail

/// Groups keys and values by bucket, on up to `threads` threads: those of bucket 0 first, then
/// those of 1, ..., each in their order; offsets[b] = the begin of bucket b, for 0 <= b <= buckets
/// (offsets[buckets] = n).
///
/// Types: bucket_of(key) is an integer in [0, buckets), 1 <= buckets <= 256; it is called more than
/// once per key, concurrently. Keys and values are of any trivially copyable
/// types that can be assigned. `offsets`: buckets + 1 numbers, or null.
/// Aliasing: outputs and offsets must overlap neither inputs nor each other.
/// Memory: reads the keys twice and the values once, writes both once; allocates 8 bytes per bucket
/// and piece of 2^15 items or more, at most four pieces per thread; nothing if these take up to 8
/// KiB.
/// Throws: `invalid_argument` (threads < 1, n < 0, a number of buckets other than 1 to 256,
/// overlap, and, before anything is written, a key in no bucket), std::bad_alloc, and what
/// bucket_of throws.
template <class Key, class Value, class BucketOf = its_bucket>
void split_by_key(int threads, Key const* keys, Key* keys_out, Value const* values,
                  Value* values_out, index_t* offsets, index_t n, int buckets,
                  BucketOf bucket_of = {}) {
  detail::refuse_memory<Key>();
  detail::refuse_memory<Value>();
  detail::split_by_key<Key, Value, BucketOf>(
      threads, {keys, keys_out, values, values_out, n, buckets, bucket_of}, offsets);
}

/// The same for keys without values.
template <class Key, class BucketOf = its_bucket>
void split_by_key(int threads, Key const* keys, Key* keys_out, index_t* offsets, index_t n,
                  int buckets, BucketOf bucket_of = {}) {
  detail::refuse_memory<Key>();
  detail::split_by_key<Key, detail::no_values, BucketOf>(
      threads, {keys, keys_out, nullptr, nullptr, n, buckets, bucket_of}, offsets);
}

}  // namespace libscan::inline v1::cpu
