// SPDX-License-Identifier: Apache-2.0
#include <apps/explain/drawing.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <apps/explain/columns.hpp>

namespace libscan::apps {
namespace {

/// A cell of memory, through all rows: in array `which` of global memory, or in a region of a tile.
struct place {
  bool global = false;
  int tile = 0;
  std::size_t which = 0;
  std::size_t index = 0;
  auto operator<=>(place const&) const = default;
};

/// The value in a place, and its last drawn cell.
struct held {
  traced name{};
  std::size_t cell = 0;
};

/// The layout of the drawing: items of level 0 from left to right, block by block, each block
/// followed by a column for its sum. The elements of level 1 are in those columns, and so on.
class geometry {
 public:
  geometry(recorded_run const& run, std::vector<launch_view> const& views) {
    for (launch_view const& view : views) measure(run, view);
    level_.resize(level_.size() + 2);  // for totals
    constexpr double gap = 0.5;
    placed_level& items = level_.front();
    int const tiles = (run.count + items.tile_items - 1) / items.tile_items;
    int const columns = std::max(items.cells, std::min(items.tile_items, run.count));
    for (int i = 0; i < tiles * items.tile_items; ++i) {
      items.column.push_back(i / items.tile_items * (columns + 1 + gap) + i % items.tile_items);
    }
    items.cells = columns;
    for (std::size_t level = 1; level < level_.size(); ++level) {
      placed_level const& below = level_[level - 1];
      auto const count = static_cast<int>(below.column.size());
      for (int tile = 0; tile * static_cast<std::int64_t>(below.tile_items) < count; ++tile) {
        level_[level].column.push_back(past(static_cast<int>(level) - 1, tile));
      }
    }
  }

  /// Cell i of a block's shared memory: element i of its part of the level, or after that.
  double of(int level, int tile, int i) const {
    placed_level const& here = level_[static_cast<std::size_t>(level)];
    int const first = tile * here.tile_items;
    int const last = std::min(first + here.tile_items, static_cast<int>(here.column.size())) - 1;
    int const at = std::min(first + i, last);
    return here.column[static_cast<std::size_t>(at)] + (first + i - at);
  }

  double element(int level, std::size_t i) const {
    return level_[static_cast<std::size_t>(level)].column.at(i);
  }

  /// The column of a block's sum.
  double sum(int level, int tile) const {
    return element(level + 1, static_cast<std::size_t>(tile));
  }

 private:
  struct placed_level {
    int tile_items = 1 << 30;
    int cells = 1;               ///< that a block has of it in shared memory
    std::vector<double> column;  ///< of each element
  };

  void measure(recorded_run const& run, launch_view const& view) {
    auto const number = static_cast<std::size_t>(view.launch->level);
    if (level_.size() <= number) level_.resize(number + 1);
    placed_level& level = level_[number];
    bool const first = level.tile_items == placed_level{}.tile_items;
    level.tile_items =
        first ? view.launch->tile_items : std::max(level.tile_items, view.launch->tile_items);
    for (std::size_t r = 0; r < view.launch->regions.size(); ++r) {
      region const& each = view.launch->regions[r];
      int used = static_cast<int>(used_cells(run, view, r)) * each.spread;
      // The last value of an incomplete row stands for fewer items.
      if (each.spread > 1) used = std::min(used, level.tile_items);
      if (!each.single) level.cells = std::max(level.cells, used);
    }
  }

  /// The column after all that a block has of a level.
  double past(int level, int tile) const {
    placed_level const& here = level_[static_cast<std::size_t>(level)];
    int const first = tile * here.tile_items;
    int const elements = std::min(here.tile_items, static_cast<int>(here.column.size()) - first);
    return of(level, tile, std::max(elements, here.cells) - 1) + 1;
  }

  std::vector<placed_level> level_;
};

class draughtsman {
 public:
  explicit draughtsman(recorded_run const& run)
      : run_(run), views_(views_of(run)), where_(run, views_) {}

  drawing draw() {
    begin_row("input", "global memory");
    for (std::size_t i = 0; i < static_cast<std::size_t>(run_.count); ++i) {
      put({true, 0, 0, i}, where_.element(0, i), views_.front().launch->before[0][i], false);
    }
    end_row();
    for (std::size_t i = 0; i < views_.size(); ++i) draw_launch(i);
    return std::move(result_);
  }

 private:
  struct fresh_cell {
    place where;
    traced name{};
    std::size_t cell = 0;
  };

  void begin_row(std::string label, std::string words) {
    result_.rows.push_back({std::move(label), std::move(words), false});
    fresh_.clear();
  }

  int row() const { return static_cast<int>(result_.rows.size()) - 1; }

