// SPDX-License-Identifier: Apache-2.0
// Items in vector registers, for the .cpp files of vector_scan.hpp: 64 bytes of items make a group,
// for any vector size, and groups are scanned by Sklansky's network (1960). Included once per
// instruction set, like Highway's -inl headers.

#if defined(LIBSCAN_CPU_VECTOR_GROUP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIBSCAN_CPU_VECTOR_GROUP_INL
#undef LIBSCAN_CPU_VECTOR_GROUP_INL
#else
#define LIBSCAN_CPU_VECTOR_GROUP_INL
#endif

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <hwy/highway.h>

#include <libscan/core/operators.hpp>
#include <libscan/core/types.hpp>
#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_compare-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// For loops over a few vectors, which should stay in registers: -O2 does not unroll them. Without
/// vectors the loops stay, for short code.
#undef LIBSCAN_UNROLL
#if HWY_COMPILER_GCC_ACTUAL && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define LIBSCAN_UNROLL _Pragma("GCC unroll 16")
#else
#define LIBSCAN_UNROLL
#endif

/// The type in which an item is processed: narrow integers become words, with the same low bits.
template <class T>
using lane =
    std::conditional_t<(sizeof(T) >= 4), T,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;

template <class T>
inline constexpr int group_items = 64 / sizeof(lane<T>);

template <class T>
using lanes = hn::CappedTag<lane<T>, group_items<T>>;
template <class T>
using vector = hn::Vec<lanes<T>>;
template <class T>
inline constexpr int width = static_cast<int>(hn::MaxLanes(lanes<T>()));
template <class T>
inline constexpr int vectors = group_items<T> / width<T>;

/// A few vectors or masks.
template <class Value, std::size_t n>
#if HWY_ARCH_ARM  // whose vectors std::array, compiled for no instruction set, may not construct
struct vector_array {
  HWY_INLINE vector_array() {}
  HWY_INLINE Value& operator[](int k) { return values[k]; }
  HWY_INLINE Value const& operator[](int k) const { return values[k]; }
  HWY_INLINE Value* begin() { return values; }
  HWY_INLINE Value* end() { return values + n; }
  Value values[n];
};
#else
using vector_array = std::array<Value, n>;
#endif

/// The items of a group, in order.
template <class T>
using group = vector_array<vector<T>, vectors<T>>;

/// A vector's worth of items: of T itself, or of a narrower type, converted.
template <class T, class Item>
HWY_INLINE vector<T> load(Item const* items) {
  auto const x = hn::LoadU(hn::Rebind<Item, lanes<T>>(), items);
  if constexpr (sizeof(Item) == sizeof(lane<T>)) {
    return x;
  } else if constexpr (std::is_floating_point_v<Item>) {
    return hn::PromoteTo(lanes<T>(), x);
  } else {
    using word = std::conditional_t<std::is_signed_v<Item>, std::int32_t, std::uint32_t>;
    using wide = std::conditional_t<std::is_signed_v<Item>, hwy::MakeSigned<lane<T>>,
                                    hwy::MakeUnsigned<lane<T>>>;
    hn::Rebind<word, lanes<T>> const words;
    hn::Rebind<wide, lanes<T>> const wides;
    if constexpr (sizeof(Item) < sizeof(word) && sizeof(wide) > sizeof(word)) {
      return hn::BitCast(lanes<T>(), hn::PromoteTo(wides, hn::PromoteTo(words, x)));
    } else {
      return hn::BitCast(lanes<T>(), hn::PromoteTo(wides, x));
    }
  }
}

template <class T>
HWY_INLINE void store(vector<T> v, T* items) {
  if constexpr (sizeof(T) >= 4) {
    hn::StoreU(v, lanes<T>(), items);
  } else {
    using bits = std::make_unsigned_t<T>;
    hn::Rebind<bits, lanes<T>> const narrow;
    auto const words = hn::BitCast(hn::Rebind<std::uint32_t, lanes<T>>(), v);
    hn::StoreU(hn::TruncateTo(narrow, words), narrow, reinterpret_cast<bits*>(items));
  }
}

