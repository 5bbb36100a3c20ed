// SPDX-License-Identifier: Apache-2.0
#include <apps/explain/counts.hpp>

#include <algorithm>
#include <functional>

#include <apps/explain/columns.hpp>

namespace libscan::apps {
namespace {

constexpr int sector_bytes = 32;

using quantity = std::function<long long(launch_view const&)>;

class table {
 public:
  explicit table(std::vector<launch_view> const& views) : views_(views) {
    rows_.push_back({"", {}});
    for (std::size_t i = 0; i < views.size(); ++i) {
      rows_.back().cells.push_back("launch " + std::to_string(i + 1));
    }
    rows_.back().cells.push_back("all");
  }

  void sum(char const* label, quantity const& of) {
    long long all = 0;
    text_row& row = rows_.emplace_back(text_row{label, {}});
    for (launch_view const& view : views_) {
      all += of(view);
      row.cells.push_back(std::to_string(of(view)));
    }
    row.cells.push_back(std::to_string(all));
  }

  /// The n of an n-way bank conflict; the worst one over all launches.
  void worst(char const* label, quantity const& of) {
    auto const word = [](long long ways) {
      return ways > 1 ? std::to_string(ways) + "-way" : std::string("none");
    };
    long long all = 0;
    text_row& row = rows_.emplace_back(text_row{label, {}});
    for (launch_view const& view : views_) {
      all = std::max(all, of(view));
      row.cells.push_back(word(of(view)));
    }
    row.cells.push_back(word(all));
  }

  std::string text(int width) const { return columns(rows_, 2, width, false); }

 private:
  std::vector<launch_view> const& views_;
  std::vector<text_row> rows_;
};

}  // namespace

std::string counts_table(recorded_run const& run, std::vector<launch_view> const& views,
                         int width) {
  table counts(views);
  counts.sum("additions", [](auto const& v) { return v.additions; });
  counts.sum("  with the identity 0", [](auto const& v) { return v.identity_additions; });
  counts.sum("steps, one after another", [](auto const& v) { return v.steps; });
  counts.sum("barriers of blocks", [](auto const& v) { return v.launch->counts.barriers; });
  counts.sum("warps divided in a step", [](auto const& v) { return v.divergent_warps; });
  if (!run.accesses_heard) {
    return "Counts\n" + counts.text(width) +
           paragraph(run.race.empty()
                         ? "Accesses of memory are not counted: built without libdw, or stripped."
                         : "Accesses of memory are not counted in a kernel with a race.",
                     2, width);
  }
  counts.sum("shared memory: accesses",
             [](auto const& v) { return v.launch->counts.shared_accesses; });
  counts.sum("  passes taken", [](auto const& v) { return v.launch->counts.shared_wavefronts; });
  counts.sum("  passes at best", [](auto const& v) { return v.launch->counts.shared_ideal; });
  counts.worst("  worst bank conflict",
               [](auto const& v) { return v.launch->counts.shared_worst; });
  counts.sum("global memory: accesses",
             [](auto const& v) { return v.launch->counts.global_accesses; });
  counts.sum("  bytes moved",
             [](auto const& v) { return sector_bytes * v.launch->counts.global_sectors; });
  return "Counts\n" + counts.text(width) +
         paragraph("Accesses are those of warps. Global memory moves in sectors of 32 bytes.", 2,
                   width);
}

}  // namespace libscan::apps
