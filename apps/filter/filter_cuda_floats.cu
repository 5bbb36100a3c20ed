// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the filter's facade for items that are floating-point numbers.
#include <apps/filter/filter_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_filter<float>;
template struct cuda_filter<double>;

}  // namespace libscan::inline v1::detail
