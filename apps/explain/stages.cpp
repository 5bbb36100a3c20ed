// SPDX-License-Identifier: Apache-2.0
// Divides what was recorded between barriers into tiles and stages.
#include <apps/explain/stages.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace libscan::apps {
namespace {

/// The intervals of a block that belong to one tile, and the content of memory before the first.
struct visit {
  int block = 0;
  int tile = 0;
  std::vector<cells> shared_before;
  std::vector<cells> global_before;
  std::vector<interval const*> intervals;

  std::vector<cells> const& before(std::size_t i) const {
    return i == 0 ? shared_before : intervals[i - 1]->shared;
  }
  std::vector<cells> const& arrays_before(std::size_t i) const {
    return i == 0 ? global_before : intervals[i - 1]->global;
  }
};

/// The tile whose items an interval brings into shared memory, if any.
std::optional<int> loaded_tile(recorded_run const& run, recorded_launch const& launch,
                               std::vector<cells> const& before, interval const& now) {
  int first = -1;
  for (std::size_t r = 0; r < now.shared.size(); ++r) {
    for (std::size_t i = 0; i < now.shared[r].size(); ++i) {
      traced const name = now.shared[r][i];
      if (name == before[r][i] || !run.known(name)) continue;
      int const item = run.of(name).item;
      if (item >= 0 && (first < 0 || item < first)) first = item;
    }
  }
  if (first < 0) return {};
  return (first + launch.shift) / launch.tile_items;
}

bool changes(recorded_run const& run, std::vector<cells> const& before, interval const& now) {
  for (std::size_t r = 0; r < now.shared.size(); ++r) {
    for (std::size_t i = 0; i < now.shared[r].size(); ++i) {
      if (now.shared[r][i] != before[r][i] && run.known(now.shared[r][i])) return true;
    }
  }
  return false;
}

/// Drops the intervals in which a block only found its tile, so that all tiles begin with the same
/// stage.
void skip_idle_begin(recorded_run const& run, visit& of) {
  while (of.intervals.size() > 1 && of.intervals.front()->sums.empty() &&
         !changes(run, of.shared_before, *of.intervals.front())) {
    of.shared_before = of.intervals.front()->shared;
    of.global_before = of.intervals.front()->global;
    of.intervals.erase(of.intervals.begin());
  }
}

std::vector<visit> visits_of(recorded_run const& run, recorded_launch const& launch) {
  std::vector<visit> visits;
  std::vector<cells> nothing;
  for (region const& each : launch.regions) nothing.emplace_back(each.word.size(), unwritten);
  for (recorded_block const& block : launch.ran) {
    visit now{block.index, block.index, nothing, launch.before, {}};
    bool tile_is_known = false;
    std::vector<cells> const* before = &nothing;
    for (interval const& each : block.intervals) {
      // Levels of sums have no more blocks than tiles; a block of items may take several.
      auto const tile =
          launch.level == 0 ? loaded_tile(run, launch, *before, each) : std::optional<int>{};
      if (tile && tile_is_known && *tile != now.tile) {
        visit next{block.index, *tile, *before, now.intervals.back()->global, {}};
        visits.push_back(std::move(now));
        now = std::move(next);
      }
      if (tile) {
        now.tile = *tile;
        tile_is_known = true;
      }
      now.intervals.push_back(&each);
      before = &each.shared;
    }
    // A block that found no tile left.
    bool const adds = std::any_of(block.intervals.begin(), block.intervals.end(),
                                  [](interval const& each) { return !each.sums.empty(); });
    bool const idle = !tile_is_known && !adds && launch.level == 0 && !launch.regions.empty();
    if (!idle) visits.push_back(std::move(now));
  }
  for (visit& each : visits) skip_idle_begin(run, each);
  std::sort(visits.begin(), visits.end(),
            [](visit const& a, visit const& b) { return a.tile < b.tile; });
  return visits;
}

/// The intervals of each stage, counted within a visit. All tiles of a launch have the same stages.
std::vector<std::vector<std::size_t>> groups_of(recorded_run const& run,
                                                std::vector<visit> const& visits) {
  std::size_t longest = 0;
  for (visit const& each : visits) longest = std::max(longest, each.intervals.size());
  std::vector<std::vector<std::size_t>> groups;
  bool awaits_store = false;  // sums of the last stage are still in registers
  for (std::size_t i = 0; i < longest; ++i) {
    bool adds = false, stores = false;
    for (visit const& each : visits) {
      if (i >= each.intervals.size()) continue;
      adds = adds || !each.intervals[i]->sums.empty();
      stores = stores || changes(run, each.before(i), *each.intervals[i]);
    }
    if (!adds && !stores) continue;
    if (!adds && awaits_store) {
      groups.back().push_back(i);
    } else {
      groups.push_back({i});
    }
    awaits_store = adds && !stores;
  }
  return groups;
}

tile_stage stage_of(visit const& from, std::vector<std::size_t> const& group) {
  tile_stage result;
  bool first = true;
  for (std::size_t const i : group) {
    if (i >= from.intervals.size()) continue;
    interval const& now = *from.intervals[i];
    if (first) {
      result.before = from.before(i);
      result.global_before = from.arrays_before(i);
      if (i > 0) result.flags_before = from.intervals[i - 1]->flags;
    }
    first = false;
    result.after = now.shared;
    result.global_after = now.global;
    result.flags_after = now.flags;
    result.sums.insert(result.sums.end(), now.sums.begin(), now.sums.end());
    result.accesses += now.accesses;
  }
  if (first && !from.intervals.empty()) {
    result.before = result.after = from.intervals.back()->shared;
    result.global_before = result.global_after = from.intervals.back()->global;
  }
  return result;
}

void count(recorded_run const& run, launch_view& view) {
  std::map<int, int> steps;  // by block
  for (tile_view const& tile : view.tiles) {
    for (tile_stage const& stage : tile.stages) {
      steps[tile.block] += stage.depth(run);
      view.divergent_warps += stage.divergent_warps(run, view.launch->threads);
      for (traced const sum : stage.sums) {
        value const& made = run.of(sum);
        ++view.additions;
        bool const trivial = run.of(made.earlier).from == origin::identity ||
                             run.of(made.later).from == origin::identity;
        view.identity_additions += trivial ? 1 : 0;
      }
    }
  }
  for (auto const& [block, taken] : steps) view.steps = std::max(view.steps, taken);
}

/// The region whose values were added up for region `which`: itself, the other one of two buffers,
/// or the level of a tree below.
std::size_t source_of(recorded_run const& run, tile_stage const& stage, std::size_t which) {
  for (traced const name : stage.after[which]) {
    if (std::find(stage.sums.begin(), stage.sums.end(), name) == stage.sums.end()) continue;
    for (std::size_t other = 0; other < stage.before.size(); ++other) {
      cells const& candidates = stage.before[other];
      if (std::find(candidates.begin(), candidates.end(), run.of(name).later) != candidates.end()) {
        return other;
      }
    }
  }
  return which;
}

}  // namespace

