// SPDX-License-Identifier: Apache-2.0
// User-defined iterators: items that a function computes as they are loaded, and results that a
// function changes as they are stored.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::test {

/// For functions that only kernels may call. In the executor it throws outside kernels; nvcc's code
/// ends the process there, with exit code 1 and no message.
__device__ inline void require_kernel() {
#if !defined(__CUDACC__)
  if (threadIdx.x == simt::no_thread.x) {
    throw std::logic_error("a function for kernels only was called outside of them");
  }
#endif
}

/// Item i is f(items[i]).
template <class Items, class F>
struct transformed {
  Items items;
  F f;

  // A stated type: nvcc's host pass drops the body that `auto` would be deduced from.
  __device__ std::invoke_result_t<F const&, decltype(std::declval<Items const&>()[0])> operator[](
      index_t i) const {
    require_kernel();
    return f(items[i]);
  }
  __device__ transformed operator+(index_t distance) const {
    require_kernel();
    return {items + distance, f};
  }
};
template <class Items, class F>
transformed(Items, F) -> transformed<Items, F>;

/// Storing item i at out[i] stores f of it.
template <class T, class F>
struct transforming {
  T* out;
  F f;

  struct place {
    T* at;
    F f;
    template <class Result>
    __device__ void operator=(Result const& result) const {
      *at = f(result);
    }
  };

  __device__ place operator[](index_t i) const {
    require_kernel();
    return {out + i, f};
  }
  __device__ transforming operator+(index_t distance) const {
    require_kernel();
    return {out + distance, f};
  }
};
template <class T, class F>
transforming(T*, F) -> transforming<T, F>;

/// Functions for either end.
struct squared {
  LIBSCAN_HOST_DEVICE std::int64_t operator()(std::int16_t x) const { return std::int64_t{x} * x; }
};
struct inverted {
  LIBSCAN_HOST_DEVICE std::uint64_t operator()(std::int64_t x) const {
    return ~static_cast<std::uint64_t>(x);
  }
};

/// f of each item.
template <class T, class F>
auto transform_all(std::vector<T> const& items, F f) {
  std::vector<decltype(f(items[0]))> result;
  for (T const& item : items) result.push_back(f(item));
  return result;
}

}  // namespace libscan::test
