// SPDX-License-Identifier: Apache-2.0
// Your own operators in the host API, on the cpu engine: lambdas, functors, those of the standard
// library, over items and results of any types. Sums of std::complex<float> and <double> run on
// every engine. Include it beside libscan.hpp or segmented.hpp; the calls are the same. Takes as
// long to compile as libscan/cpu; link libscan::segments.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/cpu/adjacent_difference.hpp>
#include <libscan/cpu/reduce.hpp>
#include <libscan/cpu/scan.hpp>
#include <libscan/cpu/segmented_reduce.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/host/complex_sums.hpp>
#include <libscan/host/host_heads.hpp>
#include <libscan/segmented.hpp>

namespace libscan::inline v1::detail {

/// The threads of the cpu engine; refuses the others.
inline int threads_for_callables(engine const& on) {
  if (!on.runs_kernels()) return on.threads();
  throw invalid_argument(
      "operators, items and results that libscan.hpp is not compiled for run on the cpu engine "
      "only (except sums of complex numbers), since kernels are compiled for each type in advance; "
      "this engine is " +
      on.description() + "; expected engine::cpu(), or in CUDA code libscan/scan.cuh");
}

// Segments are checked by the caller, and not again: offsets may be as many as items.

/// A scan within segments that describe the items.
template <scan_kind Kind, class Item, class Result, monoid Op>
void scan_segments(int threads, std::span<Item const> in, std::span<Result> out,
                   segmentation const& segments, Op const& op,
                   typename Op::value_type const& init) {
  auto const n = static_cast<index_t>(in.size());
  if (!segments.counts_segments()) {
    return cpu::segmented_scan<Kind>(threads, scan_direction::forward, in.data(), out.data(),
                                     described_heads(segments, n), n, op, init);
  }
  cpu::detail::check_segmented_scan<typename Op::value_type>(in.data(), out.data(), n);
  index_bounds const bounds(segments);
  cpu::detail::scan_checked_ranges<Kind>(threads, scan_direction::forward, in.data(),
                                         bounds.ranges(), out.data(), op, init,
                                         cpu::staged_chunk_items);
}

/// The totals of such segments.
template <class Item, class Total, monoid Op>
index_t reduce_segments(int threads, std::span<Item const> in, std::span<Total> totals,
                        segmentation const& segments, Op const& op,
                        typename Op::value_type const& init) {
  auto const n = static_cast<index_t>(in.size());
  if (!segments.counts_segments()) {
    return cpu::segmented_reduce(threads, in.data(), totals.data(), described_heads(segments, n), n,
                                 op, init);
  }
  cpu::detail::refuse_reduction<typename Op::value_type, Item const*, segment_ranges<index_t>,
                                Total*>();
  cpu::detail::require_no_overlap("segmented_reduce", "items and results",
                                  cpu::detail::memory_of(in.data(), n),
                                  cpu::detail::memory_of(totals.data(), segments.count()));
  index_bounds const bounds(segments);
  return cpu::detail::reduce_checked_ranges(threads, in.data(), bounds.ranges(), totals.data(), op,
                                            init, cpu::staged_chunk_items);
}

/// See host_operator.hpp. Every call takes its turn at the checks of libscan/cpu.
template <class Op>
struct with_callables {
  static constexpr bool included = true;

  template <scan_kind Kind, scan_direction Direction, class T, class Item, class Result, class Init>
  static T scan(engine const& on, std::span<Item const> in, std::span<Result> out, Op const& op,
                Init const& init) {
    if constexpr (sums_complex<Op, T, Item> && std::is_same_v<Result, T>) {
      if (on.runs_kernels()) {
        check_capacity("scan", in.size(), out.size());
        return detail::scan_complex<Kind>(on, in, out.data(), Direction, {}, first_of<T>(init));
      }
    }
    int const threads = threads_for_callables(on);
    check_capacity("scan", in.size(), out.size());
    constexpr auto needed =
        Kind == scan_kind::inclusive ? init_needed::never : init_needed::if_no_identity;
    return with_operator<Item, Init, needed, T>(op, init, [&](auto const& by, auto const& first) {
      auto const n = static_cast<index_t>(in.size());
      if constexpr (Direction == scan_direction::forward) {
        return static_cast<T>(cpu::detail::scan<Kind>(threads, in.data(), out.data(), n, by, first,
                                                      cpu::default_chunk_items));
      } else {
        swap_operands<std::remove_cvref_t<decltype(by)>> const swapped{by};
        return static_cast<T>(cpu::detail::scan<Kind>(threads, std::reverse_iterator(in.data() + n),
                                                      std::reverse_iterator(out.data() + n), n,
                                                      swapped, first, cpu::default_chunk_items));
      }
    });
  }

