// SPDX-License-Identifier: Apache-2.0
// A recorded launch for people: tiles side by side, each in stages that begin with a barrier and
// change something.
#pragma once

#include <string>
#include <vector>

#include <apps/explain/record.hpp>

namespace libscan::apps {

/// One tile in one stage.
struct tile_stage {
  std::vector<cells> before;  ///< by region; empty cells before anything was written
  std::vector<cells> after;
  std::vector<cells> global_before;  ///< by array
  std::vector<cells> global_after;
  std::string flags_before;  ///< letters of `tile_flags`
  std::string flags_after;
  std::vector<traced> sums;
  line_counts accesses;

  /// Whether cell i of a region now holds another value than before the stage.
  bool changed(std::size_t which, std::size_t i) const;
  bool changed(std::size_t which) const;

  /// Whether tile `own` publishes something in the stage.
  bool publishes(int own) const;

  /// Tiles before `own`, back to the last whose prefix was known, that had published nothing when
  /// the stage began: the tile waits for them.
  std::vector<int> awaited(int own) const;

  /// Threads that added, ascending.
  std::vector<int> adding(recorded_run const& run) const;

  /// The largest number of additions of any thread.
  int depth(recorded_run const& run) const;

  /// The number of warps in which some threads add and others do not, in a block of `threads`.
  int divergent_warps(recorded_run const& run, int threads) const;
};

/// The work of a block on one tile.
struct tile_view {
  int block = 0;
  int tile = 0;
  std::vector<tile_stage> stages;  ///< the same number for all tiles of a launch
};

/// A stage of a whole launch.
struct stage_view {
  std::string label;  ///< "load", "step 1", "step 2", ..., "move"
  int additions = 0;
};

/// A launch in stages.
struct launch_view {
  recorded_launch const* launch = nullptr;
  std::vector<tile_view> tiles;  ///< by number of the tile
  std::vector<stage_view> stages;
  int additions = 0;
  int identity_additions = 0;  ///< those of the additions with an identity
  int steps = 0;               ///< additions that depend on each other, in the longest block
  int divergent_warps = 0;     ///< summed over stages
};

/// A region of shared memory that changes in a stage, and the one that its values come from.
struct shown_region {
  std::size_t before = 0;
  std::size_t after = 0;
};

/// The arrays to show for a tile's stage, then the single variables.
std::vector<shown_region> shown_regions(recorded_run const& run, recorded_launch const& launch,
                                        tile_stage const& stage);

/// The launches of a run in stages. The run must outlive them.
std::vector<launch_view> views_of(recorded_run const& run);

/// Cells up to the last that was ever written in the launch.
std::size_t used_cells(recorded_run const& run, launch_view const& view, std::size_t which);

}  // namespace libscan::apps
