// SPDX-License-Identifier: Apache-2.0
// The host API: scans and sums of host memory on any engine. Needs no nvcc; link
// libscan::libscan. Items: integers of 8 to 64 bits, float, double; operators: plus, minimum,
// maximum and, for integers, bit_and, bit_or, bit_xor.
#pragma once

#include <atomic>
#include <span>
#include <type_traits>
#include <utility>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/scan_call.hpp>

namespace libscan::inline v1 {

/// Any range that std::span can view: a vector, an array, a span, a C array.
template <class Range>
concept host_items = requires(Range& range) {
  std::span{range};
};

/// Such a range for writing: not a temporary that owns its items.
template <class Range>
concept host_output = requires(Range&& range) {
  std::span{static_cast<Range&&>(range)};
};

namespace detail {

template <class Range>
using item_of = typename decltype(std::span{std::declval<Range&>()})::value_type;

/// The identity, or any value if `scan` will refuse the operator with its own message.
template <class T, class Op>
constexpr T default_init() {
  if constexpr (listed_operator<Op>) {
    return static_cast<T>(Op::identity());
  } else {
    return T{};
  }
}

/// Whether Op, one of the six, accumulates in a type that the engines treat as T.
template <class T, class Op>
concept accumulates_in = std::same_as < typename item_type_of<typename Op::value_type>::type,
typename item_type_of<T>::type > ;

/// Whether calls over T by Op are compiled; refuses others with a message.
template <class T, class Op>
constexpr bool compiled_for() {
  static_assert(listed_item<T>,
                "libscan.hpp is compiled for integers of 8 to 64 bits (not bool), float and "
                "double. For other item types include libscan/cpu/scan.hpp, or in CUDA code "
                "libscan/scan.cuh.");
  static_assert(listed_operator<Op>,
                "libscan.hpp is compiled for plus, minimum, maximum, bit_and, bit_or and bit_xor "
                "of libscan/core/operators.hpp. For operators of your own include "
                "libscan/cpu/scan.hpp, or in CUDA code libscan/scan.cuh.");
  if constexpr (listed_item<T> && listed_operator<Op>) {
    static_assert(accumulates_in<T, Op>,
                  "libscan.hpp accumulates in the type of the items, so the operator must be over "
                  "that type: plus<int> for ints. For another accumulator include "
                  "libscan/cpu/scan.hpp, or in CUDA code libscan/scan.cuh.");
    return true;
  } else {
    return false;
  }
}

/// Converts the types of a call into values.
template <class T, class Op>
T scan(engine const& on, scan_kind kind, std::span<T const> in, std::span<T> out, Op, T init) {
  if constexpr (detail::compiled_for<T, Op>()) {
    using item = typename item_type_of<T>::type;
    item const first = static_cast<item>(init);
    item total = first;
    // Compiled code may treat e.g. `long long` items as `long`. The fences keep a whole-program
    // optimizer, for which these two never alias, from moving accesses across the call.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    detail::run_scan(on,
                     {item_type_of<T>::value, operator_kind_of<Op>::value, kind, in.data(),
                      out.data(), static_cast<index_t>(in.size()), &first, &total},
                     static_cast<index_t>(out.size()));
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return static_cast<T>(total);
  } else {
    return init;
  }
}

/// The same for a reduction.
template <class T, class Op>
T reduce(engine const& on, std::span<T const> in, Op, T init) {
  if constexpr (detail::compiled_for<T, Op>()) {
    using item = typename item_type_of<T>::type;
    item const first = static_cast<item>(init);
    item result = first;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    detail::run_reduce(on, {item_type_of<T>::value, operator_kind_of<Op>::value, in.data(),
                            static_cast<index_t>(in.size()), &first, &result});
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return static_cast<T>(result);
  } else {
    return init;
  }
}

/// The two ranges as spans of one item type.
template <class Op, class In, class Out, class T>
T scan_ranges(engine const& on, scan_kind kind, In const& in, Out&& out, Op op, T init) {
  static_assert(std::is_same_v<item_of<Out>, T>,
                "libscan.hpp scans into the type of the items: in and out must hold the same type. "
                "To widen on the way include libscan/cpu/scan.hpp, or in CUDA code "
                "libscan/scan.cuh.");
  if constexpr (std::is_same_v<item_of<Out>, T>) {
    return detail::scan<T>(on, kind, std::span<T const>{in}, std::span<T>{static_cast<Out&&>(out)},
                           op, init);
  } else {
    return init;
  }
}

}  // namespace detail

/// Exclusive scan: out[0] = init, out[i] = init op in[0] op ... op in[i-1], where n is the length
/// of `in`.
/// Result: init op in[0] op ... op in[n-1]; `init` if n = 0.
///
/// Types: `in` and `out` are in host memory and hold the same type (see the head of this file).
/// `op` defaults to the sum, `init` to the operator's identity. Everything accumulates in that
/// type; integers wrap around.
/// Aliasing: `out` may be `in` itself, or must not overlap it. It may be longer than `in`: items
/// from n on are not touched.
/// Synchronization: returns when `out` is complete. Reads n and writes n items.
/// Determinism: integer results are equal on all engines. Floating-point results are bitwise equal
/// from run to run on one engine, for any number of threads.
/// Throws: `invalid_argument` if `out` is shorter than `in` or overlaps it other than exactly;
/// `device_error` or std::bad_alloc if a device or its memory fails. `out` may then be partly
/// written.
template <host_items In, host_output Out, class Op = plus<detail::item_of<In>>>
detail::item_of<In> exclusive_scan(
    engine const& on, In const& in, Out&& out, Op op = {},
    detail::item_of<In> init = detail::default_init<detail::item_of<In>, Op>()) {
  return detail::scan_ranges(on, scan_kind::exclusive, in, static_cast<Out&&>(out), op, init);
}

/// Inclusive scan: out[i] = init op in[0] op ... op in[i]. Returns the result of `exclusive_scan`:
/// the bits of out[n-1], or `init` if n = 0. Otherwise as `exclusive_scan`.
template <host_items In, host_output Out, class Op = plus<detail::item_of<In>>>
detail::item_of<In> inclusive_scan(
    engine const& on, In const& in, Out&& out, Op op = {},
    detail::item_of<In> init = detail::default_init<detail::item_of<In>, Op>()) {
  return detail::scan_ranges(on, scan_kind::inclusive, in, static_cast<Out&&>(out), op, init);
}

/// Reduction: returns init op in[0] op ... op in[n-1], where n is the length of `in`; `init` if n =
/// 0. Reads n items. Floating-point sums may differ in their last bits from the total of a scan.
/// Types, operators, repeatability and errors are those of `exclusive_scan`.
template <host_items In, class Op = plus<detail::item_of<In>>>
detail::item_of<In> reduce(
    engine const& on, In const& in, Op op = {},
    detail::item_of<In> init = detail::default_init<detail::item_of<In>, Op>()) {
  using T = detail::item_of<In>;
  return detail::reduce<T>(on, std::span<T const>{in}, op, init);
}

}  // namespace libscan::inline v1
