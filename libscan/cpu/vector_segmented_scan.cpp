// SPDX-License-Identifier: Apache-2.0
// The vector code behind vector_scan.hpp for segments: the network of a scan, in which a lane takes
// nothing in from behind the head of its segment. Which lanes do is found for a whole group at
// once, with a bit for each lane.
#include <libscan/cpu/vector_scan.hpp>

#include <algorithm>
#include <cstring>

#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_segmented_scan.cpp"
#include <hwy/foreach_target.h>

#include <libscan/cpu/vector_group-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

/// A bit for each lane of a group, the first one the lowest.
using lane_bits = std::uint32_t;

template <class T>
HWY_INLINE lane_bits head_bits(std::uint8_t const* heads) {
  lane_bits bits = 0;
  for (int i = 0; i < group_items<T>; i += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, heads + i, sizeof(bytes));
    // Byte k of 8 moves to bit 56 + k, and no two sums meet.
    bits |= static_cast<lane_bits>(bytes * 0x0102040810204080u >> 56) << i;
  }
  return bits;
}

/// The lanes of a group's k-th vector.
template <class T>
HWY_INLINE hn::Mask<lanes<T>> mask_of(lane_bits bits, int k) {
  std::uint64_t const here = bits >> (k * width<T>);
  std::uint8_t bytes[8];
  std::memcpy(bytes, &here, sizeof(here));
  return hn::LoadMaskBits(lanes<T>(), bytes);
}

/// The lanes of `fields` that lie before the first head in their field. `begins` are the fields'
/// first lanes, `ends` those behind their last: below the lowest bit set, a subtraction sets them.
HWY_INLINE lane_bits before_heads(lane_bits heads, lane_bits fields, lane_bits begins,
                                  lane_bits ends) {
  lane_bits const stops = (heads & fields) | ends;
  return (stops - begins) & ~stops & fields;
}

/// The lanes for which chosen(lane) holds.
template <class T, class Chosen>
constexpr lane_bits lanes_where(Chosen chosen) {
  lane_bits bits = 0;
  for (int i = 0; i < group_items<T>; ++i) {
    if (chosen(i)) bits |= lane_bits{1} << i;
  }
  return bits;
}

/// The lanes that take something in where halves of 2^s lanes are joined.
template <class T>
HWY_INLINE lane_bits takers(lane_bits heads, int s) {
  struct halves {
    lane_bits fields, begins;
    constexpr explicit halves(int half)
        : fields(lanes_where<T>([half](int i) { return (i & half) != 0; })),
          begins(lanes_where<T>([half](int i) { return i % (2 * half) == half; })) {}
  };
  static constexpr halves table[] = {halves(1), halves(2), halves(4), halves(8)};
  return before_heads(heads, table[s].fields, table[s].begins, table[s].begins << (1 << s));
}

template <class T>
inline constexpr lane_bits all_lanes = (lane_bits{1} << group_items<T>)-1;

/// Each lane becomes what it and the lanes before it in its segment and in the group sum to.
template <class T, class Op>
HWY_INLINE group<T> scan_segments(network<T> const& net, Op op, group<T> x, lane_bits heads) {
  for (int s = 0; s < network<T>::steps; ++s) {
    lane_bits const takes = takers<T>(heads, s);
    for (int k = 0; k < vectors<T>; ++k) {
      x[k] = hn::IfThenElse(mask_of<T>(takes, k), apply(op, net.taken(x[k], s), x[k]), x[k]);
    }
  }
  for (int half = 1, s = network<T>::steps; half < vectors<T>; half *= 2, ++s) {
    lane_bits const takes = takers<T>(heads, s);
    for (int k = 0; k < vectors<T>; ++k) {
      if ((k & half) == 0) continue;
      vector<T> const taken = net.last(x[(k & ~(2 * half - 1)) + half - 1]);
      x[k] = hn::IfThenElse(mask_of<T>(takes, k), apply(op, taken, x[k]), x[k]);
    }
  }
  return x;
}

