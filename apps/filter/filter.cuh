// SPDX-License-Identifier: Apache-2.0
// Stream compaction on the device: keep the items for which a predicate holds, in their order. A
// filter is a scan of flags: an item kept goes where the number of items kept before it says
// (Harris & Garland, "Optimizing Parallel Prefix Operations for the Fermi Architecture", 3.3.1).
#pragma once

#include <iterator>
#include <type_traits>

#include <apps/filter/look_back_filter.cuh>
#include <apps/filter/pipelined_filter.cuh>
#include <libscan/core/tuning.hpp>

namespace libscan::inline LIBSCAN_MACHINE {

/// Whether asking a predicate takes many instructions. The pipeline asks with a few warps of each
/// multiprocessor, which such a predicate would keep busy; all warps ask instead. Specialise it for
/// a predicate of your own.
template <class Predicate>
inline constexpr bool asks_long = false;

namespace device {

/// Chooses how to filter: by the number of items, and by what the input and the GPU permit.
template <class Written, class In, class Out, class Predicate>
void filter(workspace& ws, In in, Out out, item_count n, Predicate keep, index_t* d_count) {
  using item = typename std::iterator_traits<In>::value_type;
  using written = decltype(Written{}(index_t{}, item{}));
  if constexpr (suits_bulk_copy<In> && !asks_long<Predicate>) {
    using tuning = pipelined_filter_tuning<item>;
    using work = filter_work<item, Written, Out, Predicate, tuning>;
    constexpr auto few = static_cast<index_t>(tuning::look_back_bytes / sizeof(item));
    if (n.at_most() > few && simt::device_can_pipeline<pipeline_kernel<work, tuning>>()) {
      return pipelined_filter<Written, tuning>(ws, in, out, n, keep, d_count);
    }
  }
  look_back_filter<Written, filter_tuning<written>>(ws, in, out, n, keep, d_count);
}

/// Filters the way `Tuning` says; void: chooses.
template <class Written, class Tuning, class In, class Out, class Predicate>
void filter_with_tuning(workspace& ws, In in, Out out, item_count n, Predicate keep,
                        index_t* d_count) {
  if constexpr (std::is_void_v<Tuning>) {
    device::filter<Written>(ws, in, out, n, keep, d_count);
  } else if constexpr (tunes_pipeline<Tuning>) {
    pipelined_filter<Written, Tuning>(ws, in, out, n, keep, d_count);
  } else {
    look_back_filter<Written, Tuning>(ws, in, out, n, keep, d_count);
  }
}

}  // namespace device

/// Bytes of workspace a filter of up to `n` items of type T needs; `index_t` for `filter_indices`,
/// whatever the items are. A pure function of its arguments; needs no device.
template <class T>
constexpr std::size_t filter_workspace_bytes(index_t n) {
  using look_back = filter_tuning<T>;
  index_t const look_back_items = index_t{look_back::block_threads} * look_back::items_per_thread;
  // No tile of a pipeline is smaller than this, whatever the items are.
  constexpr index_t pipeline_items = 2048;
  std::size_t const tiles =
      device::tile_state<device::position>::bytes(ceil_div(n, look_back_items));
  std::size_t const pipeline =
      device::pipeline_bytes<device::position>(ceil_div(n, pipeline_items));
  return tiles > pipeline ? tiles : pipeline;
}

/// Writes the items of in[0 .. n-1] for which keep(item) holds to `out`, in their order, and their
/// number to *d_count.
///
/// Types: `in` and `out` are random-access iterators of the device; `keep` is a copyable functor
/// with a device call, applied once to each item. n: any size >= 0, also read from device memory
/// (`item_count::on_device`). n = 0 writes only the count. d_count: one value in device memory, or
/// null. `out` must have room for all that is kept. Aliasing: `out` must not overlap `in`.
/// Synchronisation: asynchronous on the workspace's stream; allocates only if the workspace must
/// grow. Traffic: reads n items, writes those kept. Progress: as `exclusive_scan`. Throws:
/// `invalid_argument` (workspace too small), `device_error`.
template <class Tuning = void, class In, class Out, class Predicate>
void filter(workspace& ws, In in, Out out, item_count n, Predicate keep, index_t* d_count) {
  device::filter_with_tuning<device::the_item, Tuning>(ws, in, out, n, keep, d_count);
}

/// Writes the positions i with keep(in[i]) to `out`, ascending; otherwise as `filter`.
template <class Tuning = void, class In, class Out, class Predicate>
void filter_indices(workspace& ws, In in, Out out, item_count n, Predicate keep, index_t* d_count) {
  device::filter_with_tuning<device::its_position, Tuning>(ws, in, out, n, keep, d_count);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
