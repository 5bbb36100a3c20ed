// SPDX-License-Identifier: Apache-2.0
// From the values of a call back to types: the one list of what the facade is compiled for,
// shared by its engines. Internal.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/scan_call.hpp>

namespace libscan::inline v1::detail {

/// Calls visit(op), where op is the operator of that kind over T. Throws `invalid_argument` for a
/// bitwise operator on floating-point items (libscan.hpp refuses it at compile time).
template <class T, class Visitor>
void visit_operator_over(operator_kind kind, Visitor&& visit) {
  // Neither sums, which wrap around, nor bits ask for signs.
  using bits = typename std::conditional_t<std::integral<T>, std::make_unsigned<T>,
                                           std::type_identity<T>>::type;
  switch (kind) {
    case operator_kind::plus:
      return visit(plus<bits>{});
    case operator_kind::minimum:
      return visit(minimum<T>{});
    case operator_kind::maximum:
      return visit(maximum<T>{});
    default:
      break;
  }
  if constexpr (std::integral<T>) {
    switch (kind) {
      case operator_kind::bit_and:
        return visit(bit_and<bits>{});
      case operator_kind::bit_or:
        return visit(bit_or<bits>{});
      case operator_kind::bit_xor:
        return visit(bit_xor<bits>{});
      default:
        break;
    }
  }
  throw invalid_argument("bitwise operators are for integers, the items are floating-point");
}

/// Calls visit(std::type_identity<T>{}) with the C++ type of `type`.
template <class Visitor>
void visit_item_type(item_type type, Visitor&& visit) {
  switch (type) {
    case item_type::i8:
      return visit(std::type_identity<std::int8_t>{});
    case item_type::i16:
      return visit(std::type_identity<std::int16_t>{});
    case item_type::i32:
      return visit(std::type_identity<std::int32_t>{});
    case item_type::i64:
      return visit(std::type_identity<std::int64_t>{});
    case item_type::u8:
      return visit(std::type_identity<std::uint8_t>{});
    case item_type::u16:
      return visit(std::type_identity<std::uint16_t>{});
    case item_type::u32:
      return visit(std::type_identity<std::uint32_t>{});
    case item_type::u64:
      return visit(std::type_identity<std::uint64_t>{});
    case item_type::f32:
      return visit(std::type_identity<float>{});
    case item_type::f64:
      return visit(std::type_identity<double>{});
  }
}

/// Calls visit(op) with the call's operator over its item type (`decltype(op)::value_type`; or over
/// the unsigned one of that size, if both do the same).
template <class Call, class Visitor>
void visit_operator(Call const& call, Visitor&& visit) {
  libscan::detail::visit_item_type(call.type, [&]<class T>(std::type_identity<T>) {
    libscan::detail::visit_operator_over<T>(call.op, visit);
  });
}

}  // namespace libscan::inline v1::detail
