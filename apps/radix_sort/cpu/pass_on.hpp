// SPDX-License-Identifier: Apache-2.0
// Items that are already sorted pass from source to sink unchanged, on CPU threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <type_traits>

#include <apps/radix_sort/cpu/sort_items.hpp>
#include <apps/radix_sort/cpu/split.hpp>
#include <libscan/core/types.hpp>

namespace libscan::inline v1::cpu::detail {

/// The sink for items from memory, not from a leaf: keys that equal their words may then bypass the
/// caches. Other sinks have chosen their policy.
template <class Sink>
Sink past_caches(Sink const& sink, index_t) {
  return sink;
}
template <class Key>
key_sink<Key> past_caches(key_sink<Key> const& sink, index_t n) {
  return {sink.keys, sink.words, store_policy_for(n * index_t{sizeof(Key)})};
}

/// Items of a part: they are read again from the L1 cache after the first look.
inline constexpr index_t passed_items = 1024;

/// Passes `count` items of `source`, up to `passed_items`, to `sink` unchanged.
template <class Source, class Sink>
void pass_on_part(Source const& source, index_t i, index_t place, index_t count, Sink const& sink) {
  std::remove_cvref_t<decltype(source[0])> part[passed_items];
  for (index_t k = 0; k < count; ++k) part[k] = source[i + k];
  sink.put(part, place, count);
}

/// Passes items 0..n-1 of `source` to places [place, place + n) of `sink` unchanged.
template <class Source, class Sink>
void pass_on(int threads, Source const& source, index_t place, index_t n, Sink const& sink) {
  pieces const all(threads, n);
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    for (index_t i = all.begin(p); i < all.end(p); i += passed_items) {
      detail::pass_on_part(source, i, place + i, std::min(passed_items, all.end(p) - i), sink);
    }
    sink.finish();
  });
}

/// Passes items 0..n-1 of `source` to `sink` unchanged, if they are sorted by `order`: in one pass,
/// if what is read and written does not overlap. Otherwise returns false, and the sink's content
/// must be written again.
template <class Source, class Sink, class Order>
bool pass_on_if_sorted(int threads, Source const& source, index_t n, Sink const& sink,
                       Order order) {
  meeting const how = detail::meeting_of(source, sink);
  if (how != meeting::none) {
    bool const sorted = detail::summarize_all(threads, source, n, order).sorted;
    if (sorted && how == meeting::some) detail::pass_on(threads, source, 0, n, sink);
    return sorted;
  }
  pieces const all(threads, n);
  std::atomic<bool> sorted{true};
  auto const to = detail::past_caches(sink, n);
  detail::for_each_of(threads, all.count, [&](int, index_t p) {
    for (index_t i = all.begin(p); i < all.end(p) && sorted.load(std::memory_order_relaxed);
         i += passed_items) {
      index_t const count = std::min(passed_items, all.end(p) - i);
      if (!detail::summarize(source, i, i + count, 1, order).sorted) {
        sorted = false;
      } else {
        detail::pass_on_part(source, i, i, count, to);
      }
    }
    to.finish();
  });
  return sorted;
}

}  // namespace libscan::inline v1::cpu::detail