template <class T, class Item>
HWY_INLINE group<T> load_group(Item const* items) {
  group<T> x;
  LIBSCAN_UNROLL
  for (int k = 0; k < vectors<T>; ++k) x[k] = load<T>(items + k * width<T>);
  return x;
}

/// Streams only whole words, to a multiple of 64 bytes.
template <class T>
HWY_INLINE void store_group(group<T> const& x, T* items, store_policy policy) {
  if constexpr (sizeof(T) >= 4) {
    if (policy == store_policy::non_temporal) {
      LIBSCAN_UNROLL
      for (int k = 0; k < vectors<T>; ++k) hn::Stream(x[k], lanes<T>(), items + k * width<T>);
      return;
    }
  }
  LIBSCAN_UNROLL
  for (int k = 0; k < vectors<T>; ++k) store(x[k], items + k * width<T>);
}

// The operators of libscan/core/operators.hpp, lane by lane.
template <class T>
HWY_INLINE vector<T> apply(plus<T>, vector<T> earlier, vector<T> later) {
  return hn::Add(earlier, later);
}
template <class T>
HWY_INLINE vector<T> apply(minimum<T>, vector<T> earlier, vector<T> later) {
  if constexpr (std::is_integral_v<T>) {
    return hn::Min(earlier, later);
  } else {
    return hn::IfThenElse(hn::Or(less(lanes<T>(), later, earlier), hn::IsNaN(later)), later,
                          earlier);
  }
}
template <class T>
HWY_INLINE vector<T> apply(maximum<T>, vector<T> earlier, vector<T> later) {
  if constexpr (std::is_integral_v<T>) {
    return hn::Max(earlier, later);
  } else {
    return hn::IfThenElse(hn::Or(less(lanes<T>(), earlier, later), hn::IsNaN(later)), later,
                          earlier);
  }
}
template <class T>
HWY_INLINE vector<T> apply(bit_and<T>, vector<T> earlier, vector<T> later) {
  return hn::And(earlier, later);
}
template <class T>
HWY_INLINE vector<T> apply(bit_or<T>, vector<T> earlier, vector<T> later) {
  return hn::Or(earlier, later);
}
template <class T>
HWY_INLINE vector<T> apply(bit_xor<T>, vector<T> earlier, vector<T> later) {
  return hn::Xor(earlier, later);
}

/// A number for each lane, in memory, at compile time.
template <class T, class Number>
struct lane_table {
  alignas(64) Number numbers[width<T>];

  template <class NumberOf>
  explicit constexpr lane_table(NumberOf number_of) : numbers{} {
    for (int i = 0; i < width<T>; ++i) numbers[i] = static_cast<Number>(number_of(i));
  }
};

template <class T>
using place_table = lane_table<T, hwy::MakeSigned<lane<T>>>;
template <class T>
inline constexpr place_table<T> last_lane([](int) { return width<T> - 1; });
template <class T>
inline constexpr place_table<T> lane_before([](int i) { return (i + width<T> - 1) % width<T>; });
template <class T>
inline constexpr lane_table<T, lane<T>> first_lane([](int i) { return i == 0; });
/// With halves of 1 << step lanes: the last lane of the half before, and the lanes that add it.
template <class T, int step>
inline constexpr place_table<T> last_of_half([](int i) {
  return (i & ~((2 << step) - 1)) + (1 << step) - 1;
});
template <class T, int step>
inline constexpr lane_table<T, lane<T>> later_half([](int i) { return i >> step & 1; });

/// Moves values between lanes. In the network's step s, lanes with bit s of their number set add
/// the last lane of the half before.
template <class T>
class sklansky_scan {
 public:
  /// Steps within a vector; further ones are between a group's vectors.
  static constexpr int steps = width<T> == 16  ? 4
                               : width<T> == 8 ? 3
                               : width<T> == 4 ? 2
                                               : width<T> / 2;

