// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of arrays that are spread over ranks. The array is the ranks' local items,
// one after the other in rank order; lengths may differ, also be 0. All ranks call together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/core/types.hpp>
#include <libscan/distributed/block_scan.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/libscan.hpp>

namespace libscan::inline v1 {

namespace detail {

/// Local items and results as the operator's values, from either end.
template <class T, class Item, class Result>
class local_items {
 public:
  local_items(std::span<Item const> in, std::span<Result> out, bool reversed)
      : in_(in), out_(out), reversed_(reversed) {}

  index_t size() const { return static_cast<index_t>(in_.size()); }
  T load(index_t i) const { return static_cast<T>(in_[place(i)]); }
  void store(index_t i, T const& value) const { out_[place(i)] = static_cast<Result>(value); }
  T const* memory() const {
    if constexpr (std::is_same_v<T, Item>) return reversed_ ? nullptr : in_.data();
    return nullptr;
  }
  T* result_memory() const {
    if constexpr (std::is_same_v<T, Result>) return reversed_ ? nullptr : out_.data();
    return nullptr;
  }

 private:
  std::size_t place(index_t i) const {
    return static_cast<std::size_t>(reversed_ ? size() - 1 - i : i);
  }

  std::span<Item const> in_;
  std::span<Result> out_;
  bool reversed_;
};

/// Throws unless `room` >= n, and `out` begins where `in` does or does not overlap it.
inline void check_scan_output(std::span<std::byte const> in, std::span<std::byte const> out,
                              std::size_t n, std::size_t room) {
  if (room < n) {
    throw invalid_argument("out has space for " + std::to_string(room) + " items, expected " +
                           std::to_string(n));
  }
  if (in.data() != out.data() && detail::overlap(in, out)) {
    throw invalid_argument("out overlaps the input; expected the same memory, or other memory");
  }
}

/// Sums of integers do not depend on their association.
template <class T>
ranks with_cheapest_order(ranks const& on) {
  return std::is_integral_v<T> ? ranks(on.comm(), on.local(), association::fastest) : on;
}

template <scan_kind Kind, class In, class Out, monoid Op>
typename Op::value_type scan_over_ranks(char const* name, ranks const& on, In const& in, Out&& out,
                                        Op op, typename Op::value_type init,
                                        scan_direction direction) {
  using T = typename Op::value_type;
  std::span<item_of<In> const> const from{in};
  std::span const to{static_cast<Out&&>(out)};
  return detail::collective(on.comm(), name, [&](collective_call& call) {
    bool const reversed = direction == scan_direction::reverse;
    auto const used = to.first(std::min(to.size(), from.size()));
    local_items<T, item_of<In>, item_of<Out>> const items(from, used, reversed);
    ranks const cheapest = detail::with_cheapest_order<T>(on);
    block_scan scan(cheapest, call, items, op, reversed);
    return scan.template scan<Kind>(init, [&] {
      detail::check_scan_output(std::as_bytes(from), std::as_bytes(used), from.size(), to.size());
    });
  });
}

}  // namespace detail

/// Reduction over all ranks: init op item 0 op ... op item n-1, on every rank; `init` if there are
/// no items.
/// Types: `in` is anything that std::span can view; items convert to Op::value_type, in which
/// everything accumulates. `op` is any monoid; all ranks pass the same `op` and `init`.
/// Determinism: by `association::fixed`, the bits depend only on the items, not on the number of
/// ranks or threads. They may differ from those of `libscan::reduce` on an engine.
/// Synchronization: collective; returns when the result is there. Reads each item once. A rank
/// sends fewer than 2^15 items and a few sums.
/// Throws: an exception of `op` on any rank is thrown there, and `remote_error` on all others.
/// `communicator_lost` if a rank died.
template <host_items In, class Op = plus<detail::item_of<In>>>
typename Op::value_type reduce(ranks const& on, In const& in, Op op = {},
                               typename Op::value_type init = Op{}.identity()) {
  using T = typename Op::value_type;
  std::span<detail::item_of<In> const> const from{in};
  return detail::collective(on.comm(), "reduce", [&](detail::collective_call& call) {
    detail::local_items<T, detail::item_of<In>, T> const items(from, {}, false);
    ranks const cheapest = detail::with_cheapest_order<T>(on);
    return detail::block_scan(cheapest, call, items, op, false).reduce(init, [] {});
  });
}

/// Exclusive scan over all ranks: each item's result is init op all items before it, of this rank
/// and of earlier ranks. By `scan_direction::reverse`, the items after it, from the last rank's
/// end. Result: init op all items, on every rank. Aliasing: `out` may be `in` itself, or must not
/// overlap it. Items of `out` after the results are not touched. Throws: also `invalid_argument`,
/// thrown as such on the rank whose `out` is too short or overlaps `in` other than exactly. Results
/// are then undefined on all ranks. Otherwise as `reduce`; reads items twice.
template <host_items In, host_output Out, class Op = plus<detail::item_of<In>>>
typename Op::value_type exclusive_scan(ranks const& on, In const& in, Out&& out, Op op = {},
                                       typename Op::value_type init = Op{}.identity(),
                                       scan_direction direction = scan_direction::forward) {
  return detail::scan_over_ranks<scan_kind::exclusive>(
      "exclusive_scan", on, in, static_cast<Out&&>(out), op, init, direction);
}

/// Inclusive scan over all ranks: as `exclusive_scan`, and each result includes its own item.
template <host_items In, host_output Out, class Op = plus<detail::item_of<In>>>
typename Op::value_type inclusive_scan(ranks const& on, In const& in, Out&& out, Op op = {},
                                       typename Op::value_type init = Op{}.identity(),
                                       scan_direction direction = scan_direction::forward) {
  return detail::scan_over_ranks<scan_kind::inclusive>(
      "inclusive_scan", on, in, static_cast<Out&&>(out), op, init, direction);
}

}  // namespace libscan::inline v1
