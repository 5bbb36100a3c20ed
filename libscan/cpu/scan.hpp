// SPDX-License-Identifier: Apache-2.0
// Inclusive and exclusive scans on CPU threads for any random-access iterators and any operator.
// Reduce, then rescan, chunk by chunk over a chunk chain: each chunk is read from memory once and
// rescanned from the core's own cache. A chunk takes vector code (vector_scan.hpp) where there is
// any for its items and operator; else four streams advance in it side by side.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu {

/// Items of a chunk where none are given: in and out fit a core's L2 cache, and the work dwarfs the
/// hand-over of the carry. Chosen on 2 cores of a Sapphire Rapids, at 2^26 items of 4 and 8 bytes.
inline constexpr index_t default_chunk_items = index_t{1} << 15;

namespace detail {

/// Consecutive parts of a chunk that are worked on side by side: several chains of dependent
/// operations hide the operator's latency, and several far-apart reads keep more misses in flight
/// than one. With eight instead of four the output's cache lines evict each other.
inline constexpr int streams = 4;

/// One value per stream.
template <class T>
using stream_values = std::array<T, streams>;

template <class T, std::size_t... Stream>
stream_values<T> repeat(T value, std::index_sequence<Stream...>) {
  return {((void)Stream, value)...};
}

/// `value` for each stream (T need not have a default).
template <class T>
stream_values<T> all_streams(T value) {
  return repeat(value, std::make_index_sequence<streams>{});
}

/// Items of each stream but the last, which also takes what is left over.
template <class T>
index_t stream_length(index_t items) {
  index_t const length = items / streams;
  index_t const bytes = length * static_cast<index_t>(sizeof(T));
  // Streams a multiple of 2 KiB apart would meet in the same few sets of the cache, and their loads
  // would wait for each other's stores, whose addresses agree in the bits that are compared first.
  index_t const beyond = bytes % 2048;
  bool const collide = bytes >= 2048 && (beyond < 3 * cache_line || beyond > 2048 - 3 * cache_line);
  return collide ? length - 512 / static_cast<index_t>(sizeof(T)) : length;
}

/// Asks for the cache line some way behind *it, where contiguous items are about to be written: the
/// core's own prefetcher starts too late at each new page.
template <class Out>
void prefetch_for_write(Out it) {
  if constexpr (std::contiguous_iterator<Out>) {
    auto const ahead = reinterpret_cast<std::uintptr_t>(std::to_address(it)) + 8 * cache_line;
    __builtin_prefetch(reinterpret_cast<void const*>(ahead), 1);
  }
}

/// in[begin] op ... op in[end - 1], from left to right, appended to `x`.
template <class T, class In, class Op>
T append(T x, In in, index_t begin, index_t end, Op op) {
  for (index_t i = begin; i < end; ++i) x = op(x, static_cast<T>(in[i]));
  return x;
}

/// Scans items [begin, end) from left to right with `x` before the first; returns what follows the
/// last. `out` may be `in`: an item is read before its place is written.
template <scan_kind Kind, class T, class In, class Out, class Op>
T scan_serially(T x, In in, Out out, index_t begin, index_t end, Op op) {
  for (index_t i = begin; i < end; ++i) {
    T const next = op(x, static_cast<T>(in[i]));
    out[i] = Kind == scan_kind::inclusive ? next : x;
    x = next;
  }
  return x;
}

/// Sums each stream of in[0..items-1] into `sums`, and returns the sum of all. Fewer items than
/// streams make a single stream. The operator sees items only, never the identity.
template <class T, class In, class Op>
T sum_streams(In in, index_t items, Op op, stream_values<T>& sums) {
  index_t const length = stream_length<T>(items);
  if (length == 0) return append(static_cast<T>(in[0]), in, 1, items, op);

  stream_values<T> x = all_streams(static_cast<T>(in[0]));
  for (int s = 1; s < streams; ++s) x[s] = static_cast<T>(in[s * length]);
  for (index_t i = 1; i < length; ++i) {
    for (int s = 0; s < streams; ++s) x[s] = op(x[s], static_cast<T>(in[s * length + i]));
  }
  x[streams - 1] = append(x[streams - 1], in, streams * length, items, op);
  sums = x;

  T total = x[0];
  for (int s = 1; s < streams; ++s) total = op(total, x[s]);
  return total;
}

/// Scans in[0..items-1] behind `carry`, given what `sum_streams` found. Returns carry op all items,
/// associated as the last item's inclusive prefix is.
template <scan_kind Kind, class T, class In, class Out, class Op>
T scan_streams(In in, Out out, index_t items, Op op, T carry, stream_values<T> const& sums) {
  index_t const length = stream_length<T>(items);
  if (length == 0) return scan_serially<Kind>(carry, in, out, 0, items, op);

  stream_values<T> x = all_streams(carry);
  for (int s = 1; s < streams; ++s) x[s] = op(x[s - 1], sums[s - 1]);
  index_t const line_items = std::max<index_t>(1, cache_line / sizeof(T));
  for (index_t line = 0; line < length; line += line_items) {
    for (int s = 0; s < streams; ++s) prefetch_for_write(out + (s * length + line));
    for (index_t i = line; i < std::min(line + line_items, length); ++i) {
      for (int s = 0; s < streams; ++s) {
        index_t const at = s * length + i;
        T const next = op(x[s], static_cast<T>(in[at]));
        out[at] = Kind == scan_kind::inclusive ? next : x[s];
        x[s] = next;
      }
    }
  }
  return scan_serially<Kind>(x[streams - 1], in, out, streams * length, items, op);
}

/// Items that vector code reads or writes: side by side in memory, of the operator's own type.
template <class It, class Op>
concept vector_items =
    vectorised<Op> && std::contiguous_iterator<It> && std::same_as < std::iter_value_t<It>,
typename Op::value_type > ;

/// The sum of in[0..items-1], items >= 1; `sums` is for `scan_chunk`.
template <class T, class In, class Op>
T sum_chunk(In in, index_t items, Op op, stream_values<T>& sums) {
  if constexpr (vector_items<In, Op>) {
    return vector_scan_of<Op>().sum(std::to_address(in), items);
  } else {
    return sum_streams(in, items, op, sums);
  }
}

/// Scans in[0..items-1] behind `carry`, given what `sum_chunk` left in `sums`. Returns carry op all
/// items, associated as the last item's inclusive prefix is.
template <scan_kind Kind, class T, class In, class Out, class Op>
T scan_chunk(In in, Out out, index_t items, Op op, T carry, stream_values<T> const& sums,
             store_road road) {
  if constexpr (vector_items<In, Op> && vector_items<Out, Op>) {
    return vector_scan_of<Op>().scan(Kind, std::to_address(in), std::to_address(out), items, carry,
                                     road, nullptr);
  } else {
    return scan_streams<Kind>(in, out, items, op, carry, sums);
  }
}

/// Bytes of items that vector code has scanned before another thread is awake.
inline constexpr index_t one_thread_bytes = index_t{256} << 10;

template <class In, class Out>
bool in_place(In in, Out out) {
  if constexpr (std::contiguous_iterator<In> && std::contiguous_iterator<Out>) {
    return static_cast<void const*>(std::to_address(in)) ==
           static_cast<void const*>(std::to_address(out));
  } else {
    return false;
  }
}

/// The scan of many chunks by vector code: while a thread writes what a chunk's items sum to, it
/// reads and sums those of its next chunk.
template <scan_kind Kind, class T, monoid Op>
T scan_ahead(int threads, T const* in, T* out, index_t n, Op op, T init, index_t chunk_items,
             store_road road) {
  auto const& code = vector_scan_of<Op>();
  T total = init;
  run_chunks_ahead(
      threads, n, chunk_items, op, init,
      [&](chunk const& c) { return code.sum(in + c.begin, c.size()); },
      [&](chunk const& c, T carry, chunk const* next) {
        wanted_sum<T> beside{};
        if (next != nullptr) beside = {in + next->begin, next->size(), T{}};
        T const last = code.scan(Kind, in + c.begin, out + c.begin, c.size(), carry, road,
                                 next != nullptr ? &beside : nullptr);
        if (c.end == n) total = last;
        return beside.sum;
      });
  return total;
}

template <scan_kind Kind, class In, class Out, monoid Op>
typename Op::value_type scan(int threads, In in, Out out, index_t n, Op op,
                             typename Op::value_type init, index_t chunk_items) {
  using T = typename Op::value_type;
  store_road const road = road_of(n * static_cast<index_t>(sizeof(T)), in_place(in, out));
  if constexpr (vector_items<In, Op> && vector_items<Out, Op>) {
    check_chunks(threads, n, chunk_items);
    if (n == 0) return init;
    if (n * static_cast<index_t>(sizeof(T)) <= one_thread_bytes) threads = 1;
    bool const in_one_piece = threads == 1 && std::integral<T>;  // with the same sums
    if (n <= chunk_items || in_one_piece) {
      return scan_chunk<Kind>(in, out, n, op, init, all_streams(init), road);
    }
    if (n / chunk_items >= index_t{4} * threads) {
      return scan_ahead<Kind>(threads, std::to_address(in), std::to_address(out), n, op, init,
                              chunk_items, road);
    }
  }
  // The last item's prefix, not the chain's own total: in floating point they may differ in the
  // last bits, and the total should be the number that an inclusive scan writes last.
  T total = init;
  run_chunks(
      threads, n, chunk_items, op, init, [&] { return all_streams(op.identity()); },
      [&](stream_values<T>& sums, chunk const& c) {
        return sum_chunk(in + c.begin, c.size(), op, sums);
      },
      [&](stream_values<T>& sums, chunk const& c, T carry) {
        T const last =
            scan_chunk<Kind>(in + c.begin, out + c.begin, c.size(), op, carry, sums, road);
        if (c.end == n) total = last;
      });
  return total;
}

}  // namespace detail

