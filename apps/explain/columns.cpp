// SPDX-License-Identifier: Apache-2.0
#include <apps/explain/columns.hpp>

#include <algorithm>
#include <cstddef>

namespace libscan::apps {
namespace {

constexpr std::size_t gap = 2;  // blanks between columns

std::size_t widest(std::vector<std::string> const& entries) {
  std::size_t most = 1;
  for (std::string const& each : entries) most = std::max(most, each.size());
  return most;
}

/// The number of columns of that width that fit between `left` and `width`; at least one.
std::size_t fitting(std::size_t left, std::size_t column, int width) {
  std::size_t const space = static_cast<std::size_t>(width);
  return space > left + column ? (space - left) / column : 1;
}

void trim(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::string columns(std::vector<text_row> const& rows, int indent, int width, bool colors) {
  std::size_t label = 0, cell = 1, count = 0;
  for (text_row const& row : rows) {
    label = std::max(label, row.label.size());
    cell = std::max(cell, widest(row.cells));
    count = std::max(count, row.cells.size());
  }
  std::size_t const left = static_cast<std::size_t>(indent) + label;
  std::size_t const at_once = fitting(left, cell + gap, width);
  std::string text;
  for (std::size_t first = 0; first < count; first += at_once) {
    for (text_row const& row : rows) {
      if (first >= row.cells.size()) continue;
      std::string line(static_cast<std::size_t>(indent), ' ');
      line += row.label;
      line.resize(left, ' ');
      for (std::size_t i = first; i < std::min(first + at_once, row.cells.size()); ++i) {
        bool const strong = colors && i < row.strong.size() && row.strong[i];
        line.append(gap + cell - row.cells[i].size(), ' ');
        if (strong) line += "\x1b[1;32m";
        line += row.cells[i];
        if (strong) line += "\x1b[0m";
      }
      trim(line);
      text += line + '\n';
    }
  }
  return text;
}

std::string list(std::vector<std::string> const& entries, int indent, int width) {
  std::size_t const left = static_cast<std::size_t>(indent);
  std::size_t const column = widest(entries) + gap + 1;
  std::size_t const at_once = fitting(left, column, width);
  std::string text, line;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i % at_once == 0) line.assign(left, ' ');
    line += entries[i];
    line.resize(left + (i % at_once + 1) * column, ' ');
    if (i % at_once + 1 == at_once || i + 1 == entries.size()) {
      trim(line);
      text += line + '\n';
    }
  }
  return text;
}

std::string paragraph(std::string const& text, int indent, int width) {
  std::string result, line(static_cast<std::size_t>(indent), ' ');
  bool empty = true;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(' ', at), text.size());
    std::string const word = text.substr(at, end - at);
    if (!empty && line.size() + 1 + word.size() > static_cast<std::size_t>(width)) {
      result += line + '\n';
      line.assign(static_cast<std::size_t>(indent) + 2, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
    at = end + 1;
  }
  return result + line + '\n';
}

std::string ranges(std::vector<int> const& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    if (!text.empty()) text += ' ';
    text += std::to_string(ascending[i]);
    if (last > i) text.append("-").append(std::to_string(ascending[last]));
    i = last + 1;
  }
  return text;
}

std::string plural(long long count, std::string const& word) {
  return std::to_string(count) + ' ' + word + (count == 1 ? "" : "s");
}

}  // namespace libscan::apps
