// SPDX-License-Identifier: Apache-2.0
// The oracle's parts, by families, for `compute_expected`.
#pragma once

#include <limits>

#include <apps/check/oracle.hpp>

namespace libscan::apps {

/// A type whose rounding is negligible beside that of T.
template <class T>
using wide_of = std::conditional_t<std::is_integral_v<T>, T,
                                   std::conditional_t<sizeof(T) == 4, double, long double>>;

/// The error bound of any order of adding `terms` floats of type T: n eps sum |x|.
template <class T>
double sum_tolerance(wide_of<T> terms, wide_of<T> magnitude) {
  wide_of<T> const bound = terms * std::numeric_limits<T>::epsilon() * magnitude;
  return static_cast<double>(bound) * (1 + 1e-12);
}

/// For `family::sort`, and for splits by buckets.
void compute_sorted(check_case const& c, placed in, placed out);

/// For `family::histogram`.
void compute_histogram(check_case const& c, placed in, placed out, tolerances& allowed);

/// For `family::spmv`.
void compute_matrix(check_case const& c, placed in, placed out, tolerances& allowed);

}  // namespace libscan::apps
