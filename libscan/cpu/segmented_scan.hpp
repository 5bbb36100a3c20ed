// SPDX-License-Identifier: Apache-2.0
// Segmented scans on CPU threads: the scan of libscan/cpu/scan.hpp with the operator
// `segmented<Op>`, over pairs of an item and its head flag that exist only while they are looked
// at; by vector code (vector_scan.hpp) where there is any. Costs the same whatever the segments'
// lengths.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>

#include <libscan/core/operators.hpp>
#include <libscan/core/segmented.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/segment_heads.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// The items of a chunk as `segmented<Op>` takes them, `init` before each head.
template <class Op>
struct flagged_items {
  using T = typename Op::value_type;
  T const* items;
  std::uint8_t const* heads;
  Op op;
  T init;

  flagged<T> operator[](index_t i) const {
    bool const head = heads[i] != 0;
    return {head ? op(init, items[i]) : items[i], head};
  }
};

/// Takes the results of `segmented<Op>` for a chunk. What precedes a head is `init`, not the
/// segment before.
template <scan_kind Kind, class T>
struct unflagged_output {
  T* out;
  std::uint8_t const* heads;
  T init;

  struct place {
    T& to;
    bool head;
    T init;
    void operator=(flagged<T> const& prefix) const {
      to = Kind == scan_kind::exclusive && head ? init : prefix.value;
    }
  };
  place operator[](index_t i) const { return {out[i], heads[i] != 0, init}; }

  friend T* operator+(unflagged_output const& output, index_t i) { return output.out + i; }
};

/// Brings the items of an iterator as T.
template <class T, class In>
struct iterated_items {
  In in;

  void operator()(index_t begin, index_t end, T* to) const {
    for (index_t i = begin; i < end; ++i) to[i - begin] = static_cast<T>(in[i]);
  }
  T const* direct(index_t begin) const {
    if constexpr (std::contiguous_iterator<In> && std::same_as<std::iter_value_t<In>, T>) {
      return std::to_address(in + begin);
    } else {
      return nullptr;
    }
  }
};

/// A stage with the heads of its items.
template <class T>
struct segmented_stage : stage<T, flagged<T>> {
  std::unique_ptr<std::uint8_t[]> heads;

  segmented_stage(index_t room, flagged<T> any)
      : stage<T, flagged<T>>(room, any),
        heads(std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(room))) {}
};

/// What chunk `here` of `items` items hands on: what follows its last head, `init` before it, or
/// all of it if no segment begins in it.
template <class T, class Op>
flagged<T> sum_segments(segmented_stage<T>& here, index_t items, Op op, T init) {
  if constexpr (vectorised<Op>) {
    std::uint8_t const* const heads = here.heads.get();
    index_t last = items - 1;
    while (last >= 0 && heads[last] == 0) --last;
    bool const begins = last >= 0;
    index_t const from = begins ? last : 0;
    T const sum = vector_scan_of<Op>().sum(here.items + from, items - from);
    return {begins ? op(init, sum) : sum, begins};
  } else {
    flagged_items<Op> const flagged_here{here.items, here.heads.get(), op, init};
    return sum_streams<flagged<T>>(flagged_here, items, segmented<Op>{op}, here.sums);
  }
}

/// Scans chunk `here` into to[0..items-1].
template <scan_kind Kind, class T, class Op>
void scan_segments(segmented_stage<T> const& here, T* to, index_t items, Op op, flagged<T> carry,
                   T init, store_road road) {
  if constexpr (vectorised<Op>) {
    vector_segmented_scan_of<Op>().scan(Kind, here.items, here.heads.get(), to, items, carry.value,
                                        init, road);
  } else {
    flagged_items<Op> const flagged_here{here.items, here.heads.get(), op, init};
    unflagged_output<Kind, T> const output{to, here.heads.get(), init};
    scan_streams<Kind>(flagged_here, output, items, segmented<Op>{op}, carry, here.sums);
  }
}

}  // namespace detail

/// Scans each segment of items 0..n-1 of `source` on its own into out[0..n-1], `init` before the
/// first item of each: inclusive out[i] = init op first item of i's segment op ... op item i,
/// exclusive the same without item i. In reverse each segment is scanned from its end.
///
/// `heads` says where segments begin (see `segment_heads`); `op` never sees items of two segments.
/// All else as `staged_scan`; a thread needs a byte more for each item of a chunk.
template <scan_kind Kind, class Source, segment_heads Heads, monoid Op>
requires item_source<Source, typename Op::value_type>
void staged_segmented_scan(int threads, scan_direction direction, Source const& source,
                           Heads const& heads, typename Op::value_type* out, index_t n, Op op,
                           typename Op::value_type init, index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  using stage = detail::segmented_stage<T>;
  segmented<Op> const within{op};
  store_road const road = road_of(n * static_cast<index_t>(sizeof(T)));
  run_chunks(
      threads, n, chunk_items, within, flagged<T>{init, false},
      [&] { return stage(std::min(n, chunk_items), within.identity()); },
      [&](stage& here, chunk const& c) {
        here.items = detail::fetch(source, direction, n, c, here.room.get());
        mark_positions(heads, direction, n, c.begin, c.end, here.heads.get());
        return detail::sum_segments(here, c.size(), op, init);
      },
      [&](stage& here, chunk const& c, flagged<T> carry) {
        detail::deliver(out, direction, n, c, here.room.get(), [&](T* to) {
          detail::scan_segments<Kind>(here, to, c.size(), op, carry, init, road);
        });
      });
}

/// The same for the items in[0..n-1] of a random-access iterator or pointer, each converted to
/// Op::value_type. `out` may be `in`, or apart from it.
template <scan_kind Kind, std::random_access_iterator In, segment_heads Heads, monoid Op>
void segmented_scan(int threads, scan_direction direction, In in, Heads const& heads,
                    typename Op::value_type* out, index_t n, Op op, typename Op::value_type init,
                    index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  staged_segmented_scan<Kind>(threads, direction, detail::iterated_items<T, In>{in}, heads, out, n,
                              op, init, chunk_items);
}

}  // namespace libscan::inline v1::cpu
