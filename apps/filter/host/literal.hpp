// SPDX-License-Identifier: Apache-2.0
// Numbers as written by a person, kept exactly until the type that they are compared with is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <libscan/core/compiled_with.hpp>

namespace libscan::inline v1 {

/// A letter of ASCII in lower case, other characters as they are.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// A number written as decimal ("-12", "4.5", ".5e-3"), hexadecimal integer ("0x1F") or "inf", with
/// an optional sign.
struct number_literal {
  std::string text;           ///< as written
  bool negative = false;      ///< it has a minus sign
  bool infinite = false;      ///< inf
  bool fraction = false;      ///< not an integer
  bool beyond = false;        ///< |integer part| exceeds 2^64 - 1
  std::uint64_t integer = 0;  ///< |integer part|, unless `beyond`

  /// The value rounded to the nearest float, ties to even: beyond the largest it is an infinity. A
  /// number too small for a float is a zero with its sign.
  template <class T>
  T rounded() const;
};

/// A number at the start of `text`, and how many characters it takes; 0 if there is none.
struct literal_match {
  number_literal number;
  std::size_t length = 0;
};

/// Reads the longest prefix of `text` that is a number. Letter case does not matter.
literal_match match_literal(std::string_view text);

}  // namespace libscan::inline v1
