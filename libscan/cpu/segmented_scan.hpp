// SPDX-License-Identifier: Apache-2.0
// Segmented scans on CPU threads: the scan of libscan/cpu/scan.hpp with the operator
// `segmented<Op>`, over pairs of an item and its head flag that only exist while they are accessed;
// by vector code (vector_scan.hpp) if there is any. The cost does not depend on the segments'
// lengths, except where loops cost less (segment_loops.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/segments.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/converted_items.hpp>
#include <libscan/cpu/few_segments.hpp>
#include <libscan/cpu/large_segments.hpp>
#include <libscan/cpu/range_scans.hpp>
#include <libscan/cpu/segment_loops.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/staged_scan.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu::detail {

// Keys that a segmented scan overwrites with its results, chunk by chunk. The last key of a chunk
// may be overwritten before the next chunk is compared with it, so the head flags at chunk borders
// are found first.

/// Whether results at `Out` may overwrite what `Heads` reads: keys of the same type, in memory.
template <class Heads, class Out>
inline constexpr bool can_overwrite_heads = false;
template <std::random_access_iterator Keys, class Equal, std::random_access_iterator Out>
inline constexpr bool can_overwrite_heads<segment_keys<Keys, Equal>, Out> =
    std::same_as<std::iter_value_t<Keys>, std::iter_value_t<Out>>&& std::is_lvalue_reference_v<
        std::iter_reference_t<Keys>>&& std::is_lvalue_reference_v<std::iter_reference_t<Out>>;

/// Whether the first of n results is written where `heads` reads the first key. Compares addresses:
/// iterators of two containers may not be compared.
template <class Heads, class Out>
bool overwrites_heads(Heads const& heads, Out const& out, index_t n) {
  if constexpr (can_overwrite_heads<Heads, Out>) {
    return n > 0 && std::addressof(heads.keys[0]) == std::addressof(out[0]);
  } else {
    return false;
  }
}

/// `segment_keys` of n items for a scan in chunks of `chunk_items`; a chunk only reads its own
/// keys.
template <class Keys, class Equal>
class bordered_keys {
 public:
  bordered_keys(segment_keys<Keys, Equal> const& keys, scan_direction direction, index_t n,
                index_t chunk_items)
      : keys_(keys), direction_(direction), n_(n), chunk_items_(chunk_items) {
    borders_.reserve(static_cast<std::size_t>(ceil_div(n, chunk_items)));
    bool const forward = direction == scan_direction::forward;
    for (index_t begin = 0; begin < n; begin += chunk_items) {
      borders_.push_back(begin == 0 || changes(forward ? begin : n - begin) ? 1 : 0);
    }
  }

  /// `mark` for `mark_positions`, for one chunk.
  void mark(index_t begin, index_t end, head_word* to) const {
    direction_ == scan_direction::forward ? mark_forward(begin, end, to)
                                          : mark_reverse(begin, end, to);
  }
  memory_piece read_for(index_t begin, index_t end) const {
    return detail::read_for(keys_, begin, end);
  }

 private:
  bool changes(index_t i) const { return !keys_.equal(keys_.keys[i - 1], keys_.keys[i]); }
  bool border_at(index_t position) const {
    return borders_[static_cast<std::size_t>(position / chunk_items_)] != 0;
  }

  /// The first item is at the border: marks its word's items one by one.
  void mark_forward(index_t begin, index_t end, head_word* to) const {
    index_t const first = std::min(end, begin + word_heads);
    detail::mark_one_by_one(first - begin, to, [&](index_t k) {
      return k == 0 ? border_at(begin) : changes(begin + k);
    });
    if (end > first) detail::mark(keys_, first, end, to + 1);
  }

  /// The last item is at the border, except in the chunk of the last items.
  void mark_reverse(index_t begin, index_t end, head_word* to) const {
    index_t const last = end - 1, position = n_ - last;
    bool const at_border = position % chunk_items_ == 0;
    index_t const own_end = at_border ? last : end;
    if (begin < own_end) detail::mark(keys_, begin, own_end, to);
    if (!at_border) return;
    index_t const bit = last - begin;
    head_word& word = to[bit / word_heads];
    if (bit % word_heads == 0) word = 0;
    word |= head_word{border_at(position)} << bit % word_heads;
  }

  segment_keys<Keys, Equal> keys_;
  scan_direction direction_;
  index_t n_;
  index_t chunk_items_;
  std::vector<std::uint8_t> borders_;  // whether a chunk's first position begins a segment
};

// Items and their head flags as pairs, which only exist while they are accessed.

