// SPDX-License-Identifier: Apache-2.0
// The vector code of vector_scan.hpp for segments: the network of a scan, in which a lane adds
// nothing from before the head of its segment. The lanes that add are computed for 64 items at
// once, one bit each.
#include <libscan/cpu/vector_scan.hpp>

#include <algorithm>
#include <cstring>

#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_segmented_scan.cpp"
#include <hwy/foreach_target.h>

#include <libscan/cpu/vector_dispatch.hpp>
#include <libscan/cpu/vector_group-inl.hpp>
#include <libscan/cpu/vector_store-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

/// What is prefetched on the way, in `steps` steps: at most one cache line of the items and two of
/// the head flags per step.
struct read_ahead {
  index_t steps;
  std::uintptr_t items, heads;  // as numbers: they may become invalid addresses
  index_t items_step, heads_step;

  /// Both pieces within the groups there are.
  read_ahead(index_t groups, memory_piece const& of_items, memory_piece const& of_heads)
      : steps(of_items.bytes + of_heads.bytes > 0 ? groups : 0),
        items(reinterpret_cast<std::uintptr_t>(of_items.from)),
        heads(reinterpret_cast<std::uintptr_t>(of_heads.from)),
        items_step(of_items.bytes / std::max<index_t>(groups, 1)),
        heads_step(of_heads.bytes / std::max<index_t>(groups, 1)) {
    if (of_items.bytes == 0) items = heads;
    if (of_heads.bytes == 0) heads = items;
  }
};

/// Whether code without masks pays off where none or all of 64 items begin segments. With AVX-512,
/// whose masks have registers of their own, it is slower.
constexpr bool masks_cost = HWY_TARGET > HWY_AVX3;

/// Bits for the lanes of a group; its first lane is the lowest bit, and bits after its last are
/// ignored. Where masks are vectors, one vector holds the bits in all lanes, for all vectors of the
/// group.
template <class T>
class group_mask {
 public:
#if HWY_TARGET <= HWY_AVX3
  HWY_INLINE explicit group_mask(head_word bits) : bits_(bits) {}

  /// The lanes of the group's k-th vector.
  HWY_INLINE hn::Mask<lanes<T>> operator[](int k) const {
    head_word const here = bits_ >> (k * width<T>);
    std::uint8_t bytes[8];
    std::memcpy(bytes, &here, sizeof(here));
    return hn::LoadMaskBits(lanes<T>(), bytes);
  }

 private:
  head_word bits_;
#else
  HWY_INLINE explicit group_mask(head_word bits)
      : bits_(hn::Set(words(), static_cast<word>(bits))) {}

  HWY_INLINE hn::Mask<lanes<T>> operator[](int k) const {
    auto const bit = hn::Load(words(), bit_of_lane.numbers + k * width<T>);
    return hn::RebindMask(lanes<T>(), hn::TestBit(bits_, bit));
  }

 private:
  using word = hwy::MakeUnsigned<lane<T>>;
  using words = hn::RebindToUnsigned<lanes<T>>;

  struct bits_of_lanes {
    alignas(64) word numbers[group_items<T>];
    constexpr bits_of_lanes() : numbers{} {
      for (int i = 0; i < group_items<T>; ++i) numbers[i] = word{1} << i;
    }
  };
  static constexpr bits_of_lanes bit_of_lane{};

  hn::Vec<words> bits_;
#endif
};

/// The lanes for which chosen(lane) holds, in all groups of a word.
template <class T, class Chosen>
constexpr head_word lanes_where(Chosen chosen) {
  head_word bits = 0;
  for (int i = 0; i < word_heads; ++i) {
    if (chosen(i % group_items<T>)) bits |= head_word{1} << i;
  }
  return bits;
}

/// Fields of lanes: those that may add something when halves of `lanes` lanes are joined.
struct fields {
  head_word lanes;
  head_word begins;  ///< the first lane of each
  head_word ends;    ///< the lane after each
};

template <class T>
constexpr fields halves_of(int half) {
  head_word const begins = lanes_where<T>([half](int i) { return i % (2 * half) == half; });
  return {lanes_where<T>([half](int i) { return (i & half) != 0; }), begins, begins << half};
}

/// The lanes that add something at each step of the network, for all groups of a word.
template <class T>
struct takers {
  static constexpr int steps = group_items<T> == 16 ? 4 : 3;
  head_word at[steps];

  /// They are before the first head in their field: a subtraction sets the bits below the lowest
  /// set one.
  HWY_INLINE explicit takers(head_word heads) {
    constexpr fields of_step[] = {halves_of<T>(1), halves_of<T>(2), halves_of<T>(4),
                                  halves_of<T>(8)};
    LIBSCAN_UNROLL
    for (int s = 0; s < steps; ++s) {
      head_word const stops = (heads & of_step[s].lanes) | of_step[s].ends;
      at[s] = (stops - of_step[s].begins) & ~stops & of_step[s].lanes;
    }
  }
};

