// SPDX-License-Identifier: Apache-2.0
// Pictures of matrices: counts of entries in a grid of cells, as shades of gray. The distribution
// of row lengths, as text.
#include <apps/spmv/program/spy.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <apps/common/data_file.hpp>

namespace libscan::apps {

namespace {

constexpr index_t max_cells = 600;
constexpr int shades = 8;

/// How dark each cell is: 0 (no entries) to `shades`.
struct picture {
  index_t width;
  index_t height;
  std::vector<std::uint8_t> cells;

  std::uint8_t at(index_t x, index_t y) const {
    return cells[static_cast<std::size_t>(y * width + x)];
  }
};

picture shade(index_t rows, index_t columns, std::int64_t const* offsets,
              std::int32_t const* indices) {
  index_t const longest = std::max<index_t>({rows, columns, 1});
  index_t const side = ceil_div(longest, max_cells);  // places of a cell, across and down
  picture result{std::max<index_t>(1, ceil_div(columns, side)),
                 std::max<index_t>(1, ceil_div(rows, side)),
                 {}};
  std::vector<index_t> counts(static_cast<std::size_t>(result.width * result.height));
  for (index_t r = 0; r < rows; ++r) {
    for (auto k = offsets[r]; k < offsets[r + 1]; ++k) {
      ++counts[static_cast<std::size_t>(r / side * result.width + indices[k] / side)];
    }
  }
  // Logarithmic, so that a single entry of a large cell is visible beside dense ones.
  index_t const max_count = std::max<index_t>(1, *std::max_element(counts.begin(), counts.end()));
  double const scale = (shades - 2) / std::max(1.0, std::log2(static_cast<double>(max_count)));
  for (index_t const count : counts) {
    double const dark = count == 0 ? 0 : 2 + scale * std::log2(static_cast<double>(count));
    result.cells.push_back(static_cast<std::uint8_t>(max_count == 1 && count == 1 ? shades : dark));
  }
  return result;
}

int gray(int dark) { return 255 - 255 * dark / shades; }

/// One path per shade, of runs of equal cells.
std::string svg(picture const& drawn) {
  auto const number = [](index_t n) { return std::to_string(n); };
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 -1 " +
                     number(drawn.width + 2) + " " + number(drawn.height + 2) + "\" width=\"" +
                     number(std::max<index_t>(drawn.width + 2, 300)) +
                     "\" shape-rendering=\"crispEdges\">\n<rect x=\"-1\" y=\"-1\" width=\"" +
                     number(drawn.width + 2) + "\" height=\"" + number(drawn.height + 2) +
                     "\" fill=\"#888\"/>\n<rect width=\"" + number(drawn.width) + "\" height=\"" +
                     number(drawn.height) + "\" fill=\"#fff\"/>\n";
  for (int dark = 1; dark <= shades; ++dark) {
    std::string path;
    for (index_t y = 0; y < drawn.height; ++y) {
      for (index_t x = 0; x < drawn.width; ++x) {
        if (drawn.at(x, y) != dark) continue;
        index_t const begin = x;
        while (x + 1 < drawn.width && drawn.at(x + 1, y) == dark) ++x;
        std::string const length = number(x + 1 - begin);
        path.append("M").append(number(begin)).append(" ").append(number(y));
        path.append("h").append(length).append("v1h-").append(length).append("z");
      }
    }
    if (path.empty()) continue;
    std::string const level = number(gray(dark));
    text += "<path fill=\"rgb(" + level + "," + level + "," + level + ")\" d=\"" + path + "\"/>\n";
  }
  return text + "</svg>\n";
}

void put_word(std::string& bytes, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xffu);
}

void put_chunk(std::string& png, std::string const& type, std::string const& content) {
  put_word(png, static_cast<std::uint32_t>(content.size()));
  std::string const checked = type + content;
  png += checked;
  put_word(png,
           static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<Bytef const*>(checked.data()),
                                              static_cast<uInt>(checked.size()))));
}

/// 8-bit gray levels, compressed by zlib (PNG specification, 2nd edition).
std::string png(picture const& drawn) {
  index_t const zoom = std::max<index_t>(1, 300 / std::max(drawn.width, drawn.height));
  std::string lines;
  for (index_t y = 0; y < drawn.height * zoom; ++y) {
    lines += '\0';  // no filter
    for (index_t x = 0; x < drawn.width * zoom; ++x) {
      lines += static_cast<char>(gray(drawn.at(x / zoom, y / zoom)));
    }
  }
  uLongf size = ::compressBound(static_cast<uLong>(lines.size()));
  std::string packed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                  reinterpret_cast<Bytef const*>(lines.data()), static_cast<uLong>(lines.size()),
                  Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();
  }
  packed.resize(size);
  std::string header;
  put_word(header, static_cast<std::uint32_t>(drawn.width * zoom));
  put_word(header, static_cast<std::uint32_t>(drawn.height * zoom));
  header += std::string("\x08\x00\x00\x00\x00", 5);  // 8 bits, gray, the only defined methods
  std::string bytes = "\x89PNG\r\n\x1a\n";
  put_chunk(bytes, "IHDR", header);
  put_chunk(bytes, "IDAT", packed);
  put_chunk(bytes, "IEND", "");
  return bytes;
}

}  // namespace

bool names_picture(std::string const& path) {
  return ends_in(path, ".svg") || ends_in(path, ".png");
}

std::string draw_matrix(std::string const& path, index_t rows, index_t columns,
                        std::int64_t const* offsets, std::int32_t const* indices) {
  picture const drawn = shade(rows, columns, offsets, indices);
  return ends_in(path, ".svg") ? svg(drawn) : png(drawn);
}

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
  index_t const max_count = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  std::string text = "entries in a row              rows\n";
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    index_t const from = bin == 0 ? 0 : index_t{1} << (bin - 1);
    index_t const to = bin == 0 ? 0 : 2 * from - 1;
    std::string range = std::to_string(from);
    if (to > from) range += " to " + std::to_string(to);
    auto const share = static_cast<double>(counts[bin]) / static_cast<double>(max_count);
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
