// SPDX-License-Identifier: Apache-2.0
// The vector code of ranks in vector_heads.hpp: a table gives the ranks of eight bits within their
// byte, a multiplication adds the counts of earlier bytes of a word, and widening adds the rest.
#include <libscan/cpu/vector_heads.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_ranks.cpp"
#include <hwy/foreach_target.h>

#include <libscan/cpu/vector_dispatch.hpp>
#include <libscan/cpu/vector_group-inl.hpp>
#include <libscan/cpu/vector_store-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

inline constexpr std::uint64_t each_byte = 0x0101010101010101u;

/// Byte j of entry b: the number of ones among bits 0 ... j of b.
inline constexpr auto byte_ranks = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    for (int j = 0; j < 8; ++j) {
      // Adds 1 to bytes j, j + 1, ... 7.
      if ((b >> j & 1) != 0) table[b] += each_byte << 8 * j;
    }
  }
  return table;
}();

/// Sets ranks[i] to the number of ones among a word's bits up to its i-th, or before it; returns
/// the number of all.
HWY_INLINE std::uint64_t rank_word(scan_kind kind, head_word word, std::uint8_t* ranks) {
  std::uint64_t before = 0;
  for (int byte = 0; byte < 8; ++byte, word >>= 8) {
    std::uint64_t const up_to = byte_ranks[word & 0xff];
    std::uint64_t const within = kind == scan_kind::inclusive ? up_to : up_to << 8;
    std::uint64_t const eight = within + before * each_byte;
    std::memcpy(ranks + 8 * byte, &eight, sizeof(eight));
    before += up_to >> 56;
  }
  return before;
}

/// A vector of bytes, widened.
template <class Rank>
HWY_INLINE vector<Rank> widened(std::uint8_t const* bytes) {
  lanes<Rank> const d;
  if constexpr (sizeof(Rank) == 8) {
    hn::Rebind<std::uint32_t, lanes<Rank>> const half;
    auto const narrow = hn::LoadU(hn::Rebind<std::uint8_t, lanes<Rank>>(), bytes);
    return hn::PromoteTo(d, hn::PromoteTo(half, narrow));
  } else {
#if HWY_TARGET == HWY_AVX3
    // Eight bytes at a time, as they were stored: a load of sixteen would wait until both stores,
    // and all before them, have left the core.
    hn::Half<lanes<Rank>> const half;
    hn::Rebind<std::uint8_t, hn::Half<lanes<Rank>>> const eight;
    return hn::Combine(d, hn::PromoteTo(half, hn::LoadU(eight, bytes + 8)),
                       hn::PromoteTo(half, hn::LoadU(eight, bytes)));
#else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, lanes<Rank>>(), bytes));
#endif
  }
}

/// The number of words whose byte ranks are stored before they are widened: stores must not be
/// followed at once by loads of another width.
inline constexpr index_t staged_words = 16;

/// Ranks whole groups of bits from a word's first on; advances `before`.
template <class Rank>
HWY_NOINLINE void rank_groups(scan_kind kind, head_word const* bits, index_t n, Rank& before,
                              Rank* ranks, store_policy policy) {
  alignas(64) std::uint8_t within[staged_words * word_heads];
  Rank first[staged_words];
  for (index_t i = 0; i < n; i += staged_words * word_heads, bits += staged_words) {
    index_t const items = std::min(n - i, staged_words * word_heads);
    for (index_t w = 0; w < ceil_div(items, word_heads); ++w) {
      index_t const beyond = std::max<index_t>(0, (w + 1) * word_heads - items);
      head_word const word = bits[w] & ~head_word{0} >> beyond;
      first[w] = before;
      before += static_cast<Rank>(rank_word(kind, word, within + w * word_heads));
    }
    for (index_t k = 0; k < items; k += group_items<Rank>) {
      vector<Rank> const earlier = hn::Set(lanes<Rank>(), first[k / word_heads]);
      group<Rank> x;
      for (int v = 0; v < vectors<Rank>; ++v) {
        x[v] = hn::Add(widened<Rank>(within + k + v * width<Rank>), earlier);
      }
      store_group(x, ranks + i + k, policy);
    }
  }
}

template <class Rank>
void rank(scan_kind kind, head_word const* bits, index_t n, Rank before, Rank* ranks,
          store_policy policy) {
  vector<Rank> const zero = hn::Zero(lanes<Rank>());
  carried<Rank> const nothing{zero, zero};
  scan_by<Rank>(
      policy, ranks, n, nothing,
      [&](index_t i, index_t items, Rank* to, store_policy by)
          HWY_ATTR { rank_groups(kind, bits + i / word_heads, items, before, to, by); },
      [&](index_t i, index_t items) {
        std::uint8_t within[word_heads];
        rank_word(kind, bits[i / word_heads] >> i % word_heads, within);
        for (index_t k = 0; k < items; ++k) ranks[i + k] = before + within[k];
        return Rank{};
      });
}

void choose_all(vector_ranks& all) { all = {rank<std::uint32_t>, rank<std::uint64_t>}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

LIBSCAN_VECTOR_TABLE(vector_ranks, choose_all)

}  // namespace libscan::inline v1::cpu::detail
#endif
