// SPDX-License-Identifier: Apache-2.0
// Device memory with an owner, for code that moves host data through the device.
#pragma once

#include <span>
#include <utility>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// `size` items of device memory, allocated and freed on a stream. Contents start undefined.
/// Move-only.
template <class T>
class buffer {
 public:
  explicit buffer(index_t size, simt::stream on = {})
      : data_(static_cast<T*>(simt::allocate(bytes(size), on))), size_(size), on_(on) {}

  /// A copy of host items; complete when the stream has reached it.
  explicit buffer(std::span<T const> host, simt::stream on = {})
      : buffer(static_cast<index_t>(host.size()), on) {
    simt::copy_async(data_, host.data(), bytes(size_), on);
  }

  buffer(buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_), on_(other.on_) {}
  buffer& operator=(buffer&&) = delete;

  ~buffer() {
    try {
      simt::deallocate(data_, on_);
    } catch (error const&) {
      // The device is lost or the program is ending: there is nothing left to free.
    }
  }

  T* data() const { return data_; }
  index_t size() const { return size_; }

  /// Copies the first `count` items to the host and waits for them.
  void read_sync(T* host, index_t count) const {
    simt::copy_async(host, data_, bytes(count), on_);
    simt::synchronize(on_);
  }

 private:
  static std::size_t bytes(index_t items) { return static_cast<std::size_t>(items) * sizeof(T); }

  T* data_;
  index_t size_;
  simt::stream on_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
