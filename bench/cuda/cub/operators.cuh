// SPDX-License-Identifier: Apache-2.0
// CUB's own versions of libscan's operators, which may be faster.
#pragma once

#include <cuda/functional>
#include <cuda/std/functional>

#include <bench/types.hpp>

namespace libscan::bench::LIBSCAN_BENCH_CUB {

/// The operator itself, unless CUB has one.
template <class T>
T known(T op) {
  return op;
}
template <class T>
::cuda::std::plus<T> known(plus<T>) {
  return {};
}
template <class T>
::cuda::minimum<T> known(minimum<T>) {
  return {};
}
template <class T>
::cuda::maximum<T> known(maximum<T>) {
  return {};
}
template <class T>
::cuda::std::bit_and<T> known(bit_and<T>) {
  return {};
}
template <class T>
::cuda::std::bit_or<T> known(bit_or<T>) {
  return {};
}
template <class T>
::cuda::std::bit_xor<T> known(bit_xor<T>) {
  return {};
}

}  // namespace libscan::bench::LIBSCAN_BENCH_CUB
