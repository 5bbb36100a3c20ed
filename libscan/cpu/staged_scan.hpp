// SPDX-License-Identifier: Apache-2.0
// Scans on CPU threads of items that are fetched chunk by chunk into a thread's own cache, where
// they may be widened, decoded or computed; from either end. The fetch is called once per chunk, so
// it may be a function pointer: the scan is compiled for the accumulator only.
#pragma once

#include <algorithm>
#include <concepts>

#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/converted_items.hpp>
#include <libscan/cpu/large_values.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/stream_copy.hpp>

namespace libscan::inline v1::cpu {

/// The default number of items of a chunk: a chunk of the items and one of the output, 8 bytes
/// each, leave space in an L2 cache of half a megabyte.
inline constexpr index_t staged_chunk_items = index_t{1} << 14;

/// Fetches items: source(begin, end, to) sets to[k] to item begin + k for all items of [begin,
/// end). Called concurrently, once per chunk, and again if a thread is late (run_chunks), with the
/// same result. A source may also have direct(begin), which returns the address of contiguous items
/// from item `begin` on, or null; then, forwards, nothing is fetched.
template <class Source, class T>
concept item_source = requires(Source const& source, index_t item, T* to) {
  source(item, item, to);
};

namespace detail {

/// A thread's state for the current chunk: its items, space for fetched ones, and the result of
/// `chunk_code::sum`.
template <class T, class Value>
struct stage {
  small_buffer<T> space;
  T const* items = nullptr;
  stream_values<Value> sums;

  stage(index_t n, Value any) : space(n), sums(detail::all_streams(any)) {}
};

/// The items at positions [c.begin, c.end) of a scan, perhaps in `space`; in reverse position p is
/// item n - 1 - p.
template <class T, class Source>
T const* fetch(Source const& source, scan_direction direction, index_t n, chunk const& c,
               T* space) {
  if (direction == scan_direction::reverse) {
    source(n - c.end, n - c.begin, space);
    std::reverse(space, space + c.size());
    return space;
  }
  if constexpr (requires { source.direct(c.begin); }) {
    if (T const* const items = source.direct(c.begin)) return items;
  }
  source(c.begin, c.end, space);
  return space;
}

/// Calls write(place) to fill the output's positions [c.begin, c.end); through `aside` in reverse,
/// or if results are converted or not contiguous.
template <class T, class Out, class Write>
void deliver(Out out, scan_direction direction, index_t n, chunk const& c, T* aside, Write write) {
  bool const forward = direction == scan_direction::forward;
  if constexpr (std::contiguous_iterator<Out> && std::same_as<std::iter_value_t<Out>, T>) {
    T* const to = std::to_address(out);
    if (forward) return write(to + c.begin);
    write(aside);
    std::reverse_copy(aside, aside + c.size(), to + (n - c.end));
  } else {
    write(aside);
    if (!forward) std::reverse(aside, aside + c.size());
    detail::convert_results(aside, c.size(), out + (forward ? c.begin : n - c.end));
  }
}

/// Item i that `source` brings: where it is, or in `space`.
template <class T, class Source>
T const& staged_item(Source const& source, index_t i, T* space) {
  if constexpr (requires { source.direct(i); }) {
    if (T const* const item = source.direct(i)) return *item;
  }
  source(i, i + 1, space);
  return *space;
}

/// `staged_scan` of items that are not large; returns the value after the last one.
template <scan_kind Kind, class Source, monoid Op, class Out>
typename Op::value_type scan_staged_chunks(int threads, scan_direction direction,
                                           Source const& source, Out out, index_t n, Op op,
                                           typename Op::value_type init, index_t chunk_items) {
  using T = typename Op::value_type;
  using stage = detail::stage<T, T>;
  using code = detail::chunk_code<T const*, T*, Op>;
  store_policy const policy = store_policy_for(n * static_cast<index_t>(sizeof(T)));
  return cpu::run_chunks(
      threads, n, chunk_items, op, init,
      [&] { return stage(std::min(n, chunk_items), op.identity()); },
      [&](stage& here, chunk const& c) {
        here.items = detail::fetch(source, direction, n, c, here.space.data());
        return code::sum(here.items, c.size(), op, here.sums);
      },
      [&](stage& here, chunk const& c, T carry) {
        detail::deliver(out, direction, n, c, here.space.data(), [&](T* to) {
          code::template scan<Kind>(here.items, to, c.size(), op, carry, here.sums, policy);
        });
      },
      aggregates::repeatable);
}

}  // namespace detail

/// Scans items 0..n-1 of `source` into out[0..n-1] on up to `threads` threads. Forwards as
/// `inclusive_scan` and `exclusive_scan`, with `init` before the first item. In reverse, the scan
/// of the reversed items, reversed: `init` before the last one, out[i] = init op item n-1 op ... op
/// item i if inclusive.
///
/// Types: `out` is a random-access iterator or pointer; writes to different items must not race,
/// and results are converted to its item type. `op` is only called as op(earlier, later) in the
/// order of the scan.
/// Aliasing: `out` may be what `source` reads, item i from out[i]; it must not be read otherwise.
/// Memory: reads n and writes n items; allocates one chunk per thread if that is larger than 8 KiB,
/// and one more if the thread helps a late one.
/// Determinism: floating-point results depend only on n and `chunk_items`, bit for bit.
/// Throws: `invalid_argument` if threads < 1, n < 0 or chunk_items < 1; std::bad_alloc; exceptions
/// of `source` (of several, that of the first chunk). `out` is then partly written.
template <scan_kind Kind, class Source, monoid Op, std::random_access_iterator Out>
requires item_source<Source, typename Op::value_type>
void staged_scan(int threads, scan_direction direction, Source const& source, Out out, index_t n,
                 Op op, typename Op::value_type init, index_t chunk_items = staged_chunk_items) {
  using T = typename Op::value_type;
  detail::refuse_results<T, Out>();
  (void)detail::memory_of(out, n);  // refuses misaligned items
  if constexpr (detail::large_value<T>) {
    detail::check_chunks(threads, n, chunk_items);
    auto const place = [=](index_t i) {
      return direction == scan_direction::forward ? i : n - 1 - i;
    };
    detail::scan_large(
        threads, n, nullptr, op, init,
        [&](index_t i, T* space) -> T const& {
          return detail::staged_item(source, place(i), space);
        },
        [&](index_t i, T const& before, T const& value) {
          detail::write_large(out, place(i), Kind == scan_kind::inclusive ? value : before);
        });
  } else {
    detail::scan_staged_chunks<Kind>(threads, direction, source, out, n, op, init, chunk_items);
  }
}

}  // namespace libscan::inline v1::cpu
