// SPDX-License-Identifier: Apache-2.0
// The filter over ranks of items in device memory. Otherwise as filter.hpp.
#pragma once

#include <span>
#include <type_traits>

#include <libscan/distributed/device_scan.hpp>
#include <libscan/distributed/filter.hpp>
#include <libscan/filter_device_calls.hpp>
#include <libscan/host/device_memory.hpp>

namespace libscan::inline v1 {

/// Copies the local items that `keep` accepts into the front of `out`, in order.
/// Result: how many there are, here and on all ranks, and where they begin.
/// Types and aliasing: as `filter` of filter_device_calls.hpp. `out` has space for all that this
/// rank keeps; that is not checked.
/// Synchronization: collective, on the queue's stream; returns when `out` is complete.
/// Throws: `invalid_argument` on a rank whose engine is cpu, and what the local call throws there;
/// `remote_error` on all others; `communicator_lost`.
template <class T, detail::keeps_items<T> Keep>
kept_items filter(ranks const& on, device_span<T> in, std::remove_const_t<T>* out,
                  Keep const& keep) {
  return detail::collective(on.comm(), "filter", [&](detail::collective_call& call) {
    auto const counts = call.gather("counts", [&] {
      detail::check_device_items(on, in);
      detail::device_array<index_t> const d_count(on.queue(), 1);
      libscan::filter(on.queue(), in, out, keep, d_count.data());
      index_t count = 0;
      d_count.download(std::span(&count, 1));
      return count;
    });
    return detail::kept_of(counts, on.rank());
  });
}

}  // namespace libscan::inline v1
