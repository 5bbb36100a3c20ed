// SPDX-License-Identifier: Apache-2.0
// The histogram's facade for samples that are floating-point numbers.
#include <apps/histogram/compiled_histogram.hpp>

namespace libscan::inline v1::detail {

template struct compiled_histogram<float>;
template struct compiled_histogram<double>;
template struct compiled_histogram<float16>;
template struct compiled_histogram<bfloat16>;

}  // namespace libscan::inline v1::detail
