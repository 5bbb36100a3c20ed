// SPDX-License-Identifier: Apache-2.0
// How many items a device-wide call processes: a number that the host knows, or one in device
// memory.
#pragma once

#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// A number of items. Made from an integer, or by `on_device` from a count that an earlier call
/// leaves in device memory: this avoids a round trip to the host.
class item_count {
 public:
  /// Throws `invalid_argument` if `n` is negative.
  item_count(index_t n) : at_most_(n) {  // NOLINT(google-explicit-constructor): a number is a count
    if (n < 0)
      throw invalid_argument("number of items is " + std::to_string(n) + "; expected >= 0");
  }

  /// The value at `d_n` when the call runs, at most `at_most`, for which buffers and workspace are
  /// sized. A negative value counts as 0.
  static item_count on_device(index_t const* d_n, index_t at_most) {
    item_count count(at_most);
    count.d_n_ = d_n;
    return count;
  }

  LIBSCAN_HOST_DEVICE index_t at_most() const { return at_most_; }

  /// Whether the host knows the number.
  bool known() const { return d_n_ == nullptr; }

  /// The number if the host knows it, otherwise 0.
  index_t at_least() const { return known() ? at_most_ : 0; }

  __device__ index_t get() const {
    if (d_n_ == nullptr) return at_most_;
    index_t const n = *d_n_;
    return n < 0 ? 0 : n < at_most_ ? n : at_most_;
  }

 private:
  index_t at_most_;
  index_t const* d_n_ = nullptr;
};

namespace device {

/// How many of the `Max` items from `base` on are among the first n.
template <int Max>
__device__ __forceinline__ int valid_items(index_t n, index_t base) {
  index_t const rest = n - base;
  return static_cast<int>(rest < 0 ? 0 : rest < Max ? rest : Max);
}

/// How many blocks to start for `tiles` tiles: as many as the GPU can hold at once, never more than
/// tiles.
template <class Kernel, class... Args>
unsigned blocks_for(index_t tiles, int block_threads) {
  index_t const resident = index_t{simt::multiprocessor_count()} *
                           simt::resident_blocks_per_multiprocessor<Kernel, Args...>(block_threads);
  index_t const blocks = tiles < resident ? tiles : resident;
  return static_cast<unsigned>(blocks > 0 ? blocks : 1);
}

}  // namespace device

}  // namespace libscan::inline LIBSCAN_MACHINE