  template <class T, class Item, class Init>
  static T reduce(engine const& on, std::span<Item const> in, Op const& op, Init const& init) {
    if constexpr (sums_complex<Op, T, Item>) {
      if (on.runs_kernels()) {
        T result{};
        detail::reduce_complex(
            "reduce", in, std::span(&result, 1), {}, {}, first_of<T>(init),
            [&](host_reduction const& call) { return detail::run_host_reduction(on, call); });
        return result;
      }
    }
    int const threads = threads_for_callables(on);
    return with_operator<Item, Init, init_needed::if_no_identity, T>(
        op, init, [&](auto const& by, auto const& first) {
          return static_cast<T>(cpu::detail::reduce_any(threads, in.data(),
                                                        static_cast<index_t>(in.size()), by, first,
                                                        cpu::default_chunk_items));
        });
  }

  template <class Item, class Result>
  static void adjacent_difference(engine const& on, std::span<Item const> in, std::span<Result> out,
                                  Op const& op) {
    check_capacity("adjacent_difference", in.size(), out.size());
    if constexpr (std::is_same_v<Op, later_minus_earlier> && differs_by_parts<Item> &&
                  std::is_same_v<Item, Result>) {
      if (on.runs_kernels()) return detail::difference_of_parts(on, in, out.data());
    }
    int const threads = threads_for_callables(on);
    cpu::adjacent_difference(threads, in.data(), out.data(), static_cast<index_t>(in.size()), op);
  }

  template <scan_kind Kind, class T, class Item, class Result, class Init>
  static void segmented_scan(engine const& on, std::span<Item const> in, std::span<Result> out,
                             segmentation const& segments, Op const& op, Init const& init) {
    if constexpr (sums_complex<Op, T, Item> && std::is_same_v<Result, T>) {
      if (on.runs_kernels()) {
        check_capacity("segmented_scan", in.size(), out.size());
        detail::scan_complex<Kind>(on, in, out.data(), scan_direction::forward, segments,
                                   first_of<T>(init));
        return;
      }
    }
    int const threads = threads_for_callables(on);
    auto const n = static_cast<index_t>(in.size());
    check_capacity("segmented_scan", in.size(), out.size());
    segmentation const known = detail::check_segments("segmented_scan", threads, segments, n);
    detail::check_segments_apart("segmented_scan", segments,
                                 memory_span(std::as_bytes(out.first(in.size()))));
    constexpr auto needed =
        Kind == scan_kind::inclusive ? init_needed::never : init_needed::if_no_identity;
    with_operator<Item, Init, needed, int>(op, init, [&](auto const& by, auto const& first) {
      detail::scan_segments<Kind>(threads, in, out, known, by, first);
      return 0;
    });
  }

  template <class T, class Item, class Total, class Init>
  static index_t segmented_reduce(engine const& on, std::span<Item const> in,
                                  std::span<Total> totals, segmentation const& segments,
                                  Op const& op, Init const& init) {
    if constexpr (sums_complex<Op, T, Item> && std::is_same_v<Total, T>) {
      if (on.runs_kernels()) {
        return detail::reduce_complex(
            "segmented_reduce", in, totals, {}, segments, first_of<T>(init),
            [&](host_reduction const& call) { return detail::run_host_reduction(on, call); });
      }
    }
    int const threads = threads_for_callables(on);
    auto const n = static_cast<index_t>(in.size());
    segmentation const known = detail::check_segments("segmented_reduce", threads, segments, n);
    check_totals("segmented_reduce", threads, segments, n, totals.size());
    detail::check_segments_apart("segmented_reduce", segments, memory_span(std::as_bytes(totals)));
    return with_operator<Item, Init, init_needed::if_no_identity, index_t>(
        op, init, [&](auto const& by, auto const& first) {
          return detail::reduce_segments(threads, in, totals, known, by, first);
        });
  }

