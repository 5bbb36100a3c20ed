// SPDX-License-Identifier: Apache-2.0
// Runs of equal items on CPU threads: the first of each, which is a filter, and run-length
// encoding. Each chunk gathers where runs begin in it. The chain of chunks scans how many begin and
// where the last one does, which gives each chunk its runs (the enumeration of Blelloch, "Prefix
// Sums and Their Applications", 1990). Every item crosses memory once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>  // and so std::iterator_traits: <iterator> also has streams
#include <string>

#include <apps/filter/cpu/rules.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/filter.hpp>

namespace libscan::inline v1::cpu {

/// The outputs of `run_length_encode`, each a random-access iterator or pointer, and their
/// capacities: 0 for an output that is not written.
template <class Values, class Lengths = index_t*, class Offsets = index_t*>
struct run_outputs {
  Values values{};
  index_t values_capacity = 0;
  Lengths lengths{};
  index_t lengths_capacity = 0;
  Offsets offsets{};
  index_t offsets_capacity = 0;
};
template <class Values, class Lengths>
run_outputs(Values, index_t, Lengths, index_t) -> run_outputs<Values, Lengths>;
template <class Values, class Lengths, class Offsets>
run_outputs(Values, index_t, Lengths, index_t, Offsets, index_t)
    -> run_outputs<Values, Lengths, Offsets>;

namespace detail {

/// Summary of consecutive items: the number of runs that begin among them, and the position of the
/// last beginning (0 if there is none).
struct run_begins {
  index_t runs;
  index_t last;
};

/// Two such stretches, the second directly after the first.
struct join_begins {
  using value_type = run_begins;
  static constexpr run_begins identity() { return {0, 0}; }
  constexpr run_begins operator()(run_begins earlier, run_begins later) const {
    return {earlier.runs + later.runs, later.runs > 0 ? later.last : earlier.last};
  }
};

/// to[place + k] = result(k) for as many of `count` results as fit.
template <class To, class Result>
void write_fitting(To to, index_t capacity, index_t place, index_t count, Result result) {
  index_t const fitting = std::clamp<index_t>(capacity - place, 0, count);
  for (index_t k = 0; k < fitting; ++k) to[place + k] = result(k);
}

/// Writes the results of chunk `c`, in which `count` > 0 runs begin, run k at c.begin + begins[k]:
/// their values and offsets, and the lengths of the runs that end where they begin.
template <class In, class Outputs>
void write_runs(In in, chunk const& c, std::uint32_t const* begins, index_t count,
                run_begins before, Outputs const& out) {
  auto const begin_of = [=, first = c.begin](index_t k) { return first + begins[k]; };
  detail::write_fitting(out.values, out.values_capacity, before.runs, count,
                        [=](index_t k) { return in[begin_of(k)]; });
  detail::write_fitting(out.offsets, out.offsets_capacity, before.runs, count, begin_of);
  // The previous run, if there is one, ends where the first of these begins.
  if (before.runs > 0) {
    detail::write_fitting(out.lengths, out.lengths_capacity, before.runs - 1, 1,
                          [=](index_t) { return begin_of(0) - before.last; });
  }
  detail::write_fitting(out.lengths, out.lengths_capacity, before.runs, count - 1,
                        [=](index_t k) { return index_t{begins[k + 1]} - begins[k]; });
}

/// Throws `invalid_argument` if outputs are known to share memory with the items or each other.
template <class In, class Outputs>
void require_no_run_overlap(In const& in, index_t n, Outputs const& out) {
  char const* const call = "run_length_encode";
  memory_span const items = detail::memory_of(in, n);
  memory_span const values = detail::memory_of(out.values, std::min(n, out.values_capacity));
  memory_span const lengths = detail::memory_of(out.lengths, std::min(n, out.lengths_capacity));
  memory_span const offsets = detail::memory_of(out.offsets, std::min(n, out.offsets_capacity));
  for (auto const& written : {values, lengths, offsets}) {
    require_no_overlap(call, "items and results", items, written);
  }
  require_no_overlap(call, "values and lengths", values, lengths);
  require_no_overlap(call, "values and offsets", values, offsets);
  require_no_overlap(call, "lengths and offsets", lengths, offsets);
}

}  // namespace detail

/// out[k] = the first item of run k of equal ones in in[0..n-1]; returns how many runs there are.
/// Writes at most `capacity` items, in order, whatever it returns.
///
/// `equal(earlier, later)` is called for neighbors only, concurrently (default ==: every NaN is
/// then a run of its own). Otherwise, also in aliasing, as `filter_by`.
template <std::random_access_iterator In, std::random_access_iterator Out,
          class Equal = equal_values>
index_t unique(int threads, In in, Out out, index_t n, Equal equal = {},
               index_t capacity = unlimited, index_t chunk_items = filter_chunk_items) {
  libscan::detail::refuse_comparison<detail::given_item<In>, Equal>();
  keep_heads<In, Equal> const rule{in, equal};
  detail::require_output_in_place_or_no_overlap("unique", in, rule, n, out, capacity);
  return cpu::filter_by(threads, in, out, n, rule, capacity, chunk_items);
}

/// For each run r of equal items in in[0..n-1]: values[r] = its first item, lengths[r] = its
/// length, offsets[r] = the position of its first item. Returns the number of runs. Writes no more
/// than fits, whatever it returns.
///
/// Types: `in` is a random-access iterator or pointer, `equal` as for `unique`; a run continues
/// while neighbors are equal. Lengths and offsets are converted from `index_t` to the output's
/// type; writes to different items of an output must not race.
/// Aliasing: the outputs must not overlap each other or `in`; refused where that is known.
/// Workspace: 4 bytes an item of a chunk for each thread, if that is more than 8 KiB.
/// Traffic: reads `in` once, writes each output once.
/// Throws: `invalid_argument` if threads < 1, n < 0, or chunk_items is not in 1 .. 2^32, or for an
/// overlap; std::bad_alloc; and what `equal` or the iterators throw.
template <std::random_access_iterator In, class Values, class Lengths, class Offsets,
          class Equal = equal_values>
index_t run_length_encode(int threads, In in, run_outputs<Values, Lengths, Offsets> const& out,
                          index_t n, Equal equal = {}, index_t chunk_items = filter_chunk_items) {
  libscan::detail::refuse_comparison<detail::given_item<In>, Equal>();
  detail::refuse_results<std::iter_value_t<In>, Values>();
  detail::refuse_results<index_t, Lengths>();
  detail::refuse_results<index_t, Offsets>();
  if (chunk_items > index_t{1} << 32) {
    throw invalid_argument("run_length_encode: chunk_items of at most 2^32 expected, got " +
                           std::to_string(chunk_items));
  }
  detail::require_no_run_overlap(in, n, out);
  // Places within a chunk; its items are still in the cache when they are read again.
  using gathered_begins = detail::packed_chunk<std::uint32_t>;
  keep_heads<In, Equal> const rule{in, equal};
  detail::run_begins const all = cpu::run_chunks(
      threads, n, chunk_items, detail::join_begins{}, detail::join_begins::identity(),
      [&] { return gathered_begins(std::min(n, chunk_items)); },
      [&](gathered_begins& begins, chunk const& c) {
        begins.count = detail::pack_offsets(rule, c, begins.items.data());
        if (begins.count == 0) return detail::join_begins::identity();
        return detail::run_begins{begins.count, c.begin + begins.items[begins.count - 1]};
      },
      [&](gathered_begins const& begins, chunk const& c, detail::run_begins before) {
        if (begins.count == 0) return;
        detail::write_runs(in, c, begins.items.data(), begins.count, before, out);
      },
      aggregates::repeatable);
  if (all.runs > 0) {
    detail::write_fitting(out.lengths, out.lengths_capacity, all.runs - 1, 1,
                          [=](index_t) { return n - all.last; });
  }
  return all.runs;
}

}  // namespace libscan::inline v1::cpu
