// SPDX-License-Identifier: Apache-2.0
// Inclusive and exclusive scans on CPU threads, for any random-access iterators and any operator:
// reduce, then rescan, chunk by chunk over a chunk chain. Each chunk is read from memory once and
// rescanned from the core's own cache (see chunk_scan.hpp).
#pragma once

#include <concepts>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/large_values.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_scan.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// The scan of many chunks by vector code: while a thread writes a chunk's results, it reads and
/// sums the items of its next chunk.
template <scan_kind Kind, class Item, class Out, monoid Op, class T = typename Op::value_type>
T scan_ahead(int threads, Item const* in, Out* out, index_t n, Op op, std::type_identity_t<T> init,
             index_t chunk_items, store_policy policy) {
  auto const code = detail::vector_scan_of<Item>(op);
  T total = init;
  cpu::run_chunks_ahead(
      threads, n, chunk_items, op, init,
      [&](chunk const& c) { return code.sum(in + c.begin, c.size()); },
      [&](chunk const& c, T carry, chunk const* next) {
        wanted_sum<Item, T> beside{};
        if (next != nullptr) beside = {in + next->begin, next->size(), T{}};
        T const last = code.scan(Kind, in + c.begin, out + c.begin, c.size(), carry, policy,
                                 next != nullptr ? &beside : nullptr);
        if (c.end == n) total = last;
        return beside.sum;
      });
  return total;
}

/// The scan of values that fit on a thread's stack.
template <scan_kind Kind, class In, class Out, monoid Op>
typename Op::value_type scan_small(int threads, In in, Out out, index_t n, Op op,
                                   typename Op::value_type init, index_t chunk_items) {
  using T = typename Op::value_type;
  store_policy const policy =
      cpu::store_policy_for(n * static_cast<index_t>(sizeof(T)), detail::in_place(in, out));
  using code = chunk_code<In, Out, Op>;
  if constexpr (code::by_vectors || code::converts) {
    check_chunks(threads, n, chunk_items);
    if (n == 0) return init;
    if (n * static_cast<index_t>(sizeof(T)) <= one_thread_bytes) threads = 1;
    bool const in_one_piece = threads == 1 && std::integral<T>;  // with the same sums
    if (n <= chunk_items || in_one_piece) {
      return code::template scan<Kind>(in, out, n, op, init, detail::all_streams(init), policy);
    }
  } else if constexpr (!std::floating_point<T>) {
    // A single chunk is only summed first if the operator's latency is most of the work, as in
    // floating-point sums.
    check_chunks(threads, n, chunk_items);
    if (n <= chunk_items) return detail::scan_serially<Kind>(init, in, out, 0, n, op);
  }
  if constexpr (code::by_vectors) {
    if (n / chunk_items >= index_t{4} * threads) {
      return detail::scan_ahead<Kind>(threads, std::to_address(in), std::to_address(out), n, op,
                                      init, chunk_items, policy);
    }
  }
  // The last item's prefix, not the chain's own total: in floating point they may differ in the
  // last bits, and the total should equal the last result of an inclusive scan.
  T total = init;
  cpu::run_chunks(
      threads, n, chunk_items, op, init, [&] { return detail::all_streams<T>(op.identity()); },
      [&](stream_values<T>& sums, chunk const& c) {
        return code::sum(in + c.begin, c.size(), op, sums);
      },
      [&](stream_values<T>& sums, chunk const& c, T carry) {
        T const last = code::template scan<Kind>(in + c.begin, out + c.begin, c.size(), op, carry,
                                                 sums, policy);
        if (c.end == n) total = last;
      },
      aggregates::repeatable);
  return total;
}

/// Writes items of a scan of large values, and keeps the last.
template <scan_kind Kind, class T, class ItemAt, class Op, class Out>
T scan_large_values(int threads, ItemAt const& item_at, Out const& out, index_t n, Op const& op,
                    T const& init) {
  large_sum<T> total;
  total.set(init);
  detail::scan_large(threads, n, nullptr, op, init, item_at,
                     [&](index_t i, T const& before, T const& value) {
                       if (i + 1 == n) total.set(value);
                       detail::write_large(out, i, Kind == scan_kind::inclusive ? value : before);
                     });
  return total.value();
}

template <scan_kind Kind, class In, class Out, monoid Op>
typename Op::value_type scan(int threads, In in, Out out, index_t n, Op const& op,
                             typename Op::value_type const& init, index_t chunk_items) {
  using T = typename Op::value_type;
  detail::refuse_items<T, In>();
  detail::refuse_results<T, Out>();
  detail::require_in_place_or_no_overlap(
      Kind == scan_kind::inclusive ? "inclusive scan" : "exclusive scan", detail::memory_of(in, n),
      detail::memory_of(out, n));
  if constexpr (large_value<T>) {
    check_chunks(threads, n, chunk_items);
    auto const item_at = [&](index_t i, T* space) -> T const& {
      return detail::large_item(in, i, space);
    };
    return detail::scan_large_values<Kind>(threads, item_at, out, n, op, init);
  } else {
    return detail::scan_small<Kind>(threads, in, out, n, op, init, chunk_items);
  }
}

}  // namespace detail

