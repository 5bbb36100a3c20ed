// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the radix sort's facade for keys that are floats.
#include <apps/radix_sort/radix_sort_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_sort<float>;
template struct cuda_sort<double>;
template struct cuda_sort<float16>;
template struct cuda_sort<bfloat16>;

}  // namespace libscan::inline v1::detail
