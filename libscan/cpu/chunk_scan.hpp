// SPDX-License-Identifier: Apache-2.0
// One chunk of a CPU scan, on one core: summed first, and scanned once its carry is known. There
// are three ways: vector code (vector_scan.hpp), if it exists for the operator and contiguous items
// of its type; the same for other items, converted piece by piece (converted_items.hpp); otherwise
// four interleaved streams.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/converted_items.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu {

/// The default number of items of a chunk: in and out fit a core's L2 cache, and the work is much
/// longer than passing on the carry. Chosen on 2 cores of a Sapphire Rapids, at 2^26 items of 4 and
/// 8 bytes.
inline constexpr index_t default_chunk_items = index_t{1} << 15;

namespace detail {

/// Bytes of items that vector code scans in about the time in which another thread wakes up.
inline constexpr index_t one_thread_bytes = index_t{512} << 10;

/// Consecutive parts of a chunk that are processed in parallel: several dependency chains hide the
/// operator's latency, and several distant reads keep more misses in flight than one. With eight
/// instead of four the output's cache lines evict each other.
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
  return detail::repeat(value, std::make_index_sequence<streams>{});
}

/// Items of each stream except the last, which also takes the rest.
template <class T>
index_t stream_length(index_t items) {
  index_t const length = items / streams;
  index_t const bytes = length * static_cast<index_t>(sizeof(T));
  // Streams a multiple of 2 KiB apart would use the same few cache sets, and their loads would wait
  // for each other's stores, whose addresses agree in the bits that are compared first.
  index_t const beyond = bytes % 2048;
  bool const collide = bytes >= 2048 && (beyond < 3 * cache_line || beyond > 2048 - 3 * cache_line);
  return collide ? length - 512 / static_cast<index_t>(sizeof(T)) : length;
}

/// Prefetches a cache line some way after *it, where contiguous items are about to be written: the
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

/// Scans items [begin, end) from left to right with `x` before the first; returns the prefix after
/// the last. `out` may be `in`: an item is read before its place is written.
template <scan_kind Kind, class T, class In, class Out, class Op>
T scan_serially(T x, In in, Out out, index_t begin, index_t end, Op op) {
  auto const scan_item = [&](index_t i) {
    T const next = op(x, static_cast<T>(in[i]));
    out[i] = Kind == scan_kind::inclusive ? next : x;
    x = next;
  };
  // A few at a time: if an operation takes one cycle, the loop's overhead would be most of the
  // work.
  constexpr index_t at_once = 4;
  index_t i = begin;
  for (; end - i >= at_once; i += at_once) {
    for (index_t k = 0; k < at_once; ++k) scan_item(i + k);
  }
  for (; i < end; ++i) scan_item(i);
  return x;
}

/// Sums each stream of in[0..items-1] into `sums`, and returns the total. Fewer items than streams
/// make a single stream. The operator only sees items, never the identity.
template <class T, class In, class Op>
T sum_streams(In in, index_t items, Op op, stream_values<T>& sums) {
  index_t const length = detail::stream_length<T>(items);
  if (length == 0) return detail::append(static_cast<T>(in[0]), in, 1, items, op);

  auto const place = [=](std::size_t s, index_t i) { return static_cast<index_t>(s) * length + i; };
  stream_values<T> x = detail::all_streams(static_cast<T>(in[0]));
  for (std::size_t s = 1; s < streams; ++s) x[s] = static_cast<T>(in[place(s, 0)]);
  for (index_t i = 1; i < length; ++i) {
    for (std::size_t s = 0; s < streams; ++s) x[s] = op(x[s], static_cast<T>(in[place(s, i)]));
  }
  x[streams - 1] = detail::append(x[streams - 1], in, streams * length, items, op);
  sums = x;

  T total = x[0];
  for (std::size_t s = 1; s < streams; ++s) total = op(total, x[s]);
  return total;
}

/// Scans in[0..items-1] after `carry`, given the sums of `sum_streams`. Returns carry op all items,
/// with the association of the last item's inclusive prefix.
template <scan_kind Kind, class T, class In, class Out, class Op>
T scan_streams(In in, Out out, index_t items, Op op, T carry, stream_values<T> const& sums) {
  index_t const length = detail::stream_length<T>(items);
  if (length == 0) return detail::scan_serially<Kind>(carry, in, out, 0, items, op);

  auto const place = [=](std::size_t s, index_t i) { return static_cast<index_t>(s) * length + i; };
  stream_values<T> x = detail::all_streams(carry);
  for (std::size_t s = 1; s < streams; ++s) x[s] = op(x[s - 1], sums[s - 1]);
  index_t const line_items = std::max<index_t>(1, cache_line / sizeof(T));
  for (index_t line = 0; line < length; line += line_items) {
    for (std::size_t s = 0; s < streams; ++s) detail::prefetch_for_write(out + place(s, line));
    for (index_t i = line; i < std::min(line + line_items, length); ++i) {
      for (std::size_t s = 0; s < streams; ++s) {
        index_t const at = place(s, i);
        T const next = op(x[s], static_cast<T>(in[at]));
        out[at] = Kind == scan_kind::inclusive ? next : x[s];
        x[s] = next;
      }
    }
  }
  return detail::scan_serially<Kind>(x[streams - 1], in, out, streams * length, items, op);
}

/// How the chunks of a scan from `In` to `Out` are summed and then scanned. `sum` passes `sums` to
/// `scan`, which returns carry op all items, with the association of the last item's inclusive
/// prefix.
template <class In, class Out, class Op>
struct chunk_code {
  using T = typename Op::value_type;
  using item = std::iter_value_t<In>;
  static constexpr bool by_vectors = vector_input<In, Op> && vector_output<Out, Op>;
  static constexpr bool rounds = rounded_output<Out, Op>;
  static constexpr bool converts = !by_vectors && (vector_output<Out, Op> || rounds);

  /// The sum of in[0..items-1], items >= 1.
  static T sum(In in, index_t items, Op op, stream_values<T>& sums) {
    if constexpr (by_vectors) {
      return detail::vector_scan_of<item>(op).sum(std::to_address(in), items);
    } else if constexpr (converts) {
      T total{};
      detail::for_converted<T>(in, items, [&](index_t i, T const* piece, index_t count) {
        T const more = detail::vector_scan_of<T>(op).sum(piece, count);
        total = i == 0 ? more : op(total, more);
      });
      return total;
    } else {
      return detail::sum_streams(in, items, op, sums);
    }
  }

  /// Scans in[0..items-1] after `carry`.
  template <scan_kind Kind>
  static T scan(In in, Out out, index_t items, Op op, T carry, stream_values<T> const& sums,
                store_policy policy) {
    if constexpr (by_vectors) {
      return detail::vector_scan_of<item>(op).scan(Kind, std::to_address(in), std::to_address(out),
                                                   items, carry, policy, nullptr);
    } else if constexpr (converts) {
      auto* const to = std::to_address(out);
      detail::for_converted<T>(in, items, [&](index_t i, T* piece, index_t count) {
        if constexpr (rounds) {
          carry = detail::vector_scan_of<T>(op).scan(Kind, piece, piece, count, carry,
                                                     store_policy::cached, nullptr);
          detail::round_to(piece, count, to + i, policy);
        } else {
          carry = detail::vector_scan_of<T>(op).scan(Kind, piece, to + i, count, carry, policy,
                                                     nullptr);
        }
      });
      return carry;
    } else {
      return detail::scan_streams<Kind>(in, out, items, op, carry, sums);
    }
  }
};

}  // namespace detail

}  // namespace libscan::inline v1::cpu
