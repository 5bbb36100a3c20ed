// SPDX-License-Identifier: Apache-2.0
// CUDA backend: warp collectives. See simt.cuh for their meaning.
#pragma once

#include <cstring>
#include <type_traits>

#include <libscan/simt/machine.hpp>

namespace libscan::inline v1_cuda::simt {

namespace detail {

/// Applies a shuffle of one register to each 32-bit word of a value.
template <class T, class ShuffleWord>
__device__ __forceinline__ T by_words(T value, ShuffleWord shuffle_word) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned word[words] = {};
  memcpy(word, __builtin_addressof(value), sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) word[i] = shuffle_word(word[i]);
  memcpy(__builtin_addressof(value), word, sizeof(T));
  return value;
}

template <class T, class Combine>
__device__ __forceinline__ T reduce_by_ballots(unsigned mask, T value, Combine combine) {
  // Before sm_80 there is no hardware reduction: fetch each lane's value in turn.
  T result{};
  bool first = true;
  for (unsigned rest = __ballot_sync(mask, true); rest != 0; rest &= rest - 1) {
    T const other = __shfl_sync(mask, value, __ffs(rest) - 1);
    result = first ? other : combine(result, other);
    first = false;
  }
  return result;
}

}  // namespace detail

__device__ __forceinline__ int lane_id() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ __forceinline__ unsigned active_mask() { return __activemask(); }
__device__ __forceinline__ void sync_warp(unsigned mask = full_warp) { __syncwarp(mask); }

__device__ __forceinline__ unsigned ballot(unsigned mask, bool predicate) {
  return __ballot_sync(mask, predicate);
}
__device__ __forceinline__ bool any(unsigned mask, bool predicate) {
  return __any_sync(mask, predicate) != 0;
}
__device__ __forceinline__ bool all(unsigned mask, bool predicate) {
  return __all_sync(mask, predicate) != 0;
}

template <class T>
__device__ __forceinline__ T shfl(unsigned mask, T value, int source_lane, int width = warp_size) {
  return detail::by_words(
      value, [=](unsigned word) { return __shfl_sync(mask, word, source_lane, width); });
}

template <class T>
__device__ __forceinline__ T shfl_up(unsigned mask, T value, unsigned distance,
                                     int width = warp_size) {
  return detail::by_words(
      value, [=](unsigned word) { return __shfl_up_sync(mask, word, distance, width); });
}

template <class T>
__device__ __forceinline__ T shfl_down(unsigned mask, T value, unsigned distance,
                                       int width = warp_size) {
  return detail::by_words(
      value, [=](unsigned word) { return __shfl_down_sync(mask, word, distance, width); });
}

template <class T>
__device__ __forceinline__ T shfl_xor(unsigned mask, T value, int lane_mask,
                                      int width = warp_size) {
  return detail::by_words(
      value, [=](unsigned word) { return __shfl_xor_sync(mask, word, lane_mask, width); });
}

template <class T>
__device__ __forceinline__ unsigned match_any(unsigned mask, T value) {
  return __match_any_sync(mask, value);
}

template <class T>
__device__ __forceinline__ unsigned match_all(unsigned mask, T value) {
  int same;
  return __match_all_sync(mask, value, &same);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LIBSCAN_WARP_REDUCE(hardware, expression) \
  return detail::reduce_by_ballots(               \
      mask, value, [](auto a, auto b) { return static_cast<decltype(a)>(expression); })
#else
#define LIBSCAN_WARP_REDUCE(hardware, expression) return hardware(mask, value)
#endif

template <class T>
__device__ __forceinline__ T reduce_add(unsigned mask, T value) {
  LIBSCAN_WARP_REDUCE(__reduce_add_sync, a + b);
}
template <class T>
__device__ __forceinline__ T reduce_min(unsigned mask, T value) {
  LIBSCAN_WARP_REDUCE(__reduce_min_sync, b < a ? b : a);
}
template <class T>
__device__ __forceinline__ T reduce_max(unsigned mask, T value) {
  LIBSCAN_WARP_REDUCE(__reduce_max_sync, a < b ? b : a);
}
__device__ __forceinline__ unsigned reduce_and(unsigned mask, unsigned value) {
  LIBSCAN_WARP_REDUCE(__reduce_and_sync, a & b);
}
__device__ __forceinline__ unsigned reduce_or(unsigned mask, unsigned value) {
  LIBSCAN_WARP_REDUCE(__reduce_or_sync, a | b);
}
__device__ __forceinline__ unsigned reduce_xor(unsigned mask, unsigned value) {
  LIBSCAN_WARP_REDUCE(__reduce_xor_sync, a ^ b);
}
#undef LIBSCAN_WARP_REDUCE

__device__ __forceinline__ unsigned lanemask_lt() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned lanemask_le() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned lanemask_eq() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned lanemask_gt() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned lanemask_ge() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
  return mask;
}

__device__ __forceinline__ int popc(unsigned word) { return __popc(word); }
__device__ __forceinline__ int popc(unsigned long long word) { return __popcll(word); }
__device__ __forceinline__ int clz(unsigned word) { return __clz(static_cast<int>(word)); }
__device__ __forceinline__ int ffs(unsigned word) { return __ffs(static_cast<int>(word)); }
__device__ __forceinline__ unsigned brev(unsigned word) { return __brev(word); }

__device__ __forceinline__ unsigned byte_perm(unsigned low, unsigned high, unsigned selector) {
  return __byte_perm(low, high, selector);
}

template <class Small>
__device__ __forceinline__ unsigned dp4a(unsigned word, unsigned weights, unsigned sum) {
  static_assert(sizeof(Small) <= 2);
  if constexpr (std::is_signed_v<Small>) {
    auto const a = static_cast<int>(word), b = static_cast<int>(weights);
    auto const c = static_cast<int>(sum);
    return static_cast<unsigned>(sizeof(Small) == 1 ? __dp4a(a, b, c) : __dp2a_lo(a, b, c));
  } else {
    return sizeof(Small) == 1 ? __dp4a(word, weights, sum) : __dp2a_lo(word, weights, sum);
  }
}

}  // namespace libscan::inline v1_cuda::simt
