// SPDX-License-Identifier: Apache-2.0
// The rules by which a filter keeps an item: a predicate of the item, a mask in addition to the
// items, or the previous item. Each rule also says how a warp gets the bits of its part of a tile
// in shared memory.
#pragma once

#include <iterator>
#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/device/arguments.cuh>
#include <libscan/device/segment_readers.cuh>
#include <libscan/device/staged_tile.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Keeps an item if the predicate holds. Members of every rule:
///   reads_items       whether the decision needs the item
///   looks_back        whether it needs the item before
///   bits_per_item     what it reads beside the items
///   operator()(...)   whether item i of `in` is kept; `item`: item i, if the rule `reads_items`
template <class Predicate>
struct keep_where {
  static constexpr bool reads_items = true;
  static constexpr bool looks_back = false;
  static constexpr int bits_per_item = 0;
  Predicate keep;

  template <class In, class Item>
  __device__ bool operator()(In, index_t, Item const& item) const {
    return keep(item);
  }
};

/// Keeps the items a mask marks: a `byte_mask` or a `bit_mask`.
template <class Mask>
struct keep_marked {
  static constexpr bool reads_items = false;
  static constexpr bool looks_back = false;
  static constexpr int bits_per_item = std::is_same_v<Mask, byte_mask> ? 8 : 1;
  Mask mask;

  template <class In, class Item>
  __device__ bool operator()(In, index_t i, Item const&) const {
    return device::bits<1>(mask, i, 1) != 0;
  }
};

/// Keeps an item if it does not equal the previous one; always the first.
template <class Equal>
struct keep_heads {
  static constexpr bool reads_items = true;
  static constexpr bool looks_back = true;
  static constexpr int bits_per_item = 0;
  Equal equal;

  template <class In, class Item>
  __device__ bool operator()(In in, index_t i, Item const& item) const {
    using value = typename std::iterator_traits<In>::value_type;
    return i == 0 || !equal(static_cast<value>(in[i - 1]), item);
  }
};

/// Whether a rule is a mask.
template <class Rule>
inline constexpr bool is_marked = false;
template <class Mask>
inline constexpr bool is_marked<keep_marked<Mask>> = true;

/// The rule of a caller's `keep`.
template <class Predicate>
keep_where<Predicate> rule_of(Predicate keep) {
  return {keep};
}
inline keep_marked<byte_mask> rule_of(byte_mask mask) { return {mask}; }
inline keep_marked<bit_mask> rule_of(bit_mask mask) { return {mask}; }

/// Refuses a rule that cannot decide about the items of `In`.
template <class In, class Rule>
struct refused_rule {
  static constexpr void refuse() {}
};
template <class In, class Predicate>
struct refused_rule<In, keep_where<Predicate>> {
  static constexpr void refuse() {
    libscan::detail::refuse_predicate<device::given_item<In>, Predicate>();
  }
};
template <class In, class Equal>
struct refused_rule<In, keep_heads<Equal>> {
  static constexpr void refuse() {
    libscan::detail::refuse_comparison<device::given_item<In>, Equal>();
  }
};

/// What a rule needs of a stage for a part of `Items` items, which begins at item `first` of the
/// input:
///   copies           how many copies fetch() starts: one or none
///   fetch copy_edges as of `staged_tile`
///   bits(...)        the caller's word for the rows (see `kept_rows`) from item `begin` of the
///                    part on, with `left` items; `staged`: the part's items
template <class Rule, int Items>
struct staged_rule;

/// A predicate needs the items only.
template <class Predicate, int Items>
struct staged_rule<keep_where<Predicate>, Items> {
  using rule = keep_where<Predicate>;
  static constexpr int copies = 0;

  __device__ void fetch(rule const&, index_t, int, simt::mbarrier&) {}
  __device__ void copy_edges(rule const&, index_t, int) {}

  template <class Rows, class Item>
  __device__ unsigned bits(rule const& by, index_t, Item const* staged, int begin, int left) const {
    return Rows::evaluate(staged + begin, left, by.keep);
  }
};

namespace detail {

/// The rows of a mask in shared memory.
template <class Rows, class Mask>
__device__ __forceinline__ unsigned mask_rows(Mask staged, int begin, int left) {
  constexpr int width = Rows::width;
  if (left >= Rows::items && device::whole_rows<width>(staged)) {
    return Rows::word(
        [&](int r) { return device::whole_bits<width>(staged, begin + Rows::position(r)); });
  }
  return Rows::word([&](int r) {
    int const rest = left - Rows::position(r);
    return device::bits<width>(staged, begin + Rows::position(r), rest < width ? rest : width);
  });
}

}  // namespace detail

/// Flags, a byte each.
template <int Items>
struct staged_rule<keep_marked<byte_mask>, Items> {
  using rule = keep_marked<byte_mask>;
  static constexpr int copies = 1;

  __device__ void fetch(rule by, index_t first, int valid, simt::mbarrier& full) {
    flags.fetch(by.mask.bytes + first, valid, full);
  }
  __device__ void copy_edges(rule by, index_t first, int valid) {
    flags.copy_edges(by.mask.bytes + first, valid, 0, Items);
  }
  template <class Rows, class Item>
  __device__ unsigned bits(rule by, index_t first, Item const*, int begin, int left) {
    byte_mask const staged{flags.items(by.mask.bytes + first)};
    return detail::mask_rows<Rows>(staged, begin, left);
  }

  staged_tile<std::uint8_t, Items> flags;
};

/// Bits, 32 in a word.
template <int Items>
struct staged_rule<keep_marked<bit_mask>, Items> {
  using rule = keep_marked<bit_mask>;
  static constexpr int copies = 1;
  static_assert(Items % 32 == 0);

  __device__ void fetch(rule by, index_t first, int valid, simt::mbarrier& full) {
    words.fetch(by.mask.words + first / 32, ceil_div(valid, 32), full);
  }
  __device__ void copy_edges(rule by, index_t first, int valid) {
    words.copy_edges(by.mask.words + first / 32, ceil_div(valid, 32), 0, Items / 32);
  }
  template <class Rows, class Item>
  __device__ unsigned bits(rule by, index_t first, Item const*, int begin, int left) {
    bit_mask const staged{words.items(by.mask.words + first / 32)};
    return detail::mask_rows<Rows>(staged, begin, left);
  }

  staged_tile<std::uint32_t, Items / 32> words;
};

/// The item before each row is also in the stage.
template <class Equal, int Items>
struct staged_rule<keep_heads<Equal>, Items> {
  using rule = keep_heads<Equal>;
  static constexpr int copies = 0;

  __device__ void fetch(rule const&, index_t, int, simt::mbarrier&) {}
  __device__ void copy_edges(rule const&, index_t, int) {}

  template <class Rows, class Item>
  __device__ unsigned bits(rule const& by, index_t first, Item const* staged, int begin,
                           int left) const {
    Item item[Rows::rows][Rows::width];
    Rows::load(staged + begin, left, item);
    return Rows::word([&](int r) {
      int const rest = left - Rows::position(r);
      int const i = begin + Rows::position(r);
      unsigned changes = 0;
      if (rest > 0 && ((first == 0 && i == 0) || !by.equal(staged[i - 1], item[r][0]))) changes = 1;
#pragma unroll
      for (int j = 1; j < Rows::width; ++j) {
        if (j < rest && !by.equal(item[r][j - 1], item[r][j])) changes |= 1u << j;
      }
      return changes;
    });
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
