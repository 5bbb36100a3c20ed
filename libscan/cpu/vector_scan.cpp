// SPDX-License-Identifier: Apache-2.0
// The vector code behind vector_scan.hpp, but for segments: group after group behind the carry.
// Each carry waits for one operation alone, so groups overlap.
#include <libscan/cpu/vector_scan.hpp>

#include <algorithm>

#include <libscan/cpu/stream_copy.hpp>
#include <libscan/cpu/vector_targets.hpp>

#define HWY_TARGET_INCLUDE "libscan/cpu/vector_scan.cpp"
#include <hwy/foreach_target.h>

#include <libscan/cpu/vector_group-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace libscan::inline v1::cpu::detail {
namespace HWY_NAMESPACE {
namespace {

template <class Op, class T = typename Op::value_type>
HWY_NOINLINE void scan_groups(network<T> const& lasting_net, scan_kind kind, T const* in, T* out,
                              index_t items, carried<T>& lasting_carry, store_road road) {
  Op const op;
  network<T> const net = lasting_net;  // in registers, as no store through `out` reaches it
  carried<T> carry = lasting_carry;
  for (index_t i = 0; i < items; i += group_items<T>) {
    group<T> x = net.scan(op, load_group(in + i));
    vector<T> const total = net.last(x[vectors<T> - 1]);
    for (vector<T>& v : x) v = apply(op, carry.sum, v);
    carry.sum = apply(op, carry.sum, total);
    if (kind == scan_kind::exclusive) x = net.moved_on(x, carry.previous);
    store_group(x, out + i, road);
  }
  lasting_carry = carry;
}

/// The last items, fewer than a group. Returns what follows them.
template <class Op, class T = typename Op::value_type>
T scan_rest(network<T> const& net, scan_kind kind, T const* in, T* out, index_t items,
            carried<T>& carry) {
  T const first = static_cast<T>(hn::GetLane(carry.sum));
  T x[group_items<T>];
  std::fill_n(std::copy_n(in, items, x), group_items<T> - items, in[items - 1]);
  scan_groups<Op>(net, scan_kind::inclusive, x, x, group_items<T>, carry, store_road::cached);
  if (kind == scan_kind::inclusive) {
    std::copy_n(x, items, out);
  } else {
    out[0] = first;
    std::copy_n(x, items - 1, out + 1);
  }
  return x[items - 1];
}

template <class Op, class T = typename Op::value_type>
T scan(scan_kind kind, T const* in, T* out, index_t n, T first, store_road road) {
  network<T> const net;
  vector<T> const before = hn::Set(lanes<T>(), first);
  carried<T> carry{before, before};
  return scan_by<T>(
      road, out, n, carry,
      [&](index_t i, index_t items, T* to, store_road by)
          HWY_ATTR { scan_groups<Op>(net, kind, in + i, to, items, carry, by); },
      [&](index_t i, index_t items)
          HWY_ATTR { return scan_rest<Op>(net, kind, in + i, out + i, items, carry); });
}

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

template <class Op, class T = typename Op::value_type>
T sum(T const* items, index_t n) {
  Op const op;
  index_t const groups = n / group_items<T>;
  index_t const length = stream_groups(groups) * group_items<T>;
  index_t i = 1;
  T total = items[0];
  if (length > 0) {
    std::array<group<T>, streams> x;
    for (int s = 0; s < streams; ++s) x[s] = load_group(items + s * length);
    for (index_t at = group_items<T>; at < length; at += group_items<T>) {
      for (int s = 0; s < streams; ++s) {
        for (int k = 0; k < vectors<T>; ++k) {
          x[s][k] = apply(op, x[s][k], load(items + s * length + at + k * width<T>));
        }
      }
    }
    for (i = streams * length; i < groups * group_items<T>; i += group_items<T>) {
      for (int k = 0; k < vectors<T>; ++k)
        x[0][k] = apply(op, x[0][k], load(items + i + k * width<T>));
    }
    for (int s = 1; s < streams; ++s) {
      for (int k = 0; k < vectors<T>; ++k) x[0][k] = apply(op, x[0][k], x[s][k]);
    }
    T sums[group_items<T>];
    store_group(network<T>().scan(op, x[0]), sums, store_road::cached);
    total = sums[group_items<T> - 1];
  }
  for (; i < n; ++i) total = op(total, items[i]);
  return total;
}

/// `Op` by the code of its twin.
template <class Op, class T = typename Op::value_type>
T sum_by_twin(T const* items, index_t n) {
  using twin = typename unsigned_twin<Op>::type;
  using bits = typename twin::value_type;
  return static_cast<T>(sum<twin>(reinterpret_cast<bits const*>(items), n));
}

template <class Op, class T = typename Op::value_type>
T scan_by_twin(scan_kind kind, T const* in, T* out, index_t n, T carry, store_road road) {
  using twin = typename unsigned_twin<Op>::type;
  using bits = typename twin::value_type;
  return static_cast<T>(scan<twin>(kind, reinterpret_cast<bits const*>(in),
                                   reinterpret_cast<bits*>(out), n, static_cast<bits>(carry),
                                   road));
}

template <class Op>
void choose(vector_scan<Op>& code) {
  code = {sum_by_twin<Op>, scan_by_twin<Op>};
}

void choose_all(vector_scans& all) {
  std::apply([](auto&... code) { (choose(code), ...); }, all);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace libscan::inline v1::cpu::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace libscan::inline v1::cpu::detail {

HWY_EXPORT(choose_all);

vector_scans current_vector_scans() {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  vector_scans current;
  HWY_DYNAMIC_DISPATCH(choose_all)(current);
  return current;
}

vector_scans const& best_vector_scans() {
  static vector_scans const best = current_vector_scans();
  return best;
}

}  // namespace libscan::inline v1::cpu::detail
#endif
