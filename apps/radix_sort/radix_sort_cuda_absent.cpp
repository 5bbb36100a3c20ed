// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none. No engine of kind cuda can be made then, so
// nobody gets here who has not gone round the facade.
#include <apps/radix_sort/radix_sort_cuda.hpp>
#include <apps/radix_sort/segmented_sort_cuda.hpp>
#include <apps/radix_sort/split_by_key_cuda.hpp>
#include <libscan/core/error.hpp>

namespace libscan::inline v1::detail {
namespace {

[[noreturn]] void refuse() {
  throw engine_unavailable("sort: libscan was built without the cuda engine");
}

}  // namespace

template <class Key>
void cuda_sort<Key>::keys(int, Key const*, Key*, index_t, sort_order<Key> const&) {
  refuse();
}

template <class Key>
void cuda_sort<Key>::pairs(int, Key const*, Key*, std::uint32_t const*, std::uint32_t*, index_t,
                           sort_order<Key> const&) {
  refuse();
}

template <class Key>
void cuda_sort<Key>::pairs(int, Key const*, Key*, std::uint64_t const*, std::uint64_t*, index_t,
                           sort_order<Key> const&) {
  refuse();
}

template <class Key>
void cuda_sort<Key>::positions(int, Key const*, index_t*, index_t, sort_order<Key> const&) {
  refuse();
}

template <class Word>
void cuda_segmented_sort<Word>::alone() const {
  refuse();
}

template <class Word>
void cuda_segmented_sort<Word>::with(std::uint32_t const*, std::uint32_t*) const {
  refuse();
}

template <class Word>
void cuda_segmented_sort<Word>::with(std::uint64_t const*, std::uint64_t*) const {
  refuse();
}

void cuda_split::keys() const { refuse(); }
void cuda_split::values(std::uint32_t const*, std::uint32_t*) const { refuse(); }
void cuda_split::values(std::uint64_t const*, std::uint64_t*) const { refuse(); }
void cuda_split::positions(std::uint64_t*) const { refuse(); }

template struct cuda_sort<std::int8_t>;
template struct cuda_sort<std::uint8_t>;
template struct cuda_sort<std::int16_t>;
template struct cuda_sort<std::uint16_t>;
template struct cuda_sort<std::int32_t>;
template struct cuda_sort<std::uint32_t>;
template struct cuda_sort<std::int64_t>;
template struct cuda_sort<std::uint64_t>;
template struct cuda_sort<float>;
template struct cuda_sort<double>;
template struct cuda_sort<float16>;
template struct cuda_sort<bfloat16>;

template struct cuda_segmented_sort<std::uint8_t>;
template struct cuda_segmented_sort<std::uint16_t>;
template struct cuda_segmented_sort<std::uint32_t>;
template struct cuda_segmented_sort<std::uint64_t>;

}  // namespace libscan::inline v1::detail
