// SPDX-License-Identifier: Apache-2.0
// Segmented scans by any callable, and without an init. Included by segmented_scan.hpp.
#pragma once

#include <concepts>
#include <iterator>

#include <libscan/core/operator_call.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segmented_scan.hpp>

namespace libscan::inline v1::cpu {

/// `segmented_scan` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), for which an exclusive scan needs an init if its identity
/// is unknown.
template <scan_kind Kind, std::random_access_iterator In, segment_description Heads, class Op,
          std::random_access_iterator Out, class Init = unstated>
requires libscan::detail::adapted<Op, Init>
void segmented_scan(int threads, scan_direction direction, In in, Out out, Heads const& heads,
                    index_t n, Op op, Init init = unstated::init(),
                    index_t chunk_items = staged_chunk_items) {
  using needed = libscan::detail::init_needed;
  constexpr auto how = Kind == scan_kind::inclusive ? needed::never : needed::if_no_identity;
  using call = libscan::detail::operator_call<Op, In, Init, how>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto const& by, auto const& first) {
      cpu::segmented_scan<Kind>(threads, direction, in, out, heads, n, by, first, chunk_items);
    });
  }
}

/// The same of the inclusive kind, forwards, with the arguments in the order of the device's call.
template <std::random_access_iterator In, std::random_access_iterator Out,
          segment_description Heads, class Op, class Init = unstated>
requires libscan::detail::adapted<Op, Init>
void inclusive_segmented_scan(int threads, In in, Out out, Heads const& heads, index_t n, Op op,
                              Init init = unstated::init(),
                              index_t chunk_items = staged_chunk_items) {
  cpu::segmented_scan<scan_kind::inclusive>(threads, scan_direction::forward, in, out, heads, n, op,
                                            init, chunk_items);
}

/// The same of the exclusive kind, forwards, with the arguments in the order of the device's call.
template <std::random_access_iterator In, std::random_access_iterator Out,
          segment_description Heads, class Op, class Init = unstated>
requires libscan::detail::adapted<Op, Init>
void exclusive_segmented_scan(int threads, In in, Out out, Heads const& heads, index_t n, Op op,
                              Init init = unstated::init(),
                              index_t chunk_items = staged_chunk_items) {
  cpu::segmented_scan<scan_kind::exclusive>(threads, scan_direction::forward, in, out, heads, n, op,
                                            init, chunk_items);
}

}  // namespace libscan::inline v1::cpu
