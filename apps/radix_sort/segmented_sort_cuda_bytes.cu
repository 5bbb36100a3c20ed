// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the facade of the segmented sort for keys of 1 and 2 bytes.
#include <apps/radix_sort/segmented_sort_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_segmented_sort<std::uint8_t>;
template struct cuda_segmented_sort<std::uint16_t>;

}  // namespace libscan::inline v1::detail
