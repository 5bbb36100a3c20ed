// SPDX-License-Identifier: Apache-2.0
// Totals of segments by any callable, and without an init. Included by segmented_reduce.hpp.
#pragma once

#include <concepts>
#include <iterator>

#include <libscan/core/operator_call.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segmented_reduce.hpp>

namespace libscan::inline v1::cpu {

/// `segmented_reduce` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs an init if its identity is unknown.
template <std::random_access_iterator In, segment_description Heads,
          std::random_access_iterator Totals, class Op, class Init = unstated>
requires libscan::detail::adapted<Op, Init> index_t
segmented_reduce(int threads, In in, Totals totals, Heads const& heads, index_t n, Op op,
                 Init init = unstated::init(), index_t chunk_items = staged_chunk_items) {
  using call =
      libscan::detail::operator_call<Op, In, Init, libscan::detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    return call::run(op, init, [&](auto const& by, auto const& first) {
      return cpu::segmented_reduce(threads, in, totals, heads, n, by, first, chunk_items);
    });
  }
}

/// `reduce_by_key` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs no init.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, class Op,
          std::predicate<std::iter_value_t<Keys>, std::iter_value_t<Keys>> Equal,
          class Init = unstated>
requires libscan::detail::adapted<Op, Init> index_t
reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
              Equal equal, Init init = unstated::init(), index_t chunk_items = staged_chunk_items) {
  using call = libscan::detail::operator_call<Op, In, Init, libscan::detail::init_needed::never>;
  if constexpr (call::accepted()) {
    return call::run(op, init, [&](auto const& by, auto const& first) {
      return cpu::reduce_by_key(threads, keys, in, unique, totals, n, by, equal, first,
                                chunk_items);
    });
  }
}

/// The same with keys compared by ==.
template <std::random_access_iterator Keys, std::random_access_iterator In,
          std::random_access_iterator Unique, std::random_access_iterator Totals, class Op,
          class Init = unstated>
requires libscan::detail::adapted<Op, Init> &&
    (!std::predicate<Init, std::iter_value_t<Keys>, std::iter_value_t<Keys>>)index_t
    reduce_by_key(int threads, Keys keys, In in, Unique unique, Totals totals, index_t n, Op op,
                  Init init = unstated::init(), index_t chunk_items = staged_chunk_items) {
  return cpu::reduce_by_key(threads, keys, in, unique, totals, n, op, equal_values{}, init,
                            chunk_items);
}

}  // namespace libscan::inline v1::cpu
