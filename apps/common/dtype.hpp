// SPDX-License-Identifier: Apache-2.0
// The item types that data files hold, by the names that people and NumPy give them.
#pragma once

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

}  // namespace libscan::apps