  HWY_INLINE sklansky_scan()
      : last_(places(last_lane<T>)), before_(places(lane_before<T>)), first_(mask(first_lane<T>)) {
    set_step<0>();
    set_step<1>();
    set_step<2>();
    set_step<3>();
  }

#if HWY_TARGET == HWY_AVX2
  // By fixed moves within 128 bits and between them: on AMD's processors with AVX2, a lookup has
  // twice their latency.

  /// The last lane in all lanes.
  HWY_INLINE vector<T> last(vector<T> v) const {
    return hn::Broadcast<block_lanes - 1>(hn::ConcatUpperUpper(lanes<T>(), v, v));
  }

  /// For each lane that adds a value at step s: that value.
  HWY_INLINE vector<T> taken(vector<T> v, int s) const {
    if (s == 0) return hn::DupEven(v);
    if (s == 1 && block_lanes > 2) return hn::Broadcast<1>(v);
    return hn::Broadcast<block_lanes - 1>(hn::ConcatLowerLower(lanes<T>(), v, v));
  }
#else
  HWY_INLINE vector<T> last(vector<T> v) const { return hn::TableLookupLanes(v, last_); }
  HWY_INLINE vector<T> taken(vector<T> v, int s) const { return hn::TableLookupLanes(v, from_[s]); }
#endif

  /// Each lane becomes the sum of it and all lanes of the group before it.
  template <class Op>
  HWY_INLINE group<T> scan(Op op, group<T> x) const {
    LIBSCAN_UNROLL
    for (int s = 0; s < steps; ++s) {
      LIBSCAN_UNROLL
      for (vector<T>& v : x) {
        v = hn::IfThenElse(takes_[s], apply(op, taken(v, s), v), v);
      }
    }
    LIBSCAN_UNROLL
    for (int half = 1; half < vectors<T>; half *= 2) {
      LIBSCAN_UNROLL
      for (int k = 0; k < vectors<T>; ++k) {
        if (k & half) x[k] = apply(op, last(x[(k & ~(2 * half - 1)) + half - 1]), x[k]);
      }
    }
    return x;
  }

  /// Shifts every item by one lane; the first lane comes from `previous`, which becomes the value
  /// before the next group.
  HWY_INLINE group<T> moved_on(group<T> x, vector<T>& previous) const {
    LIBSCAN_UNROLL
    for (vector<T>& v : x) {
      vector<T> const rotated = hn::TableLookupLanes(v, before_);
      v = hn::IfThenElse(first_, previous, rotated);
      previous = rotated;
    }
    return x;
  }

 private:
  static constexpr int block_lanes = 16 / sizeof(lane<T>);

  using place_vector =
      decltype(hn::SetTableIndices(lanes<T>(), static_cast<hwy::MakeSigned<lane<T>>*>(nullptr)));

  static HWY_INLINE place_vector places(place_table<T> const& table) {
    return hn::SetTableIndices(lanes<T>(), table.numbers);
  }
  static HWY_INLINE hn::Mask<lanes<T>> mask(lane_table<T, lane<T>> const& table) {
    return hn::Ne(hn::Load(lanes<T>(), table.numbers), hn::Zero(lanes<T>()));
  }

  template <int step>
  HWY_INLINE void set_step() {
    if constexpr (step < steps) {
      from_[step] = places(last_of_half<T, step>);
      takes_[step] = mask(later_half<T, step>);
    }
  }

  vector_array<place_vector, steps> from_;
  vector_array<hn::Mask<lanes<T>>, steps> takes_;
  place_vector last_, before_;
  hn::Mask<lanes<T>> first_;
};

/// What a scan carries from group to group: the sum of the groups before, in all lanes; and in the
/// first lane, the next result of an exclusive scan.
template <class T>
struct carried {
  vector<T> sum;
  vector<T> previous;
};

/// The operator over unsigned items with the same bits: for all operators except those that
/// compare.
template <class Op>
struct as_unsigned_op {
  using type = Op;
};
template <template <class> class Op, std::signed_integral T>
requires(!std::is_same_v<Op<T>, minimum<T>> &&
         !std::is_same_v<Op<T>, maximum<T>>) struct as_unsigned_op<Op<T>> {
  using type = Op<std::make_unsigned_t<T>>;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();
#endif