bool tile_stage::changed(std::size_t which, std::size_t i) const {
  return after[which][i] != before[which][i];
}

bool tile_stage::publishes(int own) const {
  auto const i = static_cast<std::size_t>(own);
  return i < flags_before.size() && flags_before[i] != flags_after[i];
}

std::vector<int> tile_stage::awaited(int own) const {
  std::vector<int> tiles;
  for (int tile = own; tile-- > 0;) {
    char const flag = flags_before[static_cast<std::size_t>(tile)];
    if (flag == 'P') break;
    if (flag == '.') tiles.insert(tiles.begin(), tile);
  }
  return tiles;
}

bool tile_stage::changed(std::size_t which) const { return after[which] != before[which]; }

std::vector<int> tile_stage::adding(recorded_run const& run) const {
  std::vector<int> threads;
  for (traced const sum : sums) threads.push_back(run.of(sum).thread);
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

int tile_stage::depth(recorded_run const& run) const {
  std::map<int, int> by_thread;
  int most = 0;
  for (traced const sum : sums) most = std::max(most, ++by_thread[run.of(sum).thread]);
  return most;
}

int tile_stage::divergent_warps(recorded_run const& run, int threads) const {
  std::map<int, int> by_warp;
  for (int const thread : adding(run)) ++by_warp[thread / 32];
  int divergent = 0;
  for (auto const& [warp, lanes] : by_warp) {
    divergent += lanes < std::min(32, threads - 32 * warp) ? 1 : 0;
  }
  return divergent;
}

std::vector<shown_region> shown_regions(recorded_run const& run, recorded_launch const& launch,
                                        tile_stage const& stage) {
  std::vector<shown_region> shown;
  for (bool const single : {false, true}) {
    for (std::size_t r = 0; r < stage.after.size(); ++r) {
      if (launch.regions[r].single == single && stage.changed(r)) {
        shown.push_back({single ? r : source_of(run, stage, r), r});
      }
    }
  }
  return shown;
}

std::vector<launch_view> views_of(recorded_run const& run) {
  std::vector<launch_view> views;
  for (recorded_launch const& launch : run.launches) {
    launch_view view;
    view.launch = &launch;
    std::vector<visit> const visits = visits_of(run, launch);
    auto const groups = groups_of(run, visits);
    for (visit const& each : visits) {
      tile_view tile{each.block, each.tile, {}};
      for (auto const& group : groups) tile.stages.push_back(stage_of(each, group));
      view.tiles.push_back(std::move(tile));
    }
    int steps = 0;
    for (std::size_t s = 0; s < groups.size(); ++s) {
      stage_view stage;
      for (tile_view const& tile : view.tiles) {
        stage.additions += static_cast<int>(tile.stages[s].sums.size());
      }
      stage.label = stage.additions > 0 ? "step " + std::to_string(++steps)
                    : s == 0            ? "load"
                                        : "move";
      view.stages.push_back(std::move(stage));
    }
    count(run, view);
    views.push_back(std::move(view));
  }
  return views;
}

std::size_t used_cells(recorded_run const& run, launch_view const& view, std::size_t which) {
  std::size_t used = 0;
  for (tile_view const& tile : view.tiles) {
    for (tile_stage const& stage : tile.stages) {
      for (std::size_t i = used; i < stage.after[which].size(); ++i) {
        if (run.known(stage.after[which][i])) used = i + 1;
      }
    }
  }
  return used;
}

}  // namespace libscan::apps
