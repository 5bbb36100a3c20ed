// SPDX-License-Identifier: Apache-2.0
// From text to what a filter keeps: parses a predicate and simplifies it for a type of item.
#pragma once

#include <string_view>

#include <apps/filter/host/expression.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1 {

/// The predicate of `tree` over items of type T, one of the ten arithmetic types or a 16-bit float.
///
/// Result: integers are compared exactly with the number as written: ">= 4.5" keeps 5 and more, "<
/// 300" every uint8, "== 4.5" nothing. For floats the number is first rounded to T, as NumPy does
/// when it compares an array with a Python number: one beyond the largest T is infinity, so that
/// "> 1e39" keeps no float, and "<= 1e39" keeps infinity. -0 equals +0. Every comparison with NaN
/// is false except "!="; integers are never NaN and always finite. "bits MASK" keeps x if x & MASK
/// is not 0.
/// Throws: `invalid_argument` for bits of floats, for a mask wider than T, and if the simplified
/// predicate has more than `predicate_program<T>::max_steps` steps.
template <class T>
predicate<T> bind_predicate(expression const& tree);

/// The same from text: comparisons with a number ("< 4", ">= -1e3", "== 0x1F", "!= inf"), "nan",
/// "finite" and "bits MASK", combined by "not", "and", "or" (binding in that order) and
/// parentheses. The grammar is that of `expression`. Throws `invalid_argument` also for text that
/// does not follow it, with the column and what was expected there.
template <class T>
predicate<T> parse_predicate(std::string_view text) {
  return libscan::bind_predicate<T>(expression(text));
}

}  // namespace libscan::inline v1
