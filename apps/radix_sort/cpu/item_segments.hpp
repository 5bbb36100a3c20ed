// SPDX-License-Identifier: Apache-2.0
// The segments of a sort on CPU threads, given by checked offsets of any integer type.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>

#include <apps/radix_sort/cpu/split.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/small_buffer.hpp>

namespace libscan::inline v1::cpu::detail {

/// Segments of items: number s is [offsets[s], offsets[s + 1]).
template <std::integral Offset>
struct item_segments {
  Offset const* offsets;
  index_t count;
  index_t longest = 0;

  /// Throws unless offsets[0..count] ascend within 0 ... n.
  item_segments(int threads, Offset const* from, index_t segments, index_t n)
      : offsets(from), count(segments) {
    bool good = count > 0 ? 0 <= at(0) && at(count) <= n : count == 0;
    if (good && count > 0) good = measure(threads);
    if (good) return;
    throw invalid_argument("segmented sort: " + std::to_string(segments) +
                           " segments need one offset more, ascending within 0 to " +
                           std::to_string(n));
  }

  /// offsets[s]; negative if it exceeds any number of items.
  index_t at(index_t s) const { return static_cast<index_t>(offsets[s]); }

  /// The begin of the first segment, and the end of the last.
  index_t first() const { return count == 0 ? 0 : at(0); }
  index_t items() const { return count == 0 ? 0 : at(count); }

  /// The first of segments [s, count) that does not begin before `item`.
  index_t first_from(index_t s, index_t item) const {
    return std::lower_bound(
               offsets + s, offsets + count, item,
               [](Offset begin, index_t limit) { return static_cast<index_t>(begin) < limit; }) -
           offsets;
  }

 private:
  /// Finds the longest segment. Returns whether offsets ascend.
  bool measure(int threads) {
    pieces const all(threads, count);
    small_buffer<index_t> const lengths(all.count);
    std::atomic<bool> ascend{true};
    detail::for_each_of(threads, all.count, [&](int, index_t p) {
      bool good = true;
      index_t most = 0;
      for (index_t s = all.begin(p); s < all.end(p); ++s) {
        bool const ascends = at(s) <= at(s + 1);
        good = good && ascends;
        // Unsigned, since offsets may be invalid.
        auto const length =
            static_cast<std::uint64_t>(at(s + 1)) - static_cast<std::uint64_t>(at(s));
        most = std::max(most, static_cast<index_t>(length));
      }
      lengths[p] = most;
      if (!good) ascend.store(false, std::memory_order_relaxed);
    });
    longest = *std::max_element(lengths.data(), lengths.data() + all.count);
    return ascend.load();
  }
};

}  // namespace libscan::inline v1::cpu::detail
