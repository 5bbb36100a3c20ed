// SPDX-License-Identifier: Apache-2.0
// Your own predicates in the host API of filters, on the cpu engine: lambdas and functors over
// items of any trivially copyable type. Include it beside filter.hpp or selection.hpp; link
// libscan::filter.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <type_traits>

#include <apps/filter/host/host_checks.hpp>
#include <libscan/buffer.hpp>
#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/cpu/filter_with_indices.hpp>
#include <libscan/cpu/runs.hpp>
#include <libscan/host/host_items.hpp>
#include <libscan/predicate.hpp>

namespace libscan::inline v1 {

namespace detail {

template <class Keep>
inline constexpr bool is_library_predicate = false;
template <class T>
inline constexpr bool is_library_predicate<predicate<T>> = true;

/// A predicate of the user's on the items of a range.
template <class Keep, class Items>
concept own_predicate = host_items<Items const> && !is_library_predicate<std::remove_cv_t<Keep>> &&
                        std::predicate<Keep const&, item_of<Items const> const&>;

/// The user's word on whether two items of a range are equal.
template <class Equal, class Items>
concept own_equality = host_items<Items const> &&
    std::relation<Equal const&, item_of<Items const>, item_of<Items const>>;

/// The threads of the cpu engine; refuses the others.
inline int threads_for_predicates(engine const& on) {
  if (!on.runs_kernels()) return on.threads();
  throw invalid_argument("predicates of your own run on the cpu engine only, and this engine is " +
                         on.description() +
                         "; expected engine::cpu(), parse_predicate, or in CUDA code "
                         "libscan/filter.cuh");
}

}  // namespace detail

/// Copies the items of `in` for which keep(item) is true to the front of `out`, in their order, and
/// returns their number:
///
///   index_t const kept = filter(engine::cpu(), points, near, [](point p) { return p.r < 1; });
///
/// `keep` is called concurrently, perhaps twice for an item, and returns the same each time.
/// Otherwise as `filter` of filter.hpp, for items of any trivially copyable type.
/// Throws: also `invalid_argument` for an engine that runs kernels, and what `keep` throws.
template <host_items In, host_output Out, detail::own_predicate<In> Keep>
index_t filter(engine const& on, In const& in, Out&& out, Keep keep) {
  int const threads = detail::threads_for_predicates(on);
  std::span<detail::item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  static_assert(std::is_same_v<typename decltype(to)::value_type, detail::item_of<In const>>,
                "filter: in and out must hold the same type");
  detail::check_no_overlap("filter", std::as_bytes(from), std::as_bytes(to), true);
  index_t const kept =
      cpu::filter(threads, from.data(), to.data(), detail::length(from), keep, detail::length(to));
  detail::check_fits("filter", kept, detail::length(to));
  return kept;
}

/// These items, in memory of their own, which is for as many as `in`: pages that are not written
/// take none. Otherwise as the previous call.
template <host_items In, detail::own_predicate<In> Keep>
buffer<detail::item_of<In const>> filter(engine const& on, In const& in, Keep keep) {
  std::span<detail::item_of<In const> const> const from{in};
  buffer<detail::item_of<In const>> kept(detail::length(from));
  kept.truncate(libscan::filter(on, from, kept, keep));
  return kept;
}

/// Writes the positions (from 0) of these items to the front of `out`, integers that hold them, and
/// returns their number. `out` must not overlap `in`. Otherwise as `filter`.
template <host_items In, host_output Out, detail::own_predicate<In> Keep>
index_t filter_indices(engine const& on, In const& in, Out&& out, Keep keep) {
  int const threads = detail::threads_for_predicates(on);
  std::span<detail::item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  static_assert(std::is_integral_v<typename decltype(to)::value_type>,
                "filter_indices: positions are integers");
  detail::check_no_overlap("filter_indices", std::as_bytes(from), std::as_bytes(to), false);
  index_t const kept = cpu::filter_indices(threads, from.data(), to.data(), detail::length(from),
                                           keep, detail::length(to));
  detail::check_fits("filter_indices", kept, detail::length(to));
  return kept;
}

/// Copies these items to the front of `out` and their positions (from 0) to the front of `indices`,
/// integers that hold them, and returns their number. `out` may be `in` itself; otherwise the
/// outputs must not overlap anything. Otherwise as `filter`.
template <host_items In, host_output Out, host_output Indices, detail::own_predicate<In> Keep>
index_t filter_with_indices(engine const& on, In const& in, Out&& out, Indices&& indices,
                            Keep keep) {
  int const threads = detail::threads_for_predicates(on);
  using item = detail::item_of<In const>;
  std::span<item const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  auto const at = detail::as_output(static_cast<Indices&&>(indices));
  static_assert(std::is_same_v<typename decltype(to)::value_type, item> &&
                    std::is_integral_v<typename decltype(at)::value_type>,
                "filter_with_indices: in and out must hold the same type, indices are integers");
  detail::check_no_overlap("filter_with_indices", std::as_bytes(from), std::as_bytes(to), true);
  detail::check_no_overlap("filter_with_indices", std::as_bytes(from), std::as_bytes(at), false);
  detail::check_no_overlap("filter_with_indices", std::as_bytes(to), std::as_bytes(at), false,
                           "out");
  using index = typename decltype(at)::value_type;
  cpu::indexed_outputs<item*, index*> const outputs{to.data(), detail::length(to), at.data(),
                                                    detail::length(at)};
  index_t const kept =
      cpu::filter_with_indices_by(threads, from.data(), outputs, detail::length(from),
                                  cpu::keep_where<item const*, Keep>{from.data(), keep});
  detail::check_fits("filter_with_indices", kept, detail::length(to));
  detail::check_fits("filter_with_indices", kept, detail::length(at), "kept", "indices");
  return kept;
}

/// The number of these items. Otherwise as `filter`.
template <host_items In, detail::own_predicate<In> Keep>
index_t count_if(engine const& on, In const& in, Keep keep) {
  int const threads = detail::threads_for_predicates(on);
  std::span<detail::item_of<In const> const> const from{in};
  return cpu::count_if(threads, from.data(), detail::length(from), keep);
}

/// Copies these items to the front of `out` and the others to the front of `rejected`, both in
/// their order, and returns how many are kept. The outputs must not overlap anything. Otherwise as
/// `filter`.
template <host_items In, host_output Out, host_output Rejected, detail::own_predicate<In> Keep>
index_t split(engine const& on, In const& in, Out&& out, Rejected&& rejected, Keep keep) {
  int const threads = detail::threads_for_predicates(on);
  std::span<detail::item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  auto const rest = detail::as_output(static_cast<Rejected&&>(rejected));
  using item = detail::item_of<In const>;
  static_assert(std::is_same_v<typename decltype(to)::value_type, item> &&
                    std::is_same_v<typename decltype(rest)::value_type, item>,
                "split: in and its outputs must hold the same type");
  detail::check_no_overlap("split", std::as_bytes(from), std::as_bytes(to), false);
  detail::check_no_overlap("split", std::as_bytes(from), std::as_bytes(rest), false);
  detail::check_no_overlap("split", std::as_bytes(to), std::as_bytes(rest), false, "out");
  index_t const n = detail::length(from);
  cpu::split_outputs<item*> const outputs{to.data(), detail::length(to), rest.data(),
                                          detail::length(rest)};
  index_t const kept = cpu::split(threads, from.data(), outputs, n, keep);
  detail::check_fits("split", kept, detail::length(to));
  detail::check_fits("split", n - kept, detail::length(rest), "rejected", "rejected");
  return kept;
}

/// Copies the first item of each run to the front of `out`, where a run ends before an item with
/// equal(earlier, later) false, and returns their number. Otherwise as `filter`.
template <host_items In, host_output Out, detail::own_equality<In> Equal>
index_t unique(engine const& on, In const& in, Out&& out, Equal equal) {
  int const threads = detail::threads_for_predicates(on);
  std::span<detail::item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  static_assert(std::is_same_v<typename decltype(to)::value_type, detail::item_of<In const>>,
                "unique: in and out must hold the same type");
  detail::check_no_overlap("unique", std::as_bytes(from), std::as_bytes(to), true);
  index_t const kept =
      cpu::unique(threads, from.data(), to.data(), detail::length(from), equal, detail::length(to));
  detail::check_fits("unique", kept, detail::length(to));
  return kept;
}

/// Copies the first item of each such run to the front of `out` and the length of the run to the
/// front of `lengths`, integers that hold it, and returns the number of runs. The outputs must not
/// overlap anything. Otherwise as `unique`.
template <host_items In, host_output Out, host_output Lengths, detail::own_equality<In> Equal>
index_t run_length_encode(engine const& on, In const& in, Out&& out, Lengths&& lengths,
                          Equal equal) {
  int const threads = detail::threads_for_predicates(on);
  std::span<detail::item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  auto const long_as = detail::as_output(static_cast<Lengths&&>(lengths));
  static_assert(std::is_same_v<typename decltype(to)::value_type, detail::item_of<In const>> &&
                    std::is_integral_v<typename decltype(long_as)::value_type>,
                "run_length_encode: in and out must hold the same type, lengths are integers");
  detail::check_no_overlap("run_length_encode", std::as_bytes(from), std::as_bytes(to), false);
  detail::check_no_overlap("run_length_encode", std::as_bytes(from), std::as_bytes(long_as), false);
  detail::check_no_overlap("run_length_encode", std::as_bytes(to), std::as_bytes(long_as), false,
                           "out");
  cpu::run_outputs const outputs{to.data(), detail::length(to), long_as.data(),
                                 detail::length(long_as)};
  index_t const runs =
      cpu::run_length_encode(threads, from.data(), outputs, detail::length(from), equal);
  detail::check_fits("run_length_encode", runs, detail::length(to), "runs");
  detail::check_fits("run_length_encode", runs, detail::length(long_as), "runs", "lengths");
  return runs;
}

/// The same of runs of at least `min_length` items: with 2, no trivial ones. Also writes the
/// position of the first item of each to the front of `offsets`. Returns their number.
///
/// Memory: three `index_t` for each run, short or long.
/// Throws: also `invalid_argument` if min_length < 1.
template <host_items In, host_output Out, host_output Lengths, host_output Offsets,
          detail::own_equality<In> Equal>
index_t run_length_encode(engine const& on, In const& in, Out&& out, Lengths&& lengths,
                          Offsets&& offsets, index_t min_length, Equal equal) {
  char const* const call = "run_length_encode";
  int const threads = detail::threads_for_predicates(on);
  std::span<detail::item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  auto const long_as = detail::as_output(static_cast<Lengths&&>(lengths));
  auto const begin_at = detail::as_output(static_cast<Offsets&&>(offsets));
  static_assert(std::is_same_v<typename decltype(to)::value_type, detail::item_of<In const>> &&
                    std::is_integral_v<typename decltype(long_as)::value_type> &&
                    std::is_integral_v<typename decltype(begin_at)::value_type>,
                "run_length_encode: in and out must hold the same type, lengths and offsets are "
                "integers");
  detail::check_min_length(min_length);
  auto const results = {std::as_bytes(to), std::as_bytes(long_as), std::as_bytes(begin_at)};
  for (auto const& a : results) {
    detail::check_no_overlap(call, std::as_bytes(from), a, false);
    for (auto const& b : results) {
      if (&a < &b) detail::check_no_overlap(call, a, b, false, "an output");
    }
  }
  index_t const n = detail::length(from);
  buffer<index_t> all_lengths(n), begins(n);
  cpu::run_outputs const all{static_cast<detail::item_of<In const>*>(nullptr),
                             index_t{0},
                             all_lengths.data(),
                             n,
                             begins.data(),
                             n};
  index_t const runs = cpu::run_length_encode(threads, from.data(), all, n, equal);
  buffer<index_t> kept(runs);
  index_t const count =
      cpu::filter_indices(threads, all_lengths.data(), kept.data(), runs,
                          [min_length](index_t length) { return length >= min_length; });
  detail::check_fits(call, count, detail::length(to), "runs");
  detail::check_fits(call, count, detail::length(long_as), "runs", "lengths");
  detail::check_fits(call, count, detail::length(begin_at), "runs", "offsets");
  cpu::for_each_index(threads, count, [&, run_of = kept.data()](index_t k) {
    auto const run = static_cast<std::size_t>(run_of[k]), at = static_cast<std::size_t>(k);
    to[at] = from[static_cast<std::size_t>(begins[run])];
    long_as[at] = static_cast<typename decltype(long_as)::value_type>(all_lengths[run]);
    begin_at[at] = static_cast<typename decltype(begin_at)::value_type>(begins[run]);
  });
  return count;
}

}  // namespace libscan::inline v1
