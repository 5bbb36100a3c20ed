// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the facade for integers.
#include <apps/spmv/spmv_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_spmv<std::int64_t>;

}  // namespace libscan::inline v1::detail