/// Each lane becomes the sum of it and the lanes before it in its segment and group. The group
/// begins at bit `first` of `takes`.
template <class T, class Op>
HWY_INLINE group<T> scan_segments(sklansky_scan<T> const& net, Op op, group<T> x,
                                  takers<T> const& takes, int first) {
  LIBSCAN_UNROLL
  for (int s = 0; s < sklansky_scan<T>::steps; ++s) {
    group_mask<T> const now(takes.at[s] >> first);
    LIBSCAN_UNROLL
    for (int k = 0; k < vectors<T>; ++k) {
      x[k] = hn::IfThenElse(now[k], apply(op, net.taken(x[k], s), x[k]), x[k]);
    }
  }
  LIBSCAN_UNROLL
  for (int half = 1, s = sklansky_scan<T>::steps; half < vectors<T>; half *= 2, ++s) {
    group_mask<T> const now(takes.at[s] >> first);
    LIBSCAN_UNROLL
    for (int k = 0; k < vectors<T>; ++k) {
      if ((k & half) == 0) continue;
      vector<T> const taken = net.last(x[(k & ~(2 * half - 1)) + half - 1]);
      x[k] = hn::IfThenElse(now[k], apply(op, taken, x[k]), x[k]);
    }
  }
  return x;
}

/// A scan of some items within segments: the constants of all groups, `init` in all lanes, and the
/// sum of the current segment.
template <class T>
struct task {
  scan_kind kind;
  T const* in;
  head_word const* heads;
  vector<T> init;
  carried<T> carry;
  read_ahead ahead;
};

/// Prefetches what will be read after the current groups.
HWY_INLINE void ask_for(read_ahead& ahead) {
  __builtin_prefetch(reinterpret_cast<void const*>(ahead.items), 0, 2);
  __builtin_prefetch(reinterpret_cast<void const*>(ahead.heads), 0, 2);
  if (ahead.heads_step > 64) {
    __builtin_prefetch(reinterpret_cast<void const*>(ahead.heads + 64), 0, 2);
  }
  ahead.items += static_cast<std::uintptr_t>(ahead.items_step);
  ahead.heads += static_cast<std::uintptr_t>(ahead.heads_step);
  --ahead.steps;
}

/// Scans whole groups from item `begin`, whose head is the first in a word, into to[0], ...
template <class Op, class T = typename Op::value_type>
HWY_NOINLINE void scan_groups(task<T>& lasting, index_t begin, index_t items, T* to,
                              store_policy policy) {
  Op const op;
  sklansky_scan<T> const net;
  task<T> now = lasting;  // in registers, since no store through `to` can alias it
  auto const store_results = [&](index_t i, group<T> x, auto const& begins_at) HWY_ATTR
      __attribute__((always_inline)) {
    now.carry.sum = net.last(x[vectors<T> - 1]);
    if (now.kind == scan_kind::exclusive) {
      x = net.moved_on(x, now.carry.previous);
      LIBSCAN_UNROLL
      for (int k = 0; k < vectors<T>; ++k) x[k] = begins_at(k, x[k]);
    }
    store_group(x, to + i, policy);
  };
  // The group at item i; its head flags are bits of `word` from bit `first` on.
  auto const scan_group = [&](index_t i, head_word word, takers<T> const& takes, int first) HWY_ATTR
      __attribute__((always_inline)) {
    group<T> x = load_group<T>(now.in + begin + i);
    head_word const heads = word >> first;
    group_mask<T> const begins(heads);
    LIBSCAN_UNROLL
    for (int k = 0; k < vectors<T>; ++k) {
      x[k] = hn::IfThenElse(begins[k], apply(op, now.init, x[k]), x[k]);
    }
    x = scan_segments(net, op, x, takes, first);

    group_mask<T> const goes_on((heads - 1) & ~heads);  // before the first head
    LIBSCAN_UNROLL
    for (int k = 0; k < vectors<T>; ++k) {
      x[k] = hn::IfThenElse(goes_on[k], apply(op, now.carry.sum, x[k]), x[k]);
    }
    store_results(
        i, x, [&](int k, vector<T> v) HWY_ATTR { return hn::IfThenElse(begins[k], now.init, v); });
  };
  // The same where no segment begins.
  auto const continue_group = [&](index_t i) HWY_ATTR __attribute__((always_inline)) {
    group<T> x = net.scan(op, load_group<T>(now.in + begin + i));
    LIBSCAN_UNROLL
    for (int k = 0; k < vectors<T>; ++k) x[k] = apply(op, now.carry.sum, x[k]);
    store_results(i, x, [](int, vector<T> v) HWY_ATTR { return v; });
  };
  // The same where a segment begins at each item.
  auto const begin_group = [&](index_t i) HWY_ATTR __attribute__((always_inline)) {
    group<T> x = load_group<T>(now.in + begin + i);
    LIBSCAN_UNROLL
    for (int k = 0; k < vectors<T>; ++k) x[k] = apply(op, now.init, x[k]);
    store_results(i, x, [&](int, vector<T>) HWY_ATTR { return now.init; });
  };
  for (index_t i = 0; i < items; i += word_heads) {
    head_word const word = now.heads[(begin + i) / word_heads];
    int const in_word = static_cast<int>(std::min(word_heads, items - i));
    if (masks_cost && word == 0) {
      for (int first = 0; first < in_word; first += group_items<T>) {
        if (now.ahead.steps > 0) ask_for(now.ahead);
        continue_group(i + first);
      }
      continue;
    }
    if (masks_cost && word == ~head_word{0}) {
      for (int first = 0; first < in_word; first += group_items<T>) {
        if (now.ahead.steps > 0) ask_for(now.ahead);
        begin_group(i + first);
      }
      continue;
    }
    takers<T> const takes(word);
    for (int first = 0; first < in_word; first += group_items<T>) {
      if (now.ahead.steps > 0) ask_for(now.ahead);
      scan_group(i + first, word, takes, first);
    }
  }
  lasting.carry = now.carry;
  lasting.ahead = now.ahead;
}

