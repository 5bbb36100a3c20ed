// SPDX-License-Identifier: Apache-2.0
// The filter on CPU threads, for any predicate. Each chunk of the input is packed into a private
// buffer without a branch; the chain of chunks is the scan of the chunks' counts, and tells each
// where its items go. Every item crosses memory once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>

namespace libscan::inline v1::cpu {

/// Items of a chunk of the filter where none are given: with its packed items, well within a
/// core's L2 cache for every type.
inline constexpr index_t filter_chunk_items = 16 * 1024;

namespace detail {

/// Items whose flags are known before any of them is packed: enough for vector instructions.
inline constexpr index_t flag_block = 512;

/// Packs item_at(i) for each i in [begin, end) with keep(in[i]) at the front of `to`, which has
/// room for all. Returns how many they are.
///
/// First come the flags of a block, in a loop that compilers turn into vector instructions; then
/// every item of the block is written, and the next one overwrites it unless it is kept. Neither
/// loop branches on the data.
template <class In, class Keep, class ItemAt, class Item>
index_t pack(In in, index_t begin, index_t end, Keep const& keep, ItemAt item_at, Item* to) {
  std::uint8_t flags[flag_block];
  index_t kept = 0;
  for (index_t i = begin; i < end; i += flag_block) {
    index_t const items = std::min(flag_block, end - i);
    for (index_t k = 0; k < items; ++k) flags[k] = keep(in[i + k]) ? 1 : 0;
    for (index_t k = 0; k < items; ++k) {
      to[kept] = item_at(i + k);
      kept += flags[k];
    }
  }
  return kept;
}

/// How many of in[0..items-1] `keep` accepts.
template <class T, class Keep>
index_t count(T const* in, index_t items, Keep const& keep) {
  // Lanes of a vector as wide as the items' own: short blocks keep bytes from overflowing.
  using lane = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  constexpr index_t block = 128;
  index_t total = 0;
  for (index_t i = 0; i < items; i += block) {
    lane in_block = 0;
    for (index_t k = i; k < std::min(i + block, items); ++k) {
      in_block = static_cast<lane>(in_block + (keep(in[k]) ? 1 : 0));
    }
    total += static_cast<index_t>(in_block);
  }
  return total;
}

/// What one thread keeps of the chunk in hand.
template <class Item>
struct packed_chunk {
  std::unique_ptr<Item[]> items;
  index_t count = 0;

  explicit packed_chunk(index_t room)
      : items(std::make_unique_for_overwrite<Item[]>(static_cast<std::size_t>(room))) {}
};

}  // namespace detail

/// out[k] = the k-th of in[0..n-1] that `keep` accepts; returns how many it accepts. Writes at most
/// `capacity` items, in order, whatever it returns. `out` may be `in` itself: a chunk is written
/// after all chunks up to it have been read, and never beyond its own end.
///
/// `keep` is called once for each item, concurrently. Throws `invalid_argument` if threads < 1,
/// n < 0 or chunk_items < 1, std::bad_alloc, and what `keep` throws.
template <class T, class Keep>
index_t filter(int threads, T const* in, index_t n, T* out, index_t capacity, Keep keep,
               index_t chunk_items = filter_chunk_items) {
  using packed_chunk = detail::packed_chunk<T>;
  return run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] { return packed_chunk(std::min(n, chunk_items)); },
      [&](packed_chunk& packed, chunk const& c) {
        auto const item_at = [in](index_t i) { return in[i]; };
        packed.count = detail::pack(in, c.begin, c.end, keep, item_at, packed.items.get());
        return packed.count;
      },
      [&](packed_chunk const& packed, chunk const&, index_t place) {
        index_t const fitting = std::clamp<index_t>(capacity - place, 0, packed.count);
        if (fitting > 0) std::copy_n(packed.items.get(), fitting, out + place);
      });
}

/// out[k] = the position of the k-th of in[0..n-1] that `keep` accepts. `out` must not overlap
/// `in`. All else as `filter`; chunk_items of more than 2^32 are refused, too.
template <class T, class Keep>
index_t filter_indices(int threads, T const* in, index_t n, index_t* out, index_t capacity,
                       Keep keep, index_t chunk_items = filter_chunk_items) {
  if (chunk_items > index_t{1} << 32) {
    throw invalid_argument("filter_indices: chunk_items of at most 2^32 expected, got " +
                           std::to_string(chunk_items));
  }
  // Offsets within a chunk: half the cache of positions.
  using packed_chunk = detail::packed_chunk<std::uint32_t>;
  return run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] { return packed_chunk(std::min(n, chunk_items)); },
      [&](packed_chunk& packed, chunk const& c) {
        auto const offset_at = [](index_t i) { return static_cast<std::uint32_t>(i); };
        packed.count = detail::pack(in + c.begin, 0, c.size(), keep, offset_at, packed.items.get());
        return packed.count;
      },
      [&](packed_chunk const& packed, chunk const& c, index_t place) {
        index_t const fitting = std::clamp<index_t>(capacity - place, 0, packed.count);
        for (index_t k = 0; k < fitting; ++k) out[place + k] = c.begin + packed.items[k];
      });
}

/// How many of in[0..n-1] `keep` accepts. `keep` and errors as for `filter`.
template <class T, class Keep>
index_t count_if(int threads, T const* in, index_t n, Keep keep,
                 index_t chunk_items = filter_chunk_items) {
  struct nothing {};
  return run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0, [] { return nothing{}; },
      [&](nothing, chunk const& c) { return detail::count(in + c.begin, c.size(), keep); },
      [](nothing, chunk const&, index_t) {});
}

}  // namespace libscan::inline v1::cpu
