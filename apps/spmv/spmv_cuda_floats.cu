// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the facade for floats.
#include <apps/spmv/spmv_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_spmv<float>;

}  // namespace libscan::inline v1::detail
