// SPDX-License-Identifier: Apache-2.0
// Moving a row between global memory and the registers of a warp. Each lane holds a few consecutive
// items and lane follows lane, so an aligned row is one wide, coalesced access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>
#include <libscan/warp/reverse_iterator.cuh>

namespace libscan::inline LIBSCAN_MACHINE::warp {

/// The number of consecutive items of this size that a lane holds: 16 bytes' worth, if it has so
/// many.
template <std::size_t WidestItem, int ItemsPerThread>
inline constexpr int row_width = WidestItem >= 16                  ? 1
                                 : ItemsPerThread* WidestItem < 16 ? ItemsPerThread
                                 : (WidestItem&(WidestItem - 1)) != 0
                                     ? 1
                                     : static_cast<int>(16 / WidestItem);

/// The size in memory of an iterator's item; that of T if it is unknown.
template <class It, class T>
inline constexpr std::size_t item_bytes = sizeof(T);
template <class Item, class T>
inline constexpr std::size_t item_bytes<Item*, T> = sizeof(Item);
template <class It, class T>
inline constexpr std::size_t item_bytes<reverse_iterator<It>, T> = item_bytes<It, T>;

/// Whether `Width` items of an iterator can travel in one access: they are in memory and take 2^k
/// bytes together.
template <class It, int Width>
inline constexpr bool moves_as_vector = false;
template <class Item, int Width>
inline constexpr bool moves_as_vector<Item*, Width> = (sizeof(Item) * Width &
                                                       (sizeof(Item) * Width - 1)) == 0;

/// Whether rows of `Width` items can be read or written whole, each lane's part in one access: true
/// for aligned items in memory. The answer is the same for all rows that begin at a multiple of
/// `Width`.
template <int Width, class It>
__device__ __forceinline__ bool whole_rows(It it) {
  if constexpr (std::is_pointer_v<It>) {
    constexpr std::size_t bytes = sizeof(*it) * Width;
    return moves_as_vector<It, Width> && reinterpret_cast<std::uintptr_t>(it) % bytes == 0;
  } else {
    return true;
  }
}
template <int Width, class It>
__device__ __forceinline__ bool whole_rows(reverse_iterator<It> it) {
  return warp::whole_rows<Width>(it.end);
}

/// items[j] = T(in[i + j]), if `whole_rows` allows it. It never branches, so the accesses of
/// several rows overlap.
template <int Width, class In, class T>
__device__ __forceinline__ void load_whole_row(In in, index_t i, T (&items)[Width]) {
  if constexpr (moves_as_vector<In, Width>) {
    auto const row = simt::load_vector<Width>(in + i);
#pragma unroll
    for (int j = 0; j < Width; ++j) items[j] = static_cast<T>(row.item[j]);
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) items[j] = static_cast<T>(in[i + j]);
  }
}

/// The same from the last item to the first.
template <int Width, class It, class T>
__device__ __forceinline__ void load_whole_row(reverse_iterator<It> in, index_t i,
                                               T (&items)[Width]) {
  T turned[Width];
  warp::load_whole_row(in.end, -i - Width, turned);
#pragma unroll
  for (int j = 0; j < Width; ++j) items[j] = turned[Width - 1 - j];
}

/// items[j] = T(in[i + j]) for j < count, `fill` for the others. Reads no other item.
template <int Width, class In, class T>
__device__ __forceinline__ void load_row(In in, index_t i, int count, T fill, T (&items)[Width]) {
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    items[j] = fill;
    if (j < count) items[j] = static_cast<T>(in[i + j]);
  }
}

/// out[i + j] = items[j], if `whole_rows` allows it.
template <int Width, class Out, class T>
__device__ __forceinline__ void store_whole_row(Out out, index_t i, T const (&items)[Width]) {
  if constexpr (moves_as_vector<Out, Width>) {
    using result = std::remove_pointer_t<Out>;
    simt::vector<result, Width> row;
#pragma unroll
    for (int j = 0; j < Width; ++j) row.item[j] = static_cast<result>(items[j]);
    simt::store_vector<Width>(out + i, row);
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) out[i + j] = items[j];
  }
}

/// The same from the last item to the first.
template <int Width, class It, class T>
__device__ __forceinline__ void store_whole_row(reverse_iterator<It> out, index_t i,
                                                T const (&items)[Width]) {
  T turned[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) turned[j] = items[Width - 1 - j];
  warp::store_whole_row(out.end, -i - Width, turned);
}

/// out[i + j] = items[j] for j < count. Writes no other item.
template <int Width, class Out, class T>
__device__ __forceinline__ void store_row(Out out, index_t i, int count, T const (&items)[Width]) {
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    if (j < count) out[i + j] = items[j];
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::warp
