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
#include <libscan/core/function_operator.hpp>
#include <libscan/core/function_ref.hpp>
#include <libscan/core/item_types.hpp>
#include <libscan/core/operator_list.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/distributed/block_scan.hpp>
#include <libscan/distributed/collective.hpp>
#include <libscan/distributed/cpu_blocks.hpp>
#include <libscan/distributed/device_copy.hpp>
#include <libscan/distributed/error.hpp>
#include <libscan/distributed/ranks.hpp>
#include <libscan/libscan.hpp>

namespace libscan::inline v1 {

namespace detail {

/// The operator and init of a call over the items of a container, and the type of its total.
template <class Op, class In, class Init, init_needed Needed>
using rank_call = operator_call<Op, item_of<In> const*, Init, Needed>;
template <class Op, class In, class Init>
using rank_value_t = operator_value_t<Op, item_of<In> const*, Init>;

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
  /// Null also if there are results that cannot be written while items of another type are read.
  Item const* source() const {
    bool const results = !out_.empty();
    bool const in_place = results && static_cast<void const*>(in_.data()) == out_.data();
    bool const other_items = !std::is_same_v<T, Item>;
    bool const other_results = results && !std::is_same_v<T, Result>;
    return reversed_ || other_results || (in_place && other_items) ? nullptr : in_.data();
  }

 private:
  std::size_t place(index_t i) const {
    return static_cast<std::size_t>(reversed_ ? size() - 1 - i : i);
  }

