// SPDX-License-Identifier: Apache-2.0
// Split on the device: what is kept and what is not, each in its order. The place of a kept item is
// its rank; that of any other, its position less the rank (Blelloch, "Prefix Sums and Their
// Applications", 1990, 1.3; here the kept items come first, as in Harris & Garland, 3.1).
#pragma once

#include <libscan/filter.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Writes the items of in[0 .. n-1] that `keep` keeps to `out`, the others to `rejected`, both in
/// their order, and the number of the former to *d_count. In one pass. Otherwise as `filter`.
///
/// Types: `keep`, types, n and d_count: as for `filter`. `out` and `rejected` need space for their
/// items. `reverse_iterator<Out>{out + n}` as `rejected` fills one buffer from both ends: in one
/// pass, too, with the rejected items in reverse order. Aliasing: the outputs must not overlap one
/// another, `in` or a mask. Traffic: reads n items and the mask, writes n items.
template <class Tuning = void, class In, class Out, class Rejected, class Keep>
void split(workspace& ws, In in, Out out, Rejected rejected, item_count n, Keep keep,
           index_t* d_count) {
  device::filter_outputs<Out, no_output, Rejected> const outputs{out, {}, rejected};
  device::filter<Tuning>(ws, in, outputs, n, device::rule_of(keep), d_count);
}

/// The same into one buffer of n items: the items that `keep` keeps, then the others, both in their
/// order.
///
/// Aliasing: `out` must not overlap `in` or a mask.
/// Traffic: reads n items twice, or only the mask twice if `keep` is one, writes n. The place of
/// the others is known only when the rule has been applied to all items, so a pass that counts
/// comes first, except if the multiprocessors hold all items at once. A predicate is applied to
/// each item once or twice.
template <class Tuning = void, class In, class Out, class Keep>
void split(workspace& ws, In in, Out out, item_count n, Keep keep, index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  auto const rule = device::rule_of(keep);
  device::refuse_items<In>();
  device::refused_rule<In, std::remove_const_t<decltype(rule)>>::refuse();
  device::refuse_results<item, Out>();
  device::require_no_output_overlap("split", in, rule, out, n.at_most());
  std::byte* const memory = ws.reserve(
      device::count_bytes + device::filter_bytes<device::packed_count, Tuning, item>(n.at_most()));
  using resident = device::resident_split_operation<In, decltype(rule), Out>;
  resident const at_once{in, out, rule, d_count};
  if constexpr (tuned_for<Tuning, scan_algorithm::resident>) {
    device::run<Tuning>(ws, memory, at_once, n);
  } else {
    if constexpr (std::is_void_v<Tuning>) {
      if (device::run_first_suited(ws, memory, at_once, n, typename resident::tunings{})) return;
    }
    auto* const kept = reinterpret_cast<index_t*>(memory);
    std::byte* const rest = memory + device::count_bytes;
    device::filter_into<Tuning>(ws, rest, in, device::filter_outputs<>{}, n, rule, kept);
    using past = device::after_count<Out>;
    device::filter_outputs<Out, no_output, past> const outputs{out, {}, past{out, kept}};
    device::filter_into<Tuning>(ws, rest, in, outputs, n, rule, d_count);
  }
}

/// True for keys whose bit `bit` is 0.
template <class Key>
struct has_bit_clear {
  int bit;

  LIBSCAN_HOST_DEVICE bool operator()(Key key) const {
    return (static_cast<std::make_unsigned_t<Key>>(key) >> bit & 1u) == 0;
  }
};

/// The split of a radix sort: the keys (integers) whose bit `bit` is 0, then those in which it is
/// 1, both in their order; *d_zeros = the number of the former. Otherwise as `split` into one
/// buffer.
template <class Tuning = void, class In, class Out>
void split_by_bit(workspace& ws, In in, Out out, item_count n, int bit, index_t* d_zeros) {
  using key = typename std::iterator_traits<In>::value_type;
  libscan::split<Tuning>(ws, in, out, n, has_bit_clear<key>{bit}, d_zeros);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
