// SPDX-License-Identifier: Apache-2.0
// Concepts of a pipeline's tuning and work, and the wait of work in place.
#pragma once

#include <libscan/core/tuning.hpp>
#include <libscan/core/types.hpp>
#include <libscan/device/tile_work.cuh>
#include <libscan/simt/simt.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// Whether `Tuning` is that of a pipeline.
template <class Tuning>
concept tunes_pipeline = tuned_for<Tuning, scan_algorithm::pipeline>;

/// Whether all its tiles are assigned to the blocks in turn; otherwise blocks claim the later ones
/// in the order in which they need them.
template <class Tuning>
concept static_schedule = requires {
  requires Tuning::static_schedule;
};

/// Whether something depends on what all tiles come to, as work.finish(all) stores it.
template <class Work>
concept finishes = requires(Work const work, typename Work::summary all) {
  work.finish(all);
};

/// Whether results may go where the input is: work.overwrites() says whether those of a call do.
template <class Work>
concept can_overwrite_input = requires {
  requires Work::can_overwrite_input;
};

/// Whether the results of a part wait for its carry: in the stage, and in registers.
template <class Work>
concept holds_parts = requires {
  typename Work::tile_part;
};

/// Whether the results of this call overwrite its input.
template <class Work>
__device__ __forceinline__ bool overwrites(Work const& work) {
  if constexpr (can_overwrite_input<Work>) {
    return work.overwrites();
  } else {
    return false;
  }
}

/// If results overwrite the input: waits until `tile` of `tiles` may be written; its prefix must be
/// known. Then all tiles up to it are in their stages; the next one, too, if it reads the end of
/// this one. By one warp.
template <class Work, class Prefix>
__device__ __forceinline__ void await_readers(Work const& work, Prefix const& prefix, index_t tile,
                                              index_t tiles) {
  if constexpr (can_overwrite_input<Work>) {
    if (!work.overwrites()) return;
    if (Work::reads_tile_before && tile + 1 < tiles) prefix.await_total(tile + 1);
    // Counts order no memory; fences around them do, through the copies' mbarriers on both sides.
    simt::exchange_fence();
  }
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
