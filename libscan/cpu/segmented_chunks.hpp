// SPDX-License-Identifier: Apache-2.0
// A segmented scan chunk by chunk: the scan of chunks (chunk_scan.hpp) with the operator
// `segmented<Op>`, over pairs of an item and its head flag that only exist while they are accessed;
// by vector code (vector_scan.hpp) if there is any.
#pragma once

#include <algorithm>
#include <bit>

#include <libscan/core/operators.hpp>
#include <libscan/core/segmented.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/memory_span.hpp>
#include <libscan/cpu/segment_heads.hpp>
#include <libscan/cpu/segmented_scan.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu::detail {

/// Space for a bit per item, on the stack if a `small_buffer` of the items is.
using head_buffer = small_buffer<head_word, small_bytes / 8>;

/// A stage with the head flags of its items.
template <class T>
struct segmented_stage : stage<T, flagged<T>> {
  head_buffer heads;

  segmented_stage(index_t items, flagged<T> any)
      : stage<T, flagged<T>>(items, any), heads(ceil_div(items, word_heads)) {}
};

/// The last head of n > 0 items; -1 if no segment begins in them.
inline index_t last_head(head_word const* heads, index_t n) {
  index_t w = ceil_div(n, word_heads) - 1;
  while (w > 0 && heads[w] == 0) --w;
  return w * word_heads + word_heads - 1 - std::countl_zero(heads[w]);
}

/// What chunk `here` of `items` items passes on: the sum after its last head, with `init` before
/// it, or of all items if no segment begins in it.
template <class T, class Op>
flagged<T> sum_segments(segmented_stage<T>& here, index_t items, Op op, T init) {
  if constexpr (vectorized<Op>) {
    index_t const last = detail::last_head(here.heads.data(), items);
    bool const begins = last >= 0;
    index_t const from = begins ? last : 0;
    T const sum = detail::vector_scan_of<T>(op).sum(here.items + from, items - from);
    return {begins ? op(init, sum) : sum, begins};
  } else {
    flagged_items<Op> const flagged_here{here.items, here.heads.data(), op, init};
    return detail::sum_streams<flagged<T>>(flagged_here, items, segmented<Op>{op}, here.sums);
  }
}

/// What will be read for a chunk: its items, if they are not copied, and the description of its
/// segments, if that is known.
struct chunk_memory {
  memory_piece items, heads;
};

/// The same for positions [from, to). Empty if finding it throws: the chunk's own fetch will throw
/// again, where the error belongs.
template <class T, class Source, class Heads>
chunk_memory memory_ahead(Source const& source, Heads const& heads, scan_direction direction,
                          index_t n, index_t from, index_t to) try {
  chunk_memory memory;
  bool const forward = direction == scan_direction::forward;
  index_t const begin = forward ? from : n - to, end = forward ? to : n - from;
  if constexpr (requires { source.direct(begin); }) {
    memory.items = {source.direct(begin), (to - from) * static_cast<index_t>(sizeof(T))};
    if (memory.items.from == nullptr) memory.items.bytes = 0;
  }
  if constexpr (requires { heads.read_for(begin, end); }) memory.heads = heads.read_for(begin, end);
  return memory;
} catch (...) {
  return {};
}

/// Scans chunk `here` into to[0..items-1], while prefetching `ahead`.
template <scan_kind Kind, class T, class Op>
void scan_segments(segmented_stage<T> const& here, T* to, index_t items, Op const& op,
                   flagged<T> carry, T const& init, store_policy policy,
                   chunk_memory const& ahead) {
  if constexpr (vectorized<Op>) {
    detail::vector_segmented_scan_of<Op>().scan(Kind, here.items, here.heads.data(), to, items,
                                                carry.value, init, policy, ahead.items,
                                                ahead.heads);
  } else {
    flagged_items<Op> const flagged_here{here.items, here.heads.data(), op, init};
    unflagged_output<Kind, T> const output{to, here.heads.data(), init};
    detail::scan_streams<Kind>(flagged_here, output, items, segmented<Op>{op}, carry, here.sums);
  }
}

