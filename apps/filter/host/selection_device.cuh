// SPDX-License-Identifier: Apache-2.0
// The implementation of `device_selection` in filter_device.hpp. script/cmake/item_types.cmake
// generates the sources that compile it, for items of a few sizes each: masks move all items of a
// size by the same kernels. Internal.
#pragma once

#include <algorithm>
#include <concepts>

#include <apps/filter/host/filter_copies.cuh>
#include <apps/filter/host/filter_device.hpp>
#include <apps/filter/host/moved_item.hpp>
#include <libscan/predicate.hpp>
#include <libscan/runs.cuh>
#include <libscan/split.cuh>

namespace libscan::inline v1::detail {

/// Splits items of type T by `keep`, into two buffers or one.
template <class T, class Keep>
void enqueue_split(workspace& ws, filter_call const& call, Keep const& keep) {
  auto const* const in = static_cast<T const*>(call.in);
  auto* const out = static_cast<T*>(call.out);
  if (call.rejected == nullptr) {
    return libscan::split(ws, in, out, count_of(call), keep, call.d_count);
  }
  libscan::split(ws, in, out, static_cast<T*>(call.rejected), count_of(call), keep, call.d_count);
}

/// A filter or a split by a mask.
template <class Word>
void enqueue_masked(workspace& ws, filter_call const& call) {
  auto const* const in = static_cast<Word const*>(call.in);
  auto* const out = static_cast<Word*>(call.out);
  visit_mask(*call.mask, [&](auto const& mask) {
    if (call.kind == filter_kind::split) return enqueue_split<Word>(ws, call, mask);
    if (call.kind == filter_kind::with_indices) {
      return libscan::filter_with_indices(ws, in, out, call.positions, count_of(call), mask,
                                          call.d_count);
    }
    libscan::filter(ws, in, out, count_of(call), mask, call.d_count);
  });
}

/// An output that may be null, which is then not written: one kernel with it and without it.
struct output_or_null {
  struct place {
    index_t* at;
    __device__ void operator=(index_t value) const {
      if (at != nullptr) *at = value;
    }
  };
  index_t* first;

  __device__ place operator[](index_t i) const { return {first == nullptr ? first : first + i}; }
};

/// The first item of each run and, if `call` says so, the lengths.
template <class Item>
void enqueue_runs(workspace& ws, filter_call const& call) {
  auto const* const in = static_cast<Item const*>(call.in);
  auto* const firsts = static_cast<Item*>(call.out);
  if (call.kind == filter_kind::unique) {
    libscan::unique(ws, in, firsts, count_of(call), call.d_count);
  } else {
    libscan::run_length_encode(ws, in, firsts, call.positions, output_or_null{call.offsets},
                               count_of(call), call.d_count);
  }
}

template <class Machine, class T>
void device_selection<Machine, T>::enqueue(Machine on, queue_place const& place,
                                           filter_call const& call) {
  device::on_machine const here(on);
  workspace ws = device::workspace_of(place);
  switch (call.kind) {
    case filter_kind::unique:
    case filter_kind::run_lengths:
      return enqueue_runs<compared_item_t<T>>(ws, call);
    case filter_kind::split_bit:
      if constexpr (std::unsigned_integral<T>) {
        libscan::split_by_bit(ws, static_cast<T const*>(call.in), static_cast<T*>(call.out),
                              count_of(call), call.bit, call.d_count);
      }
      return;
    default:
      if (call.mask) return enqueue_masked<moved_word<sizeof(T)>>(ws, call);
      visit_predicate(*static_cast<predicate<T> const*>(call.keep),
                      [&](auto const& test) { enqueue_split<T>(ws, call, test); });
  }
}

template <class Machine, class T>
index_t device_selection<Machine, T>::run(Machine on, host_filter const& filter) {
  return run_on_host_memory<T>(
      on, filter, &workspace_bytes,
      [on](queue_place const& place, filter_call const& call) { enqueue(on, place, call); });
}

template <class Machine, class T>
std::size_t device_selection<Machine, T>::workspace_bytes(index_t n) {
  return std::max(filter_workspace_bytes<T>(n), run_length_workspace_bytes<T>(n));
}

}  // namespace libscan::inline v1::detail
