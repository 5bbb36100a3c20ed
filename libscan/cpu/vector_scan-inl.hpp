// SPDX-License-Identifier: Apache-2.0
// The code behind vector_scan.hpp, but for segments: group after group behind the carry. Each carry
// waits for one operation alone, so groups overlap. Included once for each instruction set, as
// Highway's -inl headers are.

#if defined(LIBSCAN_CPU_VECTOR_SCAN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIBSCAN_CPU_VECTOR_SCAN_INL
#undef LIBSCAN_CPU_VECTOR_SCAN_INL
#else
#define LIBSCAN_CPU_VECTOR_SCAN_INL
#endif

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_group-inl.hpp>
#include <libscan/cpu/vector_scan.hpp>
#include <libscan/cpu/vector_store-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

/// Parts of the items that are summed side by side: reads far apart keep more misses in flight, and
/// several chains of operations hide their latency.
inline constexpr int streams = 4;

/// Groups of a stream. Not near a multiple of 2 KiB, at which streams would meet in the same few
/// sets of the cache.
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

/// The sum of some items, at least one, a group of each stream after the other.
template <class Op, class Item>
class running_sum {
  using T = typename Op::value_type;

 public:
  running_sum(Item const* items, index_t n)
      : items_(items),
        n_(n),
        groups_(n / group_items<T>),
        length_(stream_groups(groups_) * group_items<T>) {
    if (length_ == 0) return;
    for (int s = 0; s < streams; ++s) sums_[s] = load_group<T>(items_ + s * length_);
  }

  /// Whether there is more to `take_in`.
  HWY_INLINE bool has_more() const { return at_ < length_; }

  /// The next group of each stream, between other work.
  HWY_INLINE void take_in(Op op) {
    for (int s = 0; s < streams; ++s) {
      // As a number: it may be the address of nothing.
      auto const ahead = reinterpret_cast<std::uintptr_t>(next_of(s)) + bytes_ahead;
      __builtin_prefetch(reinterpret_cast<void const*>(ahead));
    }
    add_next(op);
  }

  /// Takes in what is left, and returns the sum of all.
  HWY_INLINE T total(Op op) {
    index_t i = 1;
    T total = static_cast<T>(items_[0]);
    if (length_ > 0) {
      // Alone, the core's own prefetchers do better (a Zen 4 reads 1.2 times as fast).
      while (has_more()) add_next(op);
      for (i = streams * length_; i < groups_ * group_items<T>; i += group_items<T>) {
        add(op, sums_[0], items_ + i);
      }
      for (int s = 1; s < streams; ++s) {
        for (int k = 0; k < vectors<T>; ++k) sums_[0][k] = apply(op, sums_[0][k], sums_[s][k]);
      }
      T sums[group_items<T>];
      store_group(network<T>().scan(op, sums_[0]), sums, store_road::cached);
      total = sums[group_items<T> - 1];
    }
    for (; i < n_; ++i) total = op(total, static_cast<T>(items_[i]));
    if constexpr (keeps_first_zero<Op>) {
      // Lanes and streams met in another order than that of the items.
      if (total == T{0}) total = *std::find(items_, items_ + n_, T{0});
    }
    return total;
  }

 private:
  static constexpr int bytes_ahead = 1024;

  HWY_INLINE Item const* next_of(int stream) const { return items_ + stream * length_ + at_; }

  HWY_INLINE void add_next(Op op) {
    for (int s = 0; s < streams; ++s) add(op, sums_[s], next_of(s));
    at_ += group_items<T>;
  }

  static HWY_INLINE void add(Op op, group<T>& sum, Item const* next) {
    for (int k = 0; k < vectors<T>; ++k) sum[k] = apply(op, sum[k], load<T>(next + k * width<T>));
  }

  Item const* items_;
  index_t n_;
  index_t groups_;
  index_t length_;               // items of a stream
  index_t at_ = group_items<T>;  // of them, what is in
  vector_array<group<T>, streams> sums_;
};

template <class Op, class Item, class T = typename Op::value_type>
T sum(Item const* items, index_t n) {
  return running_sum<Op, Item>(items, n).total(Op());
}

