// SPDX-License-Identifier: Apache-2.0
// Finds the ends of lines and cells in a text, in vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace libscan::apps {

/// Marks characters of a text: a bit for each, 64 in a word, the first lowest. Those of LF are set
/// in `line_ends`; those of LF, `a` and `b` in `separators`. Writes whole words. Bits beyond the
/// text are undefined.
using character_marker = void (*)(char const* text, std::size_t size, char a, char b,
                                  std::uint64_t* line_ends, std::uint64_t* separators);

/// Lists the places of the set bits of `words`, ascending, and returns how many there are; the
/// first bit has the place `first`. Up to `listed_beyond` places after them are written, too.
using mark_lister = std::size_t (*)(std::uint64_t const* words, std::size_t count,
                                    std::uint32_t first, std::uint32_t* to);
inline constexpr std::size_t listed_beyond = 8;

/// The vector code.
struct character_markers {
  character_marker mark;
  mark_lister list;
};

/// The code for the best instruction set of this CPU among those that Highway is currently set to
/// use; and the same, found once.
character_markers current_character_markers();
character_markers const& best_character_markers();

}  // namespace libscan::apps
