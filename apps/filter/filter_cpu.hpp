// SPDX-License-Identifier: Apache-2.0
// The filter on CPU threads, by any rule. Each chunk of the input is packed into a private
// buffer without a branch; the chain of chunks is the scan of the chunks' counts, and tells each
// where its items go. Every item crosses memory once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <apps/filter/cpu_rules.hpp>
#include <libscan/core/error.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/read_ahead.hpp>
#include <libscan/cpu/small_room.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_pack.hpp>

namespace libscan::inline v1::cpu {

/// Items of a chunk of the filter where none are given: with its packed items, well within a
/// core's L2 cache for every type.
inline constexpr index_t filter_chunk_items = 16 * 1024;

namespace detail {

/// What `rule` reads for the chunk after `c`, if that is known. Not known if asking throws: that
/// chunk's own marks meet it, and `c` is not to blame.
template <class Rule>
std::span<std::byte const> memory_after(Rule const& rule, chunk const& c) try {
  if (c.next_begin == c.next_end) return {};
  return rule.memory(c.next_begin, c.next_end);
} catch (...) {
  return {};
}

/// Calls take(i, items, flags) for blocks of items i, i + 1, ... that make up chunk `c`, `flags`
/// saying which of them `rule` keeps; and take(i, items, nullptr) where it keeps none. First a loop
/// over the rule, in vector instructions, then one that packs; neither branches on the data.
template <class Rule, class Take>
void mark_blocks(Rule const& rule, chunk const& c, Take take) {
  std::uint8_t flags[mark_items];
  auto const next = memory_after(rule, c);
  index_t const share = static_cast<index_t>(next.size()) / ceil_div(c.size(), mark_items) + 1;
  read_ahead ahead(next);
  for (index_t i = c.begin; i < c.end; i += mark_items) {
    index_t const items = std::min(mark_items, c.end - i);
    ahead.ask(share);
    take(i, items, rule.mark(i, items, flags) ? flags : nullptr);
  }
}

/// Packs the items of chunk `c` that `rule` keeps at the front of `to`, which has room for all.
/// Returns how many they are.
template <class Rule, class T>
index_t pack_kept(Rule const& rule, chunk const& c, T const* in, T* to) {
  index_t kept = 0;
  mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    if (flags) kept += pack_items(in + i, flags, 1, items, to + kept);
  });
  return kept;
}

/// The same for the items' offsets from the chunk's begin, at most 2^32.
template <class Rule>
index_t pack_offsets(Rule const& rule, chunk const& c, std::uint32_t* to) {
  auto const positions = best_vector_packs().positions;
  index_t kept = 0;
  mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    auto const first = static_cast<std::uint32_t>(i - c.begin);
    if (flags) kept += positions(first, flags, items, to + kept);
  });
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
  small_room<Item> items;
  index_t count = 0;

  explicit packed_chunk(index_t room) : items(room) {}
};

/// Packs chunk `c`: what `rule` keeps here, what it does not there.
template <class Rule, class T>
void pack_both(Rule const& rule, chunk const& c, T const* in, packed_chunk<T>& kept,
               packed_chunk<T>& rejected) {
  kept.count = rejected.count = 0;
  mark_blocks(rule, c, [&](index_t i, index_t items, std::uint8_t const* flags) {
    T* const to = rejected.items.data() + rejected.count;
    if (!flags) {
      std::copy_n(in + i, items, to);
      rejected.count += items;
      return;
    }
    kept.count += pack_items(in + i, flags, 1, items, kept.items.data() + kept.count);
    rejected.count += pack_items(in + i, flags, 0, items, to);
  });
}

}  // namespace detail

/// out[k] = the k-th of in[0..n-1] that `rule` (see cpu_rules.hpp) keeps; returns how many it
/// keeps. Writes at most `capacity` items, in order, whatever it returns. `out` may be `in` itself,
/// unless the rule reads items beyond the one it decides about: a chunk is written after all chunks
/// up to it have been read, and never beyond its own end.
///
/// Each item is decided about once, concurrently. Allocates one chunk a thread if it is of more
/// than 8 KiB. Throws `invalid_argument` if threads < 1, n < 0 or chunk_items < 1, std::bad_alloc,
/// and what a predicate throws.
template <class T, class Rule>
index_t filter_by(int threads, T const* in, index_t n, T* out, index_t capacity, Rule rule,
                  index_t chunk_items = filter_chunk_items) {
  using packed_chunk = detail::packed_chunk<T>;
  store_road const road = road_of(n * static_cast<index_t>(sizeof(T)), in == out);
  return run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] { return packed_chunk(std::min(n, chunk_items)); },
      [&](packed_chunk& packed, chunk const& c) {
        packed.count = detail::pack_kept(rule, c, in, packed.items.data());
        return packed.count;
      },
      [&](packed_chunk const& packed, chunk const&, index_t place) {
        index_t const fitting = std::clamp<index_t>(capacity - place, 0, packed.count);
        if (fitting > 0) copy_by(road, packed.items.data(), fitting, out + place);
      });
}

