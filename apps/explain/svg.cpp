// SPDX-License-Identifier: Apache-2.0
#include <apps/explain/svg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <apps/explain/drawing.hpp>

namespace libscan::apps {
namespace {

// In pixels.
constexpr double margin = 16, cell_height = 32, gap = 12;
constexpr double row_height = 72, digit = 8;
// The column of labels, whose text no arrow crosses, and its lines.
constexpr double label_column = 164, heading_line = 14, note_line = 13;
// With more cells in a row, they become dots without numbers.
constexpr double max_numbered = 30;

/// A number with at most one decimal place, which is enough for pixels.
std::string px(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string result = text;
  if (result.ends_with(".0")) result.resize(result.size() - 2);
  return result == "-0" ? "0" : result;
}

std::string join(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (std::string_view const part : parts) all += part;
  return all;
}

/// The approximate width of a bold label, in 12-pixel letters.
double text_width(std::string const& label) { return 7.9 * static_cast<double>(label.size()); }

/// The approximate width of words in 11-pixel letters.
double words_width(std::string const& words) { return 6.6 * static_cast<double>(words.size()); }

/// The words of a heading in lines that fit the column of labels, the first up to the colon.
std::vector<std::string> heading_lines(std::string const& label) {
  constexpr std::size_t max_letters = 24;
  std::size_t const colon = std::min(label.find(": "), label.size());
  std::vector<std::string> lines{label.substr(0, colon), ""};
  std::string_view rest = label;
  rest.remove_prefix(std::min(colon + 2, rest.size()));
  while (!rest.empty()) {
    std::string_view const word = rest.substr(0, rest.find(' '));
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > max_letters) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return lines;
}

constexpr char const* head = R"svg(<style>
text { font-family: 'DejaVu Sans', Verdana, sans-serif; fill: #1e293b; }
.number { font-size: 13px; text-anchor: middle; }
.small { font-size: 9px; text-anchor: middle; fill: #475569; }
.index { font-size: 10px; text-anchor: middle; fill: #64748b; }
.label { font-size: 12px; font-weight: bold; }
.words { font-size: 11px; fill: #475569; }
.heading { font-size: 14px; font-weight: bold; }
.frame { fill: #f1f5f9; stroke: #cbd5e1; }
.kept { fill: #ffffff; stroke: #cbd5e1; }
.moved { fill: #fef9c3; stroke: #a16207; }
.added { fill: #dbeafe; stroke: #1d4ed8; }
.identity { stroke-dasharray: 3 2; }
.arrow { fill: none; stroke-width: 1.4; }
.same { stroke: #cbd5e1; }
.copy { stroke: #a16207; }
.earlier { stroke: #c2410c; }
.later { stroke: #1d4ed8; }
.head-copy { fill: #a16207; }
.head-earlier { fill: #c2410c; }
.head-later { fill: #1d4ed8; }
.rule { fill: none; stroke: #94a3b8; }
</style>
)svg";

char const* name_of(cell_state state) {
  constexpr char const* names[] = {"kept", "moved", "added"};
  return names[static_cast<int>(state)];
}

char const* name_of(arrow_kind kind) {
  constexpr char const* names[] = {"same", "copy", "earlier", "later"};
  return names[static_cast<int>(kind)];
}

class painter {
 public:
  painter(recorded_run const& run, drawing const& plan) : run_(run), plan_(plan) {
    std::size_t digits = 1;
    double last = 0;
    for (drawn_row const& row : plan.rows) {
      if (!row.heading) label_width_ = std::max(label_width_, text_width(row.label) + gap);
      for (std::string const& note : row.notes) {
        label_width_ = std::max(label_width_, words_width(note) + gap);
      }
    }
    for (drawn_cell const& cell : plan.cells) {
      digits = std::max(digits, std::to_string(cell.number).size());
      last = std::max(last, cell.column);
    }
    dots_ = last >= max_numbered;
    cell_width_ = dots_ ? 10.0 : std::max(30.0, digit * static_cast<double>(digits) + 12);
    cell_height_ = dots_ ? 10.0 : cell_height;
    gap_ = dots_ ? 4.0 : gap;
    width_ = std::max(x_of(last) + cell_width_ / 2 + margin, 640.0);
    for (drawn_block const& block : plan.blocks) {
      double const end = x_of_name(block) + words_width(names_of(block).front());
      width_ = std::max(width_, end + margin / 2);
    }
    double y = run.flags.count == 0 ? 72 : 88;
    for (drawn_row const& row : plan.rows) {
      top_.push_back(y);
      y += row.heading ? heading_line * static_cast<double>(heading_lines(row.label).size()) + 24
                       : row_height - (cell_height - cell_height_) +
                             note_line * std::max(0.0, static_cast<double>(row.notes.size()) - 2);
    }
    height_ = y - (row_height - cell_height) + margin;
  }

  std::string paint() {
    svg_ = join({"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", px(width_), "\" height=\"",
                 px(height_), "\" viewBox=\"0 0 ", px(width_), " ", px(height_), "\">\n"});
    std::string const title =
        join({run_.algorithm, ", ", (run_.exclusive ? "exclusive" : "inclusive"), ", of ",
              std::to_string(run_.count), " items"});
    svg_ += join({"<title>", title, "</title>\n", head});
    for (arrow_kind const kind : {arrow_kind::copy, arrow_kind::earlier, arrow_kind::later}) {
      paint_head(name_of(kind));
    }
    svg_ += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    text(margin, 28, "heading", title);
    for (drawn_block const& block : plan_.blocks) paint_frame(block);
    for (bool const same : {true, false}) {  // unchanged values are at the bottom
      for (arrow const& each : plan_.arrows) {
        if ((each.kind == arrow_kind::same) == same) paint_arrow(each);
      }
    }
    for (drawn_block const& block : plan_.blocks) paint_block_names(block);
    for (drawn_cell const& cell : plan_.cells) paint_cell(cell);
    for (std::size_t row = 0; row < plan_.rows.size(); ++row) paint_labels(row);
    paint_indices();
    paint_legend();
    return svg_ + "</svg>\n";
  }

 private:
  double pitch() const { return cell_width_ + gap_; }
  double x_of(double column) const {
    return margin + label_width_ + cell_width_ / 2 + column * pitch();
  }
  double y_of(int row) const { return top_[static_cast<std::size_t>(row)]; }

  void text(double x, double y, char const* style, std::string const& words) {
    svg_ += join(
        {"<text x=\"", px(x), "\" y=\"", px(y), "\" class=\"", style, "\">", words, "</text>\n"});
  }

  void box(double x, double y, double width, double height, double corner,
           std::string const& style) {
    svg_ += join({"<rect x=\"", px(x), "\" y=\"", px(y), "\" width=\"", px(width), "\" height=\"",
                  px(height), "\" rx=\"", px(corner), "\" class=\"", style, "\"/>\n"});
  }

  /// Defines the arrowheads of a kind.
  void paint_head(char const* kind) {
    svg_ +=
        join({"<defs><marker id=\"to-", kind, "\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" ",
              "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" ",
              "class=\"head-", kind, "\"/></marker></defs>\n"});
  }

  double left_of(drawn_block const& block) const {
    return x_of(block.first) - cell_width_ / 2 - gap_ / 3;
  }
  double right_of(drawn_block const& block) const {
    return x_of(block.last) + cell_width_ / 2 + gap_ / 3;
  }

  void paint_frame(drawn_block const& block) {
    double const left = left_of(block), top = y_of(block.top) - 20;
    box(left, top, right_of(block) - left, y_of(block.bottom) + cell_height_ + 6 - top, 6, "frame");
  }

  /// "block 0", and its tile if that has another number. Short where columns are narrow.
  std::vector<std::string> names_of(drawn_block const& block) const {
    bool const narrow = dots_ && plan_.blocks.size() > 1;
    std::vector<std::string> names{(narrow ? "b" : "block ") + std::to_string(block.block)};
    if (block.tile != block.block) {
      names.push_back((narrow ? "t" : "tile ") + std::to_string(block.tile));
    }
    return names;
  }

  /// In the block's last column if it loads nothing there, else after the block: no arrow to its
  /// items goes there.
  double x_of_name(drawn_block const& block) const {
    bool const loads =
        std::any_of(plan_.cells.begin(), plan_.cells.end(), [&](drawn_cell const& cell) {
          return cell.row == block.top && std::abs(cell.column - block.last) < 0.5;
        });
    return loads ? right_of(block) + 4 : x_of(block.last) - cell_width_ / 2 - gap_ + 3;
  }

  void paint_block_names(drawn_block const& block) {
    // Arrows from a sum above go beside the upper rows.
    bool const below_sum =
        std::any_of(plan_.cells.begin(), plan_.cells.end(), [&](drawn_cell const& cell) {
          return cell.row == block.top - 1 && std::abs(cell.column - block.last - 1) < 0.6;
        });
    double y = below_sum ? y_of(block.bottom) + cell_height_ : y_of(block.top) - 8;
    for (std::string const& name : names_of(block)) {
      text(x_of_name(block), y, "words", name);
      y += heading_line;
    }
  }

  void paint_arrow(arrow const& each) {
    drawn_cell const &from = plan_.cells[each.from], &to = plan_.cells[each.to];
    double const x1 = x_of(from.column), x2 = x_of(to.column);
    double const y1 = y_of(from.row), y2 = y_of(to.row);
    std::string path;
    if (from.row == to.row) {
      path = along_row(x1, x2, y2);
    } else {
      double const side = side_of(each) * cell_width_;
      path = join({"M", px(x1), ",", px(y1 + cell_height_), " L", px(x2 + side), ",", px(y2 - 1)});
    }
    std::string const kind = name_of(each.kind);
    svg_ += join({"<path d=\"", path, "\" class=\"arrow ", kind, "\""});
    if (each.kind != arrow_kind::same) svg_ += join({" marker-end=\"url(#to-", kind, ")\""});
    svg_ += "/>\n";
  }

  /// Where an arrow from above arrives, from -0.5 to 0.5: arrows from the side arrive at that side,
  /// and of two from the same side the nearer one further in, so that arrowheads do not meet.
  double side_of(arrow const& each) const {
    double const to = plan_.cells[each.to].column;
    double const distance = plan_.cells[each.from].column - to;
    if (distance == 0) return 0;
    bool const inner =
        std::any_of(plan_.arrows.begin(), plan_.arrows.end(), [&](arrow const& other) {
          double const further = plan_.cells[other.from].column - to;
          return other.to == each.to && further * distance > 0 &&
                 std::abs(further) > std::abs(distance);
        });
    return (distance < 0 ? -1 : 1) * (inner ? 0.06 : 0.32);
  }

  /// To the neighbor straight, else below the cells in between.
  std::string along_row(double x1, double x2, double y) const {
    double const toward = x1 < x2 ? 1 : -1;
    if (std::abs(x2 - x1) < 1.2 * pitch()) {
      double const middle = y + cell_height_ / 2;
      return join({"M", px(x1 + toward * cell_width_ / 2), ",", px(middle), " L",
                   px(x2 - toward * (cell_width_ / 2 + 1)), ",", px(middle)});
    }
    double const bottom = y + cell_height_;
    return join({"M", px(x1), ",", px(bottom), " C", px(x1 + toward * 20), ",", px(bottom + 26),
                 " ", px(x2 - toward * 30), ",", px(bottom + 26), " ",
                 px(x2 - toward * cell_width_ * 0.32), ",", px(bottom + 1)});
  }

  void paint_cell(drawn_cell const& cell) {
    double const x = x_of(cell.column), y = y_of(cell.row);
    std::string const style = join({name_of(cell.state), cell.identity ? " identity" : ""});
    box(x - cell_width_ / 2, y, cell_width_, cell_height_, cell.global ? 0 : dots_ ? 5 : 9, style);
    if (dots_) return;
    bool const two_lines = cell.thread >= 0;
    text(x, y + (two_lines ? 15 : 21), "number", std::to_string(cell.number));
    if (two_lines) text(x, y + 27, "small", join({"t", std::to_string(cell.thread)}));
  }

  void paint_labels(std::size_t row) {
    drawn_row const& what = plan_.rows[row];
    if (what.heading) {
      double y = top_[row];
      svg_ += join({"<path d=\"M", px(margin), ",", px(y - 14), " H", px(width_ - margin),
                    "\" class=\"rule\"/>\n"});
      char const* style = "heading";
      for (std::string const& line : heading_lines(what.label)) {
        text(margin, y + 4, style, line);
        y += heading_line;
        style = "words";
      }
      return;
    }
    bool const single = what.words.empty();
    double const middle = top_[row] + cell_height_ / 2;
    text(margin, middle + (single ? 4 : -2), "label", what.label);
    if (!single) text(margin, middle + 12, "words", what.words);
    double y = middle + 28;
    for (std::string const& note : what.notes) {
      text(margin, y, "words", note);
      y += note_line;
    }
  }

  /// Above the input.
  void paint_indices() {
    int index = 0;
    for (drawn_cell const& cell : plan_.cells) {
      if (cell.row != 0) break;
      if (!dots_ || index % 8 == 0) {
        text(x_of(cell.column), y_of(0) - 6, "index", std::to_string(index));
      }
      ++index;
    }
  }

  void paint_legend() {
    double x = margin;
    double const y = 48;
    auto const entry = [&](arrow_kind kind, char const* words, double width) {
      std::string const name = name_of(kind);
      svg_ += join({"<path d=\"M", px(x), ",", px(y - 4), " h22\" class=\"arrow ", name,
                    "\" marker-end=\"url(#to-", name, ")\"/>\n"});
      text(x + 28, y, "words", words);
      x += width;
    };
    entry(arrow_kind::earlier, "earlier operand", 140);
    entry(arrow_kind::later, "later operand", 126);
    entry(arrow_kind::copy, "copy", 78);
    text(x, y, "words",
         dots_ ? "round: shared memory; dashed: no item"
               : "t3: by thread 3; round: shared memory; dashed: a 0 that is no item");
    if (run_.flags.count == 0) return;
    text(
        margin, y + 17, "words",
        run_.flags.letters.size() > 2
            ? "flags that a tile sees when it looks back: P prefix known, A only its sum, . nothing"
            : "flags that a tile sees when it looks back: P prefix known, . nothing");
  }

  recorded_run const& run_;
  drawing const& plan_;
  bool dots_ = false;
  double label_width_ = label_column, cell_width_ = 0, cell_height_ = 0, gap_ = 0;
  double width_ = 0, height_ = 0;
  std::vector<double> top_;
  std::string svg_;
};

}  // namespace

void check_drawable(int items) {
  if (items <= max_drawn_items) return;
  throw invalid_argument(std::to_string(items) + " numbers are too many for a drawing; expected " +
                         std::to_string(max_drawn_items) + " at most");
}

std::string svg_of(recorded_run const& run) {
  drawing const plan = drawing_of(run);
  return painter(run, plan).paint();
}

}  // namespace libscan::apps
