// SPDX-License-Identifier: Apache-2.0
// The one list of what is compiled for the GPU: item types, result types and operators of scans, in
// lists that compile in parallel, and of reductions.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include <bench/types.hpp>
#include <libscan/core/operator_list.hpp>

namespace libscan::bench {

/// `type_name`, of halves too.
template <class T>
std::string cuda_type_name() {
  if constexpr (std::is_same_v<T, __half>) {
    return "f16";
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return "bf16";
  } else {
    return type_name<T>();
  }
}

/// The name of an operator on a command line.
template <class Op>
std::string operator_name() {
  if constexpr (detail::listed_operator<Op>) {
    return option_word(detail::operator_kind_of<Op>::value);
  } else {
    return "sum";  // of maps: their composition
  }
}

/// Items, results, and the operator, whose value_type is the accumulator.
template <class In, class Out, class Op>
struct scan_types {
  using in = In;
  using out = Out;
  using op = Op;
  static constexpr bool sum = std::is_same_v<Op, plus<typename Op::value_type>>;
  /// Whether to measure inclusive scans too: for most types they do not differ measurably from
  /// exclusive ones.
  static constexpr bool inclusive_too =
      sum && std::is_same_v<In, Out> &&
      (std::is_same_v<In, std::int32_t> || std::is_same_v<In, std::int64_t> ||
       std::is_same_v<In, float>);

  static std::string name() {
    std::string const items = cuda_type_name<In>();
    return std::is_same_v<In, Out> ? items : items + "->" + cuda_type_name<Out>();
  }
};

/// Sums in the type of the items.
template <class T>
using sums_of = scan_types<T, T, plus<T>>;

/// Several `scan_types`.
template <class... Types>
struct type_list {};

/// Integers of all sizes, wrapping around.
using integer_scans =
    type_list<sums_of<std::int8_t>, sums_of<std::uint8_t>, sums_of<std::int16_t>,
              sums_of<std::uint16_t>, sums_of<std::int32_t>, sums_of<std::uint32_t>,
              sums_of<std::int64_t>, sums_of<std::uint64_t>>;

/// Floating point; halves are summed in float.
using float_scans =
    type_list<sums_of<float>, sums_of<double>, scan_types<__half, __half, plus<float>>,
              scan_types<__nv_bfloat16, __nv_bfloat16, plus<float>>>;

/// Results wider than items, and operators other than sums.
using other_scans = type_list<scan_types<std::int8_t, std::int32_t, plus<std::int32_t>>,
                              scan_types<std::uint16_t, std::uint32_t, plus<std::uint32_t>>,
                              scan_types<affine_map, affine_map, affine_composition>,
                              scan_types<std::int32_t, std::int32_t, minimum<std::int32_t>>,
                              scan_types<std::int32_t, std::int32_t, maximum<std::int32_t>>,
                              scan_types<std::int32_t, std::int32_t, bit_and<std::int32_t>>,
                              scan_types<std::int32_t, std::int32_t, bit_or<std::int32_t>>,
                              scan_types<std::int32_t, std::int32_t, bit_xor<std::int32_t>>,
                              scan_types<float, float, maximum<float>>>;

/// The reductions.
using reductions =
    type_list<sums_of<std::int32_t>, sums_of<std::int64_t>, sums_of<float>, sums_of<double>,
              scan_types<std::int8_t, std::int32_t, plus<std::int32_t>>,
              scan_types<__half, float, plus<float>>,
              scan_types<std::int32_t, std::int32_t, minimum<std::int32_t>>,
              scan_types<affine_map, affine_map, affine_composition>>;

/// Calls body(Types{}) for the types and the operator of those names; returns whether the list has
/// them.
template <class... Types, class Body>
bool with_types(type_list<Types...>, std::string const& type, std::string const& op, Body body) {
  auto const fits = [&](auto types) {
    using each = decltype(types);
    return type == each::name() && op == operator_name<typename each::op>();
  };
  return ((fits(Types{}) && (body(Types{}), true)) || ...);
}

}  // namespace libscan::bench
