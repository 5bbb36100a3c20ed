// SPDX-License-Identifier: Apache-2.0
// Dates and times as ISO 8601 writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace libscan::apps {

/// A moment.
struct moment {
  std::int64_t seconds;       ///< since 1970-01-01T00:00:00Z, without leap seconds
  std::uint32_t nanoseconds;  ///< 0 to 999999999
};

/// All of `text` as a date: YYYY-MM or YYYY-MM-DD, in the Gregorian calendar, or the latter with a
/// time: 'T', 't' or a blank, hh:mm, hh:mm:ss or hh:mm:ss.fraction (with '.' or ',', of at most
/// nine digits), and then nothing (as UTC), 'Z', 'z', +hh, +hhmm or +hh:mm, or one of these with
/// '-'. Second 60 is the next minute's second 0, and 24:00:00 is the next day's midnight. Nothing
/// if it is none.
std::optional<moment> parse_date(std::string_view text);

}  // namespace libscan::apps
