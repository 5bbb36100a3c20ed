// SPDX-License-Identifier: Apache-2.0
// Totals of runs of equal keys on CPU threads. Included by segmented_reduce.hpp.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <type_traits>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/memory_span.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/type_checks.hpp>

namespace libscan::inline v1::cpu {

/// Reduces every run of equal neighboring keys: unique[s] = the first key of run s, totals[s] =
/// init op the items of run s. Returns the number of runs. `keys` and `unique` are random-access
/// iterators or pointers; `equal` is as in `segment_keys`, everything else as in
/// `segmented_reduce`. `unique` and `totals` need space for one result per run, at most n, and must
/// not overlap each other either.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, monoid Op,
          std::predicate<std::iter_value_t<Keys>, std::iter_value_t<Keys>> Equal>
index_t reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
                      Equal equal, std::type_identity_t<typename Op::value_type> init,
                      index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  segment_keys<Keys, Equal> const heads{keys, equal};
  detail::refuse_reduction<T, In, segment_keys<Keys, Equal>, Totals>();
  detail::refuse_results<std::iter_value_t<Keys>, Unique>();
  detail::check_reduction("reduce_by_key", in, heads, n, totals);
  detail::check_reduction("reduce_by_key", in, heads, n, unique);
  index_t const known = detail::known_totals(heads, n);
  detail::require_no_overlap("reduce_by_key", "keys and totals", detail::memory_of(unique, known),
                             detail::memory_of(totals, known));
  if constexpr (detail::large_value<T>) {
    detail::check_chunks(threads, n, chunk_items);
    return detail::find_large_totals(
        threads, in, heads, n, op, init, [&](index_t s, index_t begin) { unique[s] = keys[begin]; },
        [&](index_t s, T const& sum) { detail::write_large(totals, s, sum); });
  } else {
    if (detail::few_for_segments(threads, n, chunk_items)) {
      auto const take = [=](index_t s, index_t begin, T const& sum) {
        unique[s] = keys[begin];
        totals[s] = sum;
      };
      return detail::sum_few_segments(in, heads, n, op, init, take);
    }
    return detail::find_totals(
        threads, in, heads, n, op, init, chunk_items,
        [&](auto const& stage, chunk const& c, T const* sums, index_t ended) {
          detail::pick(stage.tails.data(), c.size(), sums, totals + ended);
          // A segment that continues into the chunk already has its key.
          index_t const begun = detail::is_head(stage.heads.data(), 0) ? 0 : 1;
          detail::pick(stage.heads.data(), c.size(), keys + c.begin, unique + (ended + begun));
        });
  }
}

/// The same with keys compared by ==.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, monoid Op>
index_t reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
                      std::type_identity_t<typename Op::value_type> init,
                      index_t chunk_items = staged_chunk_items) {
  return cpu::reduce_by_key(threads, keys, in, unique, totals, n, op, equal_values{}, init,
                            chunk_items);
}

}  // namespace libscan::inline v1::cpu