  std::span<Item const> in_;
  std::span<Result> out_;
  bool reversed_;
};

/// Throws unless `capacity` >= n, and `out` begins where `in` does, with items of the same size, or
/// does not overlap it; or if items are misaligned.
template <class Item, class Result>
void check_scan_memory(char const* name, std::span<Item const> in, std::span<Result> out,
                       std::size_t capacity) {
  if (capacity < in.size()) {
    throw invalid_argument("out has space for " + std::to_string(capacity) + " items, expected " +
                           std::to_string(in.size()));
  }
  auto const n = static_cast<index_t>(in.size());
  cpu::detail::require_in_place_or_no_overlap(name, cpu::detail::memory_of(in.data(), n),
                                              cpu::detail::memory_of(out.data(), n));
}

/// Sums of integers do not depend on their association.
template <class T>
ranks with_cheapest_order(ranks const& on) {
  return std::is_integral_v<T> ? ranks(on.comm(), on.queue(), association::fastest) : on;
}

/// Device memory of a rank: what a call on `n` items at `in` reads, and writes to `out`.
template <class T>
struct device_items_of_call {
  T const* in;
  T* out;  // null for reductions
  index_t n;
};

/// A reduction of memory of the engine's machine. `check` may throw. Compiled for the types of the
/// list (device_scan.cpp).
template <listed_item T>
T reduce_on_device(ranks const& on, device_items_of_call<T> const& items, operator_kind op,
                   T const& init, function_ref<void()> check);

/// A scan of such memory.
template <listed_item T>
T scan_on_device(char const* name, scan_kind kind, ranks const& on,
                 device_items_of_call<T> const& items, operator_kind op, T const& init,
                 scan_direction direction, function_ref<void()> check);

/// The kind of an operator of the list, also of one that is chosen at run time.
template <class T>
operator_kind kind_of(any_operator<T> const& op) {
  return op.which;
}
template <listed_operator Op>
operator_kind kind_of(Op const&) {
  return operator_kind_of<Op>::value;
}

/// Whether kernels are compiled for items of these types in the operator's own.
template <class Op, class Item, class Result>
concept compiled_for_devices = requires(Op const& op) {
  detail::kind_of(op);
}
&&listed_item<Item>&& std::is_same_v<typename Op::value_type, Item>&& std::is_same_v<Item, Result>;

[[noreturn]] inline void refuse_host_items(ranks const& on) {
  throw invalid_argument(
      "distributed scans on " + on.local().description() +
      " take integers of 8 to 64 bits, float and double, with operators of operators.hpp that "
      "accumulate in the type of the items; use the cpu engine for others");
}

template <class In, monoid Op>
typename Op::value_type reduce_over_ranks(ranks const& on, In const& in, Op const& op,
                                          typename Op::value_type init) {
  using T = typename Op::value_type;
  std::span<item_of<In> const> const from{in};
  auto const check = [&] {
    (void)cpu::detail::memory_of(from.data(), static_cast<index_t>(from.size()));
  };
  if (on.local().runs_kernels()) {
    if constexpr (compiled_for_devices<Op, item_of<In>, T>) {
      device_copy<T> const copy(on, "reduce", from);
      device_items_of_call<T> const items{copy.data(), nullptr, copy.size()};
      return detail::reduce_on_device<T>(on, items, detail::kind_of(op), init, check);
    } else {
      detail::refuse_host_items(on);
    }
  }
  return detail::collective(on.comm(), "reduce", [&](collective_call& call) {
    local_items<T, item_of<In>, T> const items(from, {}, false);
    ranks const cheapest = detail::with_cheapest_order<T>(on);
    cpu_blocks blocks(on.threads(), items, op, cheapest.order() == association::fixed);
    return block_scan(cheapest, call, blocks, op, false).reduce(init, check);
  });
}

template <class In, class Out, monoid Op>
typename Op::value_type scan_over_ranks(char const* name, scan_kind kind, ranks const& on,
                                        In const& in, Out&& out, Op op,
                                        typename Op::value_type init, scan_direction direction) {
  using T = typename Op::value_type;
  std::span<item_of<In> const> const from{in};
  std::span const to{static_cast<Out&&>(out)};
  auto const used = to.first(std::min(to.size(), from.size()));
  auto const check = [&] { detail::check_scan_memory(name, from, used, to.size()); };
  if (on.local().runs_kernels()) {
    if constexpr (compiled_for_devices<Op, item_of<In>, item_of<Out>>) {
      device_copy<T> const copy(on, name, from);
      device_items_of_call<T> const items{copy.data(), copy.data(), copy.size()};
      T const total = detail::scan_on_device<T>(name, kind, on, items, detail::kind_of(op), init,
                                                direction, check);
      copy.download(name, used);
      return total;
    } else {
      detail::refuse_host_items(on);
    }
  }
  return detail::collective(on.comm(), name, [&](collective_call& call) {
    bool const reversed = direction == scan_direction::reverse;
    local_items<T, item_of<In>, item_of<Out>> const items(from, used, reversed);
    ranks const cheapest = detail::with_cheapest_order<T>(on);
    cpu_blocks blocks(on.threads(), items, op, cheapest.order() == association::fixed);
    return block_scan(cheapest, call, blocks, op, reversed).scan(kind, init, check);
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
/// Throws: an exception of `op` on any rank is thrown there, and `remote_error` on all others; so
/// is `invalid_argument` for misaligned items. `communicator_lost` if a rank died.
template <host_items In, monoid Op>
typename Op::value_type reduce(ranks const& on, In const& in, Op op,
                               std::type_identity_t<typename Op::value_type> init) {
  return detail::reduce_over_ranks(on, in, op, init);
}

/// The same without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs an init if its identity is unknown.
template <host_items In, class Op = plus<detail::item_of<In>>, class Init = unstated>
requires detail::adapted<Op, Init> detail::rank_value_t<Op, In, Init> reduce(
    ranks const& on, In const& in, Op op = {}, Init init = unstated::init()) {
  using call = detail::rank_call<Op, In, Init, detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    return call::run(op, init,
                     [&](auto const& by, auto const& first) -> detail::rank_value_t<Op, In, Init> {
                       return detail::reduce_over_ranks(on, in, by, first);
                     });
  }
}

/// Exclusive scan over all ranks: each item's result is init op all items before it, of this rank
/// and of earlier ranks. By `scan_direction::reverse`, init op the items after it, the last one
/// first: `op` gets later items first, other than in `reverse_exclusive_scan` of an engine.
/// Result: init op all items, on every rank. Aliasing: `out` may be `in` itself, or must not
/// overlap it. Items of `out` after the results are not touched. Throws: also `invalid_argument`,
/// thrown as such on the rank whose `out` is too short or misaligned, or overlaps `in` other than
/// exactly. Results are then undefined on all ranks. Otherwise as `reduce`; reads items twice.
template <host_items In, host_output Out, monoid Op>
typename Op::value_type exclusive_scan(ranks const& on, In const& in, Out&& out, Op op,
                                       std::type_identity_t<typename Op::value_type> init,
                                       scan_direction direction = scan_direction::forward) {
  return detail::scan_over_ranks("exclusive_scan", scan_kind::exclusive, on, in,
                                 static_cast<Out&&>(out), op, init, direction);
}

/// The same without an init, or by any other callable, as `reduce`.
template <host_items In, host_output Out, class Op = plus<detail::item_of<In>>,
          class Init = unstated>
requires detail::adapted<Op, Init> detail::rank_value_t<Op, In, Init> exclusive_scan(
    ranks const& on, In const& in, Out&& out, Op op = {}, Init init = unstated::init(),
    scan_direction direction = scan_direction::forward) {
  using call = detail::rank_call<Op, In, Init, detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    return call::run(
        op, init, [&](auto const& by, auto const& first) -> detail::rank_value_t<Op, In, Init> {
          return detail::scan_over_ranks("exclusive_scan", scan_kind::exclusive, on, in,
                                         static_cast<Out&&>(out), by, first, direction);
        });
  }
}

/// Inclusive scan over all ranks: as `exclusive_scan`, and each result includes its own item.
template <host_items In, host_output Out, monoid Op>
typename Op::value_type inclusive_scan(ranks const& on, In const& in, Out&& out, Op op,
                                       std::type_identity_t<typename Op::value_type> init,
                                       scan_direction direction = scan_direction::forward) {
  return detail::scan_over_ranks("inclusive_scan", scan_kind::inclusive, on, in,
                                 static_cast<Out&&>(out), op, init, direction);
}

/// The same without an init, or by any other callable, which needs none. Without items and init,
/// the result is the identity or, if that is unknown, undefined.
template <host_items In, host_output Out, class Op = plus<detail::item_of<In>>,
          class Init = unstated>
requires detail::adapted<Op, Init> detail::rank_value_t<Op, In, Init> inclusive_scan(
    ranks const& on, In const& in, Out&& out, Op op = {}, Init init = unstated::init(),
    scan_direction direction = scan_direction::forward) {
  using call = detail::rank_call<Op, In, Init, detail::init_needed::never>;
  if constexpr (call::accepted()) {
    return call::run(
        op, init, [&](auto const& by, auto const& first) -> detail::rank_value_t<Op, In, Init> {
          return detail::scan_over_ranks("inclusive_scan", scan_kind::inclusive, on, in,
                                         static_cast<Out&&>(out), by, first, direction);
        });
  }
}

}  // namespace libscan::inline v1
