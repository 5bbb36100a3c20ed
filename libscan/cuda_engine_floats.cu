// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the plain facade for items that are floating-point numbers.
#include <libscan/cuda_engine.cuh>

namespace libscan::inline v1::detail {

template void cuda_scan_of<float>(scan_call const&);
template void cuda_reduce_of<float>(reduce_call const&);
template void cuda_scan_of<double>(scan_call const&);
template void cuda_reduce_of<double>(reduce_call const&);

}  // namespace libscan::inline v1::detail
