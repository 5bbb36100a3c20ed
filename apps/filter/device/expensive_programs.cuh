// SPDX-License-Identifier: Apache-2.0
// Programs of predicates are expensive: several intervals, tested one after the other.
#pragma once

#include <apps/filter/device/select.cuh>
#include <libscan/predicate.hpp>

namespace libscan::inline LIBSCAN_MACHINE {

/// Of up to 31 steps.
template <class T>
inline constexpr bool expensive_predicate<predicate_program<T>> = true;

}  // namespace libscan::inline LIBSCAN_MACHINE
