// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the facade of masks, splits and runs for items of 1 and 2 bytes.
#include <apps/filter/selection_cuda.cuh>

namespace libscan::inline v1::detail {

template index_t cuda_split_words(int, std::span<std::uint8_t const>, std::span<std::uint8_t>, int);
template index_t cuda_split_words(int, std::span<std::uint16_t const>, std::span<std::uint16_t>,
                                  int);

template struct cuda_selection<std::int8_t>;
template struct cuda_selection<std::uint8_t>;
template struct cuda_selection<std::int16_t>;
template struct cuda_selection<std::uint16_t>;

}  // namespace libscan::inline v1::detail
