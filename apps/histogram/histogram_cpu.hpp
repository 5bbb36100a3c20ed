// SPDX-License-Identifier: Apache-2.0
// The histogram on CPU threads, by the same rules as on the device. Every thread counts in tables
// of its own, which are added up in the end; runs of equal samples are counted at once.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <apps/histogram/bins.hpp>
#include <apps/histogram/few_samples_cpu.hpp>
#include <apps/histogram/place_tables_cpu.hpp>
#include <libscan/core/error.hpp>
#include <libscan/cpu/small_room.hpp>
#include <libscan/cpu/workers.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// Places from which on counters are narrow, since wide ones would leave the nearest caches.
inline constexpr int narrow_places = 1 << 15;

/// Counts of all places, in one piece.
inline sample_totals totals_of(std::uint64_t const* outside, std::uint64_t inside) {
  return {static_cast<index_t>(outside[place_below]), static_cast<index_t>(inside),
          static_cast<index_t>(outside[place_above]), static_cast<index_t>(outside[place_nan])};
}

/// Fewer samples are counted before tables are cleared and added up.
inline constexpr index_t few_samples = index_t{1} << 13;

/// How many threads are worth while: tables are cleared and added up, too.
inline int histogram_threads(int threads, index_t n, int places) {
  index_t const work = places < narrow_places ? 2 * index_t{places} : places / 4;
  index_t const worth = 1 + n / std::max<index_t>(1 << 16, work);
  return static_cast<int>(std::min<index_t>(threads, worth));
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
    if (more > room_of(counts_[place])) wraps_.store(true, std::memory_order_relaxed);
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
    if (more > room_of(before)) wraps_.store(true, std::memory_order_relaxed);
  }

  /// Counts in[0 .. n-1], fewer than a counter holds, on one thread.
  template <class Sample, class Rule>
  void count(Sample const* in, index_t n, Rule const& rule) {
    Count* const counts = counts_;
    int const bins = bins_;
    // By value: what a counter is added to could else be `counts` itself, read again each time.
    auto const add_some = [=, this](index_t place, index_t more) {
      if (place < bins) [[likely]] {
        counts[place] = static_cast<Count>(counts[place] + static_cast<Count>(more));
      } else {
        carry(static_cast<int>(place), static_cast<std::uint64_t>(more));
      }
    };
    count_few(in, n, rule, counts, add_some);
  }

  /// Sets bins [begin, end) to 0.
  void clear(index_t begin, index_t end) { std::fill(counts_ + begin, counts_ + end, Count{0}); }

  /// Adds what a narrow table holds of bins [begin, end), of n samples in all.
  void add_narrow(std::uint8_t const* table, index_t begin, index_t end, index_t n) {
    Count* const counts = counts_;
    if (static_cast<std::uint64_t>(n) <= room_of(0)) {
      for (index_t b = begin; b < end; ++b) {
        counts[b] = static_cast<Count>(counts[b] + static_cast<Count>(table[b]));
      }
    } else {
      for (index_t b = begin; b < end; ++b) add(static_cast<int>(b), table[b]);
    }
  }

  /// Of n samples. Throws if a bin has more than its counter holds.
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
  static std::uint64_t room_of(Count count) {
    return static_cast<std::uint64_t>(std::numeric_limits<Count>::max()) -
           static_cast<std::uint64_t>(count);
  }

  Count* counts_;
  int bins_;
  std::atomic<std::uint64_t> outside_[outside_places] = {};
  std::atomic<bool> wraps_{false};
};

/// Calls work(worker, begin, end) for pieces of [0, n), at most `length` each, on up to `threads`
/// threads; those at work at the same time have different numbers below `threads`.
template <class Work>
void for_pieces(int threads, index_t n, index_t length, Work const& work) {
  std::atomic<index_t> next{0};
  std::atomic<int> next_worker{0};
  run_workers(threads, [&] {
    int const worker = next_worker.fetch_add(1);
    for (index_t begin = next.fetch_add(length); begin < n; begin = next.fetch_add(length)) {
      work(worker, begin, std::min(n, begin + length));
    }
  });
}

