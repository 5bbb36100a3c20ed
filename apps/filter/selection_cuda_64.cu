// SPDX-License-Identifier: Apache-2.0
// The CUDA side of the facade of masks, splits and runs for items of 8 bytes.
#include <apps/filter/selection_cuda.cuh>

namespace libscan::inline v1::detail {

template index_t cuda_split_words(int, std::span<std::uint64_t const>, std::span<std::uint64_t>,
                                  int);

template struct cuda_selection<std::int64_t>;
template struct cuda_selection<std::uint64_t>;
template struct cuda_selection<double>;

}  // namespace libscan::inline v1::detail
