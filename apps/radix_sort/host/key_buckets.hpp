// SPDX-License-Identifier: Apache-2.0
// What sorts over ranks do with keys in host memory: they split them into buckets by a rule that is
// the same on all ranks, and later sort each bucket's pieces from all ranks. The split is the first
// pass of any sort on CPU threads, so it costs nothing more. Values move with their keys.
// compiled_buckets_cpu.hpp implements it. Internal.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// How ranks divide keys into buckets, whose order is that of the keys.
template <class Word>
struct bucket_rule {
  std::span<Word const> sample;  ///< compared bits of the words of some keys of all ranks
  index_t total;                 ///< keys of all ranks
  index_t bucket_items;          ///< keys that a bucket should have, in the mean, if they fit
  std::size_t item_bytes;        ///< of a key and its value
};

/// Values that move with keys, by their bytes.
struct carried_values {
  std::size_t size = 0;      ///< of one: 4 or 8, or 0 if there are none
  void const* in = nullptr;  ///< null: the values are positions,
  index_t first = 0;         ///< from this one on
  void* out = nullptr;       ///< values, or index_t if `sort` writes no keys
};

/// out[j] = in[positions[j]] for n values of `bytes` bytes, and positions of 4 or 8 bytes.
void gather_values(int threads, void const* in, void* out, std::size_t bytes, void const* positions,
                   std::size_t position_bytes, index_t n);

/// Keys of a type that `sort_key` lists.
template <class Key>
struct compiled_buckets {
  using word = typename sort_order<Key>::word_type;

  /// The keys of a bucket that this processor sorts fast. Ranks may have different processors.
  static index_t bucket_items();

  /// Whether no key comes before the one in front of it. Returns early if many do.
  static bool are_sorted(int threads, Key const* keys, index_t n, sort_order<Key> const& order);

  /// Whether `split` can write keys and values to these places. It can to new memory.
  static bool can_split_to(Key const* out, carried_values const& values);

  /// Splits n keys and their values by buckets, stable. Returns where each bucket begins in `out`,
  /// and the end.
  static std::vector<index_t> split(int threads, Key const* in, index_t n, Key* out,
                                    carried_values const& values, bucket_rule<word> const& rule,
                                    sort_order<Key> const& order);

  /// Sorts the keys of all runs, which follow one another, stable: equal keys come in the order of
  /// their runs. `ends` of the runs; the keys of each are in the order of their buckets. Outputs
  /// overlap no input. `out` may be null, if only values are wanted.
  static void sort(int threads, Key const* in, std::span<index_t const> ends, Key* out,
                   carried_values const& values, bucket_rule<word> const& rule,
                   sort_order<Key> const& order);
};

}  // namespace libscan::inline v1::detail