/// Counts in tables that stay in the nearest caches, for few bins.
template <class Sample, class Rule, class Count>
void count_few_bins(int threads, Sample const* in, index_t n, Rule const& rule,
                    shared_counts<Count>& all) {
  constexpr bool bytes = sizeof(Sample) == 1;
  using tables_type = std::conditional_t<bytes, byte_tables, place_tables>;
  struct worker_tables {
    tables_type tables;
    index_t since = 0;  // how many samples they hold
  };
  // Allocated here, where failure can be told.
  std::vector<std::unique_ptr<worker_tables>> own;
  for (int w = 0; w < threads; ++w) {
    if constexpr (bytes) {
      own.push_back(std::make_unique<worker_tables>());
    } else {
      own.push_back(std::unique_ptr<worker_tables>(
          new worker_tables{place_tables(rule.bins() + outside_places)}));
    }
  }
  std::mutex merging;
  auto const merge = [&](worker_tables& from) {
    std::lock_guard<std::mutex> const alone(merging);
    auto const add = [&](int place, std::uint64_t more) { all.add(place, more); };
    if constexpr (bytes) {
      from.tables.template take<Sample>(rule, add);
    } else {
      from.tables.take(add);
    }
    from.since = 0;
  };
  for_pieces(threads, n, histogram_chunk, [&](int worker, index_t begin, index_t end) {
    constexpr index_t most = index_t{1} << 30;
    worker_tables& mine = *own[static_cast<std::size_t>(worker)];
    mine.tables.count(in + begin, end - begin, rule);
    mine.since += end - begin;
    if (mine.since >= most) merge(mine);
  });
  for (auto const& tables : own) {
    if (tables->since > 0) merge(*tables);
  }
}

/// Counts in narrow tables, which all threads then add up, each some of the bins.
template <class Sample, class Rule, class Count>
void count_many_bins(int threads, Sample const* in, index_t n, Rule const& rule,
                     shared_counts<Count>& all) {
  int const bins = rule.bins();
  constexpr index_t part = index_t{1} << 14;
  std::vector<narrow_table> tables;
  for (int w = 0; w < threads; ++w) tables.emplace_back(bins + outside_places);
  for_pieces(threads, bins + outside_places, part, [&](int, index_t begin, index_t end) {
    for (narrow_table& table : tables) table.clear(begin, end);
    all.clear(begin, std::min<index_t>(end, bins));
  });
  for_pieces(threads, n, histogram_chunk, [&](int worker, index_t begin, index_t end) {
    tables[static_cast<std::size_t>(worker)].count(
        in + begin, end - begin, rule,
        [&](int place, std::uint64_t more) { all.carry(place, more); });
  });
  for_pieces(threads, bins, part, [&](int, index_t begin, index_t end) {
    for (narrow_table const& table : tables) all.add_narrow(table.counters(), begin, end, n);
  });
  auto const add = [&](int place, std::uint64_t more) { all.add(place, more); };
  for (narrow_table& table : tables) {
    table.take_losses(add);
    for (int p = bins; p < bins + outside_places; ++p) add(p, table.counters()[p]);
  }
}

}  // namespace detail

