// SPDX-License-Identifier: Apache-2.0
// Binary scans on CPU threads: the ranks of items by a mask of bytes or bits. Either mask is
// converted to bits, which are counted a chunk at a time (chunk_chain.hpp) and ranked by vector
// code (vector_heads.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu {

/// The most items of a chunk of a binary scan: their bits fit on a thread's stack, their ranks in
/// its core's L2 cache.
inline constexpr index_t max_mask_chunk_items = index_t{1} << 15;

namespace detail {

/// The bits of a chunk.
struct mask_chunk {
  head_word words[max_mask_chunk_items / word_heads];
};

/// The number of ones among n bits; the last word's further bits are 0.
inline index_t count_bits(head_word const* words, index_t n) {
  index_t count = 0;
  for (index_t w = 0; w < ceil_div(n, word_heads); ++w) count += std::popcount(words[w]);
  return count;
}

template <scan_kind Kind, item_marks Mask, std::integral Rank>
index_t binary_scan(int threads, Mask const& mask, Rank* ranks, index_t n, index_t chunk_items) {
  static_assert(sizeof(Rank) == 4 || sizeof(Rank) == 8,
                "libscan: ranks are integers of 32 or 64 bits");
  using bits = std::make_unsigned_t<Rank>;
  using code_type = std::conditional_t<sizeof(Rank) == 4, std::uint32_t, std::uint64_t>;
  detail::require_no_overlap("binary scan", "mask and ranks", detail::memory_of(mask, n),
                             detail::memory_of(ranks, n));
  auto const& code = best_vector_ranks();
  index_t const bytes = n * static_cast<index_t>(sizeof(Rank));
  store_policy const policy = store_policy_for(bytes);
  if (bytes <= one_thread_bytes) threads = std::min(threads, 1);
  return cpu::run_chunks(
      threads, n, std::min(chunk_items, max_mask_chunk_items), plus<index_t>{}, 0,
      [] { return mask_chunk(); },
      [&](mask_chunk& here, chunk const& c) {
        detail::mark(mask, c.begin, c.end, here.words);
        return count_bits(here.words, c.size());
      },
      [&](mask_chunk const& here, chunk const& c, index_t before) {
        auto const first = static_cast<code_type>(static_cast<bits>(before));
        auto* const to = reinterpret_cast<code_type*>(ranks + c.begin);
        if constexpr (sizeof(Rank) == 4) {
          code.of_4_bytes(Kind, here.words, c.size(), first, to, policy);
        } else {
          code.of_8_bytes(Kind, here.words, c.size(), first, to, policy);
        }
      },
      aggregates::repeatable);
}

}  // namespace detail

/// ranks[i] = the number of true items among items 0 ... i - 1, for i in [0, n), on up to `threads`
/// threads. Returns the number of all true items.
///
/// Types: `mask` is a `byte_mask`, a `bit_mask`, or any `item_marks`. Ranks are integers of 32 or
/// 64 bits; ranks that do not fit wrap around, but the returned number does not.
/// Aliasing: the mask and `ranks` must not overlap. With a mask of your own this is not checked.
/// Memory: reads the mask once and writes n ranks; allocates nothing. `chunk_items` is limited to
/// `max_mask_chunk_items`.
/// Throws: `invalid_argument` if threads < 1, n < 0 or chunk_items < 1, or if the two overlap;
/// exceptions of a mask of your own. `ranks` is then partly written.
/// Source: Harris & Garland, "Optimizing Parallel Prefix Operations for the Fermi Architecture"
/// (2012), on scans of predicates.
template <item_marks Mask, std::integral Rank>
index_t exclusive_binary_scan(int threads, Mask const& mask, Rank* ranks, index_t n,
                              index_t chunk_items = max_mask_chunk_items) {
  return detail::binary_scan<scan_kind::exclusive>(threads, mask, ranks, n, chunk_items);
}

/// ranks[i] = the number of true items among items 0 ... i; otherwise as `exclusive_binary_scan`.
template <item_marks Mask, std::integral Rank>
index_t inclusive_binary_scan(int threads, Mask const& mask, Rank* ranks, index_t n,
                              index_t chunk_items = max_mask_chunk_items) {
  return detail::binary_scan<scan_kind::inclusive>(threads, mask, ranks, n, chunk_items);
}

}  // namespace libscan::inline v1::cpu
