// SPDX-License-Identifier: Apache-2.0
// Host memory that passes through device memory: in pieces, whose copies overlap with kernels, and
// by several threads, since pageable memory must be copied into pinned memory first. Internal.
#pragma once

#include <cstddef>
#include <span>

#include <libscan/buffer.cuh>
#include <libscan/core/function_ref.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/host/this_machine.cuh>

namespace libscan::inline v1::detail {

/// Bytes of host memory from which pieces are faster than one copy of all.
inline constexpr std::size_t min_bytes_in_pieces(cuda_device) { return std::size_t{16} << 20; }
/// Few, so that tests reach them.
inline constexpr std::size_t min_bytes_in_pieces(executor_run) { return std::size_t{4} << 10; }

/// Bytes of each piece but the last.
inline constexpr std::size_t max_piece_bytes(cuda_device) { return std::size_t{4} << 20; }
inline constexpr std::size_t max_piece_bytes(executor_run) { return std::size_t{1} << 10; }

/// `bytes` of host memory whose pieces pass through device memory.
struct host_bytes {
  std::byte const* in;
  std::byte* out;  ///< receives what the kernels leave in place of `in`, which it may be; or null
  std::size_t bytes;
  std::size_t item_bytes;  ///< a power of 2; no item is in two pieces
};

/// A piece in device memory.
struct device_piece {
  void* items;
  index_t n;
  index_t number;  ///< 0 is the first
  void* stream;    ///< a cudaStream_t, the same for all pieces
};

/// Copies on a machine with kernels, a `cuda_device` or an `executor_run`.
template <class Machine>
struct transfer {
  /// To device memory or from it, after what the default stream of the current device holds;
  /// returns when the copy is complete. Throws `device_error`.
  static void to_device(void* device, void const* host, std::size_t bytes);
  static void to_host(void* host, void const* device, std::size_t bytes);

  /// Calls enqueue(piece) for all pieces in order, by changing threads, one at a time. `enqueue`
  /// puts kernels into the piece's stream, which read and write the piece. Returns when all is
  /// complete. Throws what `enqueue` throws, and `device_error`. Takes device memory for a few
  /// pieces.
  static void in_pieces(Machine on, host_bytes const& host,
                        function_ref<void(device_piece const&)> enqueue);
};

}  // namespace libscan::inline v1::detail

namespace libscan::inline LIBSCAN_MACHINE::device {

/// A `buffer` of the default stream, whose copies are complete on return.
template <class T>
class transfer_buffer : public buffer<T> {
 public:
  explicit transfer_buffer(index_t size) : buffer<T>(size) {}

  /// A copy of host items.
  explicit transfer_buffer(std::span<T const> host) : buffer<T>(static_cast<index_t>(host.size())) {
    copies::to_device(this->data(), host.data(), host.size_bytes());
  }

  /// Copies the first `count` items to the host.
  void read_sync(T* host, index_t count) const {
    copies::to_host(host, this->data(), static_cast<std::size_t>(count) * sizeof(T));
  }

 private:
  using copies = libscan::detail::transfer<this_machine>;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