/// counts[b] = how many of in[0 .. n-1] are in bin b of `rule` (see apps/histogram/bins.hpp), for
/// all bins; returns how many are below the bins, inside, above, and NaN, which together are n.
///
/// Count: an unsigned or signed integer of 32 or 64 bits. The same result for any number of
/// threads. Memory for each thread: 4 bytes a bin, 17 KiB at most for copies besides; of a great
/// many bins, 1 byte each; for few samples, fewer than twice the bins, none. Throws
/// `invalid_argument` if threads < 1, n < 0, or a bin has more samples than Count holds (counts are
/// then unspecified), std::bad_alloc.
template <class Sample, bin_rule<Sample> Rule, class Count>
sample_totals histogram(int threads, Sample const* in, index_t n, Rule const& rule, Count* counts) {
  using namespace libscan::cpu::detail;
  if (threads < 1 || n < 0) {
    throw invalid_argument("histogram: " + std::to_string(threads) + " threads, " +
                           std::to_string(n) + " samples; expected at least 1, and 0");
  }
  libscan::detail::check_bins(rule.bins());
  int const bins = rule.bins(), places = bins + outside_places;
  shared_counts<Count> all(counts, bins);
  int const workers = histogram_threads(threads, n, places);
  if (n < std::max<index_t>(few_samples, 2 * index_t{places})) {
    all.clear(0, bins);
    all.count(in, n, rule);
  } else if (sizeof(Sample) == 1 || places < narrow_places) {
    all.clear(0, bins);
    count_few_bins(workers, in, n, rule, all);
  } else {
    count_many_bins(workers, in, n, rule, all);
  }
  return all.totals(n);
}

/// sums[b] = the sum of weights[i] over the samples i in bin b of `rule`, 0 for none; returns how
/// many samples are where, as `histogram`.
///
/// Repeatable: bitwise the same for any number of threads. The samples are divided into parts, as
/// many as n and the number of bins say, 64 at most; the weights of a bin are added in order within
/// each part, and the parts' sums in order. Memory: a sum for each bin and part, allocated beyond
/// 8 KiB. Throws as `histogram`.
template <class Sample, class Weight, bin_rule<Sample> Rule, class Sum>
sample_totals weighted_histogram(int threads, Sample const* in, Weight const* weights, index_t n,
                                 Rule const& rule, Sum* sums) {
  if (threads < 1 || n < 0) {
    throw invalid_argument("weighted_histogram: " + std::to_string(threads) + " threads, " +
                           std::to_string(n) + " samples; expected at least 1, and 0");
  }
  libscan::detail::check_bins(rule.bins());
  auto const bins = static_cast<std::size_t>(rule.bins()), places = bins + outside_places;
  constexpr index_t part_items = 1 << 16, most_parts = 64, most_sums = index_t{1} << 22;
  index_t const parts =
      std::clamp<index_t>(std::min(n / part_items, most_sums / rule.bins()), 1, most_parts);
  auto const all_sums = static_cast<index_t>(places) * parts;
  detail::small_room<Sum> const all(all_sums);
  std::fill_n(all.data(), all_sums, Sum{0});
  std::array<std::uint64_t, outside_places + 1> found[most_parts] = {};
  std::atomic<index_t> next{0};
  run_workers(static_cast<int>(std::min<index_t>(threads, parts)), [&] {
    for (index_t part = next.fetch_add(1); part < parts; part = next.fetch_add(1)) {
      Sum* const own = all.data() + static_cast<std::size_t>(part) * places;
      auto& outside = found[static_cast<std::size_t>(part)];
      // Multiplied in this order, n * parts would overflow only beyond 2^57 samples.
      index_t const end = n * (part + 1) / parts;
      Rule const own_rule = rule;  // which no sum can be part of
      libscan::detail::in_best_form(own_rule, [&](auto find) {
        for (index_t i = n * part / parts; i < end; ++i) {
          auto const place = static_cast<std::size_t>(find(in[i]));
          own[place] += static_cast<Sum>(weights[i]);
          ++outside[place < bins ? std::size_t{outside_places} : place - bins];
        }
      });
    }
  });
  std::copy_n(all.data(), bins, sums);
  std::array<std::uint64_t, outside_places + 1> totals = found[0];
  for (index_t part = 1; part < parts; ++part) {
    Sum const* const own = all.data() + static_cast<std::size_t>(part) * places;
    for (std::size_t b = 0; b < bins; ++b) sums[b] += own[b];
    for (std::size_t k = 0; k < totals.size(); ++k) {
      totals[k] += found[static_cast<std::size_t>(part)][k];
    }
  }
  return detail::totals_of(totals.data(), totals[outside_places]);
}

}  // namespace libscan::inline v1::cpu
