// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none. No engine of kind cuda can be made then, so
// nobody gets here who has not gone round the facade.
#include <apps/filter/selection_cuda.hpp>

#include <cstdint>

#include <libscan/core/error.hpp>

namespace libscan::inline v1::detail {
namespace {

[[noreturn]] void refuse() {
  throw engine_unavailable("filter: libscan was built without the cuda engine");
}

}  // namespace

template <class T>
index_t cuda_selection<T>::filter(int, std::span<T const>, std::span<T>, item_mask const&) {
  refuse();
}

template <class T>
index_t cuda_selection<T>::split(int, std::span<T const>, std::span<T>, std::optional<std::span<T>>,
                                 predicate<T> const&) {
  refuse();
}

template <class T>
index_t cuda_selection<T>::split(int, std::span<T const>, std::span<T>, std::optional<std::span<T>>,
                                 item_mask const&) {
  refuse();
}

template <class T>
index_t cuda_selection<T>::unique(int, std::span<T const>, std::span<T>) {
  refuse();
}

template <class T>
index_t cuda_selection<T>::run_length_encode(int, std::span<T const>, std::span<T>,
                                             std::span<index_t>) {
  refuse();
}

template <class Word>
index_t cuda_split_words(int, std::span<Word const>, std::span<Word>, int) {
  refuse();
}

index_t cuda_mask_indices(int, item_mask const&, std::span<index_t>) { refuse(); }
index_t cuda_count_marked(int, item_mask const&) { refuse(); }

template index_t cuda_split_words(int, std::span<std::uint8_t const>, std::span<std::uint8_t>, int);
template index_t cuda_split_words(int, std::span<std::uint16_t const>, std::span<std::uint16_t>,
                                  int);
template index_t cuda_split_words(int, std::span<std::uint32_t const>, std::span<std::uint32_t>,
                                  int);
template index_t cuda_split_words(int, std::span<std::uint64_t const>, std::span<std::uint64_t>,
                                  int);

template struct cuda_selection<std::int8_t>;
template struct cuda_selection<std::uint8_t>;
template struct cuda_selection<std::int16_t>;
template struct cuda_selection<std::uint16_t>;
template struct cuda_selection<std::int32_t>;
template struct cuda_selection<std::uint32_t>;
template struct cuda_selection<std::int64_t>;
template struct cuda_selection<std::uint64_t>;
template struct cuda_selection<float>;
template struct cuda_selection<double>;

}  // namespace libscan::inline v1::detail
