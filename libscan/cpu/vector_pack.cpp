// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_pack.hpp, through Highway: a vector of items is compressed and written
// whole, and the next one begins after its last wanted item.
#include <libscan/cpu/vector_pack.hpp>

#include <array>
#include <cstring>

#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_pack.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <libscan/cpu/vector_dispatch.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The type in which items are compressed: few instruction sets compress anything narrower than
/// words.
template <class Bits>
using lane = std::conditional_t<(sizeof(Bits) < 4), std::uint32_t, Bits>;
template <class Bits>
using lanes = hn::ScalableTag<lane<Bits>>;

/// Small numbers as lanes of a vector.
template <class D, class Bits>
HWY_INLINE hn::Vec<D> widened(D d, Bits const* items) {
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(Bits)) {
    return hn::LoadU(d, items);
  } else if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::PromoteTo(d, widened(hn::Rebind<std::uint32_t, D>(), items));
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Bits, D>(), items));
  }
}

template <class Bits>
HWY_INLINE void store(hn::Vec<lanes<Bits>> v, Bits* items) {
  if constexpr (sizeof(Bits) >= 4) {
    hn::StoreU(v, lanes<Bits>(), items);
  } else {
    hn::Rebind<Bits, lanes<Bits>> const narrow;
    hn::StoreU(hn::TruncateTo(narrow, v), narrow, items);
  }
}

/// For each byte, the numbers of its ones: the first in the lowest four bits, and so on.
constexpr std::array<std::uint32_t, 256> lists_of_bits() {
  std::array<std::uint32_t, 256> lists{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    int found = 0;
    for (std::uint32_t bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) lists[byte] |= bit << 4 * found++;
    }
  }
  return lists;
}

[[maybe_unused]] constexpr std::array<std::uint32_t, 256> marked_lanes = lists_of_bits();

/// The lanes of `v` that `keep` marks, packed at its front.
template <class D>
HWY_INLINE hn::Vec<D> compressed([[maybe_unused]] D d, hn::Vec<D> v, hn::Mask<D> keep) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  // By a table in memory: g++ 12 copies that of Highway 1.0.3 to the stack for each vector, which
  // took 20 times as long.
  if constexpr (hn::MaxLanes(D()) == 8) {
    std::uint8_t bits;
    hn::StoreMaskBits(d, keep, &bits);
    auto const list = hn::Set(d, marked_lanes[bits]);
    auto const lane = hn::And(hn::Shr(list, hn::ShiftLeft<2>(hn::Iota(d, 0))), hn::Set(d, 7));
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, lane));
  } else if constexpr (hn::MaxLanes(D()) == 4) {
    hn::Repartition<std::uint32_t, D> const halves;
    auto const both = hn::MaskFromVec(hn::BitCast(halves, hn::VecFromMask(d, keep)));
    return hn::BitCast(d, compressed(halves, hn::BitCast(halves, v), both));
  }
#endif
  return hn::Compress(v, keep);
}

/// Packs vector_at(i) for the i of [0, n) with wanted flags, and item_at(i) for those that fill no
/// vector.
template <class Bits, class VectorAt, class ItemAt>
HWY_INLINE index_t pack(std::uint8_t const* flags, std::uint8_t wanted, index_t n, Bits* to,
                        VectorAt vector_at, ItemAt item_at) {
  lanes<Bits> const d;
  auto const sought = hn::Set(d, wanted);
  auto const width = static_cast<index_t>(hn::Lanes(d));
  index_t packed = 0;
  index_t i = 0;
  for (; i + width <= n; i += width) {
    auto const keep = hn::Eq(widened(d, flags + i), sought);
    store(compressed(d, vector_at(i), keep), to + packed);
    packed += static_cast<index_t>(hn::CountTrue(d, keep));
  }
  for (; i < n; ++i) {
    to[packed] = item_at(i);
    packed += flags[i] == wanted ? 1 : 0;
  }
  return packed;
}

template <class Bits>
index_t pack_items(void const* items, std::uint8_t const* flags, std::uint8_t wanted, index_t n,
                   void* to) {
  auto const from = static_cast<Bits const*>(items);
  return pack(
      flags, wanted, n, static_cast<Bits*>(to),
      [from](index_t i) HWY_ATTR { return widened(lanes<Bits>(), from + i); },
      [from](index_t i) {
        Bits item;  // items may have smaller alignment
        std::memcpy(&item, from + i, sizeof(item));
        return item;
      });
}

index_t pack_positions(std::uint32_t first, std::uint8_t const* flags, index_t n,
                       std::uint32_t* to) {
  auto const position = [first](index_t i) { return first + static_cast<std::uint32_t>(i); };
  // A vector that counts from a run-time value would be written lane by lane.
  lanes<std::uint32_t> const d;
  return pack(
      flags, 1, n, to,
      [d, position](index_t i)
          HWY_ATTR { return hn::Add(hn::Iota(d, 0), hn::Set(d, position(i))); },
      position);
}

void choose_all(vector_packs& all) {
  all = {pack_items<std::uint8_t>, pack_items<std::uint16_t>, pack_items<std::uint32_t>,
         pack_items<std::uint64_t>, pack_positions};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

LIBSCAN_VECTOR_TABLE(vector_packs, choose_all)

}  // namespace libscan::inline v1::cpu::detail
#endif
