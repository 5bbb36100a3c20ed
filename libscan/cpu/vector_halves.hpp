// SPDX-License-Identifier: Apache-2.0
// Conversion of many 16-bit floats to floats and back. Compiled for several instruction sets in
// vector_halves.cpp; the best one is chosen at run time. Results equal those of
// libscan/core/half.hpp bit for bit, NaNs included.
#pragma once

#include <libscan/core/half.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// The code for one of the two types.
template <half_float Half>
struct vector_halves_of {
  /// to[i] = items[i] for the n items.
  void (*widen)(Half const* items, index_t n, float* to);
  /// The same, rounded.
  void (*narrow)(float const* items, index_t n, Half* to);
};

struct vector_halves {
  vector_halves_of<float16> of_float16;
  vector_halves_of<bfloat16> of_bfloat16;
};

/// For the best instruction set of this CPU among those that Highway may currently use.
vector_halves current_vector_halves();

/// The same, cached.
vector_halves const& best_vector_halves();

template <half_float Half>
vector_halves_of<Half> const& code_for_halves() {
  if constexpr (std::same_as<Half, float16>) {
    return best_vector_halves().of_float16;
  } else {
    return best_vector_halves().of_bfloat16;
  }
}

}  // namespace libscan::inline v1::cpu::detail
