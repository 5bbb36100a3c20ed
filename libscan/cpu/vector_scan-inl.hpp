// SPDX-License-Identifier: Apache-2.0
// The code of vector_scan.hpp, except for segments: group after group, each after its carry. A
// carry depends on one operation only, so groups overlap. Included once per instruction set, like
// Highway's -inl headers.

#if defined(LIBSCAN_CPU_VECTOR_SCAN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIBSCAN_CPU_VECTOR_SCAN_INL
#undef LIBSCAN_CPU_VECTOR_SCAN_INL
#else
#define LIBSCAN_CPU_VECTOR_SCAN_INL
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_group-inl.hpp>
#include <libscan/cpu/vector_scan.hpp>
#include <libscan/cpu/vector_store-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

/// Parts of the items that are summed in parallel: distant reads keep more misses in flight, and
/// several chains of operations hide their latency.
inline constexpr int streams = 4;

/// Groups of a stream. Not near a multiple of 2 KiB, where streams would use the same few cache
/// sets.
inline index_t stream_groups(index_t groups) {
  index_t const even = groups / streams;
  index_t const beyond = even % 32;
  return even >= 32 && (beyond < 3 || beyond > 29) ? even - 8 : even;
}

/// Whether zeros of either sign compare equal, so that the first of them is the sum.
template <class Op, class T = typename Op::value_type>
inline constexpr bool keeps_first_zero = std::is_floating_point_v<T> &&
                                         (std::is_same_v<Op, minimum<T>> ||
                                          std::is_same_v<Op, maximum<T>>);

/// A running sum of some items, at least one: a group of each stream in turn.
template <class T, class Item>
struct running_sum {
  Item const* items;
  index_t groups;
  index_t length;               // items of a stream
  index_t at = group_items<T>;  // the items of it that are summed
  vector_array<group<T>, streams> sums;

  running_sum(Item const* from, index_t n)
      : items(from), groups(n / group_items<T>), length(stream_groups(groups) * group_items<T>) {
    if (length == 0) return;
    LIBSCAN_UNROLL
    for (int s = 0; s < streams; ++s) sums[s] = load_group<T>(items + s * length);
  }

  HWY_INLINE bool has_more() const { return at < length; }

  HWY_INLINE Item const* next_of(int stream) const { return items + stream * length + at; }
};

template <class Op, class Item, class T = typename Op::value_type>
HWY_INLINE void add_group(Op op, group<T>& sum, Item const* next) {
  LIBSCAN_UNROLL
  for (int k = 0; k < vectors<T>; ++k) sum[k] = apply(op, sum[k], load<T>(next + k * width<T>));
}

/// Adds the next group of each stream.
template <class Op, class Item, class T = typename Op::value_type>
HWY_INLINE void add_groups(Op op, running_sum<T, Item>& sum) {
  LIBSCAN_UNROLL
  for (int s = 0; s < streams; ++s) add_group(op, sum.sums[s], sum.next_of(s));
  sum.at += group_items<T>;
}

/// items[0] op ... op items[n - 1], n >= 1; `begun`, unless null, already holds the sum of some.
template <class Op, class Item, class T = typename Op::value_type>
HWY_NOINLINE T total(Item const* items, index_t n, running_sum<T, Item> const* begun) {
  Op const op;
  running_sum<T, Item> now = begun != nullptr ? *begun : running_sum<T, Item>(items, n);
  index_t i = 1;
  T total = static_cast<T>(items[0]);
  if (now.length > 0) {
    // Without prefetching the core's own prefetchers do better (a Zen 4 reads 1.2 times as fast).
    while (now.has_more()) add_groups(op, now);
    for (i = streams * now.length; i < now.groups * group_items<T>; i += group_items<T>) {
      add_group(op, now.sums[0], items + i);
    }
    LIBSCAN_UNROLL
    for (int s = 1; s < streams; ++s) {
      LIBSCAN_UNROLL
      for (int k = 0; k < vectors<T>; ++k) {
        now.sums[0][k] = apply(op, now.sums[0][k], now.sums[s][k]);
      }
    }
    T sums[group_items<T>];
    store_group(sklansky_scan<T>().scan(op, now.sums[0]), sums, store_policy::cached);
    total = sums[group_items<T> - 1];
  }
  for (; i < n; ++i) total = op(total, static_cast<T>(items[i]));
  if constexpr (keeps_first_zero<Op>) {
    // Lanes and streams were combined in another order than that of the items.
    if (total == T{0}) total = *std::find(items, items + n, T{0});
  }
  return total;
}

/// The prefetch distance of a sum computed on the way.
inline constexpr int bytes_ahead = 1024;

