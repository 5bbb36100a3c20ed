// SPDX-License-Identifier: Apache-2.0
// Device memory that host memory is copied to and from, by several threads. Internal.
#pragma once

#include <cstddef>
#include <span>

#include <libscan/buffer.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.hpp>

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