/// What a segmented scan asks for, once for each chunk, of those who know where items, head flags
/// and results are. Plain functions, so that it is compiled for the operator alone.
template <class T>
struct segmented_input {
  void const* self;
  T const* (*fetch)(void const* self, chunk const& c, T* room);
  void (*mark)(void const* self, index_t begin, index_t end, head_word* to);
  chunk_memory (*next)(void const* self, chunk const& c);  ///< of the thread's next chunk
};
template <class T>
struct segmented_output {
  void const* self;
  /// Calls write(writer, place), as `detail::deliver`.
  void (*deliver)(void const* self, chunk const& c, T* aside, void (*write)(void*, T*),
                  void* writer);
};

/// Those of n items from a source, with head flags by a description.
template <class T, class Source, class Heads>
struct described_items {
  Source const& source;
  Heads const& heads;
  scan_direction direction;
  index_t n;

  segmented_input<T> input() const { return {this, fetch, mark, next}; }

 private:
  static described_items const& of(void const* self) {
    return *static_cast<described_items const*>(self);
  }
  static T const* fetch(void const* self, chunk const& c, T* room) {
    return detail::fetch(of(self).source, of(self).direction, of(self).n, c, room);
  }
  static void mark(void const* self, index_t begin, index_t end, head_word* to) {
    cpu::mark_positions(of(self).heads, of(self).direction, of(self).n, begin, end, to);
  }
  static chunk_memory next(void const* self, chunk const& c) {
    return detail::memory_ahead<T>(of(self).source, of(self).heads, of(self).direction, of(self).n,
                                   c.next_begin, c.next_end);
  }
};

template <class T, class Out>
struct delivered_results {
  Out out;
  scan_direction direction;
  index_t n;

  segmented_output<T> output() const { return {this, deliver}; }

 private:
  static void deliver(void const* self, chunk const& c, T* aside, void (*write)(void*, T*),
                      void* writer) {
    auto const& to = *static_cast<delivered_results const*>(self);
    detail::deliver(to.out, to.direction, to.n, c, aside, [=](T* place) { write(writer, place); });
  }
};

/// The scan of n items in chunks, each by `scan`: `scan_segments` of a kind.
template <class Op, class T = typename Op::value_type>
void scan_segmented_chunks(int threads, segmented_input<T> const& in,
                           segmented_output<T> const& out, index_t n, Op op, T init,
                           index_t chunk_items,
                           decltype(scan_segments<scan_kind::inclusive, T, Op>)* scan) {
  segmented<Op> const within{op};
  store_policy const policy = store_policy_for(n * static_cast<index_t>(sizeof(T)));
  using stage = segmented_stage<T>;
  cpu::run_chunks(
      threads, n, chunk_items, within, flagged<T>{init, false},
      [&] { return stage(std::min(n, chunk_items), within.identity()); },
      [&](stage& here, chunk const& c) {
        here.items = in.fetch(in.self, c, here.room.data());
        in.mark(in.self, c.begin, c.end, here.heads.data());
        return detail::sum_segments(here, c.size(), op, init);
      },
      [&](stage& here, chunk const& c, flagged<T> carry) {
        chunk_memory ahead;
        if (vectorized<Op> && c.next_begin < c.next_end) ahead = in.next(in.self, c);
        auto write = [&](T* to) { scan(here, to, c.size(), op, carry, init, policy, ahead); };
        out.deliver(
            out.self, c, here.room.data(),
            [](void* writer, T* to) { (*static_cast<decltype(write)*>(writer))(to); }, &write);
      },
      aggregates::repeatable);
}

/// `staged_segmented_scan` of more than few items; none is overwritten before it is read.
template <scan_kind Kind, class Source, segment_heads Heads, class Op, class Out>
void scan_segmented_chunks(int threads, scan_direction direction, Source const& source,
                           Heads const& heads, Out out, index_t n, Op op,
                           typename Op::value_type init, index_t chunk_items) {
  using T = typename Op::value_type;
  described_items<T, Source, Heads> const items{source, heads, direction, n};
  delivered_results<T, Out> const results{out, direction, n};
  detail::scan_segmented_chunks(threads, items.input(), results.output(), n, op, init, chunk_items,
                                scan_segments<Kind, T, Op>);
}

}  // namespace libscan::inline v1::cpu::detail
