// SPDX-License-Identifier: Apache-2.0
// The filter of an array that is spread over ranks. Kept items stay on their rank; `rebalance`
// spreads them anew.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/item_mask.hpp>
#include <libscan/cpu/filter.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/filter.hpp>
#include <libscan/libscan.hpp>
#include <libscan/predicate.hpp>
#include <libscan/selection.hpp>

namespace libscan::inline v1 {

namespace detail {

template <class Keep>
inline constexpr bool is_compiled_rule = std::is_same_v<Keep, item_mask>;
template <class T>
inline constexpr bool is_compiled_rule<predicate<T>> = true;

/// Filters the items of one rank, by any callable; or by a `predicate` or a mask, in vector
/// instructions.
template <class T, class Keep>
index_t filter_local(ranks const& on, std::span<T const> from, std::span<T> to, Keep const& keep) {
  if constexpr (is_compiled_rule<Keep>) {
    return libscan::filter<T>(on.local(), from, to, keep);
  } else {
    auto const capacity = static_cast<index_t>(to.size());
    index_t const count = cpu::filter(on.threads(), from.data(), to.data(),
                                      static_cast<index_t>(from.size()), keep, capacity);
    if (count <= capacity) return count;
    throw invalid_argument("filter: out has space for " + std::to_string(capacity) +
                           " items, expected " + std::to_string(count));
  }
}

}  // namespace detail

/// What a distributed filter keeps.
struct kept_items {
  index_t count;  ///< on this rank
  index_t begin;  ///< the position of this rank's first one among all kept items
  index_t total;  ///< on all ranks
};

namespace detail {

/// That of a rank, if the ranks keep `counts` items.
inline kept_items kept_of(std::vector<index_t> const& counts, int rank) {
  kept_items kept{counts[static_cast<std::size_t>(rank)], 0, 0};
  for (int r = 0; r < static_cast<int>(counts.size()); ++r) {
    if (r == rank) kept.begin = kept.total;
    kept.total += counts[static_cast<std::size_t>(r)];
  }
  return kept;
}

}  // namespace detail

/// Copies the local items that `keep` accepts into the front of `out`, in order.
/// Result: how many there are, here and on all ranks, and where they begin.
/// Types and aliasing: as `cpu::filter`; `keep` is any callable, a `predicate`, or an `item_mask`
/// of this rank's items. `out` has space for all that this rank keeps. Synchronization: collective;
/// the ranks exchange only counts. Throws: `invalid_argument` on a rank whose `out` is too short,
/// and what `keep` throws there; `remote_error` on all others; `communicator_lost`.
template <host_items In, host_output Out, class Keep>
kept_items filter(ranks const& on, In const& in, Out&& out, Keep keep) {
  std::span<detail::item_of<In> const> const from{in};
  std::span<detail::item_of<In>> const to{static_cast<Out&&>(out)};
  return detail::collective(on.comm(), "filter", [&](detail::collective_call& call) {
    auto const counts = call.gather(
        "counts", [&] { return detail::filter_local<detail::item_of<In>>(on, from, to, keep); });
    return detail::kept_of(counts, on.rank());
  });
}

}  // namespace libscan::inline v1
