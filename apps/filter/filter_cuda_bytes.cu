// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the filter's facade for items that are integers of 1 and 2 bytes.
#include <apps/filter/filter_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_filter<std::int8_t>;
template struct cuda_filter<std::uint8_t>;
template struct cuda_filter<std::int16_t>;
template struct cuda_filter<std::uint16_t>;

}  // namespace libscan::inline v1::detail
