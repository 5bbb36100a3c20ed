// SPDX-License-Identifier: Apache-2.0
// Bars of text.
#include <apps/histogram/program/chart.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <apps/common/number.hpp>

namespace libscan::apps {
namespace {

/// From heights to lengths.
class scale {
 public:
  scale(double most, bool log, int cells) : log_(log), cells_(cells) {
    // With a logarithm the scale begins at 1, or at a thousandth of smaller sums.
    if (!(most > 0)) return;
    min_ = most > 1 ? 1 : most / 1000;
    top_ = log ? std::log10(most / min_) : most;
  }

  /// Cells up to a height on the scale.
  double cells_to(double height) const {
    return (log_ ? std::log10(height / min_) : height) / top_ * cells_;
  }

  /// Eighths of a cell; at least one for everything nonzero.
  int eighths(double height) const {
    if (!(height > 0)) return 0;
    double const length = std::clamp(8 * cells_to(height), 1.0, 8.0 * cells_);
    return static_cast<int>(std::lround(length));
  }

  /// Round heights to mark, at most six.
  std::vector<double> ticks() const {
    std::vector<double> all;
    if (log_) {
      double const decades = std::ceil((std::floor(top_) + 1) / 6);
      for (double power = 0; power <= top_; power += decades) {
        all.push_back(min_ * std::pow(10, power));
      }
      return all;
    }
    double const power = std::pow(10, std::floor(std::log10(top_)));
    double step = 2 * power;  // 1, 2 or 5 times a power of ten
    for (double const part : {1.0, 0.5, 0.2}) {
      if (top_ / (part * power) <= 6) step = part * power;
    }
    for (int k = 0; k * step <= top_; ++k) all.push_back(k * step);
    return all;
  }

 private:
  bool log_;
  int cells_;
  double min_ = 1, top_ = 1;
};

std::string bar_of(int eighths) {
  static constexpr char const* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (; eighths >= 8; eighths -= 8) text += "█";
  return text + parts[eighths];
}

/// The bar of a height; a height below 0, which has no logarithm, gets a bar of minus signs.
std::string bar_of(scale const& lengths, double height, bool log) {
  if (!(height < 0)) return bar_of(lengths.eighths(height));
  return log ? "" : std::string(static_cast<std::size_t>(lengths.eighths(-height) + 7) / 8, '-');
}

/// A number with four digits, for a scale.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string height_text(double height) {
  if (height == std::floor(height) && std::fabs(height) < 0x1p53) {
    return std::to_string(static_cast<std::int64_t>(height));
  }
  return short_number(height);
}

/// A line of ticks, and a line of their numbers.
std::string axis_of(scale const& lengths, int cells, std::size_t margin, std::string const& words) {
  std::string line(static_cast<std::size_t>(cells) + 1, '-');
  std::string numbers(margin, ' ');
  for (double const tick : lengths.ticks()) {
    auto const at = static_cast<std::size_t>(std::lround(lengths.cells_to(tick)));
    std::string const number = short_number(tick);
    std::size_t const place = margin + at - std::min(number.size() / 2, at);
    line[at] = '+';
    // Numbers must not overlap.
    if (at > 0 && place < numbers.size() + 1) continue;
    numbers.resize(place, ' ');
    numbers += number;
  }
  return std::string(margin, ' ') + line + "\n" + numbers + "  " + words + "\n";
}

}  // namespace

std::vector<bar> join_bins(std::vector<double> const& heights, int max_bars,
                           std::function<double(int)> const& edge,
                           std::function<std::string(int, int)> const& name) {
  int const bins = static_cast<int>(heights.size());
  int const together = (bins + max_bars - 1) / max_bars;
  std::vector<bar> bars;
  for (int k = 0; k < bins; k += together) {
    int const end = std::min(bins, k + together);
    double sum = 0;
    for (int b = k; b < end; ++b) sum += heights[static_cast<std::size_t>(b)];
    bars.push_back({edge(k), edge(end), name(k, end), sum});
  }
  return bars;
}

std::string drawn_in_text(chart const& what, int columns) {
  std::size_t names = what.values.size(), numbers = 0;
  double most = 0;
  for (auto const& one : what.bars) {
    names = std::max(names, one.name.size());
    numbers = std::max(numbers, height_text(one.height).size());
    double const length = what.log ? one.height : std::fabs(one.height);
    if (std::isfinite(length)) most = std::max(most, length);
  }
  int const cells = std::max(10, columns - static_cast<int>(names + numbers) - 5);
  scale const lengths(most, what.log, cells);
  std::string text =
      what.title + "\n" + std::string(names - what.values.size(), ' ') + what.values + " |\n";
  for (auto const& one : what.bars) {
    std::string const length = bar_of(lengths, one.height, what.log);
    text += std::string(names - one.name.size(), ' ') + one.name + " |" + length +
            (length.empty() ? "" : " ") + height_text(one.height) + "\n";
  }
  return text + axis_of(lengths, cells, names + 1, what.counts + (what.log ? ", logarithmic" : ""));
}

int terminal_columns(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace libscan::apps
