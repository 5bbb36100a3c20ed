// SPDX-License-Identifier: Apache-2.0
// Checks of filters on a CPU before they write anything, where the memory of iterators is known:
// outputs must not share memory with what is read, or with one another.
#pragma once

#include <algorithm>
#include <concepts>
#include <iterator>

#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/stream_copy.hpp>

namespace libscan::inline v1::cpu::detail {

/// What `rule` reads for items [begin, end), if that is known. Unknown if the query throws: marking
/// the items throws again, where it is reported.
template <class Rule>
memory_span memory_read(Rule const& rule, index_t begin, index_t end) try {
  if (begin >= end) return {};
  return rule.memory(begin, end);
} catch (...) {
  return {};
}

/// Whether a rule reads the item before the one that it decides about.
template <class Rule>
inline constexpr bool looks_back = requires {
  requires Rule::looks_back;
};

/// Throws `invalid_argument` if the part of an output that may be written shares memory with the n
/// items that are read, or with what else the rule reads.
template <class In, class Rule, class Out>
void require_no_output_overlap(char const* call, In const& in, Rule const& rule, index_t n,
                               Out const& out, index_t capacity, bool may_be_input = false) {
  memory_span const items = detail::memory_of(in, n), read = detail::memory_read(rule, 0, n);
  memory_span const written = detail::memory_of(out, std::min(capacity, n));
  if (!may_be_input) require_no_overlap(call, "input and output", items, written);
  if (read == items) return;
  require_no_overlap(call, "an output and what decides", read, written);
}

/// Whether an output of the input's type begins where the input does.
template <class In, class Out>
bool goes_over(In const& in, Out const& out) {
  return std::same_as<std::iter_value_t<In>, std::iter_value_t<Out>> && detail::in_place(in, out);
}

/// The same for an output that may begin where input of its type does.
template <class In, class Rule, class Out>
void require_output_in_place_or_no_overlap(char const* call, In const& in, Rule const& rule,
                                           index_t n, Out const& out, index_t capacity) {
  detail::require_no_output_overlap(call, in, rule, n, out, capacity, detail::goes_over(in, out));
}

/// Throws if the parts of two outputs that may be written share memory.
template <class A, class B>
void require_no_overlap_of_outputs(char const* call, A const& a, index_t a_capacity, B const& b,
                                   index_t b_capacity, index_t n) {
  detail::require_no_overlap(call, "two outputs", detail::memory_of(a, std::min(a_capacity, n)),
                             detail::memory_of(b, std::min(b_capacity, n)));
}

}  // namespace libscan::inline v1::cpu::detail
