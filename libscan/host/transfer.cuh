// SPDX-License-Identifier: Apache-2.0
// Host memory that passes through device memory: in pieces, whose copies overlap with kernels, and
// by several threads, since pageable memory must be copied into pinned memory first. Internal.
#pragma once

#include <cstddef>
#include <span>

#include <libscan/buffer.cuh>
#include <libscan/core/types.hpp>
#include <libscan/host/device_call.hpp>
#include <libscan/host/on_engine.hpp>
#include <libscan/host/piece_plan.hpp>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer_tuning.hpp>

namespace libscan::inline v1::detail {

/// Bytes of host memory from which pieces are faster than one copy of all.
inline std::size_t min_bytes_in_pieces(cuda_device) { return tuned_transfers.min_bytes; }
/// Few, so that tests reach them.
inline constexpr std::size_t min_bytes_in_pieces(executor_run) { return std::size_t{4} << 10; }

/// Bytes that a piece copies one way, at most.
inline std::size_t max_piece_bytes(cuda_device) { return tuned_transfers.piece_bytes; }
inline constexpr std::size_t max_piece_bytes(executor_run) { return std::size_t{1} << 10; }

/// Copies on a machine with kernels, a `cuda_device` or an `executor_run`.
template <class Machine>
struct transfer {
  /// To device memory or from it, after what the default stream of the current device holds;
  /// returns when the copy is complete. Throws `device_error`.
  static void to_device(void* device, void const* host, std::size_t bytes);
  static void to_host(void* host, void const* device, std::size_t bytes);

  /// Runs a plan, after what the default stream holds. Returns when all is complete. Throws what
  /// the plan throws, and `device_error`. Takes device memory for up
  /// to 34 pieces, and for fewer if the device has less.
  static void in_pieces(Machine on, piece_plan const& plan);

  /// Much device memory, for calls of `in_pieces`. Taken from the system: a pool of streams takes
  /// longer. Throws `device_error` or std::bad_alloc.
  static std::byte* allocate(Machine on, std::size_t bytes);
  static void deallocate(Machine on, std::byte* memory, std::size_t bytes) noexcept;

  /// Bytes of device memory that a call may take: what is free, at most those of `transfer_tuning`.
  static std::size_t usable_bytes(Machine on);
};

/// Such memory for a scope; none for 0 bytes.
template <class Machine>
class taken_memory {
 public:
  taken_memory(Machine on, std::size_t bytes)
      : on_(on),
        bytes_(bytes),
        data_(bytes == 0 ? nullptr : transfer<Machine>::allocate(on, bytes)) {}
  taken_memory(taken_memory const&) = delete;
  ~taken_memory() {
    if (data_ != nullptr) transfer<Machine>::deallocate(on_, data_, bytes_);
  }
  std::byte* data() const { return data_; }

 private:
  Machine on_;
  std::size_t bytes_;
  std::byte* data_;
};

/// The place of calls on a piece, whose workspace begins at `at` of the plan's.
inline queue_place place_of(device_piece const& piece, std::size_t at, std::size_t bytes) {
  return {.stream = piece.stream, .workspace = piece.workspace + at, .workspace_bytes = bytes};
}

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
