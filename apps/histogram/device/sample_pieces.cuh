// SPDX-License-Identifier: Apache-2.0
// Samples in pieces of 16 bytes, each read by one thread at once, for any alignment of the samples.
#pragma once

#include <cstdint>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// n samples: pieces aligned to 16 bytes, and the rest around them, fewer than two pieces' worth.
template <class Sample>
class sample_pieces {
 public:
  static constexpr int width = 16 / static_cast<int>(sizeof(Sample));
  using piece = simt::vector<Sample, width>;

  __device__ sample_pieces(Sample const* in, index_t n) : in_(in) {
    auto const past = static_cast<int>(reinterpret_cast<std::uintptr_t>(in) % 16);
    index_t const head = past == 0 ? 0 : (16 - past) / static_cast<int>(sizeof(Sample));
    head_ = static_cast<int>(head < n ? head : n);
    pieces_ = (n - head_) / width;
    rest_ = static_cast<int>(n - pieces_ * width);
  }

  __device__ index_t pieces() const { return pieces_; }
  __device__ piece load(index_t p) const {
    return simt::load_vector<width>(in_ + head_ + p * width);
  }

  /// Sample i < rest() outside all pieces.
  __device__ int rest() const { return rest_; }
  __device__ Sample rest_sample(int i) const {
    return in_[i < head_ ? index_t{i} : pieces_ * width + i];
  }

 private:
  Sample const* in_;
  index_t pieces_;
  int head_, rest_;
};

/// Calls each(samples) for all samples, a few of them in an array at a time, each in one thread of
/// the grid, with `Batch` pieces in flight at a time.
template <int Batch, class Sample, class Each>
__device__ __forceinline__ void for_each_samples(Sample const* in, index_t n, Each each) {
  using samples = sample_pieces<Sample>;
  samples const all(in, n);
  index_t const step = index_t{gridDim.x} * blockDim.x;
  index_t const rank = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (rank < all.rest()) {
    Sample const single[1] = {all.rest_sample(static_cast<int>(rank))};
    each(single);
  }
  index_t p = rank;
  for (; p + (Batch - 1) * step < all.pieces(); p += Batch * step) {
    typename samples::piece piece[Batch];
#pragma unroll
    for (int k = 0; k < Batch; ++k) piece[k] = all.load(p + k * step);
#pragma unroll
    for (int k = 0; k < Batch; ++k) each(piece[k].item);
  }
  for (; p < all.pieces(); p += step) {
    auto const piece = all.load(p);
    each(piece.item);
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
