// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the facade for doubles.
#include <apps/spmv/spmv_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_spmv<double>;

}  // namespace libscan::inline v1::detail
