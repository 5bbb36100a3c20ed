// SPDX-License-Identifier: Apache-2.0
// Scans and reductions over ranks of arrays in device memory: each rank's items are in memory of
// its own engine's machine, a GPU or the executor. Otherwise as scan.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/overlap.hpp>
#include <libscan/distributed/scan.hpp>
#include <libscan/host/device_queue.hpp>

namespace libscan::inline v1 {

namespace detail {

/// Throws unless the rank's engine has device memory, and the host knows the number of items.
template <class T>
void check_device_items(ranks const& on, device_span<T> in) {
  if (!on.local().runs_kernels()) {
    throw invalid_argument("items in device memory, but the engine of this rank is " +
                           on.local().description() + "; expected cuda or executor");
  }
  if (in.d_size != nullptr || in.size < 0) {
    throw invalid_argument("distributed calls expect a number of items >= 0 on the host");
  }
}

/// The memory of n items.
template <class T>
memory_span device_bytes(T const* items, index_t n) {
  return {items, n, sizeof(T)};
}

template <class T, class Op>
T device_scan_over_ranks(char const* name, scan_kind kind, ranks const& on, device_span<T const> in,
                         T* out, Op op, T init, scan_direction direction) {
  device_items_of_call<T> const items{in.data, out, in.size};
  return detail::scan_on_device<T>(
      name, kind, on, items, detail::kind_of(op), init, direction, [&] {
        detail::check_device_items(on, in);
        if (in.data == out) return;
        if (detail::device_bytes(in.data, in.size).overlaps(detail::device_bytes(out, in.size))) {
          throw invalid_argument(std::string(name) +
                                 ": out overlaps the input; expected the same or other memory");
        }
      });
}

}  // namespace detail

/// Reduction over all ranks of items in device memory: the bits do not depend on the ranks, nor on
/// the kind of GPU. They may differ from those of the cpu engine.
/// Types: integers of 8 to 64 bits, float and double, accumulated in their own type; operators of
/// libscan/core/operator_list.hpp.
/// Synchronization: collective, on the queue's stream; returns when the result is there. Each item
/// is read once; a sum for each 2^15 items comes to the host.
/// Throws: as `reduce` of scan.hpp; `invalid_argument` on a rank whose engine is cpu;
/// `device_error`.
template <class T, class Op = plus<std::remove_const_t<T>>>
std::remove_const_t<T> reduce(ranks const& on, device_span<T> in, Op op = {},
                              std::type_identity_t<std::remove_const_t<T>> init = Op::identity()) {
  using item = std::remove_const_t<T>;
  detail::device_items_of_call<item> const items{in.data, nullptr, in.size};
  return detail::reduce_on_device<item>(on, items, detail::kind_of(op), init,
                                        [&] { detail::check_device_items(on, in); });
}

/// Exclusive scan over all ranks of items in device memory. `out` may be the items of `in`, and
/// must not overlap them otherwise. Result: init op all items, on every rank; the bits of `reduce`.
/// Items are read twice, results written once. Otherwise as `reduce`.
template <class T, class Op = plus<std::remove_const_t<T>>>
std::remove_const_t<T> exclusive_scan(
    ranks const& on, device_span<T> in, std::remove_const_t<T>* out, Op op = {},
    std::type_identity_t<std::remove_const_t<T>> init = Op::identity(),
    scan_direction direction = scan_direction::forward) {
  return detail::device_scan_over_ranks<std::remove_const_t<T>>(
      "exclusive_scan", scan_kind::exclusive, on, in, out, op, init, direction);
}

/// The same, and each result includes its own item.
template <class T, class Op = plus<std::remove_const_t<T>>>
std::remove_const_t<T> inclusive_scan(
    ranks const& on, device_span<T> in, std::remove_const_t<T>* out, Op op = {},
    std::type_identity_t<std::remove_const_t<T>> init = Op::identity(),
    scan_direction direction = scan_direction::forward) {
  return detail::device_scan_over_ranks<std::remove_const_t<T>>(
      "inclusive_scan", scan_kind::inclusive, on, in, out, op, init, direction);
}

}  // namespace libscan::inline v1
