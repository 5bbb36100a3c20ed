// SPDX-License-Identifier: Apache-2.0
// Offsets, ranges and indices that callers pass: refused before anything is written, unless all are
// in range. By vector code or loops that compilers vectorize, on several threads for many.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu::detail {

/// a - b; right if neither is negative.
inline index_t difference(index_t a, index_t b) {
  return static_cast<index_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// The first k of [0, n) with number_at(k) < 0; n if there is none.
template <class NumberAt>
index_t first_negative(int threads, index_t n, NumberAt const& number_at) {
  auto const find_within = [&](index_t begin, index_t end) {
    index_t all = 0;  // without leaving the loop early, so that compilers vectorize it
    for (index_t k = begin; k < end; ++k) all |= number_at(k);
    if (all >= 0) return n;
    while (number_at(begin) >= 0) ++begin;
    return begin;
  };
  constexpr index_t chunk_items = index_t{1} << 15;
  if (n <= chunk_items) return find_within(0, n);
  std::atomic<index_t> first{n};
  cpu::sum_chunks(
      threads, n, chunk_items, [] { return 0; },
      [&](int, chunk const& c) {
        index_t const found = find_within(c.begin, c.end);
        for (index_t known = first; found < known && !first.compare_exchange_weak(known, found);) {
        }
        return index_t{0};
      });
  return first;
}

[[noreturn]] inline void refuse_segments(char const* call, index_t segments) {
  throw invalid_argument(std::string(call) + ": number of segments is " + std::to_string(segments) +
                         "; expected >= 0");
}

/// The ascent of count > 0 offsets, by vector code: those of 4 bytes as unsigned numbers. If they
/// ascend, and the last one is not negative, none is: it would be more than the last. Both are
/// false for types without vector code.
template <class Offset>
ascent ascent_by_vectors(int threads, Offset const* offsets, index_t count, index_t step) {
  if constexpr (std::integral<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8)) {
    vector_heads const& code = best_vector_heads();
    auto const find = sizeof(Offset) == 4 ? code.ascent_of_4_bytes : code.ascent_of_8_bytes;
    constexpr index_t chunk_items = index_t{1} << 15;
    if (count <= chunk_items) return find(offsets, count, step);
    std::atomic<bool> ascend{true}, equal_step{true};
    cpu::sum_chunks(
        threads, count - 1, chunk_items, [] { return 0; },
        [&](int, chunk const& c) {
          ascent const found = find(offsets + c.begin, c.size() + 1, step);
          if (!found.ascend) ascend.store(false, std::memory_order_relaxed);
          if (!found.equal_step) equal_step.store(false, std::memory_order_relaxed);
          return index_t{0};
        });
    return {ascend, equal_step};
  } else {
    return {false, false};
  }
}

/// Throws `invalid_argument` unless segments + 1 offsets ascend within 0 to n.
///
/// Returns the length of the segments if all are known to have one, at least 1; only the last may
/// be shorter, but not empty. Else 0.
template <class Offset>
index_t check_offsets(char const* call, int threads, Offset const* offsets, index_t segments,
                      index_t n) {
  if (segments < 0) detail::refuse_segments(call, segments);
  libscan::detail::require_aligned(offsets);
  auto const at = [=](index_t s) { return static_cast<index_t>(offsets[s]); };
  index_t const last = at(segments);
  bool const ends = 0 <= last && last <= n;
  if (ends && segments > 0) {
    index_t const length = detail::difference(at(1), at(0));
    ascent const found = detail::ascent_by_vectors(threads, offsets, segments, length);
    index_t const last_begin = at(segments - 1);
    index_t const last_length = detail::difference(last, last_begin);
    if (found.ascend && 0 <= last_begin && last_begin <= last) {
      return found.equal_step && 0 < last_length && last_length <= length ? length : 0;
    }
  }
  index_t wrong = detail::first_negative(
      threads, segments, [=](index_t s) { return at(s) | detail::difference(at(s + 1), at(s)); });
  if (ends && wrong == segments) return 0;
  if (wrong < segments && at(wrong) >= 0) ++wrong;
  throw invalid_argument(std::string(call) + ": offset " + std::to_string(wrong) + " is " +
                         std::to_string(at(wrong)) + "; expected offsets that ascend within 0 to " +
                         std::to_string(n));
}

/// Throws `invalid_argument` unless all segments [begins[s], ends[s]) are within n items, and none
/// ends before it begins.
template <class Offset>
void check_ranges(char const* call, int threads, Offset const* begins, Offset const* ends,
                  index_t segments, index_t n) {
  if (segments < 0) detail::refuse_segments(call, segments);
  libscan::detail::require_aligned(begins);
  libscan::detail::require_aligned(ends);
  index_t const wrong = detail::first_negative(threads, segments, [=](index_t s) {
    auto const begin = static_cast<index_t>(begins[s]), end = static_cast<index_t>(ends[s]);
    return begin | end | detail::difference(end, begin) | detail::difference(n, end);
  });
  if (wrong == segments) return;
  throw invalid_argument(std::string(call) + ": segment " + std::to_string(wrong) + " is [" +
                         std::to_string(static_cast<index_t>(begins[wrong])) + ", " +
                         std::to_string(static_cast<index_t>(ends[wrong])) +
                         "); expected a range within [0, " + std::to_string(n) + ")");
}

/// Throws `invalid_argument` for an index outside [0, bound).
template <class Index>
void check_indices(char const* call, int threads, Index const* indices, index_t n, index_t bound) {
  if (n > 0) libscan::detail::require_aligned(indices);
  index_t const wrong = detail::first_negative(threads, n, [=](index_t k) {
    auto const index = static_cast<index_t>(indices[k]);
    return index | detail::difference(bound - 1, index);
  });
  if (wrong == n) return;
  throw invalid_argument(std::string(call) + ": index " + std::to_string(indices[wrong]) +
                         " of entry " + std::to_string(wrong) + "; expected 0 to " +
                         std::to_string(bound - 1));
}

}  // namespace libscan::inline v1::cpu::detail
