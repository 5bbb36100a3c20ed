// SPDX-License-Identifier: Apache-2.0
// Memory of the machine that a kernel test was compiled for: the GPU's, or the executor's.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <libscan/simt/simt.cuh>

namespace libscan::test {

/// n items of T in device memory, freed with the buffer. Copies are complete when a call returns.
template <class T>
class device_buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Its items are uninitialized.
  explicit device_buffer(std::size_t n)
      : size_(n), data_(static_cast<T*>(simt::allocate(bytes(n)))) {}

  explicit device_buffer(std::vector<T> const& items) : device_buffer(items.size()) {
    if (size_ != 0) simt::copy_async(data_, items.data(), size_ * sizeof(T));
    simt::synchronize();
  }

  ~device_buffer() { simt::deallocate(data_); }
  device_buffer(device_buffer&& other) noexcept
      : size_(other.size_), data_(std::exchange(other.data_, nullptr)) {}
  device_buffer& operator=(device_buffer&&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void fill(int byte) { simt::fill_async(data_, byte, size_ * sizeof(T)); }

  /// Its content after all kernels launched so far.
  std::vector<T> copy() const {
    std::vector<T> items(size_);
    simt::synchronize();
    if (size_ != 0) simt::copy_async(items.data(), data_, size_ * sizeof(T));
    simt::synchronize();
    return items;
  }

 private:
  /// A GPU has no address for zero bytes.
  static std::size_t bytes(std::size_t n) {
#ifdef __CUDACC__
    if (n == 0) return 1;
#endif
    return n * sizeof(T);
  }

  std::size_t size_;
  T* data_;
};

}  // namespace libscan::test
