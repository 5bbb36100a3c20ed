// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the filter's facade for items that are integers of 4 and 8 bytes.
#include <apps/filter/filter_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_filter<std::int32_t>;
template struct cuda_filter<std::uint32_t>;
template struct cuda_filter<std::int64_t>;
template struct cuda_filter<std::uint64_t>;

}  // namespace libscan::inline v1::detail
