// SPDX-License-Identifier: Apache-2.0
// Rows that extend over the spans of several warps: each span's part of its last, open row, and the
// kernel that adds such parts, always in the same order, and closes the rows. No atomics on floats.
// Also what all kernels of products share: reads that leave the caches to x, sums over a warp.
#pragma once

#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Reads data that are used only once: entries and offsets. The hint keeps them from evicting x
/// from the caches.
template <class Entry>
__device__ __forceinline__ Entry read_once(Entry const* entry) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_arithmetic_v<Entry>) {
    return __ldcs(entry);
  }
#endif
  return *entry;
}

/// The sum of one value per lane, in all lanes, in a fixed order. The operator must commute. All
/// lanes of the warp call.
template <class T, class Op>
__device__ __forceinline__ T sum_of_lanes(T x, Op op) {
#pragma unroll
  for (int distance = simt::warp_size / 2; distance > 0; distance /= 2) {
    x = op(x, simt::shfl_xor(simt::full_warp, x, distance));
  }
  return x;
}

/// The size of a part of a workspace, rounded up so that the next is aligned.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// What the spans exchange, in uninitialized device memory. A small value, passed to kernels.
template <class T>
struct span_sums {
  index_t spans;
  index_t items;    // entries and rows of a span; the last span may have fewer
  index_t* closed;  // the row begun in an earlier span that ends in this one, or -1
  T* heads;         // that row's sum within the span
  T* tails;         // the sum of the span's part of the row open at its end

  /// For spans of `span_items` that divide `all` items.
  span_sums(std::byte* memory, index_t all, index_t span_items)
      : spans(ceil_div(all, span_items)),
        items(span_items),
        closed(reinterpret_cast<index_t*>(memory)),
        heads(reinterpret_cast<T*>(memory + padded(spans * sizeof(index_t)))),
        tails(reinterpret_cast<T*>(memory + padded(spans * sizeof(index_t)) +
                                   padded(spans * sizeof(T)))) {}

  /// Bytes of device memory for that many spans.
  static constexpr std::size_t bytes(index_t spans) {
    return padded(static_cast<std::size_t>(spans) * sizeof(index_t)) +
           2 * padded(static_cast<std::size_t>(spans) * sizeof(T));
  }
};

/// Writes every row that ends in a later span than it began in.
struct close_rows_kernel {
  static constexpr int block_threads = 256;
  static constexpr bool programmatic_launch = true;
  static constexpr int warps = block_threads / simt::warp_size;
  static constexpr index_t few = 32;  // parts that one thread adds by itself

  struct shared_storage {
    unsigned with_many[warps];  // spans of the block that close rows of many parts
    alignas(16) unsigned char sums[warps * 16];
  };

  /// begins(span, row): the span that holds the first of a row's parts.
  template <class T, class Begins, class Out, class Op>
  __device__ void operator()(shared_storage& shared, span_sums<T> spans, Begins begins, Out out,
                             Op add) const {
    static_assert(sizeof(T) <= 16, "sums of at most 16 bytes");
    T const nothing = add.identity();
    index_t const block_first = index_t{blockIdx.x} * block_threads;
    index_t const span = block_first + threadIdx.x;
    index_t const row = span < spans.spans ? spans.closed[span] : -1;
    index_t const parts = row < 0 ? 0 : span - begins(span, row);
    if (0 < parts && parts <= few) {
      T sum = nothing;
      for (index_t part = span - parts; part < span; ++part) sum = add(sum, spans.tails[part]);
      out.put(row, add(sum, spans.heads[span]));
    }
    unsigned const with_many = simt::ballot(simt::full_warp, parts > few);
    int const warp = static_cast<int>(threadIdx.x) / simt::warp_size;
    if (simt::lane_id() == 0) shared.with_many[warp] = with_many;
    simt::sync_block();
    for (int w = 0; w < warps; ++w) {
      for (unsigned rest = shared.with_many[w]; rest != 0; rest &= rest - 1) {
        close_by_block(shared, spans, begins, out, add,
                       block_first + w * simt::warp_size + simt::ffs(rest) - 1);
      }
    }
  }

  template <class T, class Begins, class Out, class Op>
  static __device__ void close_by_block(shared_storage& shared, span_sums<T> const& spans,
                                        Begins const& begins, Out const& out, Op add,
                                        index_t span) {
    index_t const row = spans.closed[span];
    T sum = add.identity();
    index_t part = begins(span, row) + threadIdx.x;
#pragma unroll 8
    for (; part < span; part += block_threads) sum = add(sum, spans.tails[part]);
    sum = device::sum_of_lanes(sum, add);
    T* const sums = reinterpret_cast<T*>(shared.sums);
    if (simt::lane_id() == 0) sums[threadIdx.x / simt::warp_size] = sum;
    simt::sync_block();
    if (threadIdx.x == 0) {
      for (int w = 1; w < warps; ++w) sum = add(sum, sums[w]);
      out.put(row, add(sum, spans.heads[span]));
    }
    simt::sync_block();
  }
};

/// Launches `close_rows_kernel`, if there is more than one span.
template <class T, class Begins, class Out, class Op>
void close_rows(simt::stream on, span_sums<T> const& spans, Begins begins, Out out, Op add) {
  using kernel = close_rows_kernel;
  if (spans.spans <= 1) return;
  auto const blocks =
      static_cast<unsigned>(libscan::ceil_div(spans.spans, index_t{kernel::block_threads}));
  simt::launch<kernel>({.blocks = blocks, .threads = kernel::block_threads, .on = on}, spans,
                       begins, out, add);
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