/// The items of a chunk in the form of `segmented<Op>`, with `init` before each head.
template <class Op>
struct flagged_items {
  using T = typename Op::value_type;
  T const* items;
  head_word const* heads;
  Op op;
  T init;

  flagged<T> operator[](index_t i) const {
    bool const head = is_head(heads, i);
    return {head ? op(init, items[i]) : items[i], head};
  }
};

/// Stores the results of `segmented<Op>` for a chunk. The exclusive prefix at a head is `init`, not
/// the segment before.
template <scan_kind Kind, class T>
struct unflagged_output {
  T* out;
  head_word const* heads;
  T init;

  struct place {
    T& to;
    bool head;
    T init;
    void operator=(flagged<T> const& prefix) const {
      to = Kind == scan_kind::exclusive && head ? init : prefix.value;
    }
  };
  place operator[](index_t i) const { return {out[i], is_head(heads, i), init}; }

  friend T* operator+(unflagged_output const& output, index_t i) { return output.out + i; }
};

}  // namespace libscan::inline v1::cpu::detail

namespace libscan::inline v1::cpu {

namespace detail {

/// Brings the items of an iterator as T.
template <class T, class In>
struct iterated_items {
  In in;

  void operator()(index_t begin, index_t end, T* to) const {
    detail::convert_items(in + begin, end - begin, to);
  }
  T const* direct(index_t begin) const {
    if constexpr (std::contiguous_iterator<In> && std::same_as<std::iter_value_t<In>, T>) {
      return std::to_address(in + begin);
    } else {
      return nullptr;
    }
  }
};

/// Space for a bit per item, on the stack if a `small_buffer` of the items is.
using head_buffer = small_buffer<head_word, small_bytes / 8>;

/// A stage with the head flags of its items.
template <class T>
struct segmented_stage : stage<T, flagged<T>> {
  head_buffer heads;
  chunk_segments segments;  ///< if they have bounds

