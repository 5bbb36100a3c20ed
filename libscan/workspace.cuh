// SPDX-License-Identifier: Apache-2.0
// The temporary memory of device-wide calls, and the stream they run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <libscan/core/error.hpp>
#include <libscan/core/memory_functions.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Temporary memory for device-wide calls on one stream. It grows as calls need it (allocating on
/// the stream, from the caller's `memory_functions` if there are any). Or it is a view of the
/// caller's memory and never allocates, so that calls can be captured in a CUDA graph. Contents
/// need no initialization and are undefined between calls. Calls that share a workspace must be
/// ordered by its stream. Move-only.
class workspace {
 public:
  /// Grows as needed; frees its memory on the stream when it ends.
  explicit workspace(simt::stream on = {}) : on_(on) {}

  /// Uses `bytes` of device memory at `memory`, which must outlive all calls. Throws
  /// `invalid_argument` unless it is aligned to 256 bytes; a call that needs more also throws it,
  /// with both sizes.
  workspace(void* memory, std::size_t bytes, simt::stream on = {})
      : on_(on), memory_(memory), bytes_(bytes), owned_(false) {
    if (reinterpret_cast<std::uintptr_t>(memory) % 256 == 0) return;
    throw invalid_argument(
        "workspace: memory at an address that is no multiple of 256; expected "
        "memory aligned to 256 bytes, as cudaMalloc gives it");
  }

  /// Grows with memory from `source`, and returns it there when it ends. A call throws what
  /// `source` throws, and std::bad_alloc if it gets null.
  explicit workspace(memory_functions const& source, simt::stream on = {})
      : on_(on), source_(source) {}

  workspace(workspace&& other) noexcept
      : on_(other.on_),
        source_(other.source_),
        memory_(std::exchange(other.memory_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        owned_(other.owned_) {}

  workspace& operator=(workspace&& other) noexcept {
    std::swap(on_, other.on_);
    std::swap(source_, other.source_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(owned_, other.owned_);
    return *this;
  }

  ~workspace() {
    try {
      release();
    } catch (...) {
      // The device is lost, the program is ending, or the caller's function failed: there is
      // nothing left to free.
    }
  }

  simt::stream stream() const { return on_; }

  /// At least `bytes` of device memory aligned to 256, valid until the next call.
  std::byte* reserve(std::size_t bytes) {
    if (bytes > bytes_ && !owned_) {
      throw invalid_argument("workspace of " + std::to_string(bytes_) +
                             " bytes, but the call needs " + std::to_string(bytes));
    }
    if (bytes > bytes_) {
      release();
      memory_ = allocate(bytes);
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(memory_);
  }

 private:
  void* allocate(std::size_t bytes) {
    if (source_.allocate == nullptr) return simt::allocate(bytes, on_);
    void* const memory = source_.allocate(bytes, handle(), source_.context);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }

  void release() {
    std::size_t const bytes = std::exchange(bytes_, 0);
    if (!owned_ || memory_ == nullptr) return;
    void* const memory = std::exchange(memory_, nullptr);
    if (source_.allocate == nullptr) return simt::deallocate(memory, on_);
    source_.deallocate(memory, bytes, handle(), source_.context);
  }

  /// The stream as memory functions get it; null in the executor, which has only one.
  void* handle() const {
    return [](auto on) -> void* {
      if constexpr (std::is_pointer_v<decltype(on)>) {
        return on;
      } else {
        return nullptr;
      }
    }(on_);
  }

  simt::stream on_;
  memory_functions source_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  bool owned_ = true;
};

}  // namespace libscan::inline LIBSCAN_MACHINE
