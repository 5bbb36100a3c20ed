// SPDX-License-Identifier: Apache-2.0
// What a filter writes: the items it keeps, their positions, the items it rejects, or some of
// these.
#pragma once

#include <type_traits>

#include <libscan/core/types.hpp>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

/// Stands for an output that is not wanted.
struct no_output {};

namespace device {

/// Whether an output is to be written.
template <class Out>
inline constexpr bool wanted = !std::is_same_v<Out, no_output>;

/// Where a filter writes; each an iterator of the device, or `no_output`.
template <class Items = no_output, class Positions = no_output, class Rejected = no_output>
struct filter_outputs {
  using items_type = Items;
  using positions_type = Positions;
  using rejected_type = Rejected;

  Items items;            // [k]: the k-th item kept
  Positions positions;    // [k]: its position
  Rejected rejected;      // [k]: the k-th item not kept
  bool in_place = false;  // `items` begins where the input does
};

/// Whether the items kept can be written over the input: both are pointers to one type.
template <class In, class Items>
inline constexpr bool can_overwrite = false;
template <class T>
inline constexpr bool can_overwrite<T*, T*> = true;
template <class T>
inline constexpr bool can_overwrite<T const*, T*> = true;

/// An output that begins behind as many items as `count` says when the kernel runs.
template <class Out>
struct behind_count {
  Out out;
  index_t const* count;
};

/// Where an output begins.
template <class Out>
__device__ __forceinline__ Out beginning(Out out) {
  return out;
}
template <class Out>
__device__ __forceinline__ Out beginning(behind_count<Out> out) {
  return out.out + *out.count;
}

}  // namespace device
}  // namespace libscan::inline LIBSCAN_MACHINE
