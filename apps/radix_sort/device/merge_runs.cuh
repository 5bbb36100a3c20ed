// SPDX-License-Identifier: Apache-2.0
// Merges of sorted runs in device memory, binary searches in one, and samples: what a distributed
// sort does beside its local sorts. A merge reads and writes each item once. Its tiles are found by
// merge path (Green, McColl & Bader 2012).
#pragma once

#include <cstdint>
#include <type_traits>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

using libscan::detail::keys_only;
using libscan::detail::merged_pair;

/// The compared bits of keys.
template <class Key>
struct key_words {
  sort_order<Key> order;

  __device__ auto operator()(Key const& key) const {
    using word = typename sort_order<Key>::word_type;
    return static_cast<word>(order.word(key) & order.counting(0));
  }
};

/// How many of a[0..m-1] are among the first k items of the stable merge of a and b[0..n-1].
template <class Index, class Key>
__device__ Index merge_path(Key const* a, Index m, Key const* b, Index n, Index k,
                            key_words<Key> const& word_of) {
  Index low = k > n ? k - n : 0;
  Index high = k < m ? k : m;
  while (low < high) {
    Index const taken = low + (high - low) / 2;
    if (word_of(b[k - taken - 1]) < word_of(a[taken])) {
      high = taken;
    } else {
      low = taken + 1;
    }
  }
  return low;
}

/// How threads share a tile of results. Odd numbers of items per thread avoid bank conflicts.
template <class Key>
struct merge_shape {
  static constexpr int block_threads = 256;
  static constexpr int items_per_thread = sizeof(Key) == 8 ? 11 : 15;
  static constexpr int tile_items = block_threads * items_per_thread;
};

