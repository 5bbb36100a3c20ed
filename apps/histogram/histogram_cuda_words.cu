// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the histogram's facade for samples that are integers of 4 and 8 bytes.
#include <apps/histogram/histogram_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_histogram<std::int32_t>;
template struct cuda_histogram<std::uint32_t>;
template struct cuda_histogram<std::int64_t>;
template struct cuda_histogram<std::uint64_t>;

}  // namespace libscan::inline v1::detail
