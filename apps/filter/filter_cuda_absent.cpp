// SPDX-License-Identifier: Apache-2.0
// The CUDA side of a build without nvcc: there is none. No engine of kind cuda can be made then, so
// nobody gets here who has not gone round the facade.
#include <apps/filter/filter_cuda.hpp>

#include <cstdint>

#include <libscan/core/error.hpp>

namespace libscan::inline v1::detail {
namespace {

[[noreturn]] void refuse() {
  throw engine_unavailable("filter: libscan was built without the cuda engine");
}

}  // namespace

template <class T>
index_t cuda_filter<T>::values(int, std::span<T const>, std::span<T>, predicate<T> const&) {
  refuse();
}

template <class T>
index_t cuda_filter<T>::indices(int, std::span<T const>, std::span<index_t>, predicate<T> const&) {
  refuse();
}

template <class T>
index_t cuda_filter<T>::count(int, std::span<T const>, predicate<T> const&) {
  refuse();
}

template struct cuda_filter<std::int8_t>;
template struct cuda_filter<std::uint8_t>;
template struct cuda_filter<std::int16_t>;
template struct cuda_filter<std::uint16_t>;
template struct cuda_filter<std::int32_t>;
template struct cuda_filter<std::uint32_t>;
template struct cuda_filter<std::int64_t>;
template struct cuda_filter<std::uint64_t>;
template struct cuda_filter<float>;
template struct cuda_filter<double>;

}  // namespace libscan::inline v1::detail
