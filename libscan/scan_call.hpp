// SPDX-License-Identifier: Apache-2.0
// One call of the plain facade with its types turned into values, so that libscan.hpp reaches every
// engine through a single compiled function. Internal: users include libscan.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include <libscan/core/engine.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::detail {

/// The ten item types the facade is compiled for.
enum class item_type : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

/// The operators the facade is compiled for; the last three for integers only.
enum class operator_kind : std::uint8_t { plus, minimum, maximum, bit_and, bit_or, bit_xor };

/// out[i] = scan of `kind` over in[0..n-1] behind *init, and *total = init and all items summed.
/// All pointers are to host memory holding items of `type`; `out` is `in` or apart from it.
struct scan_call {
  item_type type;
  operator_kind op;
  scan_kind kind;
  void const* in;
  void* out;
  index_t n;
  void const* init;
  void* total;
};

/// *result = *init and in[0..n-1] summed. As `scan_call`.
struct reduce_call {
  item_type type;
  operator_kind op;
  void const* in;
  index_t n;
  void const* init;
  void* result;
};

/// Runs `call` on engine `on` after checking that `out`, `out_items` long, holds n items and is
/// either `in` or apart from it (else throws `invalid_argument`).
void run_scan(engine const& on, scan_call const& call, index_t out_items);

/// Runs `call` on engine `on`.
void run_reduce(engine const& on, reduce_call const& call);

/// How an item type is handed to the engines: `type` is the one of the ten with T's size and
/// signedness (so `long long` and `long` meet in std::int64_t). Empty for all other types.
template <class T>
struct facade_item {};

template <std::integral T>
requires(sizeof(T) <= 8 && !std::same_as<T, bool>) struct facade_item<T> {
  static constexpr bool is_signed = std::is_signed_v<T>;
  using signed_type = std::conditional_t<
      sizeof(T) == 1, std::int8_t,
      std::conditional_t<sizeof(T) == 2, std::int16_t,
                         std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;
  using type = std::conditional_t<is_signed, signed_type, std::make_unsigned_t<signed_type>>;

  static constexpr item_type value = [] {
    int const log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<item_type>(static_cast<int>(is_signed ? item_type::i8 : item_type::u8) +
                                  log2_size);
  }();
};

template <>
struct facade_item<float> {
  using type = float;
  static constexpr item_type value = item_type::f32;
};

template <>
struct facade_item<double> {
  using type = double;
  static constexpr item_type value = item_type::f64;
};

/// True for the types that `facade_item` knows.
template <class T>
concept facade_type = requires {
  typename facade_item<T>::type;
};

/// The operators of libscan/core/operators.hpp as `operator_kind`. Empty for all other types.
template <class Op>
struct facade_operator {};
template <class T>
struct facade_operator<plus<T>> {
  static constexpr operator_kind value = operator_kind::plus;
};
template <class T>
struct facade_operator<minimum<T>> {
  static constexpr operator_kind value = operator_kind::minimum;
};
template <class T>
struct facade_operator<maximum<T>> {
  static constexpr operator_kind value = operator_kind::maximum;
};
template <class T>
struct facade_operator<bit_and<T>> {
  static constexpr operator_kind value = operator_kind::bit_and;
};
template <class T>
struct facade_operator<bit_or<T>> {
  static constexpr operator_kind value = operator_kind::bit_or;
};
template <class T>
struct facade_operator<bit_xor<T>> {
  static constexpr operator_kind value = operator_kind::bit_xor;
};

/// True for the operators that `facade_operator` knows.
template <class Op>
concept known_operator = requires {
  facade_operator<Op>::value;
};

}  // namespace libscan::inline v1::detail
