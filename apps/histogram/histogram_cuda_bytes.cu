// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the histogram's facade for samples that are integers of 1 and 2 bytes.
#include <apps/histogram/histogram_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_histogram<std::int8_t>;
template struct cuda_histogram<std::uint8_t>;
template struct cuda_histogram<std::int16_t>;
template struct cuda_histogram<std::uint16_t>;

}  // namespace libscan::inline v1::detail
