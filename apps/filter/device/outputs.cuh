// SPDX-License-Identifier: Apache-2.0
// The outputs of a filter: the kept items, their positions, the rejected items, or some of these.
#pragma once

#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// An output that is not written.
struct no_output {};

namespace device {

/// Whether an output is written.
template <class Out>
inline constexpr bool wanted = !std::is_same_v<Out, no_output>;

/// The outputs of a filter; each an iterator of the device, or `no_output`.
template <class Items = no_output, class Positions = no_output, class Rejected = no_output>
struct filter_outputs {
  using items_type = Items;
  using positions_type = Positions;
  using rejected_type = Rejected;

  Items items;            // [k]: kept item k
  Positions positions;    // [k]: its position
  Rejected rejected;      // [k]: rejected item k
  bool in_place = false;  // `items` begins where the input does

  /// positions[k] = position, in their type.
  __device__ __forceinline__ void store_position(index_t k, index_t position) const {
    using stored = std::remove_cvref_t<decltype(positions[k])>;
    if constexpr (std::is_arithmetic_v<stored>) {
      positions[k] = static_cast<stored>(position);
    } else {
      positions[k] = position;
    }
  }
};

/// Whether the kept items can be written over the input: both are pointers to one type.
template <class In, class Items>
inline constexpr bool can_overwrite = false;
template <class T>
inline constexpr bool can_overwrite<T*, T*> = true;
template <class T>
inline constexpr bool can_overwrite<T const*, T*> = true;

/// An output that begins after as many items as `count` has when the kernel runs.
template <class Out>
struct after_count {
  Out out;
  index_t const* count;
};

/// Where an output begins.
template <class Out>
__device__ __forceinline__ Out beginning(Out out) {
  return out;
}
template <class Out>
__device__ __forceinline__ Out beginning(after_count<Out> out) {
  return out.out + *out.count;
}

}  // namespace device
}  // namespace libscan::inline LIBSCAN_MACHINE