  /// Draws the current value of a place. Arrows follow at the end of the row.
  void put(place where, double column, traced name, bool changed) {
    drawn_cell cell;
    cell.column = column;
    cell.row = row();
    cell.global = where.global;
    value const& held = run_.of(name);
    cell.number = held.number;
    cell.identity = held.from == origin::identity;
    bool const is_new = held.from == origin::sum && cells_of(name).empty();
    cell.state = !changed ? cell_state::kept : is_new ? cell_state::added : cell_state::moved;
    if (cell.state == cell_state::added) cell.thread = held.thread;
    fresh_.push_back({where, name, result_.cells.size()});
    result_.cells.push_back(cell);
  }

  /// Draws all arrows into the row's cells, which then become the latest ones.
  void end_row() {
    for (fresh_cell const& each : fresh_) {
      bool const kept = result_.cells[each.cell].state == cell_state::kept;
      auto const twin = std::find_if(fresh_.begin(), fresh_.end(),
                                     [&](fresh_cell const& f) { return f.name == each.name; });
      if (std::size_t from = 0; nearest(each.name, each.cell, from)) {
        result_.arrows.push_back({from, each.cell, kept ? arrow_kind::same : arrow_kind::copy});
      } else if (twin->cell != each.cell && run_.of(each.name).from == origin::sum) {
        result_.arrows.push_back({twin->cell, each.cell, arrow_kind::copy});
        result_.cells[each.cell].state = cell_state::moved;
        result_.cells[each.cell].thread = -1;
      } else if (run_.of(each.name).from == origin::sum) {
        point_from(run_.of(each.name).earlier, each, arrow_kind::earlier);
        point_from(run_.of(each.name).later, each, arrow_kind::later);
      }
    }
    for (fresh_cell const& each : fresh_) holds_[each.where] = {each.name, each.cell};
    std::sort(result_.arrows.begin(), result_.arrows.end(), [](arrow const& a, arrow const& b) {
      return std::tie(a.to, a.from, a.kind) < std::tie(b.to, b.from, b.kind);
    });
    auto const same = [](arrow const& a, arrow const& b) {
      return a.to == b.to && a.from == b.from;
    };
    result_.arrows.erase(std::unique(result_.arrows.begin(), result_.arrows.end(), same),
                         result_.arrows.end());
  }

  std::vector<std::size_t> cells_of(traced name) const {
    std::vector<std::size_t> found;
    for (auto const& [where, what] : holds_) {
      if (what.name == name) found.push_back(what.cell);
    }
    return found;
  }

  /// The drawn cell with a value that is nearest to `to`.
  bool nearest(traced name, std::size_t to, std::size_t& found) const {
    bool any = false;
    double best = 0;
    for (std::size_t const cell : cells_of(name)) {
      double const distance = std::abs(result_.cells[cell].column - result_.cells[to].column) -
                              0.001 * result_.cells[cell].row;
      if (!any || distance < best) {
        best = distance;
        found = cell;
      }
      any = true;
    }
    return any;
  }

  /// An arrow from an operand; from its own operands instead if it never left a register.
  void point_from(traced operand, fresh_cell const& to, arrow_kind kind) {
    std::size_t from = 0;
    if (nearest(operand, to.cell, from)) {
      result_.arrows.push_back({from, to.cell, kind});
      return;
    }
    for (fresh_cell const& each : fresh_) {
      if (each.name == operand && each.cell != to.cell) {
        result_.arrows.push_back({each.cell, to.cell, kind});
        return;
      }
    }
    if (run_.of(operand).from != origin::sum) return;
    point_from(run_.of(operand).earlier, to, arrow_kind::earlier);
    point_from(run_.of(operand).later, to, kind);
  }

  void draw_launch(std::size_t number) {
    launch_view const& view = views_[number];
    result_.rows.push_back(
        {"Launch " + std::to_string(number + 1) + ": " + view.launch->title, "", true});
    draw_what_is_read(number);
    int const top = row() + 1;
    for (std::size_t s = 0; s < view.stages.size(); ++s) draw_stage(view, s);
    if (row() >= top) frame_blocks(view, top);
    draw_arrays(view);
    // Shared memory ends with its block.
    for (auto each = holds_.begin(); each != holds_.end();) {
      each = each->first.global ? std::next(each) : holds_.erase(each);
    }
  }

  /// The names that a launch reads from memory, even if only to copy them.
  std::set<traced> used_in(launch_view const& view) const {
    std::set<traced> used;
    for (tile_view const& tile : view.tiles) {
      for (tile_stage const& stage : tile.stages) {
        for (cells const& each : stage.after) used.insert(each.begin(), each.end());
        for (traced const sum : stage.sums) {
          used.insert(run_.of(sum).earlier);
          used.insert(run_.of(sum).later);
        }
      }
    }
    return used;
  }

