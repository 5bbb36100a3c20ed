// SPDX-License-Identifier: Apache-2.0
// From stages to text.
#include <apps/explain/text.hpp>

#include <algorithm>

#include <apps/explain/columns.hpp>
#include <apps/explain/counts.hpp>
#include <apps/explain/stages.hpp>

namespace libscan::apps {
namespace {

class text_writer {
 public:
  text_writer(recorded_run const& run, text_style const& style)
      : run_(run), style_(style), views_(views_of(run)) {}

  std::string write() {
    title();
    for (std::size_t i = 0; i < views_.size(); ++i) write_launch(i);
    if (run_.flags.count > 0) {
      say(std::string("Flags: P prefix known, ") +
              (run_.flags.letters.size() > 2 ? "A only the sum of the tile, " : "") +
              ". nothing yet",
          0);
    }
    write_mistakes();
    text_ += '\n' + counts_table(run_, views_, style_.width);
    return std::move(text_);
  }

 private:
  std::string number(traced name) const {
    return run_.known(name) ? std::to_string(run_.of(name).number) : ".";
  }

  text_row row(std::string label, cells const& values, std::size_t count) const {
    text_row result{std::move(label), {}};
    for (std::size_t i = 0; i < count; ++i) result.cells.push_back(number(values[i]));
    return result;
  }

  static text_row indices(std::size_t count) {
    text_row result{"index", {}};
    for (std::size_t i = 0; i < count; ++i) result.cells.push_back(std::to_string(i));
    return result;
  }

  void say(std::string const& words, int indent) {
    text_ += paragraph(words, indent, style_.width);
  }

  void show(std::vector<text_row> const& rows, int indent) {
    text_ += columns(rows, indent, style_.width, style_.colors);
  }

  void title() {
    say(run_.algorithm + ", " + (run_.exclusive ? "exclusive" : "inclusive") + ", of " +
            plural(run_.count, "item") +
            (run_.seed == 0 ? "" : ", in an order drawn from " + std::to_string(run_.seed)),
        0);
    text_ += "\nGlobal memory before\n";
    auto const count = static_cast<std::size_t>(run_.count);
    show({indices(count), row("input", views_.front().launch->before.front(), count)}, 2);
  }

  void write_launch(std::size_t number) {
    launch_view const& view = views_[number];
    text_ += '\n';
    say("Launch " + std::to_string(number + 1) + ": " + view.launch->title + " (" +
            plural(view.launch->blocks, "block") + " of " + plural(view.launch->threads, "thread") +
            ')',
        0);
    bool detailed = view.tiles.size() <= max_tiles_in_detail;
    for (std::size_t r = 0; r < view.launch->regions.size(); ++r) {
      detailed = detailed && used_cells(run_, view, r) <= max_cells_in_detail;
    }
    detailed = detailed && run_.count <= 4 * max_cells_in_detail;
    if (detailed) {
      for (tile_view const& tile : view.tiles) write_tile(view, tile);
    } else {
      write_summary(view);
    }
    write_arrays(number);
  }

  /// One line per stage of all tiles.
  void write_summary(launch_view const& view) {
    for (std::size_t s = 0; s < view.stages.size(); ++s) {
      tile_stage all;
      int divergent = 0;
      for (tile_view const& tile : view.tiles) {
        all.accesses += tile.stages[s].accesses;
        divergent += tile.stages[s].divergent_warps(run_, view.launch->threads);
      }
      std::string words = view.stages[s].label;
      if (view.stages[s].additions > 0) {
        words += ": " + plural(view.stages[s].additions, "addition");
        if (divergent > 0) words += "; " + plural(divergent, "warp") + " divided";
      }
      say(words + conflicts(all.accesses), 2);
    }
  }

  void write_tile(launch_view const& view, tile_view const& tile) {
    text_ += '\n';
    std::string words = "Block " + std::to_string(tile.block);
    if (tile.tile != tile.block) words += ", tile " + std::to_string(tile.tile);
    say(words, 2);
    for (std::size_t s = 0; s < view.stages.size(); ++s) {
      tile_stage const& stage = tile.stages[s];
      if (stage.sums.empty() && stage.before == stage.after) continue;
      say(heading(view, s, stage), 4);
      for (shown_region const& shown : shown_regions(run_, *view.launch, stage)) {
        write_region(view, stage, shown);
      }
      write_sums(view, stage);
      if (stage.publishes(tile.tile)) write_flags(tile.tile, stage);
    }
  }

