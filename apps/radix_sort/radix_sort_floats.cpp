// SPDX-License-Identifier: Apache-2.0
// The radix sort's facade for keys that are floats.
#include <apps/radix_sort/compiled_sort_cpu.hpp>

namespace libscan::inline v1::detail {

template struct compiled_sort<float>;
template struct compiled_sort<double>;
template struct compiled_sort<float16>;
template struct compiled_sort<bfloat16>;

}  // namespace libscan::inline v1::detail
