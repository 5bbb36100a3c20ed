// SPDX-License-Identifier: Apache-2.0
// What sorts over ranks do with keys in host memory: they split them into buckets by a rule that is
// the same on all ranks, and later sort each bucket's pieces from all ranks. The split is the first
// pass of any sort on CPU threads, so it costs nothing more. compiled_buckets_cpu.hpp implements
// it. Internal.
#pragma once

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
  index_t bucket_items;          ///< keys that a bucket should have, in the mean
};

/// Keys of a type that `sort_key` lists.
template <class Key>
struct compiled_buckets {
  using word = typename sort_order<Key>::word_type;

  /// The keys of a bucket that this processor sorts fast. Ranks may have different processors.
  static index_t bucket_items();

  /// Whether no key comes before the one in front of it. Returns early if many do.
  static bool are_sorted(int threads, Key const* keys, index_t n, sort_order<Key> const& order);

  /// Splits keys by their buckets, stable. Returns where each bucket begins in `out`, and the end.
  static std::vector<index_t> split(int threads, Key const* in, index_t n, Key* out,
                                    bucket_rule<word> const& rule, sort_order<Key> const& order);

  /// Sorts the keys of all runs, stable: equal keys come in the order of their runs. The keys of
  /// each run are in the order of their buckets. `out` overlaps no run.
  static void sort(int threads, std::span<std::span<Key const> const> runs, Key* out,
                   bucket_rule<word> const& rule, sort_order<Key> const& order);
};

}  // namespace libscan::inline v1::detail
