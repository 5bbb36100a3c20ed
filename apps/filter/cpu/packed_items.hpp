// SPDX-License-Identifier: Apache-2.0
// One chunk of a filter on a CPU, on one core: its items are marked and packed into a buffer of the
// thread, a block at a time, and copied to their places when those are known.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>

#include <apps/filter/cpu/overlap.hpp>
#include <apps/filter/cpu/rules.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/read_ahead.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_pack.hpp>

namespace libscan::inline v1::cpu::detail {

/// Calls take(i, items, flags) for blocks of items i, i + 1, ... that make up chunk `c`, where
/// `flags` say which of them `rule` keeps; and take(i, items, nullptr) where it keeps none. First a
/// loop over the rule, in vector instructions, then one that packs; neither branches on the data.
template <class Rule, class Take>
void mark_blocks(Rule const& rule, chunk const& c, Take take) {
  std::uint8_t flags[mark_items];
  auto const next = detail::memory_read(rule, c.next_begin, c.next_end);
  index_t const share = static_cast<index_t>(next.size()) / ceil_div(c.size(), mark_items) + 1;
  read_ahead ahead(next);
  for (index_t i = c.begin; i < c.end; i += mark_items) {
    index_t const items = std::min(mark_items, c.end - i);
    ahead.ask(share);
    take(i, items, rule.mark(i, items, flags) ? flags : nullptr);
  }
}

/// `pack_items` of items i, i + 1, ... of an iterator; items that may not be contiguous are copied
/// first.
template <class In, class T>
index_t pack_from(In in, index_t i, std::uint8_t const* flags, std::uint8_t wanted, index_t items,
                  T* to) {
  if constexpr (std::contiguous_iterator<In>) {
    return detail::pack_items<T>(std::to_address(in) + i, flags, wanted, items, to);
  } else if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
    small_buffer<T> const copies(items);
    for (index_t k = 0; k < items; ++k) std::construct_at(copies.data() + k, in[i + k]);
    return detail::pack_items<T>(copies.data(), flags, wanted, items, to);
  } else {
    index_t packed = 0;
    for (index_t k = 0; k < items; ++k) {
      if (flags[k] == wanted) to[packed++] = in[i + k];
    }
    return packed;
  }
}

/// Packs the items of chunk `c` that `rule` keeps at the front of `to`, which has space for all.
/// Returns their number.
template <class Rule, class In, class T>
index_t pack_kept(Rule const& rule, chunk const& c, In in, T* to) {
  index_t kept = 0;
  detail::mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    if (flags) kept += detail::pack_from(in, i, flags, 1, items, to + kept);
  });
  return kept;
}

/// The same for the items' offsets from the chunk's begin, at most 2^32.
template <class Rule>
index_t pack_offsets(Rule const& rule, chunk const& c, std::uint32_t* to) {
  auto const positions = best_vector_packs().positions;
  index_t kept = 0;
  detail::mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    auto const first = static_cast<std::uint32_t>(i - c.begin);
    if (flags) kept += positions(first, flags, items, to + kept);
  });
  return kept;
}

/// What one thread keeps of its current chunk.
template <class Item>
struct packed_chunk {
  small_buffer<Item> items;
  index_t count = 0;

  explicit packed_chunk(index_t room) : items(room) {}
};

/// Packs chunk `c`: what `rule` keeps into one buffer, the rest into the other.
template <class Rule, class In, class T>
void pack_both(Rule const& rule, chunk const& c, In in, packed_chunk<T>& kept,
               packed_chunk<T>& rejected) {
  kept.count = rejected.count = 0;
  detail::mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    T* const to = rejected.items.data() + rejected.count;
    if (!flags) {
      std::copy_n(in + i, items, to);
      rejected.count += items;
      return;
    }
    kept.count += detail::pack_from(in, i, flags, 1, items, kept.items.data() + kept.count);
    rejected.count += detail::pack_from(in, i, flags, 0, items, to);
  });
}

/// Copies the first `count` of some packed items to an output, from `place` on, as many as fit.
template <class T, class Out>
void copy_fitting(store_policy policy, T const* items, index_t count, Out out, index_t capacity,
                  index_t place) {
  index_t const fitting = std::clamp<index_t>(capacity - place, 0, count);
  if (fitting == 0) return;
  if constexpr (std::contiguous_iterator<Out> && std::same_as<std::iter_value_t<Out>, T>) {
    cpu::copy_by(policy, items, fitting, std::to_address(out) + place);
  } else {
    using item = std::iter_value_t<Out>;
    for (index_t k = 0; k < fitting; ++k) out[place + k] = static_cast<item>(items[k]);
  }
}

/// The same for positions, as distances from `begin`.
template <class Out>
void put_fitting(std::uint32_t const* offsets, index_t begin, index_t count, Out out,
                 index_t capacity, index_t place) {
  using position = std::iter_value_t<Out>;
  index_t const fitting = std::clamp<index_t>(capacity - place, 0, count);
  for (index_t k = 0; k < fitting; ++k) {
    out[place + k] = static_cast<position>(begin + offsets[k]);
  }
}

}  // namespace libscan::inline v1::cpu::detail