/// The pair of a tile: the last one whose first tile is not above it.
template <class Key>
__device__ merged_pair<Key> pair_of(merged_pair<Key> const* pairs, int count, index_t tile) {
  int low = 0, high = count - 1;
  while (low < high) {
    int const middle = low + (high - low + 1) / 2;
    if (pairs[middle].first_tile <= tile) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return pairs[low];
}

/// splits[t] = how many items of the first run of its pair come before tile t.
template <class Key>
struct merge_splits_kernel {
  static constexpr int block_threads = 128;

  __device__ void operator()(merged_pair<Key> const* pairs, int count, index_t tiles,
                             index_t* splits, key_words<Key> word_of) const {
    index_t const tile = static_cast<index_t>(blockIdx.x) * block_threads + threadIdx.x;
    if (tile >= tiles) return;
    merged_pair<Key> const pair = device::pair_of(pairs, count, tile);
    index_t const before = (tile - pair.first_tile) * merge_shape<Key>::tile_items;
    splits[tile] =
        device::merge_path(pair.a.keys, pair.a.size, pair.b.keys, pair.b.size, before, word_of);
  }
};

/// Merges pairs of neighboring runs; a thread block writes one tile of results.
template <class Key, class Value>
struct merge_kernel {
  using shape = merge_shape<Key>;
  static constexpr int block_threads = shape::block_threads;
  static constexpr int resident_blocks = 4;
  static constexpr bool has_values = !std::is_same_v<Value, keys_only>;

  struct shared_storage {
    Key keys[shape::tile_items];
    std::uint16_t sources[has_values ? shape::tile_items : 1];
  };

  /// Where a tile's items are: `from_a` in run a from item `a`, and then those in run b from `b`.
  struct tile_sources {
    index_t a, b;
    int from_a, items;
  };

  __device__ void operator()(shared_storage& shared, Key* out, Value* values_out,
                             merged_pair<Key> const* pairs, int count, index_t const* splits,
                             key_words<Key> word_of) const {
    auto const tile = static_cast<index_t>(blockIdx.x);
    merged_pair<Key> const pair = device::pair_of(pairs, count, tile);
    index_t const begin = (tile - pair.first_tile) * shape::tile_items;
    index_t const left = pair.a.size + pair.b.size - begin;
    bool const is_last = left <= shape::tile_items;
    index_t const split = splits[tile];
    index_t const split_end = is_last ? pair.a.size : splits[tile + 1];
    tile_sources const from{split, begin - split, static_cast<int>(split_end - split),
                            is_last ? static_cast<int>(left) : shape::tile_items};
    load_each(
        pair.a.keys, pair.b.keys, from, [](int i) { return i; }, shared.keys);
    simt::sync_block();
    merge_in_shared(shared, from, word_of);
    simt::sync_block();
    index_t const target = pair.target + begin;
    each_item(from, [&](int /*k*/, int i) { out[target + i] = shared.keys[i]; });
    if constexpr (has_values) {
      load_each(
          static_cast<Value const*>(pair.a.values), static_cast<Value const*>(pair.b.values), from,
          [&](int i) { return shared.sources[i]; }, values_out + target);
    }
  }

 private:
  /// use(k, i) for the thread's k-th item, item i of the tile. Neighboring threads have neighboring
  /// items.
  template <class Use>
  __device__ static void each_item(tile_sources const& from, Use use) {
#pragma unroll
    for (int k = 0; k < shape::items_per_thread; ++k) {
      int const i = static_cast<int>(threadIdx.x) + k * block_threads;
      if (i < from.items) use(k, i);
    }
  }

  /// to[i] = item place(i) of the tile, out of two arrays that may be another GPU's memory: all of
  /// a thread's loads are in flight before the first store waits for one.
  template <class Item, class Place>
  __device__ static void load_each(Item const* in_a, Item const* in_b, tile_sources const& from,
                                   Place place, Item* to) {
    Item items[shape::items_per_thread];
    each_item(from, [&](int k, int i) {
      int const at = place(i);
      items[k] = at < from.from_a ? in_a[from.a + at] : in_b[from.b + (at - from.from_a)];
    });
    each_item(from, [&](int k, int i) { to[i] = items[k]; });
  }

  /// Each thread merges its consecutive results.
  __device__ static void merge_in_shared(shared_storage& shared, tile_sources const& from,
                                         key_words<Key> const& word_of) {
    constexpr int per_thread = shape::items_per_thread;
    int const first = static_cast<int>(threadIdx.x) * per_thread;
    int const begin = first < from.items ? first : from.items;
    int const from_b = from.items - from.from_a;
    Key const* const in_b = shared.keys + from.from_a;
    int a = device::merge_path(shared.keys, from.from_a, in_b, from_b, begin, word_of);
    int b = begin - a;
    Key merged[per_thread];
    std::uint16_t source[per_thread];
#pragma unroll
    for (int k = 0; k < per_thread; ++k) {
      bool const takes_b =
          b < from_b && (a >= from.from_a || word_of(in_b[b]) < word_of(shared.keys[a]));
      int const place = takes_b ? from.from_a + b : a;
      source[k] = static_cast<std::uint16_t>(place);
      if (begin + k < from.items) merged[k] = shared.keys[place];
      if (takes_b) {
        ++b;
      } else if (a < from.from_a) {
        ++a;
      }
    }
    simt::sync_block();
#pragma unroll
    for (int k = 0; k < per_thread; ++k) {
      if (begin + k >= from.items) continue;
      shared.keys[begin + k] = merged[k];
      if constexpr (has_values) shared.sources[begin + k] = source[k];
    }
  }
};

/// *found = how many of a[0..m-1] are among the first k items of the stable merge of a and b.
template <class Key>
struct merge_cut_kernel {
  static constexpr int block_threads = 1;

  __device__ void operator()(Key const* a, index_t m, Key const* b, index_t n, index_t k,
                             index_t* found, key_words<Key> word_of) const {
    *found = device::merge_path(a, m, b, n, k, word_of);
  }
};

/// words[i] = the word of key i n / count.
template <class Key>
struct sample_kernel {
  using word = typename sort_order<Key>::word_type;
  static constexpr int block_threads = 128;

  __device__ void operator()(Key const* keys, index_t n, word* words, index_t count,
                             key_words<Key> word_of) const {
    index_t const i = static_cast<index_t>(blockIdx.x) * block_threads + threadIdx.x;
    if (i >= count) return;
    index_t const rest = n % count;  // i * n may overflow
    words[i] = word_of(keys[n / count * i + rest * i / count]);
  }
};

/// found[2i] = how many sorted keys have a word below words[i], found[2i + 1] = not above it.
template <class Key>
struct search_kernel {
  using word = typename sort_order<Key>::word_type;
  static constexpr int block_threads = 128;

  __device__ void operator()(Key const* keys, index_t n, word const* words, index_t count,
                             index_t* found, key_words<Key> word_of) const {
    index_t const i = static_cast<index_t>(blockIdx.x) * block_threads + threadIdx.x;
    if (i >= 2 * count) return;
    word const wanted = words[i / 2];
    bool const with_equal = i % 2 != 0;
    index_t low = 0, high = n;
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      word const here = word_of(keys[middle]);
      if (here < wanted || (with_equal && here == wanted)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    found[i] = low;
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
