// SPDX-License-Identifier: Apache-2.0
// Stable sort of strings by their bytes, as sort does with LC_ALL=C.
#pragma once

#include <span>
#include <string_view>

#include <libscan/core/types.hpp>
#include <libscan/radix_sort.hpp>

namespace libscan::apps {

/// Orders `positions` so that words[positions[j]] never decrease (or never increase, depending on
/// `direction`). Words compare by their bytes as unsigned numbers; a word precedes the longer ones
/// that begin with it. Positions of equal words keep their order. `positions` are distinct and
/// below the number of words. Takes 8 bytes per position, and what `sort_pairs` takes.
///
/// An MSD radix sort: each step sorts a group of words that agree so far by their next seven bytes.
void sort_words(engine const& on, std::span<std::string_view const> words,
                std::span<index_t> positions, sort_direction direction);

}  // namespace libscan::apps
