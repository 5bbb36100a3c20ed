// SPDX-License-Identifier: Apache-2.0
#include <apps/explain/banks.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <apps/explain/columns.hpp>
#include <apps/explain/counts.hpp>

namespace libscan::apps {
namespace {

/// The most words that one bank serves at once, over groups of `banks` threads.
int worst_ways(std::vector<bank_access> const& reads, int banks) {
  std::map<std::pair<int, int>, std::set<int>> words;  // by group and bank
  std::size_t most = 1;
  for (bank_access const& read : reads) {
    auto& served = words[{read.thread / banks, read.bank}];
    served.insert(read.word);
    most = std::max(most, served.size());
  }
  return static_cast<int>(most);
}

std::string ways_in_words(int ways) {
  return ways == 1 ? "no conflict" : std::to_string(ways) + "-way conflict";
}

/// What the drawing needs, in pixels.
constexpr int margin = 16, cell = 22, label_width = 170, step_gap = 26;

std::string text_at(int x, int y, char const* style, std::string const& words) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" class=\"" + style +
         "\">" + words + "</text>\n";
}

std::string cell_at(int x, int y, char const* style) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
         std::to_string(cell) + "\" height=\"" + std::to_string(cell) + "\" class=\"" + style +
         "\"/>\n";
}

constexpr char const* style = R"svg(<style>
text { font-family: 'DejaVu Sans', Verdana, sans-serif; fill: #1e293b; font-size: 11px; }
.heading { font-size: 14px; font-weight: bold; }
.label { font-size: 12px; font-weight: bold; }
.thread { font-size: 10px; text-anchor: middle; }
.bank { font-size: 10px; text-anchor: middle; fill: #64748b; }
.idle { fill: #ffffff; stroke: #cbd5e1; }
.read { fill: #dbeafe; stroke: #1d4ed8; }
.conflict { fill: #fee2e2; stroke: #b91c1c; }
</style>
)svg";

/// One step: a grid of the words, with the threads that read them.
std::string paint_step(bank_step const& step, int banks, int rows, int top) {
  std::map<int, bank_access const*> by_word;
  std::map<int, std::set<int>> in_bank;  // of the first threads, which read together
  for (bank_access const& read : step.reads) {
    by_word[read.word] = &read;
    if (read.thread < banks) in_bank[read.bank].insert(read.word);
  }
  std::string svg = text_at(margin, top + 15, "label", step.label);
  svg += text_at(margin, top + 30, "words", ways_in_words(step.ways));
  for (int word = 0; word < rows * banks; ++word) {
    int const x = margin + label_width + word % banks * cell, y = top + word / banks * cell;
    auto const read = by_word.find(word);
    bool const together = read != by_word.end() && read->second->thread < banks;
    bool const conflict = together && in_bank[word % banks].size() > 1;
    svg += cell_at(x, y, read == by_word.end() ? "idle" : conflict ? "conflict" : "read");
    if (read == by_word.end()) continue;
    svg += text_at(x + cell / 2, y + 15, "thread", "t" + std::to_string(read->second->thread));
  }
  return svg;
}

}  // namespace

std::vector<bank_step> bank_steps(recorded_run const& run, int banks) {
  std::vector<bank_step> steps;
  launch_view const view = views_of(run).front();
  tile_view const& tile = view.tiles.front();
  for (std::size_t s = 0; s < view.stages.size(); ++s) {
    bank_step step{view.stages[s].label, {}, 1};
    tile_stage const& stage = tile.stages[s];
    for (traced const sum : stage.sums) {
      for (std::size_t r = 0; r < stage.before.size(); ++r) {
        cells const& held = stage.before[r];
        auto const at = std::find(held.begin(), held.end(), run.of(sum).earlier);
        if (at == held.end()) continue;
        auto const i = static_cast<std::size_t>(at - held.begin());
        int const word = static_cast<int>(view.launch->regions[r].word[i]);
        step.reads.push_back({run.of(sum).thread, static_cast<int>(i), word, word % banks});
        break;
      }
    }
    if (step.reads.empty()) continue;
    std::sort(step.reads.begin(), step.reads.end(),
              [](bank_access const& a, bank_access const& b) { return a.thread < b.thread; });
    step.ways = worst_ways(step.reads, banks);
    steps.push_back(std::move(step));
  }
  return steps;
}

std::string bank_text(recorded_run const& run, int banks, int width) {
  std::string text = paragraph("Banks: the earlier operands that each step reads, with " +
                                   std::to_string(banks) + " banks of 4 bytes. Threads 0 to " +
                                   std::to_string(banks - 1) + " read together.",
                               0, width);
  for (bank_step const& step : bank_steps(run, banks)) {
    text += paragraph(step.label + ": " + ways_in_words(step.ways), 2, width);
    text_row threads{"thread", {}}, items{"item", {}}, words{"word", {}}, in{"bank", {}};
    for (bank_access const& read : step.reads) {
      if (read.thread >= banks) break;
      threads.cells.push_back(std::to_string(read.thread));
      items.cells.push_back(std::to_string(read.item));
      words.cells.push_back(std::to_string(read.word));
      in.cells.push_back(std::to_string(read.bank));
    }
    text += columns({threads, items, words, in}, 4, width, false);
  }
  return text + '\n' + counts_table(run, views_of(run), width);
}

std::string bank_svg(recorded_run const& run, int banks) {
  std::vector<bank_step> const steps = bank_steps(run, banks);
  int last = 0;
  for (bank_step const& step : steps) {
    for (bank_access const& read : step.reads) last = std::max(last, read.word);
  }
  int const rows = last / banks + 1, height = rows * cell + step_gap;
  int const width = std::max(2 * margin + label_width + banks * cell, 640);
  std::string body = text_at(margin, 28, "heading",
                             run.algorithm + " in " + std::to_string(banks) + " banks, of " +
                                 std::to_string(run.count) + " items");
  body += text_at(margin, 48, "words",
                  "a row is " + std::to_string(banks) +
                      " words of shared memory; t3: thread 3 reads its earlier operand here; red: "
                      "a bank conflict");
  int top = 84;
  for (int bank = 0; bank < banks; ++bank) {
    body += text_at(margin + label_width + bank * cell + cell / 2, top - 8, "bank",
                    std::to_string(bank));
  }
  for (bank_step const& step : steps) {
    body += paint_step(step, banks, rows, top);
    top += height;
  }
  std::string const size = std::to_string(width) + "\" height=\"" + std::to_string(top);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " +
         std::to_string(width) + " " + std::to_string(top) + "\">\n<title>" + run.algorithm +
         " in banks</title>\n" + style +
         "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body + "</svg>\n";
}

}  // namespace libscan::apps
