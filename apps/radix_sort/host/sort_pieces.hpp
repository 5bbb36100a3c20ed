// SPDX-License-Identifier: Apache-2.0
// A sort of more keys than a device holds: chunks are sorted, and then ranges of the sorted result,
// which are as long and come from all sorted chunks. Plain C++: what is decided on the host.
// Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <apps/radix_sort/core/key_order.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// Keys in chunks of one length, except the last, each sorted.
template <class Key>
struct sorted_chunks {
  Key const* keys;
  index_t n;
  index_t length;
  sort_order<Key> order;

  index_t count() const { return ceil_div(n, length); }
  index_t begin(index_t chunk) const { return std::min(chunk * length, n); }

  /// Where the first `rank` of all keys end in each chunk, in stable order.
  std::vector<index_t> cuts(index_t rank) const {
    using word = typename sort_order<Key>::word_type;
    std::vector<index_t> low, high;  // the cuts are in [low, high]
    for (index_t c = 0; c < count(); ++c) {
      low.push_back(begin(c));
      high.push_back(begin(c + 1));
    }
    if (rank >= n) return high;
    // The word of the key with that rank, from the most significant bit: keys below it are at most
    // `rank`.
    word found = 0;
    for (int bit = sort_order<Key>::word_bits - 1; bit >= 0; --bit) {
      auto const candidate = static_cast<word>(found | static_cast<word>(word{1} << bit));
      std::vector<index_t> below(low.size());
      index_t sum = 0;
      for (std::size_t c = 0; c < low.size(); ++c) {
        below[c] = first_from(candidate, low[c], high[c]);
        sum += below[c] - begin(static_cast<index_t>(c));
      }
      bool const keeps = sum <= rank;
      if (keeps) found = candidate;
      (keeps ? low : high).swap(below);
    }
    // Keys of that word, [low, high), are cut in the order of chunks.
    for (std::size_t c = 0; c < low.size(); ++c) rank -= low[c] - begin(static_cast<index_t>(c));
    for (std::size_t c = 0; c < low.size() && rank > 0; ++c) {
      index_t const equal = std::min(rank, high[c] - low[c]);
      low[c] += equal;
      rank -= equal;
    }
    return low;
  }

 private:
  /// The first of keys [low, high) whose word is not below `than`.
  index_t first_from(typename sort_order<Key>::word_type than, index_t low, index_t high) const {
    auto const compared = order.counting(0);
    auto const* const found = std::partition_point(keys + low, keys + high, [&](Key const& key) {
      return (order.word(key) & compared) < than;
    });
    return found - keys;
  }
};

/// Items of a chunk: so many that `bytes_of(items)` of device memory are at most `max_bytes`, and
/// few enough that copies overlap: copies of the first and of the last chunk do not.
template <class BytesOf>
index_t sort_chunk_items(index_t n, index_t min_items, std::size_t max_bytes,
                         BytesOf const& bytes_of) {
  constexpr index_t enough_chunks = 64, fewest_items = 256;
  index_t items = std::max(ceil_div(n, enough_chunks), min_items);
  while (items > fewest_items && bytes_of(items) > max_bytes) items = items / 2;
  return std::max<index_t>(items / 32 * 32, 32);
}

}  // namespace libscan::inline v1::detail
