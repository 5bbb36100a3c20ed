// SPDX-License-Identifier: Apache-2.0
// The histogram on CPU threads, by the same rules as on the device. Every thread counts in tables
// of its own, which are added up at the end; runs of equal samples are counted together.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include <apps/histogram/cpu/place_tables.hpp>
#include <apps/histogram/cpu/shared_counts.hpp>
#include <libscan/bins.hpp>
#include <libscan/core/error.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/workers.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// With this many places counters become narrow, since wide ones would not fit in the L1 and L2
/// caches.
inline constexpr int narrow_places = 1 << 15;

/// Inputs of at least this many samples are worth clearing and adding up tables.
inline constexpr index_t few_samples = index_t{1} << 13;

/// The number of threads that pays off: tables must also be cleared and added up.
inline int histogram_threads(int threads, index_t n, int places) {
  index_t const work = places < narrow_places ? 2 * index_t{places} : places / 4;
  index_t const worth = 1 + n / std::max<index_t>(1 << 17, work);
  return static_cast<int>(std::min<index_t>(threads, worth));
}

/// Calls work(worker, begin, end) for pieces of [0, n), at most `length` each, on up to `threads`
/// threads; concurrent calls have different numbers below `threads`.
template <class Work>
void for_pieces(int threads, index_t n, index_t length, Work const& work) {
  std::atomic<index_t> next{0};
  std::atomic<int> next_worker{0};
  cpu::run_workers(threads, [&] {
    int const worker = next_worker.fetch_add(1);
    for (index_t begin = next.fetch_add(length); begin < n; begin = next.fetch_add(length)) {
      work(worker, begin, std::min(n, begin + length));
    }
  });
}

