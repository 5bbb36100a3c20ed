// SPDX-License-Identifier: Apache-2.0
// Whether bytes are text in UTF-8 that prints.
#pragma once

#include <cstddef>
#include <string_view>

namespace libscan::apps {

/// Bytes of the printable character that begins at text[at] (a tab is one); 0 if there is none: a
/// control character, or not UTF-8.
inline std::size_t printable_length(std::string_view text, std::size_t at) {
  auto const byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  unsigned const lead = byte(at);
  if (lead < 0x80) return (lead >= 0x20 && lead != 0x7f) || lead == '\t' ? 1 : 0;
  std::size_t const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  unsigned const second = byte(at + 1);
  bool const control = lead == 0xc2 && second < 0xa0;
  bool const overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  bool const no_character = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return control || overlong || no_character ? 0 : length;
}

/// Whether all of a line prints.
inline bool is_printable(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    std::size_t const length = printable_length(line, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// The same for the lines of a row.
inline bool are_printable(std::string_view lines) {
  for (;;) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    bool const last = line.size() == lines.size();
    if (!last) lines.remove_prefix(line.size() + 1);
    if (!last && line.ends_with('\r')) line.remove_suffix(1);
    if (!is_printable(line)) return false;
    if (last) return true;
  }
}

/// Whether these bytes, which may end within a character, are lines that print.
inline bool is_text(std::string_view head) {
  for (std::size_t at = 0; at < head.size();) {
    std::size_t const length = printable_length(head, at);
    bool const line_end = head[at] == '\n' || head[at] == '\r' || head[at] == '\f';
    if (length == 0 && !line_end) {
      constexpr std::size_t longest = 4;
      return at > 0 && at + longest > head.size() && static_cast<unsigned char>(head[at]) >= 0xc2;
    }
    at += line_end ? 1 : length;
  }
  return true;
}

}  // namespace libscan::apps
