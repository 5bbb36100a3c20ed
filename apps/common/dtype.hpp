// SPDX-License-Identifier: Apache-2.0
// The ten types of item that data files hold, known at run time: their names and sizes, and the
// step from a run-time type to a C++ type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <libscan/core/error.hpp>

namespace libscan::apps {

/// Type of the items of an array: signed and unsigned integers and IEEE floats, by their bits.
enum class dtype : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

/// Every dtype, in the order of the enumeration.
inline constexpr dtype all_dtypes[] = {dtype::i8,  dtype::u8,  dtype::i16, dtype::u16, dtype::i32,
                                       dtype::u32, dtype::i64, dtype::u64, dtype::f32, dtype::f64};

/// Bytes of one item.
std::size_t size_of(dtype type);

/// The name people read and write: "int32", "float64", ...
std::string_view name_of(dtype type);

/// NumPy's name in a little-endian file: "|i1", "<i4", "<f8", ...
std::string_view npy_descr(dtype type);

/// The dtype called `name`: the library's ("i32", "f64": counting bits), NumPy's long names
/// ("int32", "float64") or NumPy's short names with their byte order sign ("<i4", "|u1": counting
/// bytes, so that "<i8" is int64 but "i8" is int8). Throws `usage_error` with the names that exist,
/// and `further` ones, which the caller knows itself.
dtype dtype_from_name(std::string_view name, std::string_view further = {});

/// The dtype of a C++ type; only for the ten types of `dtype`.
template <class T>
constexpr dtype dtype_of() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? dtype::f32 : dtype::f64;
  } else {
    constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<dtype>(2 * log + (std::is_signed_v<T> ? 0 : 1));
  }
}

/// f(std::type_identity<T>{}) for the C++ type T that `type` stands for; returns what f returns.
template <class F>
decltype(auto) visit_dtype(dtype type, F&& f) {
  switch (type) {
    case dtype::i8:
      return f(std::type_identity<std::int8_t>{});
    case dtype::u8:
      return f(std::type_identity<std::uint8_t>{});
    case dtype::i16:
      return f(std::type_identity<std::int16_t>{});
    case dtype::u16:
      return f(std::type_identity<std::uint16_t>{});
    case dtype::i32:
      return f(std::type_identity<std::int32_t>{});
    case dtype::u32:
      return f(std::type_identity<std::uint32_t>{});
    case dtype::i64:
      return f(std::type_identity<std::int64_t>{});
    case dtype::u64:
      return f(std::type_identity<std::uint64_t>{});
    case dtype::f32:
      return f(std::type_identity<float>{});
    case dtype::f64:
      return f(std::type_identity<double>{});
  }
  throw invalid_argument("visit_dtype: not a dtype");
}

}  // namespace libscan::apps
