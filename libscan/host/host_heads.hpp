// SPDX-License-Identifier: Apache-2.0
// A `segmentation` in the forms that engines read. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <libscan/core/overlap.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/vector_heads.hpp>
#include <libscan/segmentation.hpp>

namespace libscan::inline v1::detail {

/// Flags, bits, offsets, keys or a length as a description of segments for libscan/cpu (its concept
/// `segment_heads`). Offsets are index_t, and checked.
class described_heads {
 public:
  described_heads(segmentation const& segments, index_t n);

  /// Sets bit k % 64 of to[k / 64] to 1 if a segment begins at item begin + k, to 0 if not, for
  /// items [begin, end), and the unused bits of the last word to 0.
  void mark(index_t begin, index_t end, cpu::head_word* to) const;

  /// The memory that `mark` will read, if it is known.
  cpu::memory_piece read_for(index_t begin, index_t end) const;

  /// Where each segment begins; null for flags, bits, keys, and offsets that leave items out.
  cpu::detail::segment_bounds<index_t> const* bounds() const {
    return bounds_.has_value() ? &*bounds_ : nullptr;
  }

 private:
  segmentation segments_;
  std::optional<cpu::detail::segment_bounds<index_t>> bounds_;
};

/// The head flags of n items in the order of a scan, as bits: bit i of word w belongs to position
/// 32 w + i, which is item n - 1 - (32 w + i) in reverse. On `threads` threads.
std::vector<std::uint32_t> packed_heads(int threads, segmentation const& segments,
                                        scan_direction direction, index_t n);

/// The number of segments of n items.
index_t count_segments(int threads, segmentation const& segments, index_t n);

/// Throws `invalid_argument` unless `segments` describes n items. Returns it as segments of one
/// length, if offsets from 0 to n are known to describe such; else as it is.
segmentation check_segments(char const* call, int threads, segmentation const& segments, index_t n);

/// Throws `invalid_argument` if results overlap the description of segments.
void check_segments_apart(char const* call, segmentation const& segments,
                          memory_span const& results);

/// Copies the first key of each segment of n keys to the front of `unique`, in order.
void copy_first_keys(int threads, segmentation const& keys, index_t n, void* unique);

/// Offsets, or begins and ends, of any integer type as index_t.
class index_bounds {
 public:
  explicit index_bounds(segmentation const& segments);

  index_t const* begins() const { return begins_; }
  index_t const* ends() const { return ends_; }
  index_t segments() const { return segments_; }

  /// Whether each of n items is in a segment of those by offsets.
  bool cover(index_t n) const {
    return segments_ > 0 && begins_[0] == 0 && ends_[segments_ - 1] == n;
  }

  segment_ranges<index_t> ranges() const { return {begins_, ends_, segments_}; }

  /// The segmentation by offsets, of index_t.
  segmentation offsets() const {
    return segmentation::of_offsets(std::span(begins_, static_cast<std::size_t>(segments_ + 1)));
  }

 private:
  std::vector<index_t> wide_begins_, wide_ends_;
  index_t const* begins_;
  index_t const* ends_;
  index_t segments_;
};

}  // namespace libscan::inline v1::detail
