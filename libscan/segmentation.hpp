// SPDX-License-Identifier: Apache-2.0
// Where segments begin, in the forms that programs have. One description for every engine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/function_operator.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/host/host_items.hpp>
#include <libscan/host/input_types.hpp>

namespace libscan::inline v1 {

namespace detail {

/// Sets bit k % 64 of to[k / 64] where the key of item begin + k differs from the one before, for
/// items [begin, end), and for item 0. `equal` is a copy of an Equal.
template <class Key, class Equal>
void mark_own_keys(void const* keys, void const* equal, index_t begin, index_t end,
                   std::uint64_t* to) {
  auto const* const at = static_cast<Key const*>(keys);
  Equal const& same = *static_cast<Equal const*>(equal);
  for (index_t i = begin; i < end; ++i) {
    index_t const k = i - begin;
    if (k % 64 == 0) to[k / 64] = 0;
    bool const continues = i > 0 && (same(at[i - 1], at[i]) ? true : false);
    to[k / 64] |= std::uint64_t{!continues} << k % 64;
  }
}

}  // namespace detail

/// How the items of a call are divided into segments. A view: the memory is the caller's, and must
/// stay unchanged during the call. A small value.
class segmentation {
 public:
  /// What the description consists of.
  enum class form : std::uint8_t { none, flags, bits, offsets, keys, length, ranges, own_keys };

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

  /// A key for each item: a segment begins where the key differs (by ==) from the one before. Keys
  /// that are no numbers are compared as by the next call.
  template <host_items Keys>
  static segmentation of_keys(Keys const& keys) {
    using key = detail::item_of<Keys>;
    if constexpr (detail::listed_input<key>) {
      std::span const all(keys);
      return {form::keys, detail::input_type_of<key>::value, all.data(), nullptr, all.size()};
    } else {
      return own_keys(keys, equal_values{});
    }
  }

  /// The same with keys of any type: a segment begins where equal(earlier, later) is false. It is
  /// called for neighbors only, concurrently, on the CPU also for engines that run kernels.
  /// `equal` is trivially copyable, of at most 16 bytes: let a lambda capture more by reference.
  template <host_items Keys, class Equal>
  static segmentation of_keys(Keys const& keys, Equal equal) {
    if constexpr (std::is_same_v<Equal, equal_values>) {
      return of_keys(keys);
    } else {
      return own_keys(keys, equal);
    }
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
    std::span const all(begins);
    std::span const until(ends);  // may differ in const
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
  /// Bytes of each item at `data`.
  std::size_t item_bytes() const {
    return how_ == form::own_keys ? item_bytes_ : detail::size_of(type_);
  }
  /// Of `own_keys`: marks items [begin, end) where a segment begins, as bits of 64-bit words.
  void mark_own_keys(index_t begin, index_t end, std::uint64_t* to) const {
    mark_(data_, equal_, begin, end, to);
  }
  /// Flags, bits, keys: the number of items. Offsets, ranges: of segments. Otherwise the length.
  index_t count() const { return count_; }

  /// Whether the number of segments is known before the items are read.
  bool counts_segments() const { return how_ == form::offsets || how_ == form::ranges; }

  /// The memory at `data`.
  std::span<std::byte const> bytes() const {
    auto const items = static_cast<std::size_t>(how_ == form::bits ? ceil_div(count_, index_t{32})
                                                : how_ == form::offsets ? count_ + 1
                                                                        : count_);
    return {static_cast<std::byte const*>(data_), data_ == nullptr ? 0 : items * item_bytes()};
  }

 private:
  segmentation(form how, detail::input_type type, void const* data, void const* ends,
               std::size_t count)
      : how_(how), type_(type), data_(data), ends_(ends), count_(static_cast<index_t>(count)) {}

  template <class Keys, class Equal>
  static segmentation own_keys(Keys const& keys, Equal const& equal) {
    using key = detail::item_of<Keys>;
    static_assert(std::is_trivially_copyable_v<Equal> && sizeof(Equal) <= sizeof(equal_),
                  "segmentation: the comparison of keys is not trivially copyable, or larger than "
                  "16 bytes; let a lambda capture its state by reference");
    detail::refuse_comparison<key const&, Equal>();
    std::span const all(keys);
    segmentation result(form::own_keys, detail::input_type::u8, all.data(), nullptr, all.size());
    if constexpr (requires { equal(all[0], all[0]) ? 1 : 0; }) {
      result.item_bytes_ = sizeof(key);
      result.mark_ = detail::mark_own_keys<key, Equal>;
      // Not &equal, which may be overloaded.
      std::memcpy(result.equal_, &reinterpret_cast<std::byte const&>(equal), sizeof(Equal));
    }
    return result;
  }

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
  std::size_t item_bytes_ = 0;
  void (*mark_)(void const*, void const*, index_t, index_t, std::uint64_t*) = nullptr;
  alignas(8) std::byte equal_[16] = {};
};

}  // namespace libscan::inline v1
