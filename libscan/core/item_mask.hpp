// SPDX-License-Identifier: Apache-2.0
// A mask in host memory that marks items: a byte each, or a bit each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1 {

/// One bool for each of `size()` items. A view: the memory is the caller's. A small value.
class item_mask {
 public:
  /// A byte for each item; nonzero is true.
  static item_mask of_flags(std::span<std::uint8_t const> flags) {
    return item_mask(flags.data(), nullptr, static_cast<index_t>(flags.size()));
  }

  /// The same for bool.
  static item_mask of_flags(std::span<bool const> flags) {
    return of_flags({reinterpret_cast<std::uint8_t const*>(flags.data()), flags.size()});
  }

  /// Bit i % 32 of word i / 32 is item i, of n: numpy.packbits(bitorder="little"), in words of 32
  /// bits. Bits after the last item are ignored. Throws `invalid_argument` if n < 0 or there are
  /// fewer than n bits.
  static item_mask of_bits(std::span<std::uint32_t const> words, index_t n) {
    if (n < 0 || static_cast<index_t>(words.size()) < ceil_div(n, index_t{32})) {
      throw invalid_argument("item_mask: " + std::to_string(words.size()) + " words for " +
                             std::to_string(n) + " items; expected one for every 32");
    }
    return item_mask(nullptr, words.data(), n);
  }

  /// Number of items.
  index_t size() const { return size_; }

  /// The flags; null if the mask is of bits.
  std::uint8_t const* flags() const { return flags_; }

  /// The words; null if the mask is of flags.
  std::uint32_t const* words() const { return words_; }

  /// The memory that is read.
  std::span<std::byte const> bytes() const {
    if (words_ == nullptr) {
      return {reinterpret_cast<std::byte const*>(flags_), static_cast<std::size_t>(size_)};
    }
    return {reinterpret_cast<std::byte const*>(words_),
            static_cast<std::size_t>(ceil_div(size_, index_t{32})) * sizeof(std::uint32_t)};
  }

 private:
  item_mask(std::uint8_t const* flags, std::uint32_t const* words, index_t size)
      : flags_(flags), words_(words), size_(size) {}

  std::uint8_t const* flags_;
  std::uint32_t const* words_;
  index_t size_;
};

}  // namespace libscan::inline v1
