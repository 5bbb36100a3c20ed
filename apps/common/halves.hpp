// SPDX-License-Identifier: Apache-2.0
// 16-bit floats in data files: read as float32, which can represent all of them, by the programs
// that say so.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <apps/common/data_file.hpp>

namespace libscan::apps {

/// The type called `name`: by the library's name ("f16", "bf16"), NumPy's ("float16", "<f2") or the
/// usual name of the second ("bfloat16"); none for other names.
std::optional<half_dtype> half_from_name(std::string_view name);

/// "float16" or "bfloat16".
std::string_view name_of(half_dtype type);

/// The items of an array of uint16, which need not be aligned, as the floats with those bits.
array widened(array const& bits, half_dtype type);

}  // namespace libscan::apps
