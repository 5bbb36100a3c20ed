// SPDX-License-Identifier: Apache-2.0
// The caller's counters of a histogram on CPU threads, and those of the places outside the bins:
// threads' own tables are added to them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <apps/histogram/cpu/place_tables.hpp>
#include <libscan/bins.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

// Very few samples, on a CPU: clearing and adding up a table would take longer than counting. They
// are counted directly in the caller's counters. For 8-bit samples, the rule is called at most once
// per value.

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
  detail::for_places<equal_samples::blocks, counters::distant>(
      in, n, rule, add, [add](int, index_t place) { add(place, 1); });
}

/// Counts of all places, in one piece.
inline sample_totals totals_of(std::uint64_t const* outside, std::uint64_t inside) {
  return {static_cast<index_t>(outside[place_below]), static_cast<index_t>(inside),
          static_cast<index_t>(outside[place_above]), static_cast<index_t>(outside[place_nan])};
}

/// The caller's counters and those of the places outside, for threads that add to them.
template <class Count>
class shared_counts {
 public:
  shared_counts(Count* counts, int bins) : counts_(counts), bins_(bins) {}

  /// Adds samples of a place, on one thread at a time.
  void add(int place, std::uint64_t more) {
    if (place >= bins_) {
      outside_[place - bins_].fetch_add(more, std::memory_order_relaxed);
      return;
    }
    if (more > space_left_in(counts_[place])) wraps_.store(true, std::memory_order_relaxed);
    counts_[place] = static_cast<Count>(counts_[place] + static_cast<Count>(more));
  }

  /// The same on any thread.
  void carry(int place, std::uint64_t more) {
    if (place >= bins_) {
      outside_[place - bins_].fetch_add(more, std::memory_order_relaxed);
      return;
    }
    Count const before = std::atomic_ref<Count>(counts_[place])
                             .fetch_add(static_cast<Count>(more), std::memory_order_relaxed);
    if (more > space_left_in(before)) wraps_.store(true, std::memory_order_relaxed);
  }

  /// Counts in[0 .. n-1], fewer than a counter holds, on one thread.
  template <class Sample, class Rule>
  void count(Sample const* in, index_t n, Rule const& rule) {
    Count* const counts = counts_;
    int const bins = bins_;
    // By value: otherwise an increment might alias `counts` itself, which would be read again each
    // time.
    auto const add_some = [=, this](index_t place, index_t more) {
      if (place < bins) [[likely]] {
        counts[place] = static_cast<Count>(counts[place] + static_cast<Count>(more));
      } else {
        carry(static_cast<int>(place), static_cast<std::uint64_t>(more));
      }
    };
    detail::count_few(in, n, rule, counts, add_some);
  }

  /// Sets bins [begin, end) to 0.
  void clear(index_t begin, index_t end) { std::fill(counts_ + begin, counts_ + end, Count{0}); }

  /// Adds a narrow table's counts of bins [begin, end), with n samples in total.
  void add_narrow(std::uint8_t const* table, index_t begin, index_t end, index_t n) {
    Count* const counts = counts_;
    if (static_cast<std::uint64_t>(n) <= space_left_in(0)) {
      for (index_t b = begin; b < end; ++b) {
        counts[b] = static_cast<Count>(counts[b] + static_cast<Count>(table[b]));
      }
    } else {
      for (index_t b = begin; b < end; ++b) add(static_cast<int>(b), table[b]);
    }
  }

  /// The totals of n samples. Throws if a bin has more than its counter holds.
  sample_totals totals(index_t n) const {
    if (wraps_.load(std::memory_order_relaxed)) {
      throw invalid_argument("histogram: a bin has more samples than its counter of " +
                             std::to_string(8 * sizeof(Count)) +
                             " bits holds; expected wider ones");
    }
    std::uint64_t outside[outside_places];
    auto inside = static_cast<std::uint64_t>(n);
    for (int k = 0; k < outside_places; ++k) {
      outside[k] = outside_[k].load(std::memory_order_relaxed);
      inside -= outside[k];
    }
    return totals_of(outside, inside);
  }

 private:
  static std::uint64_t space_left_in(Count count) {
    return static_cast<std::uint64_t>(std::numeric_limits<Count>::max()) -
           static_cast<std::uint64_t>(count);
  }

  Count* counts_;
  int bins_;
  std::atomic<std::uint64_t> outside_[outside_places] = {};
  std::atomic<bool> wraps_{false};
};

}  // namespace libscan::inline v1::cpu::detail
