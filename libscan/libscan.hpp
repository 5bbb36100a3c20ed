// SPDX-License-Identifier: Apache-2.0
// The host API of scans in plain C++: scans, sums and differences of host memory on any engine.
// Needs no nvcc; link libscan::libscan, or libscan::segments for results of another type than the
// items. Items: integers of 8 to 64 bits, bool, float, double, float16, bfloat16; operators: plus,
// minimum, maximum and, for integers, bit_and, bit_or, bit_xor. With libscan/callables.hpp also
// sums of complex numbers, and your own operators. Large results: see libscan/buffer.hpp.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include <libscan/core/engine.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/host_call.hpp>
#include <libscan/host/host_items.hpp>
#include <libscan/host/host_operator.hpp>
#include <libscan/host/scan_call.hpp>

namespace libscan::inline v1 {

namespace detail {

/// A scan of items that are accumulated in their own type, by the code compiled for each operator.
template <class T, class Item, class Result>
T scan_same_type(engine const& on, operator_kind op, scan_kind kind, std::span<Item const> in,
                 std::span<Result> out, T init) {
  using accumulator = typename item_type_of<T>::type;
  auto const first = static_cast<accumulator>(init);
  accumulator total = first;
  detail::across_types([&] {
    detail::run_scan(on,
                     {item_type_of<T>::value, op, kind, in.data(), out.data(),
                      static_cast<index_t>(in.size()), &first, &total},
                     static_cast<index_t>(out.size()));
  });
  return static_cast<T>(total);
}

/// Any scan that is compiled.
template <class T, class Item, class Result>
T scan_any_type(engine const& on, operator_kind op, scan_kind kind, scan_direction direction,
                std::span<Item const> in, std::span<Result> out, segmentation const& segments,
                T init) {
  using accumulator = typename item_type_of<T>::type;
  accumulator const first = static_cast<accumulator>(init);
  accumulator total = first;
  bool const summed = segments.how() == segmentation::form::none;
  detail::across_types([&] {
    detail::run_host_scan(
        on, {input_type_of<Item>::value, in.data(), static_cast<index_t>(in.size()), op, kind,
             direction, segments, item_type_of<T>::value, &first, input_type_of<Result>::value,
             out.data(), static_cast<index_t>(out.size()), summed ? &total : nullptr});
  });
  return static_cast<T>(total);
}

/// A scan of all items, by compiled code or by that of callables.hpp.
template <scan_kind Kind, scan_direction Direction, class In, class Out, class Op, class Init>
auto scan_ranges(engine const& on, In const& in, Out&& out, Op const& op, Init const& init) {
  using types = host_types<In, Op, Init>;
  using T = typename types::value_type;
  std::span<item_of<In const> const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  using item = item_of<In const>;
  using result = typename decltype(to)::value_type;
  if constexpr (compiled_results<types, result>) {
    T const first = types::first(init);
    if constexpr (same_item<item, T> && same_item<result, T> &&
                  Direction == scan_direction::forward) {
      return detail::scan_same_type<T>(on, types::kind, Kind, from, to, first);
    } else {
      return detail::scan_any_type<T>(on, types::kind, Kind, Direction, from, to, {}, first);
    }
  } else {
    return by_callables<Op>::template scan<Kind, Direction, T>(on, from, to, op, init);
  }
}

}  // namespace detail

/// Exclusive scan: out[0] = init, out[i] = init op in[0] op ... op in[i-1], where n is the length
/// of `in`.
/// Result: init op in[0] op ... op in[n-1]; `init` if n = 0.
///
/// Types: `in` and `out` are in host memory (see the head of this file). Everything accumulates in
/// Op::value_type, which `out` holds, too; integers wrap around. `op` defaults to the sum in the
/// items' type (of bool in index_t; of float16 and bfloat16 in float), `init` to the operator's
/// identity. For float, `out` may be float16 or bfloat16: results are rounded when written.
/// std::plus is plus in the type of in[0] + in[0].
/// Aliasing: `out` may be `in` itself, if both hold one type, or must not overlap it. It may be
/// longer than `in`: items from n on are not touched.
/// Synchronization: returns when `out` is complete. Reads n and writes n items.
/// Determinism: integer results are equal on all engines. Floating-point results are bitwise equal
/// from run to run on one engine, for any number of threads.
/// Throws: `invalid_argument` if `out` is shorter than `in` or overlaps it other than exactly, or
/// for an operator of your own on an engine that runs kernels; `device_error` or std::bad_alloc if
/// a device or its memory fails. `out` may then be partly written.
template <host_items In, host_output Out, class Op = detail::default_sum<In>, class Init = unstated>
detail::host_value_t<In, Op, Init> exclusive_scan(engine const& on, In const& in, Out&& out,
                                                  Op op = {}, Init init = unstated::init()) {
  return detail::scan_ranges<scan_kind::exclusive, scan_direction::forward>(
      on, in, static_cast<Out&&>(out), op, init);
}

/// Inclusive scan: out[i] = init op in[0] op ... op in[i]. Returns the result of `exclusive_scan`:
/// the bits of out[n-1] unless results are rounded, or `init` if n = 0. Otherwise as
/// `exclusive_scan`.
template <host_items In, host_output Out, class Op = detail::default_sum<In>, class Init = unstated>
detail::host_value_t<In, Op, Init> inclusive_scan(engine const& on, In const& in, Out&& out,
                                                  Op op = {}, Init init = unstated::init()) {
  return detail::scan_ranges<scan_kind::inclusive, scan_direction::forward>(
      on, in, static_cast<Out&&>(out), op, init);
}

/// Exclusive scan from the end: out[i] = in[i+1] op ... op in[n-1] op init. Returns in[0] op ... op
/// in[n-1] op init. If `minimum` or `maximum` of floats is 0, its sign may be that of any of these
/// items that is 0. Otherwise as `exclusive_scan`. Link libscan::segments.
template <host_items In, host_output Out, class Op = detail::default_sum<In>, class Init = unstated>
detail::host_value_t<In, Op, Init> reverse_exclusive_scan(engine const& on, In const& in, Out&& out,
                                                          Op op = {},
                                                          Init init = unstated::init()) {
  return detail::scan_ranges<scan_kind::exclusive, scan_direction::reverse>(
      on, in, static_cast<Out&&>(out), op, init);
}

/// Inclusive scan from the end: out[i] = in[i] op ... op in[n-1] op init. Otherwise as
/// `reverse_exclusive_scan`.
template <host_items In, host_output Out, class Op = detail::default_sum<In>, class Init = unstated>
detail::host_value_t<In, Op, Init> reverse_inclusive_scan(engine const& on, In const& in, Out&& out,
                                                          Op op = {},
                                                          Init init = unstated::init()) {
  return detail::scan_ranges<scan_kind::inclusive, scan_direction::reverse>(
      on, in, static_cast<Out&&>(out), op, init);
}

/// Reduction: returns init op in[0] op ... op in[n-1], where n is the length of `in`; `init` if n =
/// 0. Reads n items. Floating-point sums may differ in their last bits from the total of a scan.
/// Types, operators, repeatability and errors are those of `exclusive_scan`.
template <host_items In, class Op = detail::default_sum<In>, class Init = unstated>
detail::host_value_t<In, Op, Init> reduce(engine const& on, In const& in, Op op = {},
                                          Init init = unstated::init()) {
  using types = detail::host_types<In, Op, Init>;
  using T = typename types::value_type;
  using item = detail::item_of<In const>;
  std::span<item const> const from{in};
  if constexpr (types::compiled) {
    using accumulator = typename detail::item_type_of<T>::type;
    accumulator const first = static_cast<accumulator>(types::first(init));
    accumulator result = first;
    auto const n = static_cast<index_t>(from.size());
    detail::across_types([&] {
      if constexpr (detail::same_item<item, T>) {
        detail::run_reduce(
            on, {detail::item_type_of<T>::value, types::kind, from.data(), n, &first, &result});
      } else {
        detail::run_host_reduction(on, {detail::input_type_of<item>::value,
                                        from.data(),
                                        n,
                                        types::kind,
                                        {},
                                        detail::item_type_of<T>::value,
                                        &first,
                                        &result,
                                        1});
      }
    });
    return static_cast<T>(result);
  } else {
    return detail::by_callables<Op>::template reduce<T>(on, from, op, init);
  }
}

/// Adjacent differences: out[0] = in[0] and out[i] = op(in[i-1], in[i]), where n is the length of
/// `in`. By default `op` is later - earlier, which an inclusive sum undoes.
///
/// Types: `in` and `out` are in host memory and hold one type: integers of 8 to 64 bits, which wrap
/// around, float or double. `op` may be an operator of the list over that type: bit_xor of a sorted
/// bitmap, for example. With libscan/callables.hpp also float16, bfloat16 and complex numbers on
/// every engine; and on the cpu engine `op` is any callable, associative or not, and items and
/// results are of any types.
/// Aliasing, synchronization and errors are those of `exclusive_scan`. Reads n and writes n items.
template <host_items In, host_output Out, class Op = later_minus_earlier>
void adjacent_difference(engine const& on, In const& in, Out&& out, Op op = {}) {
  using item = detail::item_of<In const>;
  std::span<item const> const from{in};
  auto const to = detail::as_output(static_cast<Out&&>(out));
  using result = typename decltype(to)::value_type;
  using compiled = detail::compiled_neighbors<Op, item>;
  if constexpr (compiled::included && detail::same_item<item, result>) {
    detail::across_types([&] {
      detail::run_difference(on,
                             {detail::item_type_of<item>::value, from.data(), to.data(),
                              static_cast<index_t>(from.size()), compiled::how},
                             static_cast<index_t>(to.size()));
    });
  } else {
    detail::by_callables<Op>::template adjacent_difference<item>(on, from, to, op);
  }
}

}  // namespace libscan::inline v1
