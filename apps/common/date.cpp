// SPDX-License-Identifier: Apache-2.0
// Reads ISO 8601, piece by piece.
#include <apps/common/date.hpp>

#include <chrono>
#include <cstddef>

namespace libscan::apps {
namespace {

/// Takes pieces off the beginning of a text.
class pieces {
 public:
  explicit pieces(std::string_view text) : left_(text) {}

  bool done() const { return left_.empty(); }

  /// Takes one of these characters.
  bool take(std::string_view characters) {
    if (left_.empty() || characters.find(left_[0]) == std::string_view::npos) return false;
    left_.remove_prefix(1);
    return true;
  }

  /// Takes exactly `digits` digits, whose number is at most `max`.
  bool number(std::size_t digits, int max, int& value) {
    if (left_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (left_[i] < '0' || left_[i] > '9') return false;
      value = 10 * value + (left_[i] - '0');
    }
    left_.remove_prefix(digits);
    return value <= max;
  }

  /// Takes one to nine digits after a decimal point.
  bool fraction(std::uint32_t& nanoseconds) {
    nanoseconds = 0;
    std::uint32_t unit = 100'000'000;
    std::size_t digits = 0;
    for (int digit = 0; digits < 9 && number(1, 9, digit); ++digits) {
      nanoseconds += unit * static_cast<std::uint32_t>(digit);
      unit /= 10;
    }
    return digits > 0;
  }

 private:
  std::string_view left_;
};

/// Takes Z or an offset from UTC, in seconds.
bool take_zone(pieces& in, std::int64_t& offset) {
  offset = 0;
  if (in.take("Zz")) return true;
  bool const west = in.take("-");
  if (!west && !in.take("+")) return true;
  int hours = 0, minutes = 0;
  if (!in.number(2, 23, hours)) return false;
  bool const colon = in.take(":");
  if ((colon || !in.done()) && !in.number(2, 59, minutes)) return false;
  offset = (hours * 60 + minutes) * 60 * (west ? -1 : 1);
  return true;
}

bool take_time(pieces& in, moment& time) {
  int hours = 0, minutes = 0, seconds = 0;
  if (!in.number(2, 24, hours) || !in.take(":") || !in.number(2, 59, minutes)) return false;
  if (in.take(":")) {
    if (!in.number(2, 60, seconds)) return false;
    if (in.take(".,") && !in.fraction(time.nanoseconds)) return false;
  }
  if (hours == 24 && (minutes > 0 || seconds > 0 || time.nanoseconds > 0)) return false;
  std::int64_t offset = 0;
  if (!take_zone(in, offset)) return false;
  time.seconds += (hours * 60 + minutes) * 60 + seconds - offset;
  return true;
}

}  // namespace

std::optional<moment> parse_date(std::string_view text) {
  pieces in(text);
  int year = 0, month = 0, day = 1;
  if (!in.number(4, 9999, year) || !in.take("-") || !in.number(2, 12, month)) return std::nullopt;
  bool const has_day = in.take("-");
  if (has_day && !in.number(2, 31, day)) return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  std::int64_t const days = std::chrono::sys_days(date).time_since_epoch().count();
  moment result{days * 86400, 0};
  bool const has_time = has_day && in.take("Tt ");
  if (has_time && !take_time(in, result)) return std::nullopt;
  if (!in.done()) return std::nullopt;
  return result;
}

}  // namespace libscan::apps
