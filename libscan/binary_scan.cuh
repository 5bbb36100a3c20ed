// SPDX-License-Identifier: Apache-2.0
// Device-wide scan of one bit per item: ranks by population counts, 32 items a thread (the scan of
// a warp's ballots, Harris & Garland 3.2.2, on bits in memory). Many items are counted first and
// then ranked; the tiles of fewer are chained by decoupled look-back on counts; as many as the
// multiprocessors hold are scanned as numbers.
#pragma once

#include <algorithm>

#include <libscan/core/operators.hpp>
#include <libscan/device/ranks_tile.cuh>
#include <libscan/device/run.cuh>
#include <libscan/device/scan_work.cuh>
#include <libscan/device/tile_totals.cuh>
#include <libscan/device/two_launch_binary_scan.cuh>

namespace libscan::inline LIBSCAN_MACHINE {

namespace device {

/// The items of a mask as numbers, 0 or 1. An iterator.
template <class Mask, class Number>
struct mask_numbers {
  Mask mask;
  index_t first = 0;

  __device__ Number operator[](index_t i) const {
    return static_cast<Number>(device::bits<1>(mask, first + i, 1));
  }
  __device__ mask_numbers operator+(index_t distance) const { return {mask, first + distance}; }
};

/// Tile of the binary scan: every thread takes one word of 32 items.
struct binary_scan_tuning {
  static constexpr scan_algorithm algorithm = scan_algorithm::look_back;
  static constexpr int block_threads = 256;
  static constexpr int resident_blocks = 4;  // of a multiprocessor
};

/// A binary scan; of few items as numbers (see libscan/device/run.cuh).
template <scan_kind Kind, class Mask, class Rank>
struct binary_scan_operation {
  using numbers = mask_numbers<Mask, Rank>;
  using tunings =
      tunings_to_try<short_resident_tuning<Rank, Rank, Rank>, resident_tuning<Rank, Rank, Rank>>;

  Mask mask;
  Rank* ranks;
  index_t* total;

  template <class Tuning>
  auto work() const {
    if constexpr (tuned_for<Tuning, scan_algorithm::resident>) {
      return resident_scan<Kind, numbers, Rank*, plus<Rank>, index_t, Tuning>{
          {{mask}, ranks, {}, 0, total}};
    } else {
      return rank_tiles<Kind, Mask, Rank, Tuning>{mask, ranks, total};
    }
  }
};

/// Bytes of workspace for any of the algorithms.
template <class LookBack, class Counted>
constexpr std::size_t binary_scan_bytes(index_t n) {
  using rank = index_t;
  return std::max(
      {device::max_run_bytes<packed_count>(n, {index_t{LookBack::block_threads} * word_items}),
       two_launch_tiles<Counted>::bytes(n),
       resident_bytes<rank, resident_tuning<rank, rank, rank>>});
}

/// Scans by the algorithm of `Tuning`; void: chooses by the number of items.
template <scan_kind Kind, class Tuning, class Mask, class Rank>
void binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n, index_t* d_total) {
  static_assert(std::is_integral_v<Rank> && (sizeof(Rank) == 4 || sizeof(Rank) == 8),
                "libscan: ranks are integers of 32 or 64 bits");
  device::require_no_overlap("binary scan", "mask and ranks", device::memory_of(mask, n.at_least()),
                             device::memory_of(ranks, n.at_least()));
  constexpr bool automatic = std::is_void_v<Tuning>;
  constexpr bool counts = tunes_two_launch_scan<Tuning>;
  using look_back = std::conditional_t<automatic || counts, binary_scan_tuning, Tuning>;
  using two_launch = std::conditional_t<counts, Tuning, two_launch_binary_scan_tuning>;
  std::byte* const memory =
      ws.reserve(device::binary_scan_bytes<look_back, two_launch>(n.at_most()));
  using operation_type = binary_scan_operation<Kind, Mask, Rank>;
  operation_type const operation{mask, ranks, d_total};
  if constexpr (automatic) {
    using few = typename operation_type::tunings;
    if (device::run_first_suited(ws, memory, operation, n, few{})) return;
  }
  if (counts || (automatic && n.at_most() >= two_launch_binary_scan_tuning::min_items<Mask>)) {
    device::two_launch_binary_scan<Kind, two_launch>(ws, memory, mask, ranks, n, d_total);
  } else {
    device::run<look_back>(ws, memory, operation, n);
  }
}

}  // namespace device

/// Bytes of workspace that a binary scan of up to `n` items needs. For up to 2^27 items: at most
/// n / 8 + n / 2048 + 16 KiB. For more: at most that of 2^27 items, or n / 512 + 4 KiB. A pure
/// function of n; needs no device.
constexpr std::size_t binary_scan_workspace_bytes(index_t n) {
  return device::binary_scan_bytes<device::binary_scan_tuning,
                                   device::two_launch_binary_scan_tuning>(n);
}

/// ranks[i] = the number of items 0 ... i - 1 that are true, for 0 <= i < n; *d_total = the number
/// of all items that are true.
///
/// Types: mask is a `byte_mask` (nonzero is true) or a `bit_mask` (bit i of word w is item 32 w +
/// i). Ranks: integers of 32 or 64 bits; the caller must choose them wide enough. n: any size >= 0,
/// also read from device memory (`item_count::on_device`). n = 0 writes only the total. d_total:
/// one value in device memory, or null.
/// Aliasing: mask and ranks must not overlap.
/// Synchronization: asynchronous on the workspace's stream.
/// Workspace: `binary_scan_workspace_bytes`; allocates only if the workspace must grow.
/// Traffic: writes n ranks; reads n bytes or n / 8. With many items, also writes and reads n / 8,
/// or reads n / 8 again. Progress: few items use a cooperative launch, which starts when all its
/// blocks fit. With more, a tile waits only for tiles claimed by running blocks. With many, no
/// block waits for another. Throws: `invalid_argument` (workspace too small, overlap),
/// `device_error`.
template <class Tuning = void, class Mask, class Rank>
void exclusive_binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total = nullptr) {
  device::binary_scan<scan_kind::exclusive, Tuning>(ws, mask, ranks, n, d_total);
}

/// ranks[i] = the number of items 0 ... i that are true; otherwise as `exclusive_binary_scan`.
template <class Tuning = void, class Mask, class Rank>
void inclusive_binary_scan(workspace& ws, Mask mask, Rank* ranks, item_count n,
                           index_t* d_total = nullptr) {
  device::binary_scan<scan_kind::inclusive, Tuning>(ws, mask, ranks, n, d_total);
}

}  // namespace libscan::inline LIBSCAN_MACHINE
