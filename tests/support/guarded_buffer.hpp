// SPDX-License-Identifier: Apache-2.0
// A buffer between canaries: detects any byte written outside it, or inside where nothing may be
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <libscan/core/types.hpp>

#ifdef __SANITIZE_ADDRESS__
#define LIBSCAN_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIBSCAN_TEST_ASAN 1
#endif
#endif
#ifdef LIBSCAN_TEST_ASAN
#include <sanitizer/asan_interface.h>
#define LIBSCAN_TEST_POISON(begin, bytes) ASAN_POISON_MEMORY_REGION(begin, bytes)
#define LIBSCAN_TEST_UNPOISON(begin, bytes) ASAN_UNPOISON_MEMORY_REGION(begin, bytes)
#else
#define LIBSCAN_TEST_POISON(begin, bytes) ((void)(begin), (void)(bytes))
#define LIBSCAN_TEST_UNPOISON(begin, bytes) ((void)(begin), (void)(bytes))
#endif

namespace libscan::test {

/// n items of T, `offset_items` (0..16) items after a 256-byte boundary, with at least 256 bytes of
/// canaries on either side. All items start poisoned with 0xFF bytes. Host memory; `with_image`
/// gives all of it, canaries included, to be copied to a device and back. In an AddressSanitizer
/// build any other access to a canary is reported, even a read.
template <class T>
class guarded_buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t guard_bytes = 256;
  static constexpr index_t max_items = (index_t{1} << 48) / static_cast<index_t>(sizeof(T));
  static constexpr unsigned char canary = 0xA5;
  static constexpr unsigned char poison = 0xFF;

  explicit guarded_buffer(index_t n, int offset_items = 0)
      : items_(checked(n)),
        front_bytes_(guard_bytes + static_cast<std::size_t>(offset_items) * sizeof(T)),
        storage_(guard_bytes + front_bytes_ + items_ * sizeof(T) + guard_bytes, canary) {
    auto const address = reinterpret_cast<std::uintptr_t>(storage_.data());
    base_ = (guard_bytes - address % guard_bytes) % guard_bytes;
    if (items_ > 0) std::memset(static_cast<void*>(data()), poison, items_ * sizeof(T));
    poison_canaries();
  }

  /// With a copy of `items`.
  explicit guarded_buffer(std::vector<T> const& items, int offset_items = 0)
      : guarded_buffer(static_cast<index_t>(items.size()), offset_items) {
    if (items_ > 0) std::memcpy(static_cast<void*>(data()), items.data(), items_ * sizeof(T));
  }

  ~guarded_buffer() { unpoison_canaries(); }
  guarded_buffer(guarded_buffer const&) = delete;
  guarded_buffer& operator=(guarded_buffer const&) = delete;

  T* data() { return reinterpret_cast<T*>(first_byte() + front_bytes_); }
  T const* data() const { return reinterpret_cast<T const*>(first_byte() + front_bytes_); }
  index_t size() const { return static_cast<index_t>(items_); }
  std::span<T> items() { return {data(), items_}; }
  std::vector<T> copy() const { return {data(), data() + items_}; }

  /// Returns use(all bytes, canaries included, from a 256-byte boundary on); the items start
  /// `image_offset()` bytes in.
  template <class Use>
  decltype(auto) with_image(Use use) {
    open_canaries const scope(*this);
    return use(std::span<unsigned char>(first_byte(), image_bytes()));
  }
  std::size_t image_offset() const { return front_bytes_; }

  /// Empty if all canaries are intact; else the place of the first overwritten one.
  std::string damage() const {
    open_canaries const scope(*this);
    unsigned char const* const bytes = first_byte();
    std::size_t const body_end = front_bytes_ + items_ * sizeof(T);
    if (all_are(canary, bytes, bytes + front_bytes_) &&
        all_are(canary, bytes + body_end, bytes + body_end + guard_bytes)) {
      return "";
    }
    for (std::size_t i = 0; i < front_bytes_; ++i) {
      if (bytes[i] != canary) {
        return "canary overwritten " + std::to_string(front_bytes_ - i) +
               " bytes before the first item";
      }
    }
    for (std::size_t i = 0; i < guard_bytes; ++i) {
      if (bytes[body_end + i] != canary) {
        return "canary overwritten " + std::to_string(i) + " bytes after the last item";
      }
    }
    return "";
  }

  /// Empty if items from `first` on still hold the poison; else the first that does not.
  std::string written_from(index_t first) const {
    unsigned char const* const bytes = first_byte() + front_bytes_;
    std::size_t const begin = static_cast<std::size_t>(first) * sizeof(T);
    if (all_are(poison, bytes + begin, bytes + items_ * sizeof(T))) return "";
    for (std::size_t i = begin; i < items_ * sizeof(T); ++i) {
      if (bytes[i] != poison) return "item " + std::to_string(i / sizeof(T)) + " was written";
    }
    return "";
  }

 private:
  /// Whether all bytes of a range have this value: each the one before it, which is fast to find.
  static bool all_are(unsigned char value, unsigned char const* begin, unsigned char const* end) {
    if (begin == end) return true;
    return *begin == value &&
           std::memcmp(begin, begin + 1, static_cast<std::size_t>(end - begin) - 1) == 0;
  }

  /// Space for the canaries as well, also in the compiler's eyes.
  static std::size_t checked(index_t n) {
    if (n < 0 || n > max_items) throw std::length_error("guarded_buffer: " + std::to_string(n));
    return static_cast<std::size_t>(n);
  }

  /// Canaries may be accessed within this scope.
  class open_canaries {
   public:
    explicit open_canaries(guarded_buffer const& buffer) : buffer_(buffer) {
      buffer_.unpoison_canaries();
    }
    ~open_canaries() { buffer_.poison_canaries(); }
    open_canaries(open_canaries const&) = delete;
    open_canaries& operator=(open_canaries const&) = delete;

   private:
    guarded_buffer const& buffer_;
  };

  void poison_canaries() const {
    std::size_t const end = front_bytes_ + items_ * sizeof(T);
    LIBSCAN_TEST_POISON(first_byte(), front_bytes_);
    LIBSCAN_TEST_POISON(first_byte() + end, guard_bytes);
  }
  void unpoison_canaries() const { LIBSCAN_TEST_UNPOISON(first_byte(), image_bytes()); }

  std::size_t image_bytes() const { return front_bytes_ + items_ * sizeof(T) + guard_bytes; }

  unsigned char* first_byte() { return storage_.data() + base_; }
  unsigned char const* first_byte() const { return storage_.data() + base_; }

  std::size_t items_;
  std::size_t front_bytes_;
  std::vector<unsigned char> storage_;
  std::size_t base_ = 0;
};

}  // namespace libscan::test
