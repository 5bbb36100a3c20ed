// SPDX-License-Identifier: Apache-2.0
// Where the segments of a `prefix_call` begin, as its engines want to know it.
#pragma once

#include <cstdint>
#include <vector>

#include <apps/common/dtype.hpp>
#include <apps/prefix/prefix_call.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::apps {

/// Any `segmentation` but `none` as a description of segments for libscan/cpu (its concept
/// `segment_heads`).
struct described_heads {
  segmentation segments;

  /// Sets bit k % 64 of to[k / 64] to 1 if a segment begins at item begin + k, to 0 if not, for
  /// items [begin, end), and the last word's further bits to 0.
  void mark(index_t begin, index_t end, cpu::head_word* to) const;

  /// The memory that `mark` will read, as far as it is known.
  cpu::memory_piece read_for(index_t begin, index_t end) const;
};

/// The heads in the order of the scan, as bits: bit i of word w belongs to position 32 w + i, which
/// is item n - 1 - (32 w + i) in reverse. The densest of the four forms, so the one that goes to a
/// device. On `threads` threads.
std::vector<std::uint32_t> packed_heads(int threads, prefix_call const& call);

}  // namespace libscan::apps
