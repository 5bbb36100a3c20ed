// SPDX-License-Identifier: Apache-2.0
// Reductions on CPU threads, for any random-access iterator and any operator: the sums that a scan
// makes of its chunks (chunk_scan.hpp), summed in turn.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/large_values.hpp>
#include <libscan/cpu/small_buffer.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// init op the sums of all chunks, in order, each sum_of(begin, end). One thread sums a part of a
/// few chunks and never waits for another; the number of parts depends on n and `chunk_items`.
template <monoid Op, class SumOf>
typename Op::value_type sum_parts(int threads, index_t n, index_t chunk_items, Op op,
                                  typename Op::value_type init, SumOf const& sum_of) {
  using T = typename Op::value_type;
  check_chunks(threads, n, chunk_items);
  if (n == 0) return init;
  index_t const part_items = detail::part_items(n, chunk_items);
  small_buffer<T> const space(ceil_div(n, part_items));
  T* const sums = space.data();
  detail::run_chain(threads, n, part_items, op, init, [&](auto& chain, auto& mine) {
    for (; mine; mine = chain.claim()) {
      index_t begin = *mine * part_items;
      index_t const end = std::min(n, begin + part_items);
      index_t next = std::min(end, begin + chunk_items);
      T sum = sum_of(begin, next);
      while ((begin = next) < end) {
        next = std::min(end, begin + chunk_items);
        sum = op(sum, sum_of(begin, next));
      }
      std::construct_at(sums + *mine, sum);
    }
  });
  for (index_t part = 0; part < ceil_div(n, part_items); ++part) init = op(init, sums[part]);
  return init;
}

/// `reduce` of values that fit on a thread's stack.
template <class In, monoid Op, class T = typename Op::value_type>
T reduce_small(int threads, In in, index_t n, Op op, std::type_identity_t<T> init,
               index_t chunk_items) {
  using code = chunk_code<In, T*, Op>;
  if constexpr (vectorized<Op>) {
    detail::check_chunks(threads, n, chunk_items);
    if (n == 0) return init;
    if (n * static_cast<index_t>(sizeof(T)) <= one_thread_bytes) threads = 1;
    bool const in_one_piece = threads == 1 && std::integral<T>;  // with the same sum
    if (n <= chunk_items || in_one_piece) {
      auto sums = detail::all_streams(init);
      return op(init, code::sum(in, n, op, sums));
    }
    // Sums of integers are the same for any pieces: larger ones, if enough are left for each
    // thread.
    constexpr index_t large = index_t{1} << 18;
    if (std::integral<T>) {
      chunk_items = std::max(chunk_items, std::min(large, ceil_div(n, index_t{4} * threads)));
    }
  }
  return detail::sum_parts(threads, n, chunk_items, op, init, [&](index_t begin, index_t end) {
    auto sums = detail::all_streams(init);
    return code::sum(in + begin, end - begin, op, sums);
  });
}

/// `reduce` of any values.
template <class In, monoid Op>
typename Op::value_type reduce_any(int threads, In in, index_t n, Op const& op,
                                   typename Op::value_type const& init, index_t chunk_items) {
  using T = typename Op::value_type;
  detail::refuse_items<T, In>();
  (void)detail::memory_of(in, n);  // refuses misaligned items
  if constexpr (detail::large_value<T>) {
    detail::check_chunks(threads, n, chunk_items);
    return detail::reduce_large(threads, n, op, init, [&](index_t i, T* space) -> T const& {
      return detail::large_item(in, i, space);
    });
  } else {
    return detail::reduce_small(threads, in, n, op, init, chunk_items);
  }
}

}  // namespace detail

/// init op in[0] op ... op in[n-1], on up to `threads` threads; `init` if n = 0.
///
/// Types: `in` is a random-access iterator or pointer; items are converted to Op::value_type, in
/// which everything accumulates. `op` is associative, need not commute, is only called as
/// op(earlier, later), concurrently, and only sees items, `init` and their sums. (Commutative
/// operators see items in another order; the result is the same except for rounding, and for which
/// of several NaNs it is.)
/// Memory: reads n items; allocates at most 256 values, and nothing if these take up to 8 KiB.
/// Determinism: floating-point results depend only on n and `chunk_items`, bit for bit, not on
/// `threads`, timing or the CPU; their last bits may differ from the total of a scan.
/// Throws: `invalid_argument` if threads < 1, n < 0 or chunk_items < 1; exceptions of `op` or the
/// iterator (of several, that of the first chunk).
template <std::random_access_iterator In, monoid Op>
typename Op::value_type reduce(int threads, In in, index_t n, Op op,
                               std::type_identity_t<typename Op::value_type> init,
                               index_t chunk_items = default_chunk_items) {
  return detail::reduce_any(threads, in, n, op, init, chunk_items);
}

/// The same without an init, which is then the identity; and by any other callable
/// (libscan/core/function_operator.hpp), which needs an init if its identity is unknown.
template <std::random_access_iterator In, class Op, class Init = unstated>
requires libscan::detail::adapted<Op, Init> operator_value_t<Op, In, Init> reduce(
    int threads, In in, index_t n, Op op, Init init = unstated::init(),
    index_t chunk_items = default_chunk_items) {
  using call =
      libscan::detail::operator_call<Op, In, Init, libscan::detail::init_needed::if_no_identity>;
  if constexpr (call::accepted()) {
    return call::run(op, init,
                     [&](auto const& by, auto const& first) -> operator_value_t<Op, In, Init> {
                       return detail::reduce_any(threads, in, n, by, first, chunk_items);
                     });
  }
}

}  // namespace libscan::inline v1::cpu
