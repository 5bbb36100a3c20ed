// SPDX-License-Identifier: Apache-2.0
// Where segments begin, in the forms that programs have. One description for every engine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/host_items.hpp>
#include <libscan/host/input_types.hpp>

namespace libscan::inline v1 {

/// How the items of a call are divided into segments. A view: the memory is the caller's, and must
/// stay unchanged during the call. A small value.
class segmentation {
 public:
  /// What the description consists of.
  enum class form : std::uint8_t { none, flags, bits, offsets, keys, length, ranges };

  /// All items are one segment.
  segmentation() = default;

  /// A byte or bool for each item: a segment begins where it is not 0. Item 0 always begins one.
  template <host_items Flags>
  requires(sizeof(detail::item_of<Flags>) == 1) static segmentation of_flags(Flags const& flags) {
    std::span const all(flags);
    return {form::flags, detail::input_type::u8, all.data(), nullptr, all.size()};
  }

  /// A bit for each of n items: bit i % 32 of word i / 32 is set where a segment begins. Throws
  /// `invalid_argument` if n < 0 or there are fewer than n bits.
  static segmentation of_bits(std::span<std::uint32_t const> words, index_t n) {
    if (n < 0 || static_cast<index_t>(words.size()) < ceil_div(n, index_t{32})) {
      throw invalid_argument("segmentation: " + std::to_string(words.size()) + " words for " +
                             std::to_string(n) + " items; expected one for every 32");
    }
    return {form::bits, detail::input_type::u32, words.data(), nullptr,
            static_cast<std::size_t>(n)};
  }

  /// m + 1 offsets for m segments: segment s is the items offsets[s] to offsets[s + 1] - 1, which
  /// may be none. Integers of 32 or 64 bits, ascending from 0 or more to the number of items or
  /// fewer. Items before the first offset or after the last are in no segment.
  template <host_items Offsets>
  static segmentation of_offsets(Offsets const& offsets) {
    std::span const all(offsets);
    return {form::offsets, offset_type<detail::item_of<Offsets>>(), all.data(), nullptr,
            all.empty() ? 0 : all.size() - 1};
  }

  /// A key for each item: a segment begins where the key differs (by ==) from the one before.
  template <host_items Keys>
  static segmentation of_keys(Keys const& keys) {
    using key = detail::item_of<Keys>;
    static_assert(
        detail::listed_input<key>,
        "segmentation: keys are integers of 8 to 64 bits, bool, float, double, float16 or "
        "bfloat16. For other keys include libscan/cpu/segmented_scan.hpp, or in CUDA "
        "code libscan/segmented_scan.cuh.");
    std::span const all(keys);
    return {form::keys, detail::input_type_of<key>::value, all.data(), nullptr, all.size()};
  }

  /// Every segment has `length` items, except the last, which may have fewer: rows of a matrix.
  /// Throws `invalid_argument` unless length > 0.
  static segmentation of_length(index_t length) {
    if (length <= 0) {
      throw invalid_argument("segmentation: length of segments is " + std::to_string(length) +
                             "; expected > 0");
    }
    return {form::length, detail::input_type::i64, nullptr, nullptr,
            static_cast<std::size_t>(length)};
  }

  /// Segment s is the items begins[s] to ends[s] - 1, which may be none. Integers of one type, of
  /// 32 or 64 bits. Items may be in no segment, and segments in any order. Those of scans must not
  /// overlap. Throws `invalid_argument` unless there are as many ends as begins.
  template <host_items Begins, host_items Ends>
  static segmentation of_ranges(Begins const& begins, Ends const& ends) {
    std::span const all(begins), until(ends);
    static_assert(std::same_as<detail::item_of<Begins>, detail::item_of<Ends>>,
                  "segmentation: begins and ends must hold the same type");
    if (all.size() != until.size()) {
      throw invalid_argument("segmentation: " + std::to_string(all.size()) + " begins, but " +
                             std::to_string(until.size()) + " ends");
    }
    return {form::ranges, offset_type<detail::item_of<Begins>>(), all.data(), until.data(),
            all.size()};
  }

  form how() const { return how_; }
  /// The flags, words, offsets, keys or begins; null for `none` and `length`.
  void const* data() const { return data_; }
  /// The ends of ranges; otherwise null.
  void const* ends() const { return ends_; }
  /// The type of what `data` holds.
  detail::input_type type() const { return type_; }
  /// Flags, bits, keys: the number of items. Offsets, ranges: of segments. Otherwise the length.
  index_t count() const { return count_; }

  /// Whether the number of segments is known before the items are read.
  bool counts_segments() const { return how_ == form::offsets || how_ == form::ranges; }

  /// The memory at `data`.
  std::span<std::byte const> bytes() const {
    auto const items = static_cast<std::size_t>(how_ == form::bits ? ceil_div(count_, index_t{32})
                                                : how_ == form::offsets ? count_ + 1
                                                                        : count_);
    return {static_cast<std::byte const*>(data_),
            data_ == nullptr ? 0 : items * detail::size_of(type_)};
  }

 private:
  segmentation(form how, detail::input_type type, void const* data, void const* ends,
               std::size_t count)
      : how_(how), type_(type), data_(data), ends_(ends), count_(static_cast<index_t>(count)) {}

  template <class Offset>
  static constexpr detail::input_type offset_type() {
    constexpr bool fits = std::integral<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8);
    static_assert(fits, "segmentation: offsets are integers of 32 or 64 bits");
    return fits ? detail::input_type_of<Offset>::value : detail::input_type::i64;
  }

  form how_ = form::none;
  detail::input_type type_ = detail::input_type::i64;
  void const* data_ = nullptr;
  void const* ends_ = nullptr;
  index_t count_ = 0;
};

}  // namespace libscan::inline v1