  /// What tiles had published before this one looked back, and have when it is done.
  void write_flags(int tile, tile_stage const& stage) {
    std::size_t const count = run_.flags.count;
    if (count > max_cells_in_detail) return;
    auto const flags = [&](char const* label, std::string const& letters) {
      text_row result{label, {}};
      for (char const letter : letters) result.cells.emplace_back(1, letter);
      return result;
    };
    text_row tiles = indices(count);
    tiles.label = "tile";
    show({tiles, flags("flag before", stage.flags_before), flags("flag after", stage.flags_after)},
         6);
    std::vector<int> const awaited = stage.awaited(tile);
    if (!awaited.empty()) {
      say((awaited.size() == 1 ? "waits for tile " : "waits for tiles ") + ranges(awaited), 6);
    }
  }

  std::string heading(launch_view const& view, std::size_t s, tile_stage const& stage) const {
    std::string words = view.stages[s].label;
    if (stage.sums.empty()) return words + conflicts(stage.accesses);
    std::vector<int> const threads = stage.adding(run_);
    words += ": " + plural(static_cast<long long>(stage.sums.size()), "addition") + " by " +
             (threads.size() == 1 ? "thread " : "threads ") + ranges(threads);
    int const divergent = stage.divergent_warps(run_, view.launch->threads);
    if (divergent > 0) {
      words += view.launch->threads <= 32 ? "; the warp divides"
                                          : "; " + plural(divergent, "warp") + " divided";
    }
    return words + conflicts(stage.accesses);
  }

  /// Passes over shared memory beyond the ideal ones.
  static std::string conflicts(line_counts const& accesses) {
    if (accesses.shared_wavefronts == accesses.shared_ideal) return "";
    return "; bank conflicts: " + std::to_string(accesses.shared_wavefronts) + " passes where " +
           std::to_string(accesses.shared_ideal) + " would do";
  }

  void write_region(launch_view const& view, tile_stage const& stage, shown_region shown) {
    auto const& regions = view.launch->regions;
    region const& after = regions[shown.after];
    std::size_t const count = used_cells(run_, view, shown.after);
    std::size_t const former = used_cells(run_, view, shown.before);
    bool const had_any =
        std::any_of(stage.before[shown.before].begin(), stage.before[shown.before].end(),
                    [&](traced name) { return run_.known(name); });
    if (after.single) {
      show({row(after.name, stage.after[shown.after], 1)}, 6);
      return;
    }
    std::vector<text_row> rows{indices(had_any ? std::max(count, former) : count)};
    if (had_any) {
      rows.push_back(
          row(regions[shown.before].name + " before", stage.before[shown.before], former));
    }
    rows.push_back(row(after.name + (had_any ? " after" : ""), stage.after[shown.after], count));
    for (std::size_t i = 0; i < count; ++i) {
      rows.back().strong.push_back(stage.changed(shown.after, i));
    }
    show(rows, 6);
  }

  /// "item[2]", in shared memory (searching region `first` first) or global memory; empty if
  /// nowhere.
  std::string place(launch_view const& view, std::vector<cells> const& shared,
                    std::vector<cells> const& global, traced name, std::size_t first = 0) const {
    for (std::size_t i = 0; i < shared.size(); ++i) {
      std::size_t const r = (first + i) % shared.size();
      auto const at = std::find(shared[r].begin(), shared[r].end(), name);
      region const& where = view.launch->regions[r];
      if (at == shared[r].end()) continue;
      return where.name + (where.single ? "" : index(at - shared[r].begin()));
    }
    // Later arrays first: input values that the output still holds count as its own.
    for (std::size_t a = global.size(); a-- > 0;) {
      auto const at = std::find(global[a].begin(), global[a].end(), name);
      if (at == global[a].end()) continue;
      bool const single = run_.arrays[a].count == 1;
      return run_.arrays[a].name + (single ? "" : index(at - global[a].begin()));
    }
    return "";
  }

  static std::string index(std::ptrdiff_t i) { return '[' + std::to_string(i) + ']'; }

