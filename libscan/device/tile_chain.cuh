// SPDX-License-Identifier: Apache-2.0
// How tiles that blocks claim learn what comes before them: each publishes its summary, looks back,
// and publishes its prefix (tile_state.cuh, look_back.cuh).
#pragma once

#include <libscan/device/look_back.cuh>
#include <libscan/device/tile_state.cuh>

namespace libscan::inline LIBSCAN_MACHINE::device {

/// The chain of all tiles, for summaries of any kind. Kinds that say more about themselves have
/// chains of their own (segment_chain.cuh). A small value, passed to kernels; its memory must be
/// zero in the first `reset_bytes` when the kernel starts.
template <class Summary>
class tile_chain {
 public:
  struct shared_storage {
    Summary carry;
  };

  tile_chain(std::byte* memory, index_t tiles) : state_(memory, tiles) {}

  static constexpr std::size_t bytes(index_t tiles) { return tile_state<Summary>::bytes(tiles); }
  static constexpr std::size_t reset_bytes(index_t tiles) {
    return tile_state<Summary>::reset_bytes(tiles);
  }

  /// The next tile that no block has claimed. By one thread.
  __device__ index_t claim() const { return state_.claim(); }

  /// What comes before a tile: `init` before tile 0, else found by looking back. All threads of the
  /// block call and get it; ends with a barrier. `ordered`: what all tiles before it did before
  /// they entered, up to their last barrier, comes before what follows here; else nothing is said
  /// about other memory.
  template <class Op>
  __device__ Summary enter(shared_storage& shared, index_t tile, Summary const& own,
                           Summary const& init, Op op, bool ordered, bool /*needed*/) const {
    return device::enter_tile(state_, tile, own, init, op, shared.carry, ordered);
  }

 private:
  tile_state<Summary> state_;
};

}  // namespace libscan::inline LIBSCAN_MACHINE::device
