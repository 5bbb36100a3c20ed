// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the radix sort's facade for keys that are integers of 1 and 2 bytes.
#include <apps/radix_sort/radix_sort_cuda.cuh>

namespace libscan::inline v1::detail {

template struct cuda_sort<std::int8_t>;
template struct cuda_sort<std::uint8_t>;
template struct cuda_sort<std::int16_t>;
template struct cuda_sort<std::uint16_t>;

}  // namespace libscan::inline v1::detail
