// SPDX-License-Identifier: Apache-2.0
// A sort of more keys than a device holds: chunks are sorted, and then ranges of the sorted result,
// which come from all sorted chunks. Plain C++: what is decided on the host. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// How n keys are cut into chunks. `resident` of them stay on the device when they are sorted; the
/// others are spilled to host memory. The ranges of the result come from all chunks. Where they
/// begin is found from samples, so they are a little shorter than chunks, and none is longer.
struct chunk_plan {
  index_t n;
  index_t length;  ///< of each chunk, except the last
  index_t resident = 0;

  index_t chunks() const { return ceil_div(n, length); }
  index_t begin(index_t chunk) const { return std::min(chunk * length, n); }
  index_t size(index_t chunk) const { return begin(chunk + 1) - begin(chunk); }

  /// Spilled chunks come at equal distances, so that copies of them take all the time there is. The
  /// first chunk is spilled, the last one stays, if there are both.
  index_t spilled_before(index_t chunk) const {
    return ceil_div(chunk * (chunks() - resident), chunks());
  }
  bool stays(index_t chunk) const { return spilled_before(chunk + 1) == spilled_before(chunk); }
  index_t resident_before(index_t chunk) const { return chunk - spilled_before(chunk); }
  /// Where a spilled chunk begins in host memory.
  index_t spilled_begin(index_t chunk) const { return spilled_before(chunk) * length; }

  /// Of a sorted chunk, one key in so many is a sample.
  index_t distance() const {
    return std::max<index_t>(length / (range_margin * (2 * chunks() + 1)), 1);
  }
  index_t samples(index_t chunk) const { return ceil_div(size(chunk), distance()); }
  index_t all_samples() const { return (chunks() - 1) * samples(0) + samples(chunks() - 1); }

  /// Keys of a range, about. The sample with rank k among all samples is a key whose rank among all
  /// keys is between distance * k - 2 * chunks * distance and distance * k. If all keys are
  /// samples, it is k.
  index_t range_length() const {
    return distance() == 1 ? length : length - (2 * chunks() + 1) * distance();
  }
  index_t ranges() const { return ceil_div(n, range_length()); }
  index_t range_begin(index_t range) const { return std::min(range * range_length(), n); }

 private:
  static constexpr index_t range_margin = 32;
};

/// Such chunks, as many resident as fit in `usable` bytes of device memory besides `fixed` ones.
inline chunk_plan with_residents(chunk_plan plan, std::size_t usable, std::size_t fixed,
                                 std::size_t chunk_bytes) {
  std::size_t const left = usable > fixed ? usable - fixed : 0;
  plan.resident = std::min(plan.chunks(), static_cast<index_t>(left / chunk_bytes));
  return plan;
}

/// The largest word that at most `rank` of the sampled words are below. `samples` has those of each
/// chunk, ascending.
template <class Word>
Word word_of_rank(std::vector<std::span<Word const>> const& samples, index_t rank) {
  Word found = 0;
  for (int bit = 8 * static_cast<int>(sizeof(Word)) - 1; bit >= 0; --bit) {
    auto const candidate = static_cast<Word>(found | static_cast<Word>(Word{1} << bit));
    index_t below = 0;
    for (auto const& of_chunk : samples) {
      below += std::lower_bound(of_chunk.begin(), of_chunk.end(), candidate) - of_chunk.begin();
    }
    if (below <= rank) found = candidate;
  }
  return found;
}

/// How many keys of each chunk come before a cut at `rank` of all keys, or as near to it as keys
/// with a word are: `below` are those with smaller words, `not_above` also those with the word.
/// These come in the order of chunks.
inline std::vector<index_t> cut_chunks(std::vector<index_t> below,
                                       std::vector<index_t> const& not_above, index_t rank) {
  for (index_t const count : below) rank -= count;
  for (std::size_t c = 0; c < below.size() && rank > 0; ++c) {
    index_t const equal = std::min(rank, not_above[c] - below[c]);
    below[c] += equal;
    rank -= equal;
  }
  return below;
}

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