  /// Shows again the arrays that a launch reads, unless they are directly above it.
  void draw_what_is_read(std::size_t number) {
    launch_view const& view = views_[number];
    std::set<traced> const used = used_in(view);
    std::map<int, std::size_t> read;  // by level; later arrays may hold copies of earlier ones
    bool just_above = true;
    for (std::size_t a = 0; a < run_.arrays.size(); ++a) {
      int const above = run_.arrays[a].level - view.launch->level;
      if (above != 0 && above != 1) continue;
      for (traced const name : view.launch->before[a]) {
        if (run_.known(name) && used.count(name) != 0) read[run_.arrays[a].level] = a;
      }
    }
    std::string label;
    for (auto const& [level, a] : read) {
      auto const drawn = holds_.lower_bound({true, 0, a, 0});
      just_above = just_above && result_.cells[drawn->second.cell].row == row() - 1;
      label += (label.empty() ? "" : ", ") + run_.arrays[a].name;
    }
    if (just_above) return;
    begin_row(label, "global memory");
    for (auto const& [level, a] : read) {
      draw_array(a, view.launch->before[a], view.launch->before[a]);
    }
    end_row();
  }

  void draw_stage(launch_view const& view, std::size_t s) {
    bool any = false;
    for (tile_view const& tile : view.tiles) {
      any = any || !shown_regions(run_, *view.launch, tile.stages[s]).empty();
    }
    if (!any) return;
    stage_view const& stage = view.stages[s];
    begin_row(stage.label, stage.additions > 0 ? plural(stage.additions, "addition") : "");
    for (tile_view const& tile : view.tiles) {
      int singles = 0;
      for (shown_region const& shown : shown_regions(run_, *view.launch, tile.stages[s])) {
        draw_region(view, tile, tile.stages[s], shown.after, singles);
      }
    }
    end_row();
  }

  void draw_region(launch_view const& view, tile_view const& tile, tile_stage const& stage,
                   std::size_t which, int& singles) {
    region const& shown = view.launch->regions[which];
    int const level = view.launch->level;
    for (std::size_t i = 0; i < stage.after[which].size(); ++i) {
      traced const name = stage.after[which][i];
      if (!run_.known(name)) continue;
      int const index = static_cast<int>(i) * shown.spread + shown.spread - 1;
      double const column = shown.single ? where_.sum(level, tile.tile) + singles++
                                         : where_.of(level, tile.tile, index);
      put({false, tile.tile, which, i}, column, name, stage.changed(which, i));
    }
  }

  void frame_blocks(launch_view const& view, int top) {
    std::map<int, drawn_block> frames;
    for (auto const& [where, what] : holds_) {
      if (where.global) continue;
      double const column = result_.cells[what.cell].column;
      auto const [frame, fresh] =
          frames.try_emplace(where.tile, drawn_block{0, where.tile, column, column, top, row()});
      frame->second.first = std::min(frame->second.first, column);
      frame->second.last = std::max(frame->second.last, column);
    }
    for (tile_view const& tile : view.tiles) {
      auto const frame = frames.find(tile.tile);
      if (frame == frames.end()) continue;
      frame->second.block = tile.block;
      result_.blocks.push_back(frame->second);
      note_flags(tile);
    }
  }

  /// Beside the last row: the tiles that a tile waits for, and the flags that it sees in the end.
  void note_flags(tile_view const& tile) {
    std::string waits, sees;
    for (tile_stage const& stage : tile.stages) {
      if (tile.tile == 0 || !stage.publishes(tile.tile)) continue;
      sees = stage.flags_before;
      for (int const awaited : stage.awaited(tile.tile)) {
        waits += (waits.empty() ? " waits for " : ",") + std::to_string(awaited);
      }
    }
    if (sees.empty()) return;
    result_.rows.back().notes.push_back("tile " + std::to_string(tile.tile) + waits +
                                        (waits.empty() ? " sees " : ", then sees ") + sees);
  }

  /// The launch's changes in global memory; a row holds one array of each level.
  void draw_arrays(launch_view const& view) {
    std::vector<std::size_t> left;
    for (std::size_t a = 0; a < run_.arrays.size(); ++a) {
      if (view.launch->before[a] != view.launch->after[a]) left.push_back(a);
    }
    while (!left.empty()) {
      std::vector<std::size_t> now, later;
      for (std::size_t const a : left) {
        bool const taken = std::any_of(now.begin(), now.end(), [&](std::size_t other) {
          return run_.arrays[other].level == run_.arrays[a].level;
        });
        (taken ? later : now).push_back(a);
      }
      std::string label;
      for (std::size_t const a : now) label += (label.empty() ? "" : ", ") + run_.arrays[a].name;
      begin_row(label, "global memory");
      for (std::size_t const a : now) {
        draw_array(a, view.launch->before[a], view.launch->after[a]);
      }
      end_row();
      left = later;
    }
  }

  void draw_array(std::size_t which, cells const& before, cells const& after) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (!run_.known(after[i])) continue;
      put({true, 0, which, i}, where_.element(run_.arrays[which].level, i), after[i],
          after[i] != before[i]);
    }
  }

  recorded_run const& run_;
  std::vector<launch_view> views_;
  geometry where_;
  std::map<place, held> holds_;
  std::vector<fresh_cell> fresh_;
  drawing result_;
};

}  // namespace

drawing drawing_of(recorded_run const& run) { return draughtsman(run).draw(); }

}  // namespace libscan::apps