  segmented_stage(index_t count, flagged<T> any)
      : stage<T, flagged<T>>(count, any), heads(ceil_div(count, word_heads)) {}
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
  if constexpr (requires { detail::read_for(heads, begin, end); })
    memory.heads = detail::read_for(heads, begin, end);
  return memory;
} catch (...) {
  return {};
}

/// Scans chunk `here` into to[0..items-1]; vector code prefetches `ahead` meanwhile.
template <scan_kind Kind, class T, class Op>
void scan_segments(segmented_stage<T> const& here, T* to, index_t items, Op op, flagged<T> carry,
                   T init, store_policy policy, chunk_memory const& ahead) {
  T const* const in = here.items;
  head_word const* const heads = here.heads.data();
  if constexpr (sizeof(T) == 8) {
    if (index_t const length = detail::one_length(heads, items)) {
      index_t begin = std::countr_zero(heads[0] & ~head_word{1});
      T const before = detail::is_head(heads, 0) ? init : carry.value;
      detail::scan_serially<Kind>(before, in, to, 0, begin, op);
      for (; begin < items; begin += length) {
        index_t const end = std::min(begin + length, items);
        detail::scan_serially<Kind>(init, in, to, begin, end, op);
      }
      return;
    }
  }
  if constexpr (vectorized<Op>) {
    detail::vector_segmented_scan_of<Op>().scan(Kind, in, heads, to, items, carry.value, init,
                                                policy, ahead.items, ahead.heads);
  } else {
    flagged_items<Op> const flagged_here{in, heads, op, init};
    unflagged_output<Kind, T> const output{to, heads, init};
    detail::scan_streams<Kind>(flagged_here, output, items, segmented<Op>{op}, carry, here.sums);
  }
}

/// `staged_segmented_scan` of more than few items; none is overwritten before it is read. Returns
/// the value after the last item of the last segment. If there is a value `before`, the first items
/// continue its segment.
template <scan_kind Kind, class Source, segment_heads Heads, class Op, class Out>
typename Op::value_type scan_segmented_chunks(int threads, scan_direction direction,
                                              Source const& source, Heads const& heads, Out out,
                                              index_t n, Op op, typename Op::value_type init,
                                              index_t chunk_items,
                                              typename Op::value_type const* before = nullptr) {
  using T = typename Op::value_type;
  segmented<Op> const within{op};
  store_policy const policy = store_policy_for(n * static_cast<index_t>(sizeof(T)));
  using stage = segmented_stage<T>;
  auto const bounds = detail::bounds_of(heads);
  constexpr bool may_loop =
      worth_loops<T> && !std::is_null_pointer_v<decltype(detail::bounds_of(heads))>;
  flagged<T> const total = cpu::run_chunks(
      threads, n, chunk_items, within, flagged<T>{before == nullptr ? init : *before, false},
      [&] { return stage(std::min(n, chunk_items), within.identity()); },
      [&](stage& here, chunk const& c) {
        here.items = detail::fetch(source, direction, n, c, here.space.data());
        if constexpr (may_loop) {
          if (bounds != nullptr) here.segments = detail::find_begun<T>(*bounds, direction, c);
          if (here.segments.one_by_one) {
            return detail::sum_after_begun(*bounds, direction, here.segments, c, here.items, op,
                                           init);
          }
        }
        cpu::mark_positions(heads, direction, n, c.begin, c.end, here.heads.data());
        if (before != nullptr && c.begin == 0) here.heads.data()[0] &= ~head_word{1};
        return detail::sum_segments(here, c.size(), op, init);
      },
      [&](stage& here, chunk const& c, flagged<T> carry) {
        if constexpr (may_loop) {
          if (here.segments.one_by_one) {
            return detail::deliver(out, direction, n, c, here.space.data(), [&](T* to) {
              detail::scan_begun<Kind>(*bounds, direction, here.segments, c, here.items, to, op,
                                       carry.value, init);
            });
          }
        }
        chunk_memory ahead;
        if (vectorized<Op> && c.next_begin < c.next_end) {
          ahead = detail::memory_ahead<T>(source, heads, direction, n, c.next_begin, c.next_end);
        }
        detail::deliver(out, direction, n, c, here.space.data(), [&](T* to) {
          detail::scan_segments<Kind>(here, to, c.size(), op, carry, init, policy, ahead);
        });
      },
      aggregates::repeatable);
  return total.value;
}

}  // namespace detail

/// Scans each segment of items 0..n-1 of `source` separately into out[0..n-1], with `init` before
/// the first item of each: inclusive out[i] = init op first item of i's segment op ... op item i,
/// exclusive the same without item i. In reverse each segment is scanned from its end.
///
/// Types: `heads` is `head_flags`, `head_bits`, `segment_offsets`, `segment_keys`,
/// `equal_segments`, or your own `segment_heads`; `op` never sees items of two segments. Everything
/// else is as in `staged_scan`; a thread needs one more bit per item of a chunk. The place of the
/// next chunk (`source.direct`, `heads.read_for`) may be requested before the current one is
/// written.
/// Determinism: floats of the same segments, described otherwise (by flags instead of offsets), may
/// be rounded in another order. Otherwise as `staged_scan`.
/// Aliasing: `out` may be exactly the keys of `segment_keys`, of the same type, in any
/// container: results replace them (allocates one more byte per chunk).
/// Throws: also `invalid_argument` if `heads` does not describe segments of n items, or is known to
/// overlap `out` otherwise.
template <scan_kind Kind, class Source, segment_heads Heads, monoid Op,
          std::random_access_iterator Out>
requires item_source<Source, typename Op::value_type>
void staged_segmented_scan(int threads, scan_direction direction, Source const& source, Out out,
                           Heads const& heads, index_t n, Op op,
                           std::type_identity_t<typename Op::value_type> init = Op::identity(),
                           index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  libscan::detail::refuse_heads<Heads, detail::given_item>();
  detail::refuse_results<T, Out>();
  auto const& known = detail::check_heads("segmented_scan", threads, heads, n);
  auto const written = detail::memory_of(out, n), described = detail::memory_of(heads, n);
  bool const over_keys = detail::overwrites_heads(heads, out, n);
  if (!over_keys) {
    detail::require_no_overlap("segmented_scan", "output and descriptor", written, described);
  }
  if constexpr (detail::large_value<T>) {
    detail::check_chunks(threads, n, chunk_items);
    detail::scan_large_segments<Kind>(threads, direction, source, known, out, n, op, init);
  } else {
    if (detail::few_for_segments(threads, n, chunk_items)) {
      if (n == 0) return;
      detail::small_buffer<T> const space(n);
      T const* const in =
          detail::fetch(source, scan_direction::forward, n, {0, 0, n}, space.data());
      return detail::deliver(out, scan_direction::forward, n, {0, 0, n}, space.data(), [&](T* to) {
        detail::scan_few_segments<Kind>(direction, in, known, to, n, op, init);
      });
    }
    if constexpr (detail::can_overwrite_heads<Heads, Out>) {
      if (over_keys) {
        detail::bordered_keys const keys(heads, direction, n, chunk_items);
        detail::scan_segmented_chunks<Kind>(threads, direction, source, keys, out, n, op, init,
                                            chunk_items);
        return;
      }
    }
    detail::scan_segmented_chunks<Kind>(threads, direction, source, known, out, n, op, init,
                                        chunk_items);
  }
}

namespace detail {

/// Refuses items that do not convert to T or are misaligned, results that `Out` cannot hold, and an
/// output that overlaps the items otherwise than exactly.
template <class T, class In, class Out>
void check_segmented_scan(In const& in, Out const& out, index_t n) {
  detail::refuse_items<T, In>();
  detail::refuse_results<T, Out>();
  detail::require_in_place_or_no_overlap("segmented_scan", detail::memory_of(in, n),
                                         detail::memory_of(out, n));
}

/// Scans each of some ranges of items, all checked.
template <scan_kind Kind, class In, class Offset, class Out, monoid Op>
void scan_checked_ranges(int threads, scan_direction direction, In in,
                         segment_ranges<Offset> const& segments, Out out, Op const& op,
                         typename Op::value_type const& init, index_t chunk_items) {
  using T = typename Op::value_type;
  auto const scan_by = [&](int by, index_t begin, index_t end) {
    iterated_items<T, In> const source{in + begin};
    cpu::staged_segmented_scan<Kind>(by, direction, source, out + begin,
                                     equal_segments{end - begin}, end - begin, op, init,
                                     chunk_items);
  };
  detail::for_each_range(
      threads, segments, one_thread_segment<T>,
      [&](index_t, index_t begin, index_t end) { scan_by(threads, begin, end); },
      [&](index_t, index_t begin, index_t end) {
        if constexpr (large_value<T>) {
          if (begin != end) scan_by(1, begin, end);
        } else if (direction == scan_direction::forward) {
          detail::scan_serially<Kind>(init, in, out, begin, end, op);
        } else {
          detail::scan_serially<Kind>(init, std::reverse_iterator(in + end),
                                      std::reverse_iterator(out + end), 0, end - begin, op);
        }
      });
}

/// The same, which checks them.
template <scan_kind Kind, class In, class Offset, class Out, monoid Op>
void scan_ranges(int threads, scan_direction direction, In in,
                 segment_ranges<Offset> const& segments, Out out, index_t n, Op const& op,
                 typename Op::value_type const& init, index_t chunk_items) {
  char const* const call = "segmented_scan";
  detail::check_chunks(threads, n, chunk_items);
  detail::check_ranges(call, threads, segments.begins, segments.ends, segments.segments, n);
  detail::require_no_overlap_with_ranges(call, segments, out, n);
  detail::scan_checked_ranges<Kind>(threads, direction, in, segments, out, op, init, chunk_items);
}

}  // namespace detail

/// The same for the items in[0..n-1] of a random-access iterator or pointer, each converted to
/// Op::value_type. `out` may be exactly `in`; any other overlap is refused (`invalid_argument`) if
/// both are contiguous, else undefined. Segments may also be `segment_ranges`, and
/// `segment_offsets` need not begin with 0 or end with n: items in no segment stay as they are.
template <scan_kind Kind, std::random_access_iterator In, segment_description Heads, monoid Op,
          std::random_access_iterator Out>
void segmented_scan(int threads, scan_direction direction, In in, Out out, Heads const& heads,
                    index_t n, Op op, std::type_identity_t<typename Op::value_type> init,
                    index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  detail::check_segmented_scan<T>(in, out, n);
  if constexpr (detail::by_ranges<Heads> || detail::by_offsets<Heads>) {
    if (detail::leaves_out(heads, n)) {
      return detail::scan_ranges<Kind>(threads, direction, in, detail::as_ranges(heads), out, n, op,
                                       init, chunk_items);
    }
  }
  if constexpr (!detail::by_ranges<Heads>) {
    cpu::staged_segmented_scan<Kind>(threads, direction, detail::iterated_items<T, In>{in}, out,
                                     heads, n, op, init, chunk_items);
  }
}

/// `segmented_scan` of the inclusive kind, forwards, with the arguments in the order of the
/// device's call.
template <std::random_access_iterator In, std::random_access_iterator Out,
          segment_description Heads, monoid Op>
void inclusive_segmented_scan(int threads, In in, Out out, Heads const& heads, index_t n, Op op,
                              std::type_identity_t<typename Op::value_type> init,
                              index_t chunk_items = staged_chunk_items) {
  cpu::segmented_scan<scan_kind::inclusive>(threads, scan_direction::forward, in, out, heads, n, op,
                                            init, chunk_items);
}

/// The same of the exclusive kind.
template <std::random_access_iterator In, std::random_access_iterator Out,
          segment_description Heads, monoid Op>
void exclusive_segmented_scan(int threads, In in, Out out, Heads const& heads, index_t n, Op op,
                              std::type_identity_t<typename Op::value_type> init,
                              index_t chunk_items = staged_chunk_items) {
  cpu::segmented_scan<scan_kind::exclusive>(threads, scan_direction::forward, in, out, heads, n, op,
                                            init, chunk_items);
}

// Segmented scans by any callable, and without an init.

/// `segmented_scan` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), for which an exclusive scan needs an init if its identity
/// is unknown.
template <scan_kind Kind, std::random_access_iterator In, segment_description Heads, class Op,
          std::random_access_iterator Out, class Init = unstated>
requires libscan::detail::adapted<Op, Init>
void segmented_scan(int threads, scan_direction direction, In in, Out out, Heads const& heads,
                    index_t n, Op op, Init init = unstated::init(),
                    index_t chunk_items = staged_chunk_items) {
  using needed = libscan::detail::init_needed;
  constexpr auto how = Kind == scan_kind::inclusive ? needed::never : needed::if_no_identity;
  using call = libscan::detail::operator_call<Op, In, Init, how>;
  if constexpr (call::accepted()) {
    call::run(op, init, [&](auto const& by, auto const& first) {
      cpu::segmented_scan<Kind>(threads, direction, in, out, heads, n, by, first, chunk_items);
    });
  }
}

/// The same of the inclusive kind, forwards, with the arguments in the order of the device's call.
template <std::random_access_iterator In, std::random_access_iterator Out,
          segment_description Heads, class Op, class Init = unstated>
requires libscan::detail::adapted<Op, Init>
void inclusive_segmented_scan(int threads, In in, Out out, Heads const& heads, index_t n, Op op,
                              Init init = unstated::init(),
                              index_t chunk_items = staged_chunk_items) {
  cpu::segmented_scan<scan_kind::inclusive>(threads, scan_direction::forward, in, out, heads, n, op,
                                            init, chunk_items);
}

/// The same of the exclusive kind, forwards, with the arguments in the order of the device's call.
template <std::random_access_iterator In, std::random_access_iterator Out,
          segment_description Heads, class Op, class Init = unstated>
requires libscan::detail::adapted<Op, Init>
void exclusive_segmented_scan(int threads, In in, Out out, Heads const& heads, index_t n, Op op,
                              Init init = unstated::init(),
                              index_t chunk_items = staged_chunk_items) {
  cpu::segmented_scan<scan_kind::exclusive>(threads, scan_direction::forward, in, out, heads, n, op,
                                            init, chunk_items);
}

// Scans of one piece of a longer input: a value comes from the pieces before, and one goes to those
// after. For inputs that are never in memory as a whole.

/// As `staged_scan` of n > 0 items, with `carry` before the first one in the order of the scan.
/// Then sets `carry` to what comes before the first item of the next piece.
///
/// Types: items of up to 64 bytes.
/// Determinism: if all pieces except the last are multiples of `chunk_items`, the results are bit
/// for bit those of one `staged_scan` of all items.
template <scan_kind Kind, class Source, monoid Op, std::random_access_iterator Out>
requires item_source<Source, typename Op::value_type>
void carried_scan(int threads, scan_direction direction, Source const& source, Out out, index_t n,
                  Op op, typename Op::value_type& carry, index_t chunk_items = staged_chunk_items) {
  static_assert(!detail::large_value<typename Op::value_type>);
  carry =
      detail::scan_staged_chunks<Kind>(threads, direction, source, out, n, op, carry, chunk_items);
}

/// As `staged_segmented_scan` of n > 0 items, with `carry` before the first one in the order of the
/// scan: the value so far of its segment, or `init` if one begins there. Then sets `carry` to the
/// value of the last segment so far. Marks of the first item are ignored. All pieces are described
/// as the whole would be: all by offsets, or all by flags. Otherwise as
/// `carried_scan`; inputs of few items may be summed in another order than by
/// `staged_segmented_scan`.
template <scan_kind Kind, class Source, segment_heads Heads, monoid Op,
          std::random_access_iterator Out>
requires item_source<Source, typename Op::value_type>
void carried_segmented_scan(int threads, scan_direction direction, Source const& source, Out out,
                            Heads const& heads, index_t n, Op op, typename Op::value_type init,
                            typename Op::value_type& carry,
                            index_t chunk_items = staged_chunk_items) {
  static_assert(!detail::large_value<typename Op::value_type>);
  auto const& known = detail::check_heads("segmented_scan", threads, heads, n);
  carry = detail::scan_segmented_chunks<Kind>(threads, direction, source, known, out, n, op, init,
                                              chunk_items, &carry);
}

}  // namespace libscan::inline v1::cpu
