// SPDX-License-Identifier: Apache-2.0
// The words that all layers of the library share: sizes, the two kinds of scan, and the macro that
// lets a function run on host and device.
#pragma once

#include <cstdint>

#if __cplusplus < 202002L
#error "libscan: the headers need C++20; expected -std=c++20 or later"
#endif
#if !defined(__cpp_exceptions) && !defined(__CUDA_ARCH__)
#error "libscan: calls report errors by exceptions; expected a build without -fno-exceptions"
#endif
#if defined(min) || defined(max)
#error "libscan: min or max is a macro; expected #undef before libscan's headers (or NOMINMAX)"
#endif

#ifdef __CUDACC__
#define LIBSCAN_HOST_DEVICE __host__ __device__
#else
#define LIBSCAN_HOST_DEVICE
#endif

namespace libscan::inline v1 {

/// Number or position of items. Signed and 64 bits wide everywhere outside a tile, so that counts
/// of items and of bytes cannot overflow.
using index_t = std::int64_t;

/// The prefix that an output holds: `inclusive` out[i] covers in[0..i], `exclusive` covers
/// in[0..i-1].
enum class scan_kind : std::uint8_t { inclusive, exclusive };

/// The end from which a scan runs: `forward` prefixes cover earlier items, `reverse` ones later
/// items.
enum class scan_direction : std::uint8_t { forward, reverse };

/// ceil(a / b) for a >= 0 and b > 0.
template <class Integer>
LIBSCAN_HOST_DEVICE constexpr Integer ceil_div(Integer a, Integer b) {
  return a / b + (a % b != 0 ? Integer{1} : Integer{0});
}

}  // namespace libscan::inline v1
