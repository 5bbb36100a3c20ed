// SPDX-License-Identifier: Apache-2.0
// Scans of the segments of an array that is spread over ranks. Segments may cross any number of
// borders between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/distributed/scan.hpp>

namespace libscan::inline v1 {

namespace detail {

/// Consecutive items: what the last segment among them adds up to, and whether it begins there.
template <class T>
struct open_segment {
  T value;
  bool begins;
};

/// Joins them; any monoid within segments.
template <monoid Op>
struct join_segments {
  using value_type = open_segment<typename Op::value_type>;
  Op op;

  value_type identity() const { return {op.identity(), false}; }
  value_type operator()(value_type const& earlier, value_type const& later) const {
    if (later.begins) return later;
    return {op(earlier.value, later.value), earlier.begins};
  }
};

/// What the border between two ranks looks like from one of them.
struct rank_heads {
  bool has_items, begins;
};

/// Whether a segment begins at item i of the rank, in the scan's direction. `all`: the first items
/// of all ranks.
inline bool begins_at(std::span<std::uint8_t const> head_flags, index_t i, bool reversed, int rank,
                      std::vector<rank_heads> const& all) {
  auto const at = static_cast<std::size_t>(i);
  auto const me = static_cast<std::size_t>(rank);
  if (reversed) {
    if (at + 1 < head_flags.size()) return head_flags[at + 1] != 0;
    for (std::size_t r = me + 1; r < all.size(); ++r) {
      if (all[r].has_items) return all[r].begins;
    }
    return true;
  }
  if (head_flags[at] != 0) return true;
  for (std::size_t r = 0; i == 0 && r < me; ++r) {
    if (all[r].has_items) return false;
  }
  return i == 0;
}

template <class In, class HeadFlags, class Out, monoid Op>
void segmented_scan_over_ranks(char const* name, scan_kind kind, ranks const& on, In const& in,
                               HeadFlags const& flags, Out&& out, Op const& op,
                               typename Op::value_type const& init, scan_direction direction) {
  using T = typename Op::value_type;
  std::span<item_of<In> const> const from{in};
  std::span<std::uint8_t const> const head_flags{flags};
  std::span const to{static_cast<Out&&>(out)};
  bool const reversed = direction == scan_direction::reverse;
  std::vector<open_segment<T>> items;
  detail::collective(on.comm(), name, [&](collective_call& call) {
    auto const all = call.gather("head flags", [&] {
      if (head_flags.size() != from.size() || to.size() < from.size()) {
        throw invalid_argument(std::string(name) + ": " + std::to_string(head_flags.size()) +
                               " head flags and space for " + std::to_string(to.size()) +
                               " results, expected " + std::to_string(from.size()) +
                               " as there are items");
      }
      (void)cpu::detail::memory_of(from.data(), static_cast<index_t>(from.size()));
      return rank_heads{!head_flags.empty(), !head_flags.empty() && head_flags[0] != 0};
    });
    call.agree("items", [&] {
      items.resize(from.size(), {op.identity(), false});
      for (std::size_t i = 0; i < from.size(); ++i) {
        bool const begins =
            detail::begins_at(head_flags, static_cast<index_t>(i), reversed, on.rank(), all);
        T const item = static_cast<T>(from[i]);
        items[i] = {begins ? op(init, item) : item, begins};
      }
    });
  });
  // What enters each item; results follow from that and the item.
  std::vector<open_segment<T>> before;
  detail::collective(on.comm(), name, [&](collective_call& call) {
    call.agree("space", [&] { before.resize(items.size(), {op.identity(), false}); });
  });
  libscan::exclusive_scan(on, items, before, join_segments<Op>{op}, {op.identity(), false},
                          direction);
  detail::collective(on.comm(), name, [&](collective_call& call) {
    call.agree("results", [&] {
      for (std::size_t i = 0; i < items.size(); ++i) {
        T const entering = items[i].begins ? init : before[i].value;
        T const result = kind == scan_kind::exclusive ? entering
                         : items[i].begins            ? items[i].value
                                                      : op(entering, items[i].value);
        to[i] = static_cast<item_of<Out>>(result);
      }
    });
  });
}

}  // namespace detail

/// Inclusive scan of each segment over all ranks. `flags` has one byte per item: not 0 where a
/// segment begins. One begins at the first item of all ranks in any case. By
/// `scan_direction::reverse`, each segment is scanned from its end, and `op` gets later items
/// first. Without an `init`, it is the identity.
/// Result: init op the items of the segment up to this one.
/// Types: as `inclusive_scan`, for any monoid; no other callable. Aliasing: `out` may be `in`.
/// Determinism: by `association::fixed`, the bits depend only on items and head flags, not on the
/// number of ranks or threads. Memory: twice the items, each with a flag. Synchronization:
/// collective. Throws: as `inclusive_scan`; `invalid_argument` on a rank with another number of
/// head flags than items, or too short an `out`, `remote_error` on others.
template <host_items In, host_items HeadFlags, host_output Out,
          monoid Op = plus<detail::item_of<In>>>
void inclusive_segmented_scan(
    ranks const& on, In const& in, HeadFlags const& flags, Out&& out, Op op = {},
    std::type_identity_t<std::optional<typename Op::value_type>> init = {},
    scan_direction direction = scan_direction::forward) {
  detail::segmented_scan_over_ranks(
      "inclusive_segmented_scan", scan_kind::inclusive, on, in, flags, static_cast<Out&&>(out), op,
      init ? *init : typename Op::value_type(op.identity()), direction);
}

/// Exclusive scan of each segment: as `inclusive_segmented_scan`, without the item itself.
template <host_items In, host_items HeadFlags, host_output Out,
          monoid Op = plus<detail::item_of<In>>>
void exclusive_segmented_scan(
    ranks const& on, In const& in, HeadFlags const& flags, Out&& out, Op op = {},
    std::type_identity_t<std::optional<typename Op::value_type>> init = {},
    scan_direction direction = scan_direction::forward) {
  detail::segmented_scan_over_ranks(
      "exclusive_segmented_scan", scan_kind::exclusive, on, in, flags, static_cast<Out&&>(out), op,
      init ? *init : typename Op::value_type(op.identity()), direction);
}

}  // namespace libscan::inline v1
