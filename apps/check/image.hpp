// SPDX-License-Identifier: Apache-2.0
// The memory of a case: arrays of a layout that is the same for every copy of it, on the host or on
// a device, with canaries before, between and after them.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include <apps/common/dtype.hpp>
#include <libscan/core/types.hpp>

namespace libscan::apps {

/// The arrays a case may read or write. `places` are positions in, or offsets into, an array;
/// `keys` of a matrix are its columns.
enum class slot : std::uint8_t {
  items,
  others,
  values,
  flags,
  bits,
  places,
  lengths,
  keys,
  count,
  total,
  edges,
  counts,
  sums,
  rows,
  vector,
  spare,        ///< space of the items' size, uninitialized
  spare_values  ///< the same for the values
};

/// Their number.
inline constexpr int slot_count = 17;

/// The value of every byte that must not be written.
inline constexpr unsigned char canary = 0xa5;

/// The places of the arrays in a block of memory that begins at a 256-byte boundary.
class layout {
 public:
  /// An array; it exists if n >= 0.
  struct array {
    dtype type = dtype::u8;
    index_t n = -1;
    int words = 1;  // words of `type` per item
    std::size_t begin = 0;
    std::size_t item_bytes() const { return static_cast<std::size_t>(words) * size_of(type); }
    std::size_t bytes() const { return static_cast<std::size_t>(n) * item_bytes(); }
    std::size_t end() const { return begin + bytes(); }
  };

  /// Arrays with space for `slack` more items each, which stay canaries.
  explicit layout(index_t slack = 0) : slack_(static_cast<std::size_t>(slack)) {}

  /// Appends an array of n items of `words` words each, `offset` items after a 256-byte boundary.
  void add(slot which, dtype type, index_t n, int offset, int words = 1) {
    array& a = arrays_[static_cast<std::size_t>(which)];
    a.type = type;
    a.n = n;
    a.words = words;
    a.begin = bytes_ + guard + static_cast<std::size_t>(offset) * a.item_bytes();
    bytes_ = (a.end() + slack_ * a.item_bytes() + guard + boundary - 1) / boundary * boundary;
  }

  array const& operator[](slot which) const { return arrays_[static_cast<std::size_t>(which)]; }
  bool has(slot which) const { return (*this)[which].n >= 0; }

  /// Of the whole block.
  std::size_t bytes() const { return bytes_; }

  /// The array in a block at `base`; null if there is none.
  template <class T>
  T* at(slot which, std::byte* base) const {
    return has(which) ? reinterpret_cast<T*>(base + (*this)[which].begin) : nullptr;
  }

 private:
  static constexpr std::size_t boundary = 256;
  static constexpr std::size_t guard = 256;

  std::array<array, slot_count> arrays_;
  std::size_t slack_;
  std::size_t bytes_ = 0;
};

/// A block of host memory that is reused, and grows if necessary.
class image {
 public:
  /// At least `bytes` bytes from a 256-byte boundary on, uninitialized.
  std::byte* reserve(std::size_t bytes) {
    if (bytes > size_) {
      memory_.reset();
      size_ = 0;
      memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{256})));
      size_ = bytes;
    }
    return memory_.get();
  }

  std::byte* data() const { return memory_.get(); }

 private:
  struct free_aligned {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{256}); }
  };
  std::unique_ptr<std::byte, free_aligned> memory_;
  std::size_t size_ = 0;
};

/// A block and its layout.
struct placed {
  layout const& where;
  std::byte* base;

  template <class T>
  T* at(slot which) const {
    return where.at<T>(which, base);
  }
  index_t size(slot which) const { return where[which].n; }
};

}  // namespace libscan::apps
