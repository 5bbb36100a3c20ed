// SPDX-License-Identifier: Apache-2.0
// The item types that data files hold, by the names that people and NumPy give them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <libscan/core/item_types.hpp>

namespace libscan::apps {

/// Type of the items of an array in a data file, as NumPy calls it.
using dtype = item_type;

/// The common name: "int32", "float64", ...
std::string_view name_of(dtype type);

/// NumPy's name in a little-endian file: "|i1", "<i4", "<f8", ...
std::string_view npy_descr(dtype type);

/// What kind of numbers items of a type are.
bool is_float(dtype type);
bool is_unsigned(dtype type);

/// The dtype called `name`: the library's names ("i32", "f64": counting bits), NumPy's long names
/// ("int32", "float64") or NumPy's short names with their byte order sign ("<i4", "|u1": counting
/// bytes, so that "<i8" is int64 but "i8" is int8). Throws `usage_error` with the valid names, and
/// with `further` ones, which only the caller accepts.
dtype dtype_from_name(std::string_view name, std::string_view further = {});

/// The dtype of a C++ type; only for those of the list.
template <class T>
constexpr dtype dtype_of() {
  return libscan::detail::item_type_of<T>::value;
}

/// 16-bit floats: IEEE's, and the upper halves of float32. Programs that say so read them as
/// float32, which can represent all of them.
enum class half_dtype : std::uint8_t { f16, bf16 };

/// The type called `name`: by the library's name ("f16", "bf16"), NumPy's ("float16", "<f2") or the
/// usual name of the second ("bfloat16"); none for other names.
std::optional<half_dtype> half_from_name(std::string_view name);

/// "float16" or "bfloat16".
std::string_view name_of(half_dtype type);

/// The type of a file's items, as an option names it.
struct stored_type {
  std::optional<dtype> type;
  std::optional<half_dtype> half;  ///< instead of `type`

  bool is_known() const { return type || half; }
};

/// The item type or 16-bit float called `name`. Throws `usage_error`.
stored_type stored_type_from_name(std::string_view name);

}  // namespace libscan::apps
