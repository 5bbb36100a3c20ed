// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of large values: a few would fill a thread's stack. All values are in
// allocated memory, and operators construct their results there. Such operators take so long that
// a simple division of the items among threads suffices.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <libscan/core/light_memory.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/chunk_chain.hpp>
#include <libscan/cpu/segment_readers.hpp>
#include <libscan/cpu/small_buffer.hpp>

namespace libscan::inline v1::cpu::detail {

/// Whether calls keep no values of T on a thread's stack. They keep up to a hundred smaller values
/// there, and the stacks of oneTBB's threads have 4 MiB.
template <class T>
inline constexpr bool large_value = sizeof(T) > 2048;

/// Allocated memory for values.
template <class T>
using value_buffer = small_buffer<T, 1>;

/// Parts of the items of a call, whose sums are kept.
inline constexpr index_t large_parts = 64;

/// A growing sum, and its value before the last operation.
template <class T>
class large_sum {
 public:
  void set(T const& x) { std::construct_at(values_.data() + at_, x); }

  /// Constructs the operator's result in place.
  template <class Op>
  void append(Op const& op, T const& item) {
    T const& earlier = value();
    at_ = 1 - at_;
    ::new (static_cast<void*>(values_.data() + at_)) T(op(earlier, item));
  }

  T const& value() const { return values_[at_]; }
  T const& before() const { return values_[1 - at_]; }

 private:
  value_buffer<T> values_{2};
  index_t at_ = 0;
};

/// The working memory of a thread.
template <class T>
struct large_state {
  large_sum<T> sum;
  value_buffer<T> item{1};  // for one that is converted
};

/// Item i of an iterator as T: where it is, or in `space`.
template <class T, class In>
T const& large_item(In const& in, index_t i, T* space) {
  using reference = std::iter_reference_t<In>;
  if constexpr (std::is_lvalue_reference_v<reference> &&
                std::is_same_v<std::remove_cvref_t<reference>, T>) {
    return in[i];
  } else {
    return *::new (static_cast<void*>(space)) T(static_cast<T>(in[i]));
  }
}

/// out[i] = x, converted to what `out` holds.
template <class T, class Out>
void write_large(Out const& out, index_t i, T const& x) {
  using item = std::iter_value_t<Out>;
  if constexpr (std::is_same_v<std::iter_reference_t<Out>, item&> && !std::is_same_v<item, T>) {
    out[i] = static_cast<item>(x);
  } else {
    out[i] = x;
  }
}

/// sums[p] = the sum of part p of n items since its last head, for each part; begun[p] says whether
/// it has one. `heads` may be null: none. item_at(i, `space`) returns item i, perhaps in `space`.
template <class T, class Op, class ItemAt>
void sum_large_parts(int threads, index_t n, index_t part_items, head_word const* heads,
                     Op const& op, ItemAt const& item_at, T* sums, std::uint8_t* begun) {
  cpu::sum_chunks(
      threads, n, part_items, [] { return large_state<T>(); },
      [&](large_state<T>& here, chunk const& c) {
        bool begins = false;
        for (index_t i = c.begin; i < c.end; ++i) {
          bool const head = heads != nullptr && detail::is_head(heads, i);
          T const& item = item_at(i, here.item.data());
          head || i == c.begin ? here.sum.set(item) : here.sum.append(op, item);
          begins = begins || head;
        }
        std::construct_at(sums + c.index, here.sum.value());
        begun[c.index] = begins ? 1 : 0;
        return index_t{0};
      });
}

/// The parts of n items, their sums, and whether a segment begins in each.
template <class T>
struct large_part_sums {
  index_t part_items, parts;
  value_buffer<T> sums;
  std::vector<std::uint8_t> begun;

  explicit large_part_sums(index_t n)
      : part_items(ceil_div(n, large_parts)),
        parts(ceil_div(n, part_items)),
        sums(parts),
        begun(static_cast<std::size_t>(parts)) {}
};

/// init op all of n items, in order.
template <class T, class Op, class ItemAt>
T reduce_large(int threads, index_t n, Op const& op, T const& init, ItemAt const& item_at) {
  if (n == 0) return init;
  large_part_sums<T> all(n);
  detail::sum_large_parts(threads, n, all.part_items, nullptr, op, item_at, all.sums.data(),
                          all.begun.data());
  large_sum<T> total;
  total.set(init);
  for (index_t p = 0; p < all.parts; ++p) total.append(op, all.sums[p]);
  return total.value();
}

/// Calls put(i, before, value) for each of n items, concurrently, in the order of each part: item
/// i's own prefix is `value`, the one without it `before`, `init` at head flags and before item 0.
template <class T, class Op, class ItemAt, class Put>
void scan_large(int threads, index_t n, head_word const* heads, Op const& op, T const& init,
                ItemAt const& item_at, Put const& put) {
  if (n == 0) return;
  large_part_sums<T> all(n);
  detail::sum_large_parts(threads, n, all.part_items, heads, op, item_at, all.sums.data(),
                          all.begun.data());
  // What enters each part, in place of its sum.
  large_sum<T> entering, next;
  entering.set(init);
  for (index_t p = 0; p < all.parts; ++p) {
    next.set(all.begun[static_cast<std::size_t>(p)] != 0 ? init : entering.value());
    next.append(op, all.sums[p]);
    std::construct_at(all.sums.data() + p, entering.value());
    entering.set(next.value());
  }
  cpu::sum_chunks(
      threads, n, all.part_items, [] { return large_state<T>(); },
      [&](large_state<T>& here, chunk const& c) {
        here.sum.set(all.sums[c.index]);
        for (index_t i = c.begin; i < c.end; ++i) {
          if (heads != nullptr && detail::is_head(heads, i)) here.sum.set(init);
          here.sum.append(op, item_at(i, here.item.data()));
          put(i, here.sum.before(), here.sum.value());
        }
        return index_t{0};
      });
}

}  // namespace libscan::inline v1::cpu::detail
