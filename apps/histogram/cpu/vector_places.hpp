// SPDX-License-Identifier: Apache-2.0
// The places of a block of samples, found in vector registers: for integer bins, and for even bins
// with a proven estimate; and whether a block is all inside integer bins. Compiled for several
// instruction sets in vector_places.cpp; the best one is chosen at run time.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <libscan/bins.hpp>
#include <libscan/cpu/fixed_width.hpp>

namespace libscan::inline v1::cpu::detail {

/// The number of samples of a histogram that are processed together.
inline constexpr index_t histogram_block = 128;

/// Sets places[k] to the place of samples[k] by the rule, for a whole block.
template <class Sample, class Rule>
using place_finder = void (*)(Rule const& rule, Sample const* samples, int* places);
/// Whether each of a block's samples has a bin.
template <class Sample, class Rule>
using inside_check = bool (*)(Rule const& rule, Sample const* samples);

template <class Sample>
using integer_place_finder = place_finder<Sample, integer_bins<Sample>>;
template <class Sample>
using integer_inside_check = inside_check<Sample, integer_bins<Sample>>;
template <class Sample>
using even_place_finder = place_finder<Sample, even_bins<Sample>>;

/// The available vector code; that for even bins requires proven ones.
using place_finders =
    std::tuple<integer_place_finder<std::int16_t>, integer_place_finder<std::uint16_t>,
               integer_place_finder<std::int32_t>, integer_place_finder<std::uint32_t>,
               integer_place_finder<std::int64_t>, integer_place_finder<std::uint64_t>,
               even_place_finder<std::int32_t>, even_place_finder<std::uint32_t>,
               even_place_finder<float>, even_place_finder<double>>;
using inside_checks =
    std::tuple<integer_inside_check<std::int16_t>, integer_inside_check<std::uint16_t>,
               integer_inside_check<std::int32_t>, integer_inside_check<std::uint32_t>,
               integer_inside_check<std::int64_t>, integer_inside_check<std::uint64_t>>;

/// For the best instruction set of this CPU among those that Highway may currently use.
place_finders current_place_finders();
inside_checks current_inside_checks();

/// The same, cached.
place_finders const& best_place_finders();
inside_checks const& best_inside_checks();

template <class Code, class Codes>
inline constexpr bool is_among = false;
template <class Code, class... All>
inline constexpr bool is_among<Code, std::tuple<All...>> = (std::is_same_v<Code, All> || ...);

/// A rule for vector code: over samples of the `fixed_width`.
template <class Rule>
Rule const& fixed_width_rule(Rule const& rule) {
  return rule;
}
template <class Sample>
requires(!std::is_same_v<Sample, fixed_width<Sample>>)
    integer_bins<fixed_width<Sample>> fixed_width_rule(integer_bins<Sample> const& rule) {
  return {static_cast<fixed_width<Sample>>(rule.first()), rule.bins()};
}

/// The type of that rule.
template <class Rule>
using fixed_width_rule_type =
    std::remove_cvref_t<decltype(detail::fixed_width_rule(std::declval<Rule const&>()))>;

/// The vector code for a rule, if there is any.
template <class Sample, class Rule>
using place_code = place_finder<fixed_width<Sample>, fixed_width_rule_type<Rule>>;
template <class Sample, class Rule>
using inside_code = inside_check<fixed_width<Sample>, fixed_width_rule_type<Rule>>;

/// Whether there is vector code that checks a block by the rule.
template <class Sample, class Rule>
inline constexpr bool has_inside_check = is_among<inside_code<Sample, Rule>, inside_checks>;

/// The best vector code for a rule; null if there is none.
template <class Sample, class Rule>
place_code<Sample, Rule> best_place_finder(Rule const& rule) {
  using finder = place_code<Sample, Rule>;
  if constexpr (is_among<finder, place_finders>) {
    if constexpr (requires { rule.proven(); }) {
      if (!rule.proven()) return nullptr;
    }
    return std::get<finder>(best_place_finders());
  } else {
    return nullptr;
  }
}

}  // namespace libscan::inline v1::cpu::detail
