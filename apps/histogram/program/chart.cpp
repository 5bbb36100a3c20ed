// SPDX-License-Identifier: Apache-2.0
// Bars of text, and pictures by gnuplot.
#include <apps/histogram/program/chart.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <apps/common/number.hpp>
#include <libscan/core/error.hpp>

extern char** environ;

namespace libscan::apps {
namespace {

/// From heights to lengths.
class scale {
 public:
  scale(double max_height, bool log, int cells) : log_(log), cells_(cells) {
    // With a logarithm the scale begins at 1, or at a thousandth of smaller sums.
    if (!(max_height > 0)) return;
    min_ = max_height > 1 ? 1 : max_height / 1000;
    top_ = log ? std::log10(max_height / min_) : max_height;
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
  double max_height = 0;
  for (auto const& one : what.bars) {
    names = std::max(names, one.name.size());
    numbers = std::max(numbers, height_text(one.height).size());
    double const length = what.log ? one.height : std::fabs(one.height);
    if (std::isfinite(length)) max_height = std::max(max_height, length);
  }
  int const cells = std::max(10, columns - static_cast<int>(names + numbers) - 5);
  scale const lengths(max_height, what.log, cells);
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

namespace {

/// A file without a name, for the input and output of another program.
class scratch {
 public:
  explicit scratch(std::string const& content = "") : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw error(std::string("cannot make a temporary file: ") + std::strerror(errno));
    bool const written =
        std::fwrite(content.data(), 1, content.size(), file_.get()) == content.size();
    if (!written || std::fflush(file_.get()) != 0) {
      throw error(std::string("cannot write a temporary file: ") + std::strerror(errno));
    }
    std::rewind(file_.get());
  }

  int descriptor() const { return ::fileno(file_.get()); }

  std::string read() {
    std::string text;
    char piece[65536];
    std::rewind(file_.get());
    while (std::size_t const some = std::fread(piece, 1, sizeof piece, file_.get())) {
      text.append(piece, some);
    }
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Runs gnuplot on `script`; its exit status, or -1 if there is no gnuplot.
int run_gnuplot(scratch const& script, scratch const& out, scratch const& words) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, script.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, words.descriptor(), STDERR_FILENO);
  char name[] = "gnuplot";
  char plain[] = "-d";  // without the user's settings
  char* const arguments[] = {name, plain, nullptr};
  pid_t child = 0;
  int const failed = ::posix_spawnp(&child, name, &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Text as a gnuplot string in single quotes, on one line.
std::string in_quotes(std::string const& text) {
  std::string result = "'";
  for (char const letter : text) {
    if (letter == '\'') result += '\'';
    result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return result + "'";
}

[[noreturn]] void refuse_without_gnuplot() {
  throw error(
      "--svg and --png need gnuplot, which is not installed (Debian: gnuplot-nox); "
      "--plot needs nothing");
}

}  // namespace

void require_gnuplot() {
  if (int const status = run_gnuplot(scratch("exit\n"), scratch(), scratch());
      status == -1 || status == 127) {
    refuse_without_gnuplot();
  }
}

std::string gnuplot_script(chart const& what, picture_format format) {
  std::string script = format == picture_format::svg
                           ? "set terminal svg size 960,600 background rgb 'white'\n"
                           : "set terminal pngcairo size 1280,800 fontscale 1.3\n";
  script += "set title " + in_quotes(what.title) + " noenhanced\nset xlabel " +
            in_quotes(what.values) + " noenhanced\nset ylabel " + in_quotes(what.counts) +
            " noenhanced\nset key off\nset grid y\nset border 3\nset tics nomirror out\n"
            "set style fill solid 0.8\nset encoding utf8\n";
  // Infinite heights cannot be drawn.
  std::vector<bar> bars;
  for (auto const& one : what.bars) {
    if (std::isfinite(one.to - one.from)) bars.push_back(one);
  }
  double min_height = 0, max_height = 0;
  bool below = false;
  for (auto const& one : bars) {
    if (!std::isfinite(one.height)) continue;
    below = below || one.height < 0;
    if (one.height > 0 && (min_height == 0 || one.height < min_height)) min_height = one.height;
    max_height = one.height > max_height ? one.height : max_height;
  }
  if (what.log && max_height > 0) {
    // Bars begin below the lowest one.
    script += "set logscale y\nset yrange [" + number_text(min_height / 2) + ":" +
              number_text(max_height * 1.2) + "]\n";
  } else if (!below) {
    script += max_height > 0 ? "set yrange [0:*]\n" : "set yrange [0:1]\n";
  }
  double const from = bars.empty() ? 0 : bars.front().from;
  double const to = bars.empty() ? 1 : bars.back().to;
  if (from < to) script += "set xrange [" + number_text(from) + ":" + number_text(to) + "]\n";
  script += "$bars << end_of_bars\n";
  for (auto const& one : bars) {
    if (!std::isfinite(one.height) || (what.log && !(one.height > 0))) continue;
    double const middle = one.from / 2 + one.to / 2;
    script += number_text(middle) + " " + number_text(one.height) + " " +
              number_text(one.to - one.from) + "\n";
  }
  if (max_height == 0) script += number_text(from) + " 0 0\n";
  return script + "end_of_bars\nplot $bars using 1:2:3 with boxes linecolor rgb '#3465a4'\n";
}

void draw_picture(chart const& what, picture_format format, output_file& to) {
  scratch const script(gnuplot_script(what, format));
  scratch out, words;
  int const status = run_gnuplot(script, out, words);
  if (status == -1 || status == 127) refuse_without_gnuplot();
  std::string const picture = out.read();
  bool const good = format == picture_format::svg ? picture.find("</svg>") != std::string::npos
                                                  : picture.starts_with("\x89PNG");
  if (status != 0 || !good) {
    std::string said = words.read();
    for (char& letter : said) letter = letter == '\n' ? ' ' : letter;
    throw error("gnuplot failed with status " + std::to_string(status) + ": " + said);
  }
  to.write(std::as_bytes(std::span<char const>(picture)));
}

}  // namespace libscan::apps
