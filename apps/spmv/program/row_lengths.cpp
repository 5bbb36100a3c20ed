// SPDX-License-Identifier: Apache-2.0
// The distribution of row lengths, as text.
#include <apps/spmv/program/row_lengths.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <vector>

namespace libscan::apps {
namespace {

constexpr int plot_columns = 50;

std::string labeled(char const* label, std::string const& value) {
  char line[96];
  std::snprintf(line, sizeof line, "%-21s %s\n", label, value.c_str());
  return line;
}

/// The median of the lengths.
index_t median(std::vector<index_t> lengths) {
  if (lengths.empty()) return 0;
  auto const middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

/// One bar per power of two: rows of length 0, 1, 2 to 3, 4 to 7, ...
std::string plot(std::vector<index_t> const& lengths) {
  std::vector<index_t> counts;
  for (index_t const length : lengths) {
    auto const bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length)));
    if (counts.size() <= bin) counts.resize(bin + 1);
    ++counts[bin];
  }
  index_t const most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  std::string text = "entries in a row              rows\n";
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    index_t const from = bin == 0 ? 0 : index_t{1} << (bin - 1);
    index_t const to = bin == 0 ? 0 : 2 * from - 1;
    std::string range = std::to_string(from);
    if (to > from) range += " to " + std::to_string(to);
    auto const share = static_cast<double>(counts[bin]) / static_cast<double>(most);
    int const bar = counts[bin] == 0 ? 0 : std::max(1, static_cast<int>(share * plot_columns));
    char line[64];
    std::snprintf(line, sizeof line, "%21s %12lld ", range.c_str(),
                  static_cast<long long>(counts[bin]));
    text += line + std::string(static_cast<std::size_t>(bar), '#') + "\n";
  }
  return text;
}

}  // namespace

std::string describe_rows(std::span<std::int64_t const> offsets, index_t columns) {
  auto const rows = static_cast<index_t>(offsets.size()) - 1;
  std::vector<index_t> lengths;
  lengths.reserve(static_cast<std::size_t>(rows));
  for (std::size_t r = 1; r < offsets.size(); ++r) {
    lengths.push_back(offsets[r] - offsets[r - 1]);
  }
  auto const longest = std::max_element(lengths.begin(), lengths.end());
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.2f",
                rows == 0 ? 0.0 : static_cast<double>(offsets.back()) / static_cast<double>(rows));
  std::string text =
      labeled("rows", std::to_string(rows)) + labeled("columns", std::to_string(columns)) +
      labeled("nonzeros", std::to_string(offsets.back())) +
      labeled("rows without entries",
              std::to_string(std::count(lengths.begin(), lengths.end(), 0))) +
      labeled("entries in a row",
              "mean " + std::string(mean) + ", median " + std::to_string(median(lengths)));
  if (rows > 0) {
    text += labeled("longest row", std::to_string(*longest) + " entries, row " +
                                       std::to_string(longest - lengths.begin() + 1));
  }
  return text + plot(lengths);
}

}  // namespace libscan::apps
