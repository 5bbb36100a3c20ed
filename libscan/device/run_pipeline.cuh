// SPDX-License-Identifier: Apache-2.0
// The launch of a pipeline, and its share of the workspace.
#pragma once

#include <string>

#include <libscan/device/pipeline.cuh>
#include <libscan/workspace.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The workspace of the count of claimed tiles.
inline constexpr std::size_t claim_bytes = 256;

/// Bytes of workspace that a pipeline of this many tiles with such summaries needs.
template <class Summary>
constexpr std::size_t pipeline_bytes(index_t tiles) {
  return claim_bytes + tile_totals<Summary>::bytes(tiles);
}

/// Throws `invalid_argument` if the current device cannot run such a kernel, which would do
/// nothing: a call's tuning may name it on any GPU.
template <class Kernel>
void require_pipeline() {
  if (simt::device_can_pipeline<Kernel>()) return;
  throw invalid_argument(
      "the tuning asks for a pipeline; expected a GPU with bulk copies (sm_90 or "
      "later), code compiled for it, and " +
      std::to_string(sizeof(typename Kernel::shared_storage)) +
      " bytes of shared memory to a block");
}

/// Runs `work` with the pipeline over n items, on as many multiprocessors as there are. `memory`:
/// of `pipeline_bytes`, in the workspace.
template <class Tuning, class Work>
void run_pipeline(std::byte* memory, simt::stream on, Work work, item_count n) {
  using kernel = pipeline_kernel<Work, Tuning>;
  device::require_pipeline<kernel>();
  index_t const tiles = ceil_div(n.at_most(), index_t{kernel::tile_items});
  tile_totals<typename Work::summary> const totals(memory + claim_bytes, tiles);
  index_t const most = simt::multiprocessor_count();
  auto const blocks = static_cast<unsigned>(tiles == 0 ? 1 : tiles < most ? tiles : most);
  simt::launch<kernel>(
      {.blocks = blocks, .threads = kernel::block_threads, .on = on, .cooperative = true}, work, n,
      totals, reinterpret_cast<unsigned long long*>(memory));
}

}  // namespace libscan::inline LIBSCAN_MACHINE::device
