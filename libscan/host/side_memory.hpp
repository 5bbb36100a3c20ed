// SPDX-License-Identifier: Apache-2.0
// Device memory that a call needs besides that of its kernels. Internal: included by compiled code
// only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1::detail {

/// The front of a queue's workspace; without one, memory of the queue. It is divided into arrays
/// that begin at multiples of 256 bytes.
class side_memory {
 public:
  /// Throws `invalid_argument` if the queue has a workspace of fewer bytes than the call `needs`,
  /// these included, or one that is not aligned to 256 bytes.
  side_memory(device_queue const& queue, std::size_t bytes, std::size_t needs)
      : rest_(queue), next_(static_cast<std::byte*>(queue.workspace)) {
    if (next_ == nullptr) {
      next_ = owned_.emplace(queue, static_cast<index_t>(bytes)).data();
      return;
    }
    if (reinterpret_cast<std::uintptr_t>(next_) % alignment != 0) {
      throw invalid_argument(
          "workspace: memory at an address that is no multiple of 256; expected memory aligned to "
          "256 bytes, as cudaMalloc gives it");
    }
    if (queue.workspace_bytes < std::max(bytes, needs)) {
      throw invalid_argument("workspace of " + std::to_string(queue.workspace_bytes) +
                             " bytes, but the call needs " +
                             std::to_string(std::max(bytes, needs)));
    }
    rest_.workspace = next_ + bytes;
    rest_.workspace_bytes -= bytes;
  }
  side_memory(side_memory const&) = delete;
  side_memory& operator=(side_memory const&) = delete;

  /// The queue for kernels: with the rest of the workspace, if there is one.
  device_queue const& rest() const { return rest_; }

  /// The next n items, of `item_bytes` each.
  void* take(index_t n, std::size_t item_bytes) {
    std::byte* const at = next_;
    next_ += bytes_of(n, item_bytes);
    return at;
  }
  template <class T>
  T* take(index_t n) {
    return static_cast<T*>(take(n, sizeof(T)));
  }

  /// Bytes that these take.
  static constexpr std::size_t bytes_of(index_t n, std::size_t item_bytes) {
    return ceil_div(static_cast<std::size_t>(n) * item_bytes, alignment) * alignment;
  }

 private:
  static constexpr std::size_t alignment = 256;

  device_queue rest_;
  std::byte* next_;
  std::optional<device_array<std::byte>> owned_;
};

}  // namespace libscan::inline v1::detail