template <class Op, class Item, class T = typename Op::value_type>
HWY_NOINLINE void scan_groups(network<T> const& lasting_net, scan_kind kind, Item const* in, T* out,
                              index_t items, carried<T>& lasting_carry, store_road road,
                              running_sum<Op, Item>* lasting_sum) {
  Op const op;
  network<T> const net = lasting_net;  // in registers, as no store through `out` reaches it
  carried<T> carry = lasting_carry;
  auto const scan_group = [&](index_t i) HWY_ATTR {
    group<T> x = net.scan(op, load_group<T>(in + i));
    vector<T> const total = net.last(x[vectors<T> - 1]);
    for (vector<T>& v : x) v = apply(op, carry.sum, v);
    carry.sum = apply(op, carry.sum, total);
    if (kind == scan_kind::exclusive) x = net.moved_on(x, carry.previous);
    store_group(x, out + i, road);
  };
  index_t i = 0;
  if (lasting_sum != nullptr) {
    running_sum<Op, Item> beside = *lasting_sum;
    constexpr index_t at_once = streams * group_items<T>;
    for (; i + at_once <= items && beside.has_more(); i += at_once) {
      beside.take_in(op);
      for (int k = 0; k < streams; ++k) scan_group(i + k * group_items<T>);
    }
    *lasting_sum = beside;
  }
  for (; i < items; i += group_items<T>) scan_group(i);
  lasting_carry = carry;
}

/// The last items, fewer than a group. Returns what follows them.
template <class Op, class Item, class T = typename Op::value_type>
T scan_rest(network<T> const& net, scan_kind kind, Item const* in, T* out, index_t items,
            carried<T>& carry) {
  T const first = static_cast<T>(hn::GetLane(carry.sum));
  Item last[group_items<T>];
  T x[group_items<T>];
  std::fill_n(std::copy_n(in, items, last), group_items<T> - items, in[items - 1]);
  scan_groups<Op, Item>(net, scan_kind::inclusive, last, x, group_items<T>, carry,
                        store_road::cached, nullptr);
  if (kind == scan_kind::inclusive) {
    std::copy_n(x, items, out);
  } else {
    out[0] = first;
    std::copy_n(x, items - 1, out + 1);
  }
  return x[items - 1];
}

/// Scans n items; `beside` may be null.
template <class Op, class Item, class T = typename Op::value_type>
T scan(scan_kind kind, Item const* in, T* out, index_t n, T first, store_road road,
       running_sum<Op, Item>* beside) {
  network<T> const net;
  vector<T> const before = hn::Set(lanes<T>(), first);
  carried<T> carry{before, before};
  return scan_by<T>(
      road, out, n, carry,
      [&](index_t i, index_t items, T* to, store_road by)
          HWY_ATTR { scan_groups<Op, Item>(net, kind, in + i, to, items, carry, by, beside); },
      [&](index_t i, index_t items)
          HWY_ATTR { return scan_rest<Op, Item>(net, kind, in + i, out + i, items, carry); });
}

/// `Op` over `Item`s by the code of its twin, whose own items are those of `Op` by their bits.
template <class Op, class Item>
struct by_twin {
  using T = typename Op::value_type;
  using twin = typename unsigned_twin<Op>::type;
  using bits = typename twin::value_type;
  using item = std::conditional_t<std::is_same_v<Item, T>, bits, Item>;

  static item const* items_of(Item const* items) { return reinterpret_cast<item const*>(items); }

  static T sum(Item const* items, index_t n) {
    return static_cast<T>(HWY_NAMESPACE::sum<twin>(items_of(items), n));
  }

  static T scan(scan_kind kind, Item const* in, T* out, index_t n, T carry, store_road road,
                wanted_sum<Item, T>* beside) {
    auto const go = [&](running_sum<twin, item>* sum) HWY_ATTR {
      return static_cast<T>(HWY_NAMESPACE::scan<twin>(kind, items_of(in),
                                                      reinterpret_cast<bits*>(out), n,
                                                      static_cast<bits>(carry), road, sum));
    };
    if (beside == nullptr) return go(nullptr);
    running_sum<twin, item> sum(items_of(beside->items), beside->n);
    T const last = go(&sum);
    beside->sum = static_cast<T>(sum.total(twin()));
    return last;
  }
};

/// Sets all of a tuple's code.
template <class... Op, class... Item>
void choose(std::tuple<vector_scan_of_items<Op, Item>...>& all) {
  all = {vector_scan_of_items<Op, Item>{by_twin<Op, Item>::sum, by_twin<Op, Item>::scan}...};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();
#endif