/// Inclusive scan: out[i] = init op in[0] op ... op in[i] for i in [0, n), on up to `threads`
/// threads. Returns init op in[0] op ... op in[n-1], the bits of out[n-1]; `init` if n = 0.
///
/// `in` and `out` are random-access iterators or pointers; items are converted to Op::value_type,
/// in which everything accumulates. `op` is associative, need not commute, is called only as
/// op(earlier, later), concurrently, and sees nothing but items, `init` and their sums. In-place
/// (out == in exactly) is allowed, any other overlap is undefined. Writes to different items must
/// not race (std::vector<bool> does).
///
/// Reads n and writes n items of memory, allocates nothing below one chunk (`chunk_items`, or n)
/// and nothing that grows with n above. Floating-point results depend on n and `chunk_items` only,
/// bit for bit, never on `threads`, timing or the CPU: a fixed network of sums within 64 bytes of
/// items (with operators of your own four streams a chunk, from left to right), then from left to
/// right.
///
/// Throws `invalid_argument` if threads < 1, n < 0 or chunk_items < 1, and lets pass what `op` or
/// the iterators throw (of several, that of the first chunk); `out` is then partly written.
template <std::random_access_iterator In, std::random_access_iterator Out, monoid Op>
typename Op::value_type inclusive_scan(int threads, In in, Out out, index_t n, Op op,
                                       typename Op::value_type init,
                                       index_t chunk_items = default_chunk_items) {
  return detail::scan<scan_kind::inclusive>(threads, in, out, n, op, init, chunk_items);
}

/// Exclusive scan: out[0] = init, out[i] = init op in[0] op ... op in[i-1] for i in [1, n). Returns
/// init op in[0] op ... op in[n-1] (the same bits as `inclusive_scan`). All else as there. A
/// floating out[i] may differ in its last bits from the out[i-1] of an inclusive scan, where a
/// stream begins.
template <std::random_access_iterator In, std::random_access_iterator Out, monoid Op>
typename Op::value_type exclusive_scan(int threads, In in, Out out, index_t n, Op op,
                                       typename Op::value_type init,
                                       index_t chunk_items = default_chunk_items) {
  return detail::scan<scan_kind::exclusive>(threads, in, out, n, op, init, chunk_items);
}

}  // namespace libscan::inline v1::cpu
