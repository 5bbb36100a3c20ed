// SPDX-License-Identifier: Apache-2.0
// The operators of scans on a device: one per type, since each is compiled with every kernel.
#pragma once

#include <cstdint>

#include <libscan/core/operators.hpp>
#include <libscan/simt/machine.hpp>

namespace libscan::apps::inline LIBSCAN_MACHINE {

/// The operator of scans of a type.
template <class T>
struct scan_operator {
  using type = plus<T>;
};
template <>
struct scan_operator<std::uint64_t> {
  using type = bit_xor<std::uint64_t>;
};
template <>
struct scan_operator<double> {
  using type = minimum<double>;
};

/// The operator of segmented scans of a type.
template <class T>
struct segment_operator {
  using type = plus<T>;
};
template <>
struct segment_operator<std::uint64_t> {
  using type = maximum<std::uint64_t>;
};

}  // namespace libscan::apps::inline LIBSCAN_MACHINE