/// The last items, fewer than a group. Returns the prefix after them.
template <class Op, class T = typename Op::value_type>
T scan_rest(task<T> const& whole, index_t begin, index_t items, T* out) {
  T const first = static_cast<T>(hn::GetLane(whole.carry.sum));
  T const init = static_cast<T>(hn::GetLane(whole.init));
  T x[group_items<T>];
  std::fill_n(std::copy_n(whole.in + begin, items, x), group_items<T> - items,
              whole.in[begin + items - 1]);
  head_word const heads =
      whole.heads[begin / word_heads] >> (begin % word_heads) & ((head_word{1} << items) - 1);
  task<T> rest = whole;
  rest.kind = scan_kind::inclusive;
  rest.in = x;
  rest.heads = &heads;
  rest.ahead.steps = 0;
  scan_groups<Op>(rest, 0, group_items<T>, x, store_policy::cached);
  if (whole.kind == scan_kind::inclusive) {
    std::copy_n(x, items, out);
  } else {
    for (index_t i = 0; i < items; ++i) {
      out[i] = (heads >> i & 1) != 0 ? init : i == 0 ? first : x[i - 1];
    }
  }
  return x[items - 1];
}

template <class Op, class T = typename Op::value_type>
T scan(scan_kind kind, T const* in, head_word const* heads, T* out, index_t n, T first, T init,
       store_policy policy, read_ahead const& ahead) {
  vector<T> const before = hn::Set(lanes<T>(), first);
  task<T> whole{kind, in, heads, hn::Set(lanes<T>(), init), {before, before}, ahead};
  return scan_by<T>(
      policy, out, n, whole.carry,
      [&](index_t i, index_t items, T* to, store_policy by)
          HWY_ATTR { scan_groups<Op>(whole, i, items, to, by); },
      [&](index_t i, index_t items) HWY_ATTR { return scan_rest<Op>(whole, i, items, out + i); });
}

/// `Op` by the code of its unsigned twin.
template <class Op, class T = typename Op::value_type>
T scan_as_unsigned(scan_kind kind, T const* in, head_word const* heads, T* out, index_t n, T carry,
                   T init, store_policy policy, memory_piece const& items_ahead,
                   memory_piece const& heads_ahead) {
  using twin = typename as_unsigned_op<Op>::type;
  using bits = typename twin::value_type;
  return static_cast<T>(scan<twin>(kind, reinterpret_cast<bits const*>(in), heads,
                                   reinterpret_cast<bits*>(out), n, static_cast<bits>(carry),
                                   static_cast<bits>(init), policy,
                                   read_ahead(n / group_items<T>, items_ahead, heads_ahead)));
}

void choose_all(vector_segmented_scans& all) {
  all.for_each([]<class Op>(vector_segmented_scan<Op>& code) { code.scan = scan_as_unsigned<Op>; });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

LIBSCAN_VECTOR_TABLE(vector_segmented_scans, choose_all)

}  // namespace libscan::inline v1::cpu::detail
#endif