  template <class T, class Key, class Item, class Total, class Equal, class Init>
  static index_t reduce_by_key(engine const& on, std::span<Key const> keys,
                               std::span<Item const> in, std::span<Key> unique,
                               std::span<Total> totals, Op const& op, Equal const& equal,
                               Init const& init) {
    if constexpr (sums_complex<Op, T, Item> && std::is_same_v<Total, T> &&
                  std::is_trivially_copyable_v<Key>) {
      if (on.runs_kernels()) {
        return detail::reduce_complex(
            "reduce_by_key", in, totals, memory_span(std::as_bytes(unique)),
            segmentation::of_keys(keys, equal), first_of<T>(init), [&](host_reduction const& call) {
              return detail::run_keyed_reduction(on, call, unique.data(),
                                                 static_cast<index_t>(unique.size()));
            });
      }
    }
    int const threads = threads_for_callables(on);
    auto const n = static_cast<index_t>(in.size());
    check_runs(in.size(), keys, std::min(unique.size(), totals.size()), equal);
    return with_operator<Item, Init, init_needed::never, index_t>(
        op, init, [&](auto const& by, auto const& first) {
          return cpu::reduce_by_key(threads, keys.data(), in.data(), unique.data(), totals.data(),
                                    n, by, equal, first);
        });
  }

 private:
  /// The init of a sum; the identity if none is given.
  template <class T, class Init>
  static T first_of(Init const& init) {
    if constexpr (std::is_same_v<Init, unstated>) {
      return plus<T>::identity();
    } else {
      return static_cast<T>(init);
    }
  }

  /// Calls body(operator, init) with the operator and init that scans take.
  template <class Item, class Init, init_needed Needed, class Result, class Body>
  static Result with_operator(Op const& op, Init const& init, Body const& body) {
    if constexpr (monoid<Op> && !std::is_same_v<Init, unstated>) {
      return body(op, static_cast<typename Op::value_type>(init));
    } else {
      using call = operator_call<Op, Item const*, Init, Needed>;
      if constexpr (call::accepted()) return call::run(op, init, body);
    }
  }

  static void check_capacity(char const* call, std::size_t items, std::size_t capacity) {
    if (capacity >= items) return;
    throw invalid_argument(std::string(call) + ": an output or the keys hold " +
                           std::to_string(capacity) + " items, but in has " +
                           std::to_string(items) + "; expected at least as many");
  }

  /// Refuses another number of keys, and outputs for fewer runs than there are. As many as items
  /// suffice without a count.
  template <class Key, class Equal>
  static void check_runs(std::size_t items, std::span<Key const> keys, std::size_t capacity,
                         Equal const& equal) {
    if (keys.size() != items) {
      throw invalid_argument("reduce_by_key: there are " + std::to_string(keys.size()) +
                             " keys, but " + std::to_string(items) + " items");
    }
    if (capacity >= items) return;
    std::size_t runs = items == 0 ? 0 : 1;
    for (std::size_t i = 1; i < items; ++i) runs += equal(keys[i - 1], keys[i]) ? 0 : 1;
    if (capacity >= runs) return;
    throw invalid_argument("reduce_by_key: unique or totals holds " + std::to_string(capacity) +
                           " items; expected at least " + std::to_string(runs));
  }

  static void check_totals(char const* call, int threads, segmentation const& segments, index_t n,
                           std::size_t capacity) {
    if (!segments.counts_segments() && static_cast<index_t>(capacity) >= n) return;
    index_t const needed = detail::count_segments(threads, segments, n);
    if (static_cast<index_t>(capacity) >= needed) return;
    throw invalid_argument(std::string(call) + ": totals holds " + std::to_string(capacity) +
                           " items; expected at least " + std::to_string(needed));
  }
};

}  // namespace libscan::inline v1::detail
