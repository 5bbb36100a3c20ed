// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the plain facade for items that are integers of 1 and 2 bytes.
#include <libscan/cuda_engine.cuh>

namespace libscan::inline v1::detail {

template void cuda_scan_of<std::int8_t>(scan_call const&);
template void cuda_reduce_of<std::int8_t>(reduce_call const&);
template void cuda_scan_of<std::uint8_t>(scan_call const&);
template void cuda_reduce_of<std::uint8_t>(reduce_call const&);
template void cuda_scan_of<std::int16_t>(scan_call const&);
template void cuda_reduce_of<std::int16_t>(reduce_call const&);
template void cuda_scan_of<std::uint16_t>(scan_call const&);
template void cuda_reduce_of<std::uint16_t>(reduce_call const&);

}  // namespace libscan::inline v1::detail
