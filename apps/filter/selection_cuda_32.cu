// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the facade of masks, splits and runs for items of 4 bytes.
#include <apps/filter/selection_cuda.cuh>

namespace libscan::inline v1::detail {

template index_t cuda_split_words(int, std::span<std::uint32_t const>, std::span<std::uint32_t>,
                                  int);

template struct cuda_selection<std::int32_t>;
template struct cuda_selection<std::uint32_t>;
template struct cuda_selection<float>;

}  // namespace libscan::inline v1::detail
