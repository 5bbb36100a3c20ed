// SPDX-License-Identifier: Apache-2.0
// Text that must fit a buffer.
#pragma once

#include <cstddef>
#include <string_view>

namespace libscan::inline v1::detail {

/// The beginning of a text in UTF-8 that has at most `max_bytes` bytes and no part of a character.
constexpr std::string_view beginning(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xc0) == 0x80) --max_bytes;
  return text.substr(0, max_bytes);
}

}  // namespace libscan::inline v1::detail