/// Inclusive scan: out[i] = init op in[0] op ... op in[i] for i in [0, n), on up to `threads`
/// threads.
/// Result: init op in[0] op ... op in[n-1], with the bits of out[n-1] unless those are rounded;
/// `init` if n = 0.
///
/// Types: `in` and `out` are random-access iterators or pointers; items are converted to
/// Op::value_type, in which everything accumulates. (`plus<float>` sums `float16` and `bfloat16` in
/// float; if `out` holds them, results are rounded when written, not when carried on.) `op` is
/// associative, need not commute, is only called as op(earlier, later), concurrently, and only sees
/// items, `init` and their sums. Writes to different items must not race (those to
/// std::vector<bool> do).
/// Aliasing: `out` may be exactly `in`, with items of one type. Any other overlap is refused if
/// both are contiguous in memory, else undefined.
/// Memory: reads n and writes n items; on a busy machine a thread reads and sums a chunk again in
/// place of one that lost its core. Allocates nothing below one chunk (`chunk_items`, or n), and
/// above that nothing that grows with n.
/// Determinism: floating-point results depend only on n and `chunk_items`, bit for bit, not on
/// `threads`, timing or the CPU: a fixed network of sums within 64 bytes of items, then from left
/// to right. With operators of your own, four streams per chunk, each from left to right; a single
/// chunk whose results are not floating-point numbers has one stream.
/// Throws: `invalid_argument` if threads < 1, n < 0 or chunk_items < 1, and for such an overlap;
/// exceptions of `op` or the iterators (of several, that of the first chunk). `out` is then partly
/// written.
template <std::random_access_iterator In, std::random_access_iterator Out, monoid Op>
typename Op::value_type inclusive_scan(int threads, In in, Out out, index_t n, Op op,
                                       typename Op::value_type init,
                                       index_t chunk_items = default_chunk_items) {
  return detail::scan<scan_kind::inclusive>(threads, in, out, n, op, init, chunk_items);
}

/// Exclusive scan: out[0] = init, out[i] = init op in[0] op ... op in[i-1] for i in [1, n). Returns
/// init op in[0] op ... op in[n-1] (the same bits as `inclusive_scan`). Otherwise as
/// `inclusive_scan`. A floating-point out[i] may differ in its last bits from the out[i-1] of an
/// inclusive scan where a stream begins.
template <std::random_access_iterator In, std::random_access_iterator Out, monoid Op>
typename Op::value_type exclusive_scan(int threads, In in, Out out, index_t n, Op op,
                                       typename Op::value_type init,
                                       index_t chunk_items = default_chunk_items) {
  return detail::scan<scan_kind::exclusive>(threads, in, out, n, op, init, chunk_items);
}

/// `inclusive_scan` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs no init.
template <std::random_access_iterator In, std::random_access_iterator Out, class Op,
          class Init = unstated>
requires libscan::detail::adapted<Op, Init> operator_value_t<Op, In, Init> inclusive_scan(
    int threads, In in, Out out, index_t n, Op op, Init init = unstated::init(),
    index_t chunk_items = default_chunk_items) {
  using call = libscan::detail::operator_call<Op, In, Init, libscan::detail::init_needed::never>;
  if constexpr (call::accepted()) {
    return call::run(
        op, init, [&](auto const& by, auto const& first) -> operator_value_t<Op, In, Init> {
          return detail::scan<scan_kind::inclusive>(threads, in, out, n, by, first, chunk_items);
        });
  }
}

/// `exclusive_scan` without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs an init if its identity is unknown.
template <std::random_access_iterator In, std::random_access_iterator Out, class Op,
          class Init = unstated>
requires libscan::detail::adapted<Op, Init> operator_value_t<Op, In, Init> exclusive_scan(
    int threads, In in, Out out, index_t n, Op op, Init init = unstated::init(),
    index_t chunk_items = default_chunk_items) {
  using call =
      libscan::detail::operator_call<Op, In, Init, libscan::detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    return call::run(
        op, init, [&](auto const& by, auto const& first) -> operator_value_t<Op, In, Init> {
          return detail::scan<scan_kind::exclusive>(threads, in, out, n, by, first, chunk_items);
        });
  }
}

}  // namespace libscan::inline v1::cpu
