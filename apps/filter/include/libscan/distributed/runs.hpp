// SPDX-License-Identifier: Apache-2.0
// Runs of equal items of an array that is spread over ranks. A run that crosses a border between
// ranks belongs to the rank that holds its first item.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/filter.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/selection.hpp>

namespace libscan::inline v1 {

namespace detail {

/// What other ranks need to know about one rank's runs.
template <class T>
struct rank_runs {
  index_t runs;          // among its own items; 0: it has none
  index_t first_length;  // of its first run
  T first, last;         // items
};

/// The runs of all ranks, with those that cross borders counted once.
template <class T>
class joined_runs {
 public:
  explicit joined_runs(std::vector<rank_runs<T>> all) : all_((std::move)(all)) {
    T const* last = nullptr;
    for (rank_runs<T> const& one : all_) {
      bool const goes_on = one.runs > 0 && last != nullptr && *last == one.first;
      continues_.push_back(goes_on);
      if (one.runs > 0) last = std::addressof(one.last);
    }
  }

  /// Whether the rank's first run began on an earlier rank.
  bool continues(std::size_t rank) const { return continues_[rank]; }

  /// The runs that begin on each rank, as this rank sees them.
  kept_items kept(std::size_t rank) const {
    kept_items result{0, 0, 0};
    for (std::size_t r = 0; r < all_.size(); ++r) {
      index_t const begun = all_[r].runs - (continues_[r] ? 1 : 0);
      if (r == rank) result = {begun, result.total, result.total};
      result.total += begun;
    }
    return result;
  }

  /// The items on later ranks that belong to the rank's last run.
  index_t length_on_later(std::size_t rank) const {
    index_t length = 0;
    for (std::size_t r = rank + 1; r < all_.size(); ++r) {
      if (all_[r].runs == 0) continue;
      if (!continues_[r]) break;
      length += all_[r].first_length;
      if (all_[r].runs > 1) break;
    }
    return length;
  }

 private:
  std::vector<rank_runs<T>> all_;
  std::vector<bool> continues_;
};

/// Removes the first of `count` items.
template <class T>
void drop_first(std::span<T> items, index_t count) {
  std::copy_n(items.begin() + 1, count - 1, items.begin());
}

}  // namespace detail

/// Copies the first item of each run of equal ones (==) to the front of `out` on the rank that
/// holds it, in order.
/// Result: how many runs begin here and on all ranks, and the number of those before this rank's.
/// Types and aliasing: as `unique` on an engine, with a `values` that std::span can view. `out` has
/// space for each run of this rank's own items, also for one that began on an earlier rank.
/// Determinism: the runs do not depend on the number of ranks.
/// Synchronization: collective; the ranks exchange one count and two items each.
/// Throws: as `unique` on an engine; `remote_error` on all other ranks; `communicator_lost`.
template <host_items Values, host_output Out>
kept_items unique(ranks const& on, Values const& values, Out&& out) {
  using T = detail::item_of<Values>;
  std::span<T const> const in{values};
  std::span<T> const to{static_cast<Out&&>(out)};
  return detail::collective(on.comm(), "unique", [&](detail::collective_call& call) {
    auto const me = static_cast<std::size_t>(on.rank());
    detail::joined_runs<T> const all(call.gather("runs", [&] {
      if (in.empty()) return detail::rank_runs<T>{};
      T const first = in.front(), last = in.back();  // `out` may be `in`
      return detail::rank_runs<T>{libscan::unique<T>(on.local(), in, to), 0, first, last};
    }));
    kept_items const kept = all.kept(me);
    if (all.continues(me)) detail::drop_first(to, kept.count + 1);
    return kept;
  });
}

/// As `unique`, and writes the length of each run to the front of `lengths`, the items on later
/// ranks included. The lengths of all ranks sum to the number of items of all ranks.
/// Types and aliasing: as `run_length_encode` on an engine; both outputs have space as for
/// `unique`.
template <host_items Values, host_output Out, host_output Lengths>
kept_items run_length_encode(ranks const& on, Values const& values, Out&& out, Lengths&& lengths) {
  using T = detail::item_of<Values>;
  std::span<T const> const in{values};
  std::span<T> const to{static_cast<Out&&>(out)};
  std::span<index_t> const to_lengths{static_cast<Lengths&&>(lengths)};
  return detail::collective(on.comm(), "run_length_encode", [&](detail::collective_call& call) {
    auto const me = static_cast<std::size_t>(on.rank());
    detail::joined_runs<T> const all(call.gather("runs", [&] {
      if (in.empty()) return detail::rank_runs<T>{};
      index_t const runs = libscan::run_length_encode<T>(on.local(), in, to, to_lengths);
      return detail::rank_runs<T>{runs, to_lengths.front(), in.front(), in.back()};
    }));
    kept_items const kept = all.kept(me);
    if (all.continues(me)) {
      detail::drop_first(to, kept.count + 1);
      detail::drop_first(to_lengths, kept.count + 1);
    }
    if (kept.count > 0) {
      to_lengths[static_cast<std::size_t>(kept.count) - 1] += all.length_on_later(me);
    }
    return kept;
  });
}

}  // namespace libscan::inline v1
