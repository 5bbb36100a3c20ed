// SPDX-License-Identifier: Apache-2.0
// Finds the ends of lines and cells in a text, and copies lines in any order, in vector
// instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

/// What was copied.
struct copied_lines {
  std::size_t lines = 0, bytes = 0;
};

/// Copies lines, each with its LF, to the beginning of `to`, one after another. Line i begins at
/// text + begins[i]. Stops before a line that begins at `end` or later, and before one that would
/// leave less than `line_slack` bytes of `to`. All lines before `end` have a LF, and `line_slack`
/// bytes after it may be read. Bytes of `to` after the lines are undefined.
using line_copier = copied_lines (*)(char const* text, std::uint32_t end,
                                     std::span<std::uint32_t const> begins, std::span<char> to);
inline constexpr std::size_t line_slack = 64;

/// The vector code.
struct text_code {
  character_marker mark;
  mark_lister list;
  line_copier copy;
};

/// The code for the best instruction set of this CPU among those that Highway is currently set to
/// use; and the same, found once.
text_code current_text_code();
text_code const& best_text_code();

}  // namespace libscan::apps
