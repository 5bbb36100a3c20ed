// SPDX-License-Identifier: Apache-2.0
// Copies lines of a text in any order, in vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace libscan::apps {

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
struct line_copiers {
  line_copier copy;
};

/// The code for the best instruction set of this CPU among those that Highway is currently set to
/// use; and the same, found once.
line_copiers current_line_copiers();
line_copiers const& best_line_copiers();

}  // namespace libscan::apps
