// SPDX-License-Identifier: Apache-2.0
// Filters on host memory: in pieces, or copies to the device, the call on device memory, copies
// back. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <apps/filter/device/select.cuh>
#include <apps/filter/host/filter_device.hpp>
#include <apps/filter/host/filter_pieces.cuh>
#include <libscan/device/item_count.cuh>
#include <libscan/device/segment_readers.cuh>
#include <libscan/host/this_machine.cuh>
#include <libscan/host/transfer.cuh>
#include <libscan/predicate.hpp>

namespace libscan::inline LIBSCAN_MACHINE {

/// Programs of predicates are expensive: several intervals, tested one after the other, in up to 31
/// steps.
template <class T>
inline constexpr bool expensive_predicate<predicate_program<T>> = true;

}  // namespace libscan::inline LIBSCAN_MACHINE

namespace libscan::inline v1::detail {

inline namespace LIBSCAN_MACHINE {

/// The number of items of a call.
inline item_count count_of(filter_call const& call) {
  return call.d_n == nullptr ? item_count(call.n) : item_count::on_device(call.d_n, call.n);
}

}  // namespace LIBSCAN_MACHINE

/// call(mask) with the mask as kernels take it.
template <class Call>
void visit_mask(item_mask const& mask, Call const& call) {
  if (mask.words() != nullptr) return call(bit_mask{mask.words()});
  call(byte_mask{mask.flags()});
}

/// n items on the device, copied from the host; none if there is no array.
template <class T>
device::transfer_buffer<T> copied_items(void const* items, index_t n) {
  auto const size = static_cast<std::size_t>(items == nullptr ? 0 : n);
  return device::transfer_buffer<T>(std::span<T const>(static_cast<T const*>(items), size));
}

/// Copies the first `count` items, at most `capacity`.
template <class T>
void read_front(device::transfer_buffer<T> const& from, T* out, index_t capacity, index_t count) {
  from.read_sync(out, std::min({count, capacity, from.size()}));
}

/// Calls enqueue(place, call) with the call on copies in device memory, and returns the count.
template <class T, class Enqueue>
index_t run_on_copies(host_filter const& filter, Enqueue const& enqueue) {
  filter_call call = filter.call;
  index_t const n = call.n;
  using kind = filter_kind;
  bool const splits = call.kind == kind::split || call.kind == kind::split_bit;
  bool const two = splits && !filter.into_one;
  bool const places = call.kind == kind::positions || call.kind == kind::run_lengths;
  bool const items = call.kind != kind::positions && call.kind != kind::count;
  auto const in = copied_items<T>(call.in, n);
  auto const flags = copied_items<std::uint8_t>(call.mask ? call.mask->flags() : nullptr, n);
  auto const words = copied_items<std::uint32_t>(call.mask ? call.mask->words() : nullptr,
                                                 ceil_div(n, index_t{32}));
  device::transfer_buffer<T> const kept(items ? n : 0);
  device::transfer_buffer<T> const rest(two ? n : 0);
  device::transfer_buffer<index_t> const positions(places ? n : 0);
  device::transfer_buffer<index_t> const d_count(1);
  call.in = in.data();
  if (call.mask && call.mask->words() != nullptr) {
    call.mask = item_mask::of_bits({words.data(), static_cast<std::size_t>(words.size())}, n);
  } else if (call.mask) {
    call.mask = item_mask::of_flags({flags.data(), static_cast<std::size_t>(n)});
  }
  call.out = kept.data();
  call.rejected = two ? rest.data() : nullptr;
  call.positions = positions.data();
  call.d_count = d_count.data();
  enqueue(queue_place{}, call);

  index_t count = 0;
  d_count.read_sync(&count, 1);
  auto* const out = static_cast<T*>(filter.call.out);
  read_front(kept, out, filter.out_capacity, splits && !two ? n : count);
  read_front(positions, filter.call.positions, filter.positions_capacity, count);
  if (two) {
    read_front(rest, static_cast<T*>(filter.call.rejected), filter.rejected_capacity, n - count);
  }
  return count;
}

/// Calls enqueue(place, call) with the call in device memory, in pieces or whole, and returns the
/// count. `workspace_bytes` of n is what a call needs.
template <class T, class Machine, class Enqueue>
index_t run_on_host_memory(Machine on, host_filter const& filter,
                           std::size_t (*workspace_bytes)(index_t), Enqueue const& enqueue) {
  device::on_machine const here(on);
  if (filters_in_pieces<T>(on, filter)) {
    return filter_in_pieces<T>(on, filter, workspace_bytes, enqueue);
  }
  return run_on_copies<T>(filter, enqueue);
}

}  // namespace libscan::inline v1::detail
