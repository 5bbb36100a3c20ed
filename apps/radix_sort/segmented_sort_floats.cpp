// SPDX-License-Identifier: Apache-2.0
// The segmented sort's facade for keys that are floats.
#include <apps/radix_sort/compiled_segmented_sort_cpu.hpp>

namespace libscan::inline v1::detail {

template struct compiled_segmented_sort<float>;
template struct compiled_segmented_sort<double>;
template struct compiled_segmented_sort<float16>;
template struct compiled_segmented_sort<bfloat16>;

}  // namespace libscan::inline v1::detail