/// Scans whole groups; also adds to `lasting_sum`, unless null.
template <class Op, class Item, class T = typename Op::value_type>
HWY_NOINLINE void scan_groups(scan_kind kind, Item const* in, T* out, index_t items,
                              carried<T>& lasting_carry, store_policy policy,
                              running_sum<T, Item>* lasting_sum) {
  Op const op;
  sklansky_scan<T> const net;
  carried<T> carry = lasting_carry;
  auto const scan_group = [&](index_t i) HWY_ATTR __attribute__((always_inline)) {
    group<T> x = net.scan(op, load_group<T>(in + i));
    vector<T> const total = net.last(x[vectors<T> - 1]);
    LIBSCAN_UNROLL
    for (vector<T>& v : x) v = apply(op, carry.sum, v);
    carry.sum = apply(op, carry.sum, total);
    if (kind == scan_kind::exclusive) x = net.moved_on(x, carry.previous);
    store_group(x, out + i, policy);
  };
  index_t i = 0;
  if (lasting_sum != nullptr) {
    running_sum<T, Item> beside = *lasting_sum;
    constexpr index_t at_once = streams * group_items<T>;
    for (; i + at_once <= items && beside.has_more(); i += at_once) {
      LIBSCAN_UNROLL
      for (int s = 0; s < streams; ++s) {
        // As a number: it may not be a valid address.
        auto const ahead = reinterpret_cast<std::uintptr_t>(beside.next_of(s)) + bytes_ahead;
        __builtin_prefetch(reinterpret_cast<void const*>(ahead));
      }
      add_groups(op, beside);
      for (int k = 0; k < streams; ++k) scan_group(i + k * group_items<T>);
    }
    *lasting_sum = beside;
  }
  for (; i < items; i += group_items<T>) scan_group(i);
  lasting_carry = carry;
}

/// The code that each operator has of its own: everything else is compiled once per item type.
template <class T, class Item>
struct scan_steps {
  T (*total)(Item const* items, index_t n, running_sum<T, Item> const* begun);
  void (*scan_groups)(scan_kind kind, Item const* in, T* out, index_t items, carried<T>& carry,
                      store_policy policy, running_sum<T, Item>* beside);
};

/// The last items, fewer than a group. Returns the prefix after them.
template <class T, class Item>
T scan_rest(scan_steps<T, Item> const& steps, scan_kind kind, Item const* in, T* out, index_t items,
            carried<T>& carry) {
  T const first = static_cast<T>(hn::GetLane(carry.sum));
  Item last[group_items<T>];
  T x[group_items<T>];
  std::fill_n(std::copy_n(in, items, last), group_items<T> - items, in[items - 1]);
  steps.scan_groups(scan_kind::inclusive, last, x, group_items<T>, carry, store_policy::cached,
                    nullptr);
  if (kind == scan_kind::inclusive) {
    std::copy_n(x, items, out);
  } else {
    out[0] = first;
    std::copy_n(x, items - 1, out + 1);
  }
  return x[items - 1];
}

/// Scans n items, and also sums the wanted items unless `sum` is null.
template <class T, class Item>
HWY_NOINLINE T scan(scan_steps<T, Item> const& steps, scan_kind kind, Item const* in, T* out,
                    index_t n, T first, store_policy policy, Item const* wanted,
                    index_t wanted_items, T* sum) {
  vector<T> const before = hn::Set(lanes<T>(), first);
  carried<T> carry{before, before};
  auto const go = [&](running_sum<T, Item>* beside) HWY_ATTR {
    return scan_by<T>(
        policy, out, n, carry,
        [&](index_t i, index_t items, T* to, store_policy by)
            HWY_ATTR { steps.scan_groups(kind, in + i, to, items, carry, by, beside); },
        [&](index_t i, index_t items)
            HWY_ATTR { return scan_rest(steps, kind, in + i, out + i, items, carry); });
  };
  if (sum == nullptr) return go(nullptr);
  running_sum<T, Item> beside(wanted, wanted_items);
  T const last = go(&beside);
  *sum = steps.total(wanted, wanted_items, &beside);
  return last;
}

/// `Op` over `Item`s by the code of its unsigned twin, whose items are those of `Op` by their bits.
template <class Op, class Item>
struct unsigned_code {
  using T = typename Op::value_type;
  using twin = typename as_unsigned_op<Op>::type;
  using bits = typename twin::value_type;
  using item = std::conditional_t<std::is_same_v<Item, T>, bits, Item>;

  static constexpr scan_steps<bits, item> steps{total<twin, item>, scan_groups<twin, item>};

  static item const* items_of(Item const* items) { return reinterpret_cast<item const*>(items); }

  static T sum(Item const* items, index_t n) {
    return static_cast<T>(steps.total(items_of(items), n, nullptr));
  }

  static T scan(scan_kind kind, Item const* in, T* out, index_t n, T carry, store_policy policy,
                wanted_sum<Item, T>* beside) {
    bool const none = beside == nullptr;
    return static_cast<T>(HWY_NAMESPACE::scan<bits, item>(
        steps, kind, items_of(in), reinterpret_cast<bits*>(out), n, static_cast<bits>(carry),
        policy, none ? nullptr : items_of(beside->items), none ? 0 : beside->n,
        none ? nullptr : reinterpret_cast<bits*>(&beside->sum)));
  }
};

/// Sets all code of a table.
template <class Table>
void choose(Table& all) {
  all.for_each([]<class Op, class Item>(vector_scan_of_items<Op, Item>& code) {
    code.sum = unsigned_code<Op, Item>::sum;
    code.scan = unsigned_code<Op, Item>::scan;
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();
#endif
