// SPDX-License-Identifier: Apache-2.0
// What sorts refuse before they write anything, on every engine: outputs that overlap anything else
// that a call reads or writes, and positions that do not fit.
#pragma once

#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// The memory of a call's items.
struct sort_memory_places {
  memory_span keys_in, keys_out, values_in, values_out;

  /// Throws if an output overlaps anything else; but if `in_place`, each may begin where its input
  /// does.
  void require_no_overlap(char const* call, bool in_place) const {
    auto const refuse = [call](char const* what, memory_span const& a, memory_span const& b) {
      detail::require_no_overlap(call, what, a, b);
    };
    if (!in_place || keys_in.begin != keys_out.begin) {
      refuse("input and output keys", keys_in, keys_out);
    }
    if (!in_place || values_in.begin != values_out.begin) {
      refuse("input and output values", values_in, values_out);
    }
    refuse("output keys and output values", keys_out, values_out);
    refuse("input keys and output values", keys_in, values_out);
    refuse("input values and output keys", values_in, keys_out);
  }

  /// Throws if an output overlaps `other`, or if `other` `is_written` and overlaps an input.
  void require_no_overlap_with(char const* call, char const* what, memory_span const& other,
                               bool is_written) const {
    for (memory_span const& place : {keys_out, values_out})
      detail::require_no_overlap(call, what, place, other);
    if (!is_written) return;
    for (memory_span const& place : {keys_in, values_in})
      detail::require_no_overlap(call, what, place, other);
  }
};

/// Throws if `Index` is too narrow for the positions of n keys, or if `positions` overlap the keys.
template <class Index>
void check_positions(char const* call, index_t n, memory_span const& keys,
                     memory_span const& positions) {
  static_assert(std::is_integral_v<Index> && sizeof(Index) >= 4,
                "libscan: positions are integers of 32 or 64 bits");
  constexpr int bits = 8 * static_cast<int>(sizeof(Index)) - (std::is_signed_v<Index> ? 1 : 0);
  if (bits < 63 && n > index_t{1} << (bits < 63 ? bits : 0)) {
    throw invalid_argument(std::string(call) + " of " + std::to_string(n) +
                           " keys with positions of " + std::to_string(sizeof(Index)) +
                           " bytes; expected wider ones");
  }
  detail::require_no_overlap(call, "keys and positions", keys, positions);
}

}  // namespace libscan::inline v1::detail