/// Counts in tables that stay in the caches, for few bins.
template <class Sample, class Rule, class Count>
void count_few_bins(int threads, Sample const* in, index_t n, Rule const& rule,
                    shared_counts<Count>& all) {
  constexpr bool bytes = sizeof(Sample) == 1;
  using tables_type = std::conditional_t<bytes, byte_tables, place_tables>;
  struct worker_tables {
    tables_type tables;
    index_t since = 0;  // number of samples that they hold
  };
  // Allocated here, where failure can be reported.
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
  detail::for_pieces(threads, n, histogram_chunk, [&](int worker, index_t begin, index_t end) {
    constexpr index_t max_items = index_t{1} << 30;
    worker_tables& mine = *own[static_cast<std::size_t>(worker)];
    mine.tables.count(in + begin, end - begin, rule);
    mine.since += end - begin;
    if (mine.since >= max_items) merge(mine);
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
  detail::for_pieces(threads, bins + outside_places, part, [&](int, index_t begin, index_t end) {
    for (narrow_table& table : tables) table.clear(begin, end);
    all.clear(begin, std::min<index_t>(end, bins));
  });
  detail::for_pieces(threads, n, histogram_chunk, [&](int worker, index_t begin, index_t end) {
    tables[static_cast<std::size_t>(worker)].count(
        in + begin, end - begin, rule,
        [&](int place, std::uint64_t more) { all.carry(place, more); });
  });
  detail::for_pieces(threads, bins, part, [&](int, index_t begin, index_t end) {
    for (narrow_table const& table : tables) all.add_narrow(table.counters(), begin, end, n);
  });
  auto const add = [&](int place, std::uint64_t more) { all.add(place, more); };
  for (narrow_table& table : tables) {
    table.take_losses(add);
    for (int p = bins; p < bins + outside_places; ++p) add(p, table.counters()[p]);
  }
}

/// Throws `invalid_argument` unless the edges of a rule, if it is of edges, ascend; none is NaN
/// then.
template <class Rule>
void check_edges(char const*, Rule const&) {}
template <class Sample, class Edge>
void check_edges(char const* call, edge_bins<Sample, Edge> const& rule) {
  Edge const* const edges = rule.edges();
  int const bins = rule.bins();
  bool ascend = true;
  for (int k = 0; k < bins; ++k) ascend &= edges[k] <= edges[k + 1];
  if (ascend) return;
  int k = 0;
  while (edges[k] <= edges[k + 1]) ++k;
  throw invalid_argument(std::string(call) + ": edges " + std::to_string(k) + " and " +
                         std::to_string(k + 1) + " do not ascend; expected numbers that do");
}

/// Throws `invalid_argument` unless a call has threads, samples and bins, edges that ascend, and
/// results that do not overlap what it reads: samples, edges, and `beside`.
template <class Sample, class Rule, class Result>
void check_histogram(char const* call, int threads, Sample const* in, index_t n, Rule const& rule,
                     Result const* results, memory_span beside = {}) {
  if (threads < 1 || n < 0) {
    throw invalid_argument(std::string(call) + ": " + std::to_string(threads) + " threads, " +
                           std::to_string(n) + " samples; expected at least 1, and 0");
  }
  libscan::detail::check_bins(rule.bins());
  memory_span const written = detail::memory_of(results, rule.bins());
  detail::require_no_overlap(call, "samples and results", detail::memory_of(in, n), written);
  require_no_overlap(call, "weights and results", beside, written);
  if constexpr (requires { *rule.edges(); }) {
    detail::require_no_overlap(call, "edges and results",
                               detail::memory_of(rule.edges(), rule.bins() + 1), written);
  }
  detail::check_edges(call, rule);
}

}  // namespace detail

/// counts[b] = the number of in[0 .. n-1] in bin b of `rule` (see
/// apps/histogram/include/libscan/bins.hpp), for all bins. Returns how many are below the bins,
/// inside, above, and NaN, which add up to n.
///
/// Types: Count is an unsigned or signed integer of 32 or 64 bits. A rule of your own is called
/// concurrently, for 8-bit samples also with values that do not occur. Its places are not checked:
/// one that is out of range is written out of bounds.
/// Aliasing: `counts` must not overlap samples or edges.
/// Determinism: the result is the same for any number of threads.
/// Memory: per thread 4 bytes per bin, and at most 17 KiB for copies; with a great many bins 1 byte
/// each; for few samples, fewer than twice the bins, none.
/// Throws: `invalid_argument` if threads < 1, n < 0, for such an overlap, if edges do not ascend,
/// or if a bin has more samples than Count holds (counts are then unspecified); std::bad_alloc;
/// what `find` throws.
template <class Sample, bin_rule<Sample> Rule, class Count>
sample_totals histogram(int threads, Sample const* in, Count* counts, Rule const& rule, index_t n) {
  static_assert(std::is_integral_v<Count> && (sizeof(Count) == 4 || sizeof(Count) == 8),
                "libscan: counts are integers of 32 or 64 bits");
  using namespace libscan::cpu::detail;
  detail::check_histogram("histogram", threads, in, n, rule, counts);
  int const bins = rule.bins(), places = bins + outside_places;
  shared_counts<Count> all(counts, bins);
  int const workers = histogram_threads(threads, n, places);
  if (n < std::max<index_t>(few_samples, 2 * index_t{places})) {
    all.clear(0, bins);
    all.count(in, n, rule);
  } else if (sizeof(Sample) == 1 || places < narrow_places) {
    all.clear(0, bins);
    detail::count_few_bins(workers, in, n, rule, all);
  } else {
    detail::count_many_bins(workers, in, n, rule, all);
  }
  return all.totals(n);
}

/// sums[b] = the sum of weights[i] over the samples i in bin b of `rule`, 0 for none. Returns how
/// many samples are where, as `histogram`.
///
/// Aliasing: `sums` must not overlap anything that is read.
/// Determinism: bitwise the same for any number of threads. n and the number of bins divide the
/// samples into parts, at most 64; the weights of a bin are added in order within each part, and
/// the parts' sums in order.
/// Memory: a sum per bin and part, allocated above 8 KiB.
/// Throws: as `histogram`.
template <class Sample, class Weight, bin_rule<Sample> Rule, class Sum>
sample_totals weighted_histogram(int threads, Sample const* in, Weight const* weights, Sum* sums,
                                 Rule const& rule, index_t n) {
  constexpr bool adds = requires(Sum & sum, Weight const& weight) {
    sum += static_cast<Sum>(weight);
    Sum{0};
  };
  static_assert(adds, "libscan: weights are numbers, and so are their sums, which are no const");
  detail::check_histogram("weighted_histogram", threads, in, n, rule, sums,
                          detail::memory_of(weights, n));
  auto const bins = static_cast<std::size_t>(rule.bins()), places = bins + outside_places;
  constexpr index_t part_items = 1 << 16, max_parts = 64, max_sums = index_t{1} << 22;
  index_t const parts =
      std::clamp<index_t>(std::min(n / part_items, max_sums / rule.bins()), 1, max_parts);
  auto const all_sums = static_cast<index_t>(places) * parts;
  detail::small_buffer<Sum> const all(all_sums);
  std::fill_n(all.data(), all_sums, Sum{0});
  std::array<std::uint64_t, outside_places + 1> found[max_parts] = {};
  std::atomic<index_t> next{0};
  cpu::run_workers(static_cast<int>(std::min<index_t>(threads, parts)), [&] {
    for (index_t part = next.fetch_add(1); part < parts; part = next.fetch_add(1)) {
      Sum* const own = all.data() + static_cast<std::size_t>(part) * places;
      auto& outside = found[static_cast<std::size_t>(part)];
      // Multiplied in this order, n * parts would overflow only beyond 2^57 samples.
      index_t const end = n * (part + 1) / parts;
      Rule const own_rule = rule;  // which no sum can alias
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
