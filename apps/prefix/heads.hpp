// SPDX-License-Identifier: Apache-2.0
// Where the segments of a `prefix_call` begin, in the forms that its engines read.
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
  /// items [begin, end), and the unused bits of the last word to 0.
  void mark(index_t begin, index_t end, cpu::head_word* to) const;

  /// The memory that `mark` will read, if it is known.
  cpu::memory_piece read_for(index_t begin, index_t end) const;
};

/// The head flags in the order of the scan, as bits: bit i of word w belongs to position 32 w + i,
/// which is item n - 1 - (32 w + i) in reverse. The smallest of the four forms, so the one that is
/// copied to a device. On `threads` threads.
std::vector<std::uint32_t> packed_heads(int threads, prefix_call const& call);

}  // namespace libscan::apps
