// SPDX-License-Identifier: Apache-2.0
// The ranks of marked items, in vector registers: one core's part of a binary scan. Compiled for
// several instruction sets in vector_ranks.cpp; the best one is chosen at run time.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_heads.hpp>

namespace libscan::inline v1::cpu::detail {

/// ranks[i] = before + the number of ones among bits 0 ... i (inclusive) or 0 ... i - 1
/// (exclusive), for n bits, bit i % 64 of bits[i / 64]. Wraps around.
template <class Rank>
using ranker = void (*)(scan_kind kind, head_word const* bits, index_t n, Rank before, Rank* ranks,
                        store_policy policy);

/// The available vector code.
struct vector_ranks {
  ranker<std::uint32_t> of_4_bytes;
  ranker<std::uint64_t> of_8_bytes;
};

/// For the best instruction set of this CPU among those that Highway may currently use.
vector_ranks current_vector_ranks();

/// The same, cached.
vector_ranks const& best_vector_ranks();

}  // namespace libscan::inline v1::cpu::detail