/// What stands before a segment, in all lanes, as `init`; what is carried sums the segment under
/// way.
template <class Op, class T = typename Op::value_type>
HWY_NOINLINE void scan_groups(network<T> const& lasting_net, scan_kind kind, T const* in,
                              std::uint8_t const* heads, T* out, index_t items,
                              carried<T>& lasting_carry, vector<T> init, store_road road) {
  Op const op;
  network<T> const net = lasting_net;  // in registers, as no store through `out` reaches it
  carried<T> carry = lasting_carry;
  for (index_t i = 0; i < items; i += group_items<T>) {
    group<T> x = load_group(in + i);
    lane_bits const begin = head_bits<T>(heads + i);
    for (int k = 0; k < vectors<T>; ++k) {
      x[k] = hn::IfThenElse(mask_of<T>(begin, k), apply(op, init, x[k]), x[k]);
    }
    x = scan_segments(net, op, x, begin);
    vector<T> const total = net.last(x[vectors<T> - 1]);

    lane_bits const goes_on = before_heads(begin, all_lanes<T>, 1, lane_bits{1} << group_items<T>);
    for (int k = 0; k < vectors<T>; ++k) {
      x[k] = hn::IfThenElse(mask_of<T>(goes_on, k), apply(op, carry.sum, x[k]), x[k]);
    }
    auto const to_the_end = mask_of<T>(begin == 0 ? all_lanes<T> : 0, 0);
    carry.sum = hn::IfThenElse(to_the_end, apply(op, carry.sum, total), total);

    if (kind == scan_kind::exclusive) {
      x = net.moved_on(x, carry.previous);
      for (int k = 0; k < vectors<T>; ++k) {
        x[k] = hn::IfThenElse(mask_of<T>(begin, k), init, x[k]);
      }
    }
    store_group(x, out + i, road);
  }
  lasting_carry = carry;
}

/// The last items, fewer than a group. Returns what follows them.
template <class Op, class T = typename Op::value_type>
T scan_rest(network<T> const& net, scan_kind kind, T const* in, std::uint8_t const* heads, T* out,
            index_t items, carried<T>& carry, T init) {
  T const first = static_cast<T>(hn::GetLane(carry.sum));
  T x[group_items<T>];
  std::uint8_t begins[group_items<T>] = {};
  std::fill_n(std::copy_n(in, items, x), group_items<T> - items, in[items - 1]);
  std::copy_n(heads, items, begins);
  scan_groups<Op>(net, scan_kind::inclusive, x, begins, x, group_items<T>, carry,
                  hn::Set(lanes<T>(), init), store_road::cached);
  if (kind == scan_kind::inclusive) {
    std::copy_n(x, items, out);
  } else {
    for (index_t i = 0; i < items; ++i) out[i] = begins[i] ? init : i == 0 ? first : x[i - 1];
  }
  return x[items - 1];
}

template <class Op, class T = typename Op::value_type>
T scan(scan_kind kind, T const* in, std::uint8_t const* heads, T* out, index_t n, T first, T init,
       store_road road) {
  network<T> const net;
  vector<T> const before = hn::Set(lanes<T>(), first);
  vector<T> const restart = hn::Set(lanes<T>(), init);
  carried<T> carry{before, before};
  return scan_by<T>(
      road, out, n, carry,
      [&](index_t i, index_t items, T* to, store_road by) HWY_ATTR {
        scan_groups<Op>(net, kind, in + i, heads + i, to, items, carry, restart, by);
      },
      [&](index_t i, index_t items) HWY_ATTR {
        return scan_rest<Op>(net, kind, in + i, heads + i, out + i, items, carry, init);
      });
}

/// `Op` by the code of its twin.
template <class Op, class T = typename Op::value_type>
T scan_by_twin(scan_kind kind, T const* in, std::uint8_t const* heads, T* out, index_t n, T carry,
               T init, store_road road) {
  using twin = typename unsigned_twin<Op>::type;
  using bits = typename twin::value_type;
  return static_cast<T>(scan<twin>(kind, reinterpret_cast<bits const*>(in), heads,
                                   reinterpret_cast<bits*>(out), n, static_cast<bits>(carry),
                                   static_cast<bits>(init), road));
}

template <class Op>
void choose(vector_segmented_scan<Op>& code) {
  code = {scan_by_twin<Op>};
}

void choose_all(vector_segmented_scans& all) {
  std::apply([](auto&... code) { (choose(code), ...); }, all);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

HWY_EXPORT(choose_all);

vector_segmented_scans current_vector_segmented_scans() {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  vector_segmented_scans current;
  HWY_DYNAMIC_DISPATCH(choose_all)(current);
  return current;
}

vector_segmented_scans const& best_vector_segmented_scans() {
  static vector_segmented_scans const best = current_vector_segmented_scans();
  return best;
}

}  // namespace libscan::inline v1::cpu::detail
#endif
