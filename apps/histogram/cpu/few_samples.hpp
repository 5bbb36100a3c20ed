// SPDX-License-Identifier: Apache-2.0
// Very few samples, on a CPU: clearing and adding up a table would take longer than counting. They
// are counted directly in the caller's counters. For 8-bit samples, the rule is called at most once
// per value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <apps/histogram/cpu/place_tables.hpp>
#include <libscan/bins.hpp>

namespace libscan::inline v1::cpu::detail {

/// Calls each(sample) for all samples; unrolled, to amortise the loop's overhead.
template <class Sample, class Each>
void for_each_of_few(Sample const* in, index_t n, Each each) {
  index_t i = 0;
  for (; i + samples_at_once <= n; i += samples_at_once) {
    for (int k = 0; k < samples_at_once; ++k) each(in[i + k]);
  }
  for (; i < n; ++i) each(in[i]);
}

/// Adds 8-bit samples to counts[bin]; samples in no bin go to add(place, count).
template <class Sample, class Count, class Add>
void count_few_integers(Sample const* in, index_t n, integer_bins<Sample> const& rule,
                        Count* counts, Add add) {
  using limits = std::numeric_limits<Sample>;
  // In registers: no counter can alias them.
  int const first = rule.first(), bins = rule.bins();
  auto const last = static_cast<unsigned>(rule.last() - first);
  bool const all = rule.first() == limits::min() && rule.last() == limits::max();
  for (index_t i = 0; i < n; i += histogram_block) {
    index_t const count = std::min(histogram_block, n - i);
    if (count > 1 && detail::all_same(in + i, count)) {
      add(rule.find(in[i]), count);
    } else if (all) {
      detail::for_each_of_few(in + i, count,
                              [=](int sample) { ++counts[sample - int{limits::min()}]; });
    } else {
      detail::for_each_of_few(in + i, count, [=](Sample sample) {
        auto const bin = static_cast<unsigned>(sample - first);
        if (bin <= last) [[likely]] {
          ++counts[bin];
        } else {
          add(bins + (sample < first ? place_below : place_above), 1);
        }
      });
    }
  }
}

/// Calls add(place, count) for each value of 8 bits that occurs.
template <class Sample, class Rule, class Add>
void count_few_values(Sample const* in, index_t n, Rule const& rule, Add add) {
  constexpr int values = 256;
  std::uint32_t counts[values] = {};
  for (index_t i = 0; i < n; ++i) ++counts[static_cast<std::uint8_t>(in[i])];
  Sample all[values];
  int places[values];
  for (int value = 0; value < values; ++value) all[value] = static_cast<Sample>(value);
  libscan::detail::in_best_form(rule, [&](auto find) {
    block_places<Sample, Rule, decltype(find)> const find_block(rule, find);
    for (index_t i = 0; i < values; i += histogram_block) find_block(all + i, places + i);
  });
  for (int value = 0; value < values; ++value) {
    if (counts[value] != 0) add(places[value], index_t{counts[value]});
  }
}

/// Adds in[0 .. n-1] to counts[place] if `rule` puts them into bins; otherwise, or for some bins
/// too, calls add(place, count).
template <class Sample, class Rule, class Count, class Add>
void count_few(Sample const* in, index_t n, Rule const& rule, [[maybe_unused]] Count* counts,
               Add add) {
  constexpr bool bytes = std::is_integral_v<Sample> && sizeof(Sample) == 1;
  if constexpr (bytes && std::is_same_v<Rule, integer_bins<Sample>>) {
    return detail::count_few_integers(in, n, rule, counts, add);
  } else if constexpr (bytes) {
    constexpr index_t enough =
        512;  // from here on it pays to evaluate the rule per value, not per sample
    if (n >= enough) return detail::count_few_values(in, n, rule, add);
  }
  detail::for_places<equal_samples::blocks, counters::far>(
      in, n, rule, add, [add](int, index_t place) { add(place, 1); });
}

}  // namespace libscan::inline v1::cpu::detail
