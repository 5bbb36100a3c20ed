// SPDX-License-Identifier: Apache-2.0
// Scans from the last item to the first: a forward scan through iterators that count backwards, of
// an operator that takes its operands the other way round.
#pragma once

#include <libscan/device/scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// An iterator over items from the last to the first; `end` is behind the last.
template <class It>
struct reversed {
  It end;

  __device__ decltype(auto) operator[](index_t i) const { return end[-1 - i]; }
  __device__ reversed operator+(index_t distance) const { return {end - distance}; }
};

/// `Op` for a scan from behind: what such a scan meets earlier lies later in memory.
template <monoid Op>
struct flipped {
  using value_type = typename Op::value_type;
  Op op{};

  LIBSCAN_HOST_DEVICE constexpr value_type identity() const { return op.identity(); }
  LIBSCAN_HOST_DEVICE constexpr value_type operator()(value_type met_first,
                                                      value_type met_later) const {
    return op(met_later, met_first);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE

namespace libscan {
/// As exact and commutative as Op itself.
template <class Op>
inline constexpr bool exactly_associative<flipped<Op>> = exactly_associative<Op>;
template <class Op>
inline constexpr bool commutative<flipped<Op>> = commutative<Op>;
}  // namespace libscan

namespace libscan::inline LIBSCAN_MACHINE {

/// out[i] = in[i + 1] op ... op in[n - 1] op init for 0 <= i < n, and *d_total = in[0] op ... op
/// in[n - 1] op init: the sum of what lies behind each item. The operands keep their order in
/// memory, also if the operator does not commute; `init` comes last. The host must know n. For
/// everything else see `exclusive_scan`.
template <class Tuning = void, class In, class Out, class Op>
void reverse_exclusive_scan(workspace& ws, In in, Out out, index_t n, Op op,
                            typename Op::value_type* d_total = nullptr,
                            std::type_identity_t<typename Op::value_type> init = Op::identity()) {
  device::require_in_place_or_apart("reverse exclusive scan", device::memory_of(in, n),
                                    device::memory_of(out, n));
  exclusive_scan<Tuning>(ws, reversed<In>{in + n}, reversed<Out>{out + n}, n, flipped<Op>{op},
                         d_total, init);
}

/// out[i] = in[i] op ... op in[n - 1] op init for 0 <= i < n; otherwise as
/// `reverse_exclusive_scan`.
template <class Tuning = void, class In, class Out, class Op>
void reverse_inclusive_scan(workspace& ws, In in, Out out, index_t n, Op op,
                            typename Op::value_type* d_total = nullptr,
                            std::type_identity_t<typename Op::value_type> init = Op::identity()) {
  device::require_in_place_or_apart("reverse inclusive scan", device::memory_of(in, n),
                                    device::memory_of(out, n));
  inclusive_scan<Tuning>(ws, reversed<In>{in + n}, reversed<Out>{out + n}, n, flipped<Op>{op},
                         d_total, init);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
