// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the histogram's facade for samples that are floating-point numbers.
#include <apps/histogram/histogram_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_histogram<float>;
template struct cuda_histogram<double>;
template struct cuda_histogram<float16>;
template struct cuda_histogram<bfloat16>;

}  // namespace libscan::inline v1::detail
