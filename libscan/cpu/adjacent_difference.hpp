// SPDX-License-Identifier: Apache-2.0
// Adjacent differences on CPU threads: each item combined with the one before it. The items before
// all parts are read first, so that results may go over the items.
#pragma once

#include <algorithm>
#include <type_traits>

#include <libscan/core/function_operator.hpp>
#include <libscan/core/light_memory.hpp>
#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/arguments.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/chunk_scan.hpp>
#include <libscan/cpu/small_buffer.hpp>
#include <libscan/cpu/stream_copy.hpp>

namespace libscan::inline v1::cpu {

namespace detail {

/// Differences of items [begin, end), with `before` before the first, one after the other.
template <class Item, class In, class Out, class Op>
void differ_serially(In in, Out out, index_t begin, index_t end, Item before, Op const& op) {
  for (index_t i = begin; i < end; ++i) {
    Item const item = in[i];
    out[i] = static_cast<std::iter_value_t<Out>>(op(before, item));
    before = item;
  }
}

/// The same for numbers in memory, through a buffer: what compilers turn into vector code, though
/// `out` may be `in`.
template <class Item, class Result, class Op>
void differ_staged(Item const* in, Result* out, index_t begin, index_t end, Item before,
                   Op const& op, store_policy policy) {
  constexpr index_t at_once = 1024;
  Item items[at_once + 1];
  Result results[at_once];
  items[0] = before;
  for (index_t i = begin; i < end; i += at_once) {
    index_t const count = std::min(at_once, end - i);
    std::copy_n(in + i, count, items + 1);
    for (index_t k = 0; k < count; ++k) {
      results[k] = static_cast<Result>(op(items[k], items[k + 1]));
    }
    cpu::copy_by(policy, results, count, out + i);
    items[0] = items[count];
  }
}

template <class Item, class In, class Out, class Op>
void differ(In in, Out out, index_t begin, index_t end, Item const& before, Op const& op,
            store_policy policy) {
  using result = std::iter_value_t<Out>;
  if constexpr (std::contiguous_iterator<In> && std::contiguous_iterator<Out> &&
                std::is_arithmetic_v<Item> && std::is_arithmetic_v<result>) {
    detail::differ_staged(std::to_address(in), std::to_address(out), begin, end, before, op,
                          policy);
  } else {
    detail::differ_serially<Item>(in, out, begin, end, before, op);
  }
}

}  // namespace detail

/// out[0] = in[0] and out[i] = op(in[i-1], in[i]) for i in [1, n), on up to `threads` threads. By
/// default `op` is later - earlier, which an inclusive sum undoes.
///
/// Types: `in` and `out` are random-access iterators or pointers. `op` is any callable, const, that
/// may be called concurrently: it need not be associative, and its results need not be of the
/// items' type. They are converted to what `out` holds, and so is in[0]. Writes to different items
/// must not race (those to std::vector<bool> do). Aliasing: `out` may be exactly `in`, with items
/// of one type. Any other overlap is refused if both are contiguous in memory, else undefined.
/// Memory: reads n and writes n items; allocates at most 256 items, and nothing if these take up to
/// 8 KiB.
/// Throws: `invalid_argument` if threads < 1, n < 0 or chunk_items < 1, and for such an overlap;
/// exceptions of `op` or the iterators (of several, that of the first part). `out` is then partly
/// written.
template <std::random_access_iterator In, std::random_access_iterator Out,
          class Op = later_minus_earlier>
void adjacent_difference(int threads, In in, Out out, index_t n, Op const& op = {},
                         index_t chunk_items = default_chunk_items) {
  using item = std::iter_value_t<In>;
  libscan::detail::refuse_volatile<In>();
  libscan::detail::refuse_difference<In, Op>();
  detail::refuse_results<item, Out>();
  static_assert(std::is_copy_assignable_v<item> &&
                    (std::is_default_constructible_v<item> || std::is_trivially_copyable_v<item>),
                "libscan: the items cannot be copied to where the last one of each part is kept: "
                "they need an assignment, and a default constructor unless bytes are a copy");
  detail::require_in_place_or_no_overlap("adjacent_difference", detail::memory_of(in, n),
                                         detail::memory_of(out, n));
  detail::check_chunks(threads, n, chunk_items);
  if (n == 0) return;
  index_t const bytes = n * static_cast<index_t>(sizeof(std::iter_value_t<Out>));
  if (bytes <= detail::one_thread_bytes) threads = 1;
  store_policy const policy = store_policy_for(bytes, detail::in_place(in, out));
  index_t const part_items = detail::part_items(n, chunk_items);
  detail::small_buffer<item> const before(ceil_div(n, part_items));
  for (index_t begin = part_items; begin < n; begin += part_items) {
    before[begin / part_items] = in[begin - 1];
  }
  detail::run_chain(threads, n, part_items, plus<index_t>{}, 0, [&](auto& thread, auto& mine) {
    for (; mine; mine = thread.claim()) {
      chunk const part = detail::chunk_at(*mine, n, part_items);
      if (part.begin > 0) {
        detail::differ(in, out, part.begin, part.end, before[*mine], op, policy);
      } else {
        item const first = in[0];
        out[0] = static_cast<std::iter_value_t<Out>>(first);
        detail::differ(in, out, 1, part.end, first, op, policy);
      }
    }
  });
}

}  // namespace libscan::inline v1::cpu
