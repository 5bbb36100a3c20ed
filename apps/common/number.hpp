// SPDX-License-Identifier: Apache-2.0
// Numbers from and to text, without a detour through another type.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <apps/common/dtype.hpp>

namespace libscan::apps {

/// Whether the character is a decimal digit.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The result of parsing a text.
enum class parse_outcome : std::uint8_t { number, no_number, out_of_range };

/// The float nearest to a decimal that `from_chars` calls out of range, which includes those that
/// round to zero.
template <class T>
parse_outcome parse_extreme(std::string_view text, T& value) {
  std::string const terminated(text);
  if constexpr (sizeof(T) == 4) {
    value = std::strtof(terminated.c_str(), nullptr);
  } else {
    value = std::strtod(terminated.c_str(), nullptr);
  }
  return std::isinf(value) ? parse_outcome::out_of_range : parse_outcome::number;
}

/// All of `text` as a decimal number, or "inf" or "nan" for floats; as an integer only if it looks
/// like one. Decimals are rounded to the nearest float. `value` is set only for a number.
template <class T>
parse_outcome parse_number(std::string_view text, T& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  char const* const end = text.data() + text.size();
  auto const [stop, code] = std::from_chars(text.data(), end, value);
  // "nan(...)" is C's form, not one that other programs write or read.
  if (code == std::errc::invalid_argument || stop != end || text.ends_with(')')) {
    return parse_outcome::no_number;
  }
  if (code != std::errc::result_out_of_range) return parse_outcome::number;
  if constexpr (std::is_floating_point_v<T>) {
    return parse_extreme(text, value);
  } else {
    return parse_outcome::out_of_range;
  }
}

/// All of `text` as a whole number in decimal digits, for options: without a sign, and 010 is ten.
/// `value` is set only if true.
inline bool parse_digits(std::string_view text, std::uint64_t& value) {
  return text.find_first_not_of("0123456789") == std::string_view::npos &&
         parse_number(text, value) == parse_outcome::number;
}

/// True if `text` is an integer below 0, which an unsigned type refuses as no number.
inline bool is_negative_integer(std::string_view text) {
  std::int64_t value = 0;
  parse_outcome const outcome = parse_number(text, value);
  return !text.empty() && text[0] == '-' && outcome != parse_outcome::no_number;
}

/// True if `text` is the integer 0 with any sign, which is valid for an unsigned type.
inline bool is_zero_integer(std::string_view text) {
  std::int64_t value = 0;
  return parse_number(text, value) == parse_outcome::number && value == 0;
}

/// The valid numbers of type T, for messages: "uint8 (0 to 255)".
template <class T>
std::string expected_number() {
  std::string text(name_of(dtype_of<T>()));
  if constexpr (std::is_integral_v<T>) {
    text += " (" + std::to_string(std::numeric_limits<T>::min()) + " to " +
            std::to_string(std::numeric_limits<T>::max()) + ")";
  }
  return text;
}

/// `value` as the shortest decimal that reads back as the same value; NaN of either sign is "nan".
template <class T>
std::string number_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";
  }
  char text[32];
  auto const [end, code] = std::to_chars(text, text + sizeof text, value);
  return code == std::errc{} ? std::string(text, end) : "?";
}

}  // namespace libscan::apps
