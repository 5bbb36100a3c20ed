// SPDX-License-Identifier: Apache-2.0
// Checks of device sorts before they launch anything: outputs must not share memory with what else
// a call reads or writes.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <apps/radix_sort/device/sort_plan.cuh>
#include <libscan/core/error.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/memory_span.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The memory of a call's items.
struct sort_memory_places {
  memory_span keys_in, keys_out, values_in, values_out;

  template <class Key, class Value>
  sort_memory_places(sort_buffers<Key> const& keys, sort_buffers<Value> const& values, index_t n)
      : keys_in(device::memory_of(keys.in, n)), keys_out(device::memory_of(keys.out, n)) {
    if constexpr (!std::is_void_v<Value>) {
      values_in = device::memory_of(values.in, n);
      values_out = device::memory_of(values.out, n);
    }
  }

  /// Throws if an output shares memory with anything else; if `in_place` is allowed, each output
  /// may begin where its input does.
  void require_no_overlap(char const* call, bool in_place) const {
    auto const check = [&](char const* what, memory_span const& a, memory_span const& b) {
      device::require_no_overlap(call, what, a, b);
    };
    if (!in_place || keys_in.begin != keys_out.begin) {
      check("input and output keys", keys_in, keys_out);
    }
    if (!in_place || values_in.begin != values_out.begin) {
      check("input and output values", values_in, values_out);
    }
    check("output keys and output values", keys_out, values_out);
    check("input keys and output values", keys_in, values_out);
    check("input values and output keys", values_in, keys_out);
  }

  /// Throws if an output shares memory with `other`, or if `other` is written and shares memory
  /// with an input.
  void require_no_overlap_with(char const* call, char const* what, memory_span const& other,
                               bool is_written) const {
    for (auto const& place : {keys_out, values_out})
      device::require_no_overlap(call, what, place, other);
    if (!is_written) return;
    for (auto const& place : {keys_in, values_in})
      device::require_no_overlap(call, what, place, other);
  }
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
