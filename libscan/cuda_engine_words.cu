// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the plain facade for items that are integers of 4 and 8 bytes.
#include <libscan/cuda_engine.cuh>

namespace libscan::inline v1::detail {

template void cuda_scan_of<std::int32_t>(scan_call const&);
template void cuda_reduce_of<std::int32_t>(reduce_call const&);
template void cuda_scan_of<std::uint32_t>(scan_call const&);
template void cuda_reduce_of<std::uint32_t>(reduce_call const&);
template void cuda_scan_of<std::int64_t>(scan_call const&);
template void cuda_reduce_of<std::int64_t>(reduce_call const&);
template void cuda_scan_of<std::uint64_t>(scan_call const&);
template void cuda_reduce_of<std::uint64_t>(reduce_call const&);

}  // namespace libscan::inline v1::detail