  void write_sums(launch_view const& view, tile_stage const& stage) {
    constexpr std::size_t max_lines = 16;
    std::vector<traced> by_thread = stage.sums;
    std::stable_sort(by_thread.begin(), by_thread.end(),
                     [&](traced a, traced b) { return run_.of(a).thread < run_.of(b).thread; });
    std::vector<std::string> lines;
    for (traced const sum : by_thread) {
      std::string const line = equation(view, stage, sum);
      if (!line.empty()) lines.push_back(line);
    }
    if (lines.size() <= max_lines) text_ += list(lines, 6, style_.width);
  }

  /// "item[1] = item[0] + item[1] = 3 + 1 = 4"; empty for a sum that was only added to another.
  std::string equation(launch_view const& view, tile_stage const& stage, traced sum) const {
    std::string const to = place(view, stage.after, stage.global_after, sum);
    bool const inner = std::any_of(stage.sums.begin(), stage.sums.end(), [&](traced other) {
      return run_.of(other).earlier == sum || run_.of(other).later == sum;
    });
    if (to.empty() && inner) return "";
    std::size_t source = 0;
    for (shown_region const& shown : shown_regions(run_, *view.launch, stage)) {
      cells const& after = stage.after[shown.after];
      if (std::find(after.begin(), after.end(), sum) != after.end()) source = shown.before;
    }
    value const& made = run_.of(sum);
    std::string const left = place(view, stage.before, stage.global_before, made.earlier, source);
    std::string const right = place(view, stage.before, stage.global_before, made.later, source);
    std::string line = to;
    if (to.empty()) line.append("thread ").append(std::to_string(made.thread));
    line += to.empty() ? ": " : " = ";
    if (!left.empty() && !right.empty()) line += left + " + " + right + " = ";
    line += terms(view, stage, made.earlier) + " + " + terms(view, stage, made.later);
    return line + " = " + std::to_string(made.number);
  }

  /// A number, or the numbers that a thread has just added in a register.
  std::string terms(launch_view const& view, tile_stage const& stage, traced name) const {
    bool const now = std::find(stage.sums.begin(), stage.sums.end(), name) != stage.sums.end();
    if (!now || !place(view, stage.after, stage.global_after, name).empty()) return number(name);
    value const& made = run_.of(name);
    return terms(view, stage, made.earlier) + " + " + terms(view, stage, made.later);
  }

  void write_arrays(std::size_t launch_number) {
    recorded_launch const& launch = *views_[launch_number].launch;
    text_ += '\n';
    say("Global memory after launch " + std::to_string(launch_number + 1), 2);
    std::vector<text_row> rows;
    std::size_t longest = 0;
    for (std::size_t a = 0; a < run_.arrays.size(); ++a) {
      cells const &before = launch.before[a], &after = launch.after[a];
      if (before == after) continue;
      std::string const& name = run_.arrays[a].name;
      longest = std::max(longest, after.size());
      bool const had_any =
          std::any_of(before.begin(), before.end(), [&](traced cell) { return run_.known(cell); });
      if (had_any) rows.push_back(row(name + " before", before, before.size()));
      rows.push_back(row(name + (had_any ? " after" : ""), after, after.size()));
      for (std::size_t i = 0; i < after.size(); ++i) {
        rows.back().strong.push_back(after[i] != before[i]);
      }
    }
    rows.insert(rows.begin(), indices(longest));
    show(rows, 4);
  }

  /// What is wrong with the output of an incorrect kernel.
  void write_mistakes() {
    cells const& input = views_.front().launch->before[0];
    cells const& output = views_.back().launch->after[1];
    std::int32_t right = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(run_.count); ++i) {
      std::int32_t const item = run_.of(input[i]).number;
      std::int32_t const sum = plus<std::int32_t>{}(right, item);
      std::int32_t const expected = run_.exclusive ? right : sum;
      right = sum;
      if (run_.known(output[i]) && run_.of(output[i]).number == expected) continue;
      text_ += '\n';
      say("Wrong: output[" + std::to_string(i) + "] is " + number(output[i]) + ", expected " +
              std::to_string(expected),
          0);
      break;
    }
    if (!run_.race.empty()) say("The race checker stops it: " + run_.race, 0);
  }

  recorded_run const& run_;
  text_style style_;
  std::vector<launch_view> views_;
  std::string text_;
};

}  // namespace

std::string text_of(recorded_run const& run, text_style const& style) {
  return text_writer(run, style).write();
}

}  // namespace libscan::apps
