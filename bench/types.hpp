// SPDX-License-Identifier: Apache-2.0
// scan-bench's own item types and operators: an operator that does not commute, and the names of
// types on command lines and in records.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <libscan/core/operators.hpp>

namespace libscan::bench {

/// x -> scale x + shift, modulo 2^32.
struct alignas(8) affine_map {
  std::uint32_t scale, shift;
  bool operator==(affine_map const&) const = default;
};

/// First the earlier map, then the later one. Does not commute.
struct affine_composition {
  using value_type = affine_map;
  LIBSCAN_HOST_DEVICE static constexpr affine_map identity() { return {1, 0}; }
  LIBSCAN_HOST_DEVICE constexpr affine_map operator()(affine_map earlier, affine_map later) const {
    return {later.scale * earlier.scale, later.scale * earlier.shift + later.shift};
  }
};

/// The predicate of filters.
struct below {
  std::uint32_t limit;
  LIBSCAN_HOST_DEVICE constexpr bool operator()(std::uint32_t x) const { return x < limit; }
};

/// "i32" for a 32-bit signed integer, and so on; "f16" and "bf16" are named where CUDA is
/// available.
template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, affine_map>) {
    return "affine";
  } else {
    std::string name(1, std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u');
    return name += std::to_string(8 * sizeof(T));
  }
}

/// The name of a scan in a record: "exclusive_scan", and the operator if it is not the sum.
inline std::string scan_name(scan_kind kind, std::string const& op, std::string const& items) {
  std::string name = kind == scan_kind::inclusive ? "inclusive_scan" : "exclusive_scan";
  if (op != "sum") name += " " + op;
  if (items != "random") name += ", " + items;
  return name;
}

/// The name of a split in a record: "split two outputs 50 %". `outputs` is a name on `output_axis`.
inline std::string split_name(std::string const& outputs, bool by_flags, int per_mille) {
  std::string name = outputs == "two"   ? "split two outputs"
                     : outputs == "one" ? "split one buffer"
                                        : "split reversed";
  if (by_flags) name += " by bytes";
  return name + " " + std::to_string(per_mille / 10) + " %";
}

}  // namespace libscan::bench