/// `filter_by` of a predicate, which is called once for each item.
template <class T, class Keep>
index_t filter(int threads, T const* in, index_t n, T* out, index_t capacity, Keep keep,
               index_t chunk_items = filter_chunk_items) {
  return filter_by(threads, in, n, out, capacity, keep_where<T const*, Keep>{in, keep},
                   chunk_items);
}

/// out[k] = the position of the k-th of n items that `rule` keeps. `out` must not overlap what the
/// rule reads. All else as `filter_by`, with 4 bytes an item of a chunk; chunk_items of more than
/// 2^32 are refused, too.
template <class Rule>
index_t indices_by(int threads, index_t n, index_t* out, index_t capacity, Rule rule,
                   index_t chunk_items = filter_chunk_items) {
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
        packed.count = detail::pack_offsets(rule, c, packed.items.data());
        return packed.count;
      },
      [&](packed_chunk const& packed, chunk const& c, index_t place) {
        index_t const fitting = std::clamp<index_t>(capacity - place, 0, packed.count);
        for (index_t k = 0; k < fitting; ++k) out[place + k] = c.begin + packed.items[k];
      });
}

/// `indices_by` of a predicate, which is called once for each item.
template <class T, class Keep>
index_t filter_indices(int threads, T const* in, index_t n, index_t* out, index_t capacity,
                       Keep keep, index_t chunk_items = filter_chunk_items) {
  return indices_by(threads, n, out, capacity, keep_where<T const*, Keep>{in, keep}, chunk_items);
}

/// Where `split_by` writes, and how much fits there.
template <class T>
struct split_outputs {
  T* kept;
  index_t kept_capacity;
  T* rejected;
  index_t rejected_capacity;
};

/// kept[k] = the k-th of in[0..n-1] that `rule` keeps, rejected[k] = the k-th of the others;
/// returns how many are kept. The outputs must not overlap each other or what is read. A thread has
/// two chunks. All else as `filter_by`.
template <class T, class Rule>
index_t split_by(int threads, T const* in, index_t n, split_outputs<T> const& out, Rule rule,
                 index_t chunk_items = filter_chunk_items) {
  using packed_chunk = detail::packed_chunk<T>;
  struct split_chunk {
    packed_chunk kept, rejected;
  };
  store_road const road = road_of(n * static_cast<index_t>(sizeof(T)));
  auto const copy = [road](T const* items, index_t count, T* to, index_t capacity, index_t place) {
    index_t const fitting = std::clamp<index_t>(capacity - place, 0, count);
    if (fitting > 0) copy_by(road, items, fitting, to + place);
  };
  return run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0,
      [&] {
        index_t const room = std::min(n, chunk_items);
        return split_chunk{packed_chunk(room), packed_chunk(room)};
      },
      [&](split_chunk& packed, chunk const& c) {
        detail::pack_both(rule, c, in, packed.kept, packed.rejected);
        return packed.kept.count;
      },
      [&](split_chunk const& packed, chunk const& c, index_t place) {
        copy(packed.kept.items.data(), packed.kept.count, out.kept, out.kept_capacity, place);
        copy(packed.rejected.items.data(), packed.rejected.count, out.rejected,
             out.rejected_capacity, c.begin - place);
      });
}

/// How many of n items `rule` keeps. Reads what the rule reads, allocates nothing. Errors as for
/// `filter_by`.
template <class Rule>
index_t count_by(int threads, index_t n, Rule rule, index_t chunk_items = filter_chunk_items) {
  struct nothing {};
  return run_chunks(
      threads, n, chunk_items, plus<index_t>{}, 0, [] { return nothing{}; },
      [&](nothing, chunk const& c) {
        index_t count = 0;
        detail::mark_blocks(rule, c, [&](index_t, index_t items, std::uint8_t const* flags) {
          auto const set = [](std::uint8_t flag) { return flag != 0; };
          if (flags) count += detail::count(flags, items, set);
        });
        return count;
      },
      [](nothing, chunk const&, index_t) {});
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
