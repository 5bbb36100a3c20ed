// SPDX-License-Identifier: Apache-2.0
// A recorded run on ranks as text and as a drawing.
#include <algorithm>
#include <cstdio>

#include <apps/explain/ranks.hpp>

namespace libscan::apps {
namespace {

std::string joined(std::vector<std::int32_t> const& numbers) {
  std::string text;
  for (std::int32_t const one : numbers) text += (text.empty() ? "" : " ") + std::to_string(one);
  return text;
}

std::string title_of(recorded_ranks const& run) {
  std::size_t items = 0;
  for (auto const& own : run.items) items += own.size();
  return run.what + " of " + std::to_string(items) + " items on " +
         std::to_string(run.items.size()) + (run.items.size() == 1 ? " rank" : " ranks");
}

std::string words_of(rank_step const& step) {
  return step.name + ": " + step.words +
         (step.rounds > 1 ? ", " + std::to_string(step.rounds) + " times" : "");
}

std::string held(std::vector<std::vector<std::int32_t>> const& ranks) {
  std::string text;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    text += "  rank " + std::to_string(r) + ": " + joined(ranks[r]) + "\n";
  }
  return text;
}

// In pixels.
constexpr int margin = 16, cell = 30, letter = 8, rank_gap = 28, step_height = 40, fan = 76;

constexpr char const* style = R"svg(<style>
text { font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 12px; fill: #1e293b; }
.heading { font-size: 14px; font-weight: bold; }
.number { font-size: 13px; text-anchor: middle; }
.sent { font-size: 11px; text-anchor: middle; }
.sent { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
.item { fill: #ffffff; stroke: #64748b; }
.result { fill: #dbeafe; stroke: #1d4ed8; }
.all { fill: #f1f5f9; stroke: #cbd5e1; }
.message { fill: none; stroke: #c2410c; stroke-width: 1.4; }
.head { fill: #c2410c; }
</style>
<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6"
orient="auto"><path d="M0,0 L8,4 L0,8 z" class="head"/></marker></defs>
)svg";

/// The drawing: a column for each rank.
class rank_painter {
 public:
  explicit rank_painter(recorded_ranks const& run) : run_(run) {
    std::size_t digits = 2, most = 1;
    for (auto const* ranks : {&run.items, &run.results}) {
      for (auto const& own : *ranks) {
        most = std::max(most, own.size());
        for (std::int32_t const x : own) digits = std::max(digits, std::to_string(x).size());
      }
    }
    cell_width_ = static_cast<int>(digits) * letter + 14;
    column_ = std::max(static_cast<int>(most) * cell_width_, 70) + rank_gap;
    width_ = std::max(2 * margin + static_cast<int>(run.items.size()) * column_, 640);
  }

  std::string paint() {
    int y = 30;
    text(margin, y, "heading", title_of(run_));
    y += 34;
    for (std::size_t r = 0; r < run_.items.size(); ++r) {
      text(left(static_cast<int>(r)), y, "", "rank " + std::to_string(r));
    }
    y += 8;
    paint_cells(run_.items, y, "item");
    y += cell + 20;
    for (rank_step const& step : run_.steps) y = paint_step(step, y);
    paint_cells(run_.results, y, "result");
    y += cell + margin;
    std::string const size = " width=\"" + std::to_string(width_) + "\" height=\"" +
                             std::to_string(y) + "\" viewBox=\"0 0 " + std::to_string(width_) +
                             " " + std::to_string(y) + "\"";
    return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + size + ">\n<title>" + title_of(run_) +
           "</title>\n" + style + "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
           svg_ + "</svg>\n";
  }

 private:
  int left(int rank) const { return margin + rank * column_; }
  int middle(int rank) const { return left(rank) + (column_ - rank_gap) / 2; }

  void text(int x, int y, std::string const& kind, std::string const& words) {
    svg_ += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" +
            (kind.empty() ? "" : " class=\"" + kind + "\"") + ">" + words + "</text>\n";
  }

  void box(int x, int y, int width, int height, std::string const& kind) {
    svg_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
            std::to_string(width) + "\" height=\"" + std::to_string(height) + "\" class=\"" + kind +
            "\"/>\n";
  }

  void paint_cells(std::vector<std::vector<std::int32_t>> const& ranks, int y,
                   std::string const& kind) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      int x = left(static_cast<int>(r));
      for (std::int32_t const number : ranks[r]) {
        box(x, y, cell_width_, cell, kind);
        text(x + cell_width_ / 2, y + 20, "number", std::to_string(number));
        x += cell_width_;
      }
    }
  }

  /// Returns where the next step begins.
  int paint_step(rank_step const& step, int y) {
    box(margin - 6, y, width_ - 2 * margin + 12, 24, "all");
    text(margin, y + 16, "", words_of(step));
    y += step_height;
    for (std::size_t r = 0; r < step.numbers.size(); ++r) {
      text(middle(static_cast<int>(r)), y, "number", std::to_string(step.numbers[r]));
    }
    if (!step.numbers.empty()) y += 18;
    if (step.messages.empty()) return y;
    for (rank_message const& one : step.messages) {
      svg_ += "<path d=\"M" + std::to_string(middle(one.from)) + "," + std::to_string(y) + " L" +
              std::to_string(middle(one.to)) + "," + std::to_string(y + fan) +
              "\" class=\"message\" marker-end=\"url(#to)\"/>\n";
    }
    for (rank_message const& one : step.messages) {
      // Near the sender, so that labels of different senders do not meet.
      text((3 * middle(one.from) + middle(one.to)) / 4, y + fan / 4 + 4, "sent", joined(one.items));
    }
    return y + fan + 16;
  }

  recorded_ranks const& run_;
  int cell_width_ = 0, column_ = 0, width_ = 0;
  std::string svg_;
};

}  // namespace

std::string ranks_text(recorded_ranks const& run) {
  std::string text = title_of(run) + "\n\nItems\n" + held(run.items) + "\n";
  int number = 0;
  for (rank_step const& step : run.steps) {
    text += "Step " + std::to_string(++number) + ", " + words_of(step) + "\n";
    for (std::size_t r = 0; r < step.numbers.size(); ++r) {
      text += "  rank " + std::to_string(r) + ": its items' total is " +
              std::to_string(step.numbers[r]) + "\n";
    }
    if (step.name == "carries" && step.numbers.size() < run.items.size()) {
      text += "  rank " + std::to_string(step.numbers.size()) +
              ": no later rank needs its items' total\n";
    }
    for (rank_message const& one : step.messages) {
      text += "  rank " + std::to_string(one.from) + " to rank " + std::to_string(one.to) + ": " +
              joined(one.items) + "\n";
    }
  }
  return text + "\nResults\n" + held(run.results);
}

std::string ranks_svg(recorded_ranks const& run) { return rank_painter(run).paint(); }

}  // namespace libscan::apps
